//! What the machine offers: a terminal, a shell, git, a port.

use super::Check;
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

/// The terminal, the shell, git and the port.
pub(super) fn checks(env: &dyn Fn(&str) -> Option<String>, port: u16) -> Vec<Check> {
    let out = std::io::stdout();
    let tty = Tty {
        is_terminal: out.is_terminal() && std::io::stdin().is_terminal(),
        columns: rustix::termios::tcgetwinsize(&out).ok().map(|size| size.ws_col).filter(|columns| *columns > 0),
        term: env("TERM").unwrap_or_default(),
        no_color: env("NO_COLOR").is_some_and(|value| !value.is_empty()),
    };
    vec![terminal(&tty), shell(&SHELLS), git(&env("PATH").unwrap_or_default()), free_port(port)]
}

struct Tty {
    is_terminal: bool,
    columns: Option<u16>,
    term: String,
    no_color: bool,
}

fn terminal(tty: &Tty) -> Check {
    const NAME: &str = "terminal";
    let colour = match (tty.no_color, tty.term.as_str()) {
        (true, _) => "without colour (NO_COLOR)",
        (false, "" | "dumb") => "without colour (TERM)",
        (false, _) => "in colour",
    };
    match (tty.is_terminal, tty.columns) {
        (false, _) => Check::lacking(NAME, "input or output is not a terminal", "use -p, or start it in a terminal"),
        (true, Some(columns)) if columns < NARROWEST => {
            Check::lacking(NAME, format!("{columns} columns, {colour}"), format!("make it {NARROWEST} or wider"))
        }
        (true, Some(columns)) => Check::good(NAME, format!("{columns} columns, {colour}")),
        (true, None) => Check::good(NAME, format!("of unknown width, {colour}")),
    }
}

fn shell(places: &[&str]) -> Check {
    match places.iter().find(|place| is_executable(Path::new(place))) {
        Some(place) => Check::good("shell", *place),
        None => Check::broken("shell", "there is no shell", "install bash: commands run in it"),
    }
}

fn git(path: &str) -> Check {
    let found: Option<PathBuf> = std::env::split_paths(path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join("git"))
        .find(|program| is_executable(program));
    match found {
        Some(program) => Check::good("git", program.display().to_string()),
        None => Check::lacking("git", "git is not on PATH", "install it for checkpoints and worktrees"),
    }
}

fn free_port(port: u16) -> Check {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Check::good("port", format!("{port} is free for `pollux serve`")),
        Err(error) => Check::lacking(
            "port",
            format!("{port} cannot be used: {error}"),
            "choose another with --port or CODER_AGENT_PORT, or stop what listens there",
        ),
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
