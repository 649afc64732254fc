//! Waits for the commands of a pipeline, and tells those to end that have run for as long as they may, as `timeout` does: it is
//! not started for that, because a program that may start others could be talked into starting more.

use super::reaper::Reaper;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

/// The exit code of a builtin that failed.
const BUILTIN_FAILED: u8 = 126;
/// The exit code of a program that was told to end because its time was over.
const OUT_OF_TIME: u8 = 124;

/// A command of a pipeline that was started.
pub(super) enum StartedCommand {
    Program(StartedProgram),
    Builtin(JoinHandle<u8>),
    /// It ended at once.
    Ended(u8),
}

/// A program that was started. One with a limit leads a process group of its own.
pub(super) struct StartedProgram {
    pid: Pid,
    deadline: Option<Instant>,
    /// Whether it was told to end.
    is_late: bool,
}

impl StartedProgram {
    /// The program `pid`, which starts now and may run for `limit`.
    pub(super) fn new(pid: Pid, limit: Option<Duration>) -> StartedProgram {
        StartedProgram { pid, deadline: limit.map(|limit| Instant::now() + limit), is_late: false }
    }
}

/// Wait for all commands of a pipeline. Its exit code is that of the last one.
pub(super) async fn wait_for(mut commands: Vec<StartedCommand>, reaper: &mut Reaper) -> u8 {
    for command in &commands {
        if let StartedCommand::Program(program) = command {
            reaper.await_child(program.pid);
        }
    }
    let mut last = 0;
    for at in 0..commands.len() {
        last = loop {
            let Some(deadline) = commands.iter().filter_map(deadline_of).min() else {
                break commands[at].ended(reaper).await;
            };
            match timeout_at(deadline, commands[at].ended(reaper)).await {
                Ok(code) => break code,
                Err(_) => end_late_programs(&mut commands, reaper),
            }
        };
        commands[at] = StartedCommand::Ended(last);
    }
    last
}

fn deadline_of(command: &StartedCommand) -> Option<Instant> {
    match command {
        StartedCommand::Program(program) => program.deadline,
        StartedCommand::Builtin(_) | StartedCommand::Ended(_) => None,
    }
}

/// Tell every program whose time is over to end, once. Those that do not are waited for, as `timeout` does.
fn end_late_programs(commands: &mut [StartedCommand], reaper: &mut Reaper) {
    reaper.reap_all();
    let now = Instant::now();
    for command in commands {
        let StartedCommand::Program(program) = command else { continue };
        if program.deadline.is_none_or(|deadline| deadline > now) {
            continue;
        }
        program.deadline = None;
        // The number of one that was reaped may be a stranger's.
        if reaper.is_awaited(program.pid) {
            program.is_late = true;
            // Who is stopped gets no other signal until it goes on.
            for signal in [Signal::TERM, Signal::CONT] {
                let _ = kill_process(program.pid, signal);
                let _ = kill_process_group(program.pid, signal);
            }
        }
    }
}

impl StartedCommand {
    /// The exit code, once it has ended. Nothing is lost if nobody waits any more.
    async fn ended(&mut self, reaper: &mut Reaper) -> u8 {
        match self {
            StartedCommand::Program(program) => {
                let status = ExitStatus::from_raw(reaper.ended(program.pid).await);
                let was_killed = status.signal() == Some(libc::SIGKILL);
                if program.is_late && !was_killed { OUT_OF_TIME } else { shell_code(status) }
            }
            StartedCommand::Builtin(running) => running.await.unwrap_or(BUILTIN_FAILED),
            StartedCommand::Ended(code) => *code,
        }
    }
}

/// The exit code a shell has for a program that ended so.
fn shell_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
