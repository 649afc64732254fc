use super::*;
use pretty_assertions::assert_eq;

fn tty(is_terminal: bool, columns: Option<u16>, term: &str, no_color: bool) -> TerminalFacts {
    TerminalFacts { is_terminal, columns, term: term.into(), no_color }
}

#[test]
fn a_terminal_is_judged_by_width_and_colour() {
    let good = |says: &str| DoctorCheck::good("terminal", says);
    assert_eq!(terminal(&tty(true, Some(80), "xterm", false)), good("80 columns, in colour"));
    assert_eq!(terminal(&tty(true, Some(80), "xterm", true)), good("80 columns, without colour (NO_COLOR)"));
    assert_eq!(terminal(&tty(true, None, "dumb", false)), good("of unknown width, without colour (TERM)"));
    let narrow = DoctorCheck::missing("terminal", "59 columns, without colour (TERM)", "make it 60 or wider");
    assert_eq!(terminal(&tty(true, Some(59), "", false)), narrow);
    let none =
        DoctorCheck::missing("terminal", "input or output is not a terminal", "use -p, or start it in a terminal");
    assert_eq!(terminal(&tty(false, Some(80), "xterm", false)), none);
}

#[test]
fn a_shell_and_git_must_be_programs() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("git");
    std::fs::write(&program, "").unwrap();
    let (place, path) = (program.display().to_string(), dir.path().display().to_string());
    let no_shell = DoctorCheck::broken("shell", "there is no shell", "install bash: commands run in it");
    let no_git = DoctorCheck::missing("git", "git is not on PATH", "install it for checkpoints and worktrees");
    assert_eq!(shell(&[&place]), no_shell);
    assert_eq!(git(&path), no_git);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(shell(&["/none", &place]), DoctorCheck::good("shell", &*place));
    assert_eq!(git(&format!(".:{path}")), DoctorCheck::good("git", place));
    assert_eq!(git("."), no_git);
}

#[test]
fn a_port_is_free_until_somebody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve_dir = tempfile::tempdir().unwrap();
    let check = free_port(port, serve_dir.path());
    assert_eq!(check.name, "port");
    assert!(check.message.starts_with(&format!("{port} cannot be used: ")), "{}", check.message);
    let holder = pollux_store::LockHolder::this_process(Some(port), "/ws");
    let _lock = DatabaseLock::take(serve_dir.path(), &holder).unwrap();
    assert_eq!(free_port(port, serve_dir.path()), DoctorCheck::good("port", format!("`pollux serve` runs on {port}")));
    // Port 0 is any free one.
    assert_eq!(free_port(0, serve_dir.path()), DoctorCheck::good("port", "0 is free for `pollux serve`"));
}
