//! Starts the work that is one program.

use super::WorkStreams;
use crate::process::job::ProgramWork;
use rustix::process::Pid;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Start `work` as the leader of a process group of its own. Its streams are closed here.
#[expect(clippy::disallowed_methods, reason = "this module is the one place that starts child processes")]
pub(super) fn start(work: ProgramWork, streams: WorkStreams) -> io::Result<Pid> {
    let mut command = Command::new(work.program);
    command
        .args(work.args)
        .current_dir(work.directory)
        .env_clear()
        .envs(work.environment)
        .stdin(streams.input.map_or_else(Stdio::null, Stdio::from))
        .stdout(streams.output)
        .stderr(streams.errors)
        .process_group(0);
    pid_of(&command.spawn()?)
}

pub(super) fn pid_of(child: &Child) -> io::Result<Pid> {
    Pid::from_raw(child.id().cast_signed()).ok_or_else(|| io::Error::other("the process has no id"))
}
