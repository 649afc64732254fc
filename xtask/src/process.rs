//! The one place in xtask that starts child processes. Each gets a stated directory.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command that will run in `dir`.
pub(crate) fn command(program: impl AsRef<OsStr>, dir: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "chores are made of other programs; this is where they start")]
    let mut command = Command::new(program);
    command.current_dir(dir);
    command
}

/// The cargo that started us, so that a toolchain override reaches every step. What that cargo says of xtask's own package stays
/// here: some build scripts ask to run again when it changes (ring's does), and then everything above them would be compiled
/// once more each time `cargo build` and `cargo xtask` take turns.
pub(crate) fn cargo(dir: &Path) -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), dir);
    for (name, _) in std::env::vars_os().filter(|(name, _)| describes_package(name)) {
        cargo.env_remove(name);
    }
    cargo
}

fn describes_package(variable: &OsStr) -> bool {
    let prefixes = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];
    variable.to_str().is_some_and(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
}

/// Run a command with our own output, and fail if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = describe(command);
    let status = command.status().with_context(|| format!("`{line}` could not be started"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// The output of a command on stdout, trimmed; `None` when the program does not exist or fails.
pub(crate) fn read(command: &mut Command) -> Result<Option<String>> {
    match command.stdin(Stdio::null()).stderr(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            Ok(Some(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()))
        }
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("`{}` could not be started", describe(command))),
    }
}

/// The command as one would type it.
pub(crate) fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = std::iter::once(program.file_name().unwrap_or(program.as_os_str())).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
