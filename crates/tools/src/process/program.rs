//! A program that is talked to over its standard input and output, for as long as its [`Group`] is kept.

use super::{Group, environment};
use crate::process_environment::ProcessEnvironment;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Stdio;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

/// A program that runs.
pub(crate) struct Program {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
    pub(crate) errors: ChildStderr,
    /// Its processes.
    pub(crate) group: Group,
}

/// Start `program`. It inherits what every child does; `given` comes on top.
#[expect(clippy::disallowed_methods, reason = "this module is the one place that starts child processes")]
pub(crate) fn start_program(
    program: &str,
    args: &[String],
    given: &BTreeMap<String, String>,
    directory: &Path,
) -> io::Result<Program> {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(directory)
        .env_clear()
        .envs(environment::build(ProcessEnvironment::original().variables(), &[]))
        .envs(given)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let group = Group::of(child)?;
    match pipes {
        (Some(input), Some(output), Some(errors)) => Ok(Program { input, output, errors, group }),
        _ => Err(io::Error::other("the process has no pipes")),
    }
}
