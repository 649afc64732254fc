//! Waits for all children of a supervisor: those it started, and those that were left to it by their own parents.

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, wait};
use std::collections::{HashMap, HashSet};
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

pub(super) struct Reaper {
    changes: Signal,
    /// Children whose wait status somebody wants.
    awaited: HashSet<Pid>,
    /// Wait statuses of those of them that ended.
    ended: HashMap<Pid, i32>,
}

impl Reaper {
    pub(super) fn new() -> io::Result<Reaper> {
        Ok(Reaper { changes: signal(SignalKind::child())?, awaited: HashSet::new(), ended: HashMap::new() })
    }

    /// Keep the wait status of `child` when it comes.
    pub(super) fn await_child(&mut self, child: Pid) {
        self.awaited.insert(child);
    }

    /// Whether `child` is awaited and was not reaped yet.
    pub(super) fn is_awaited(&self, child: Pid) -> bool {
        self.awaited.contains(&child)
    }

    /// Reap every child that has ended. Returns whether there are no children at all.
    pub(super) fn reap_all(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    if self.awaited.remove(&pid) {
                        self.ended.insert(pid, status.as_raw());
                    }
                }
                Ok(None) => return false,
                Err(Errno::INTR) => {}
                Err(_) => return true,
            }
        }
    }

    /// Wait for the next end of a child.
    pub(super) async fn child_changed(&mut self) {
        self.changes.recv().await;
    }

    /// The wait status of `child`, once it has ended.
    pub(super) async fn ended(&mut self, child: Pid) -> i32 {
        loop {
            self.reap_all();
            if let Some(status) = self.ended.remove(&child) {
                return status;
            }
            self.child_changed().await;
        }
    }
}
