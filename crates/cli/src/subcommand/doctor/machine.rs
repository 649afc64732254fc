//! Checks of the machine: a terminal, a shell, a sandbox, git, a port.

use super::DoctorCheck;
use pollux_store::DatabaseLock;
use std::io::IsTerminal;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// Where shells are looked for: the places the tools use, not PATH, which may lead into the workspace.
const SHELLS: [&str; 4] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh"];

/// The narrowest terminal in which a diff can be read.
const NARROWEST: u16 = 60;

/// The terminal, the shell, the sandbox, git and the port.
pub(super) fn checks(
    env: &dyn Fn(&str) -> Option<String>,
    port: &Result<u16, String>,
    serve_dir: &Path,
) -> Vec<DoctorCheck> {
    let out = std::io::stdout();
    let tty = TerminalFacts {
        is_terminal: out.is_terminal() && std::io::stdin().is_terminal(),
        columns: rustix::termios::tcgetwinsize(&out).ok().map(|size| size.ws_col).filter(|columns| *columns > 0),
        term: env("TERM").unwrap_or_default(),
        no_color: env("NO_COLOR").is_some_and(|value| !value.is_empty()),
    };
    let port = match port {
        Ok(port) => free_port(*port, serve_dir),
        Err(why) => DoctorCheck::broken("port", why, "correct it: `pollux serve` does not start before that"),
    };
    vec![terminal(&tty), shell(&SHELLS), sandbox(), git(&env("PATH").unwrap_or_default()), port]
}

struct TerminalFacts {
    is_terminal: bool,
    columns: Option<u16>,
    term: String,
    no_color: bool,
}

fn terminal(tty: &TerminalFacts) -> DoctorCheck {
    const NAME: &str = "terminal";
    let colour = match (tty.no_color, tty.term.as_str()) {
        (true, _) => "without colour (NO_COLOR)",
        (false, "" | "dumb") => "without colour (TERM)",
        (false, _) => "in colour",
    };
    match (tty.is_terminal, tty.columns) {
        (false, _) => {
            DoctorCheck::missing(NAME, "input or output is not a terminal", "use -p, or start it in a terminal")
        }
        (true, Some(columns)) if columns < NARROWEST => {
            DoctorCheck::missing(NAME, format!("{columns} columns, {colour}"), format!("make it {NARROWEST} or wider"))
        }
        (true, Some(columns)) => DoctorCheck::good(NAME, format!("{columns} columns, {colour}")),
        (true, None) => DoctorCheck::good(NAME, format!("of unknown width, {colour}")),
    }
}

fn shell(places: &[&str]) -> DoctorCheck {
    match places.iter().find(|place| is_executable(Path::new(place))) {
        Some(place) => DoctorCheck::good("shell", *place),
        None => DoctorCheck::broken("shell", "there is no shell", "install bash: commands run in it"),
    }
}

/// There is none in this release; a person who counts on one has to know.
fn sandbox() -> DoctorCheck {
    DoctorCheck::missing(
        "sandbox",
        "this release has none, so commands run as you",
        "keep to modes that ask, or start pollux inside a container",
    )
}

fn git(path: &str) -> DoctorCheck {
    match on_path("git", path) {
        Some(program) => DoctorCheck::good("git", program.display().to_string()),
        None => DoctorCheck::missing("git", "git is not on PATH", "install it for checkpoints and worktrees"),
    }
}

/// The program called `name` on `path`; relative parts of it may lead into the workspace and do not count.
pub(super) fn on_path(name: &str, path: &str) -> Option<PathBuf> {
    let places = std::env::split_paths(path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(name));
    places.into_iter().find(|program| is_executable(program))
}

fn free_port(port: u16, serve_dir: &Path) -> DoctorCheck {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => DoctorCheck::good("port", format!("{port} is free for `pollux serve`")),
        Err(_) if is_ours(port, serve_dir) => DoctorCheck::good("port", format!("`pollux serve` runs on {port}")),
        Err(error) => DoctorCheck::missing(
            "port",
            format!("{port} cannot be used: {error}"),
            "choose another with --port or CODER_AGENT_PORT, or stop what listens there",
        ),
    }
}

/// True if it is our own server that listens there.
fn is_ours(port: u16, serve_dir: &Path) -> bool {
    matches!(DatabaseLock::holder(serve_dir), Ok(Some(holder)) if holder.port == Some(port))
}

/// True if there is a program at `path`.
pub(super) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
