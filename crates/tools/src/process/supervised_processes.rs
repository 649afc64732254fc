//! The processes of a call as Pollux sees them, through their supervisor. Whatever happens to this end of the control
//! socket (dropped, closed at exit, gone with a killed process), the supervisor ends everything below it.

use super::job::SupervisorMessage;
use super::registry::{self, RegisteredSupervisor};
use rustix::process::{Signal, kill_process};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::Child;
use tokio::sync::watch;
use tokio::time::{interval, timeout};
use tokio_util::sync::CancellationToken;

/// The interval at which a supervisor is told to go on: a process below it may have stopped it.
const NUDGE: Duration = Duration::from_secs(1);
/// After so many of those a supervisor that should end is killed, and Pollux does itself what was to be done.
const NUDGES: u32 = 5;
/// The wait for the end of all processes.
const ENDING_LIMIT: Duration = Duration::from_secs(10);

/// All processes of a call. Dropping it ends every one of them, without blocking.
pub(crate) struct SupervisedProcesses {
    /// Shown to people, who end the work with `kill -- -PID`.
    leader: i32,
    /// Closed to say that the call is over.
    lifeline: Option<OwnedWriteHalf>,
    ending: CancellationToken,
    progress: watch::Receiver<SupervisedProgress>,
}

/// The progress of a call's processes.
#[derive(Clone, Copy, Debug, Default)]
struct SupervisedProgress {
    /// The process group of the work, or why there is none.
    started: Option<Result<i32, i32>>,
    /// The wait status of the work.
    ended: Option<i32>,
    /// Set when nothing is left: whether processes had to be ended that outlived the work.
    over: Option<bool>,
}

impl SupervisedProcesses {
    /// Follow the supervisor `child`, and return when its work has started.
    pub(super) async fn follow(
        child: Child,
        registered: RegisteredSupervisor,
        (reader, lifeline): (OwnedReadHalf, OwnedWriteHalf),
    ) -> io::Result<SupervisedProcesses> {
        let (sender, progress) = watch::channel(SupervisedProgress::default());
        let ending = CancellationToken::new();
        let supervisor = FollowedSupervisor { child, registered, ending: ending.clone(), progress: sender };
        tokio::spawn(supervisor.follow(BufReader::new(reader).lines()));
        let mut group = SupervisedProcesses { leader: 0, lifeline: Some(lifeline), ending, progress };
        let started = group.progress.wait_for(|progress| progress.started.is_some() || progress.over.is_some()).await;
        match started.map(|progress| progress.started) {
            Ok(Some(Ok(leader))) => group.leader = leader,
            Ok(Some(Err(errno))) => return Err(io::Error::from_raw_os_error(errno)),
            Ok(None) | Err(_) => {
                let message = "the supervisor of the command ended before it said whether it started anything; start Pollux again";
                return Err(io::Error::other(message));
            }
        }
        Ok(group)
    }

    /// The number of the process group of the work.
    pub(crate) fn pid(&self) -> u32 {
        self.leader.unsigned_abs()
    }

    /// Wait for the work to end. Processes it left behind may go on.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let ended = self.progress.wait_for(|progress| progress.ended.is_some() || progress.over.is_some()).await;
        match ended.map(|progress| progress.ended) {
            Ok(Some(status)) => Ok(ExitStatus::from_raw(status)),
            Ok(None) | Err(_) => Err(io::Error::other("the processes were ended before the work was done")),
        }
    }

    /// End every process, and wait until none is left.
    pub(crate) async fn stop(&mut self) {
        self.end();
        let over = self.progress.wait_for(|progress| progress.over.is_some());
        // What takes longer than this goes on without us.
        let _ = timeout(ENDING_LIMIT, over).await;
    }

    /// Stop processes that are left once the work has ended. Returns true if there was anything left to end.
    pub(crate) async fn stop_leftovers(&mut self) -> bool {
        self.stop().await;
        // Unknown means that it takes long, so there is something.
        self.progress.borrow().over.unwrap_or(true)
    }

    fn end(&mut self) {
        self.lifeline = None;
        self.ending.cancel();
    }
}

impl Drop for SupervisedProcesses {
    fn drop(&mut self) {
        self.end();
    }
}

/// A supervisor that is listened to until it is gone.
struct FollowedSupervisor {
    child: Child,
    registered: RegisteredSupervisor,
    /// Cancelled when it should end.
    ending: CancellationToken,
    progress: watch::Sender<SupervisedProgress>,
}

impl FollowedSupervisor {
    async fn follow(mut self, mut messages: Lines<BufReader<OwnedReadHalf>>) {
        let mut over = None;
        let mut nudges = interval(NUDGE);
        let mut left = NUDGES;
        loop {
            tokio::select! {
                line = messages.next_line() => match line {
                    Ok(Some(line)) => {
                        if let Ok(message) = serde_json::from_str(&line) {
                            over = self.apply_message(message).or(over);
                        }
                    }
                    Ok(None) | Err(_) => break,
                },
                _ = nudges.tick() => {
                    // It is not reaped yet, so its number is its own.
                    let _ = kill_process(self.registered.pid(), Signal::CONT);
                    if self.ending.is_cancelled() {
                        left = left.saturating_sub(1);
                    }
                    if left == 0 {
                        let _ = kill_process(self.registered.pid(), Signal::KILL);
                    }
                }
            }
        }
        let status = self.child.wait().await;
        self.registered.unlist();
        // If it was killed, what was below it is below us now. What does not end is looked for at the next start.
        let is_over = over.is_some() || tokio::task::spawn_blocking(self.registered.takeover()).await.unwrap_or(false);
        if is_over {
            self.registered.forget();
        }
        self.progress.send_modify(|progress| {
            progress.over = Some(over.unwrap_or(progress.ended.is_some()));
            // Whoever ends it with a signal means the command.
            let by_signal = status.ok().filter(|status| over.is_none() && status.signal().is_some());
            progress.ended = progress.ended.or(by_signal.map(ExitStatusExt::into_raw));
        });
        registry::reap_adopted_zombies();
    }

    /// Take note of a message; the last one is returned.
    fn apply_message(&self, message: SupervisorMessage) -> Option<bool> {
        match message {
            SupervisorMessage::Started { group } => self.progress.send_modify(|now| now.started = Some(Ok(group))),
            SupervisorMessage::NotStarted { errno } => self.progress.send_modify(|now| now.started = Some(Err(errno))),
            SupervisorMessage::Ended { status } => self.progress.send_modify(|now| now.ended = Some(status)),
            SupervisorMessage::Over { stopped_leftovers } => return Some(stopped_leftovers),
        }
        None
    }
}
