//! The decision about one connection: who holds its socket, and where that process stands.

use super::SupervisorMarks;
use super::descriptors::{Sighting, SocketLink};
use super::other_sessions::{OtherSessions, any_supervisor_runs};
use super::process::{ProcessStat, ProcessTable, acts_only_as, is_below, own_pid, threads_of};
use crate::gate::denied::Denied;
use crate::gate::uid::{self, PeerSocket};
use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How long a descendant may hide its descriptors before connections are refused because of it.
const HIDDEN_LIMIT: Duration = Duration::from_millis(250);
/// The time between two looks at it.
const HIDDEN_PAUSE: Duration = Duration::from_millis(10);

/// What was found out about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Not a descendant's.
    Outsider,
    /// A descendant holds its socket, or a process of another session.
    Descendant { pid: u32 },
    /// A descendant hides its descriptors, so the connection may be its own.
    Hidden { pid: u32 },
    /// It cannot be told whose it is, and it may be a descendant's.
    Unidentified,
}

impl Verdict {
    /// Lets an outsider pass. Anybody else is refused, and the log says so: it may be an attack on the person's approval.
    pub(super) fn admit(self, remote: SocketAddr) -> Result<(), Denied> {
        match self {
            Verdict::Outsider => Ok(()),
            Verdict::Descendant { pid } => {
                tracing::warn!(%remote, pid, "refused a connection of a process that this or another session started");
                Err(Denied::Descendant)
            }
            Verdict::Hidden { pid } => {
                tracing::warn!(%remote, pid, "refused a connection because a process that this one started hides its own");
                Err(Denied::Unidentified)
            }
            Verdict::Unidentified => {
                tracing::warn!(%remote, "refused a connection that no process outside this one's tree is seen to hold");
                Err(Denied::Unidentified)
            }
        }
    }
}

/// The verdict where it costs nothing: on a connection from elsewhere, and as long as nobody has children.
pub(super) fn judge_without_search(remote: SocketAddr, local: SocketAddr, marks: &SupervisorMarks) -> Option<Verdict> {
    let Some(socket) = held_socket(remote, local) else {
        return Some(without_socket(remote, local));
    };
    let nobody_else = marks.first_argument.is_none();
    (nobody_else && has_no_children()).then(|| if_still_held(socket, remote, local))
}

/// The verdict by a search of `/proc`. Every process hides for a moment: a supervisor's child until it runs its program,
/// and whatever is about to end. So the search is repeated before a hidden descendant counts.
pub(super) fn judge(remote: SocketAddr, local: SocketAddr, marks: &SupervisorMarks) -> Verdict {
    repeat_while_hidden(|| search(remote, local, marks))
}

fn repeat_while_hidden(mut look: impl FnMut() -> Verdict) -> Verdict {
    let deadline = Instant::now() + HIDDEN_LIMIT;
    loop {
        match look() {
            Verdict::Hidden { .. } if Instant::now() < deadline => std::thread::sleep(HIDDEN_PAUSE),
            verdict => return verdict,
        }
    }
}

fn search(remote: SocketAddr, local: SocketAddr, marks: &SupervisorMarks) -> Verdict {
    let Some(socket) = held_socket(remote, local) else {
        return without_socket(remote, local);
    };
    if has_no_children() && !any_supervisor_runs(marks.first_argument) {
        return if_still_held(socket, remote, local);
    }
    judge_holder(socket, (remote, local), uid::own(), marks)
}

/// The verdict by who holds `socket`, for a server that acts as `user`.
fn judge_holder(
    socket: PeerSocket,
    (remote, local): (SocketAddr, SocketAddr),
    user: u32,
    marks: &SupervisorMarks,
) -> Verdict {
    let (Ok(own), Ok(table)) = (own_pid(), ProcessTable::read()) else {
        return Verdict::Unidentified;
    };
    let insiders = Insiders::find(&table, own, marks);
    let link = SocketLink::new(socket.inode);
    let seen: Vec<(u32, Sighting)> = insiders.all().map(|pid| (pid, link.look_at(pid))).collect();
    if let Some((pid, _)) = seen.iter().find(|(_, sighting)| *sighting == Sighting::Held) {
        // What we hold ourselves a child has only between its fork and its exec.
        let is_ours = link.look_at(own) == Sighting::Held;
        return if is_ours { Verdict::Outsider } else { Verdict::Descendant { pid: *pid } };
    }
    // It may have handed a copy to a process outside, so it does not matter who else holds the socket.
    let hides = |pid: u32| insiders.below.contains(&pid) && insiders.counts(pid);
    if let Some((pid, _)) = seen.iter().find(|(pid, sighting)| *sighting == Sighting::Hidden && hides(*pid)) {
        return Verdict::Hidden { pid: *pid };
    }
    // Where `/proc` may leave out processes, only a holder that is seen will do.
    if conceals_processes(fs::read_to_string("/proc/self/mountinfo")) {
        return insiders.find_outsider(&link, own);
    }
    // A process of another user often cannot be looked into. It is no descendant unless one changed its user.
    if socket.uid != user {
        if !insiders.any_changed_user(user) {
            return if_still_held(socket, remote, local);
        }
    } else if insiders.none_counts() {
        let again = ProcessTable::read();
        if again.is_ok_and(|table| Insiders::find(&table, own, marks).none_counts()) {
            return if_still_held(socket, remote, local);
        }
    }
    insiders.find_outsider(&link, own)
}

/// The processes that may not hold the connection, among all.
struct Insiders<'a> {
    table: &'a ProcessTable,
    marks: &'a SupervisorMarks,
    below: Vec<u32>,
    others: OtherSessions,
}

impl<'a> Insiders<'a> {
    fn find(table: &'a ProcessTable, own: u32, marks: &'a SupervisorMarks) -> Insiders<'a> {
        let below = table.below(&[own], |pid| is_below(pid, &[own]).unwrap_or(false));
        let others = OtherSessions::find(table, own, marks.first_argument);
        Insiders { table, marks, below, others }
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        self.below.iter().chain(&self.others.processes).copied()
    }

    /// Whether a process could hold a connection: it has not ended and is none of our supervisors.
    fn counts(&self, pid: u32) -> bool {
        let has_ended = || {
            let has_threads = || threads_of(pid).is_ok_and(|threads| threads.len() > 1);
            self.table.get(pid).is_none_or(ProcessStat::is_zombie) && !has_threads()
        };
        !(self.marks.is_registered)(pid) && !has_ended()
    }

    fn none_counts(&self) -> bool {
        !self.all().any(|pid| self.counts(pid))
    }

    /// Whether a descendant acts as another user than `user`.
    fn any_changed_user(&self, user: u32) -> bool {
        self.below.iter().any(|pid| self.counts(*pid) && acts_only_as(*pid, user) == Some(false))
    }

    /// Looks for a process that is no insider and holds the socket.
    fn find_outsider(&self, link: &SocketLink, own: u32) -> Verdict {
        let insiders: HashSet<u32> = self.all().collect();
        for pid in self.table.newest_first().filter(|pid| !insiders.contains(pid)) {
            let Some(stat) = self.table.get(pid).filter(|stat| link.is_held_by(pid, *stat)) else { continue };
            if pid == own {
                return Verdict::Outsider;
            }
            let (is_below, is_other) = (is_below(pid, &[own]), self.others.include(pid));
            // Whatever was looked into must still be the process that the table names.
            if ProcessStat::read(pid).is_none_or(|now| now.started != stat.started) {
                continue;
            }
            match (is_below, is_other) {
                (Some(false), Some(false)) => return Verdict::Outsider,
                (Some(true), _) | (_, Some(true)) => return Verdict::Descendant { pid },
                (None, _) | (_, None) => {}
            }
        }
        Verdict::Unidentified
    }
}

/// The peer's socket, as long as a process has it.
fn held_socket(remote: SocketAddr, local: SocketAddr) -> Option<PeerSocket> {
    uid::socket_of_peer(remote, local).filter(|socket| socket.inode != 0)
}

/// A peer on this machine whose socket is not there has closed it already: it may have been anybody.
fn without_socket(remote: SocketAddr, local: SocketAddr) -> Verdict {
    let (remote, local) = (remote.ip().to_canonical(), local.ip().to_canonical());
    if remote.is_loopback() || remote == local { Verdict::Unidentified } else { Verdict::Outsider }
}

/// A descendant that ended while we looked has closed its socket.
fn if_still_held(socket: PeerSocket, remote: SocketAddr, local: SocketAddr) -> Verdict {
    let is_held = held_socket(remote, local).is_some_and(|now| now.inode == socket.inode);
    if is_held { Verdict::Outsider } else { Verdict::Unidentified }
}

/// Whether this process has no child at all, and so, as every orphan stays below it, no descendant.
fn has_no_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::All, look), Err(Errno::CHILD))
}

/// Whether `/proc`, mounted as `mounts` say, may leave out processes (`hidepid`), so that a descendant could be missing
/// from it.
fn conceals_processes(mounts: io::Result<String>) -> bool {
    let Ok(mounts) = mounts else { return true };
    mounts.lines().filter(|line| line.split(' ').nth(4) == Some("/proc")).any(|line| {
        let options = line.rsplit(' ').next().unwrap_or_default();
        let hidden = options.split(',').find_map(|option| option.strip_prefix("hidepid="));
        hidden.is_some_and(|value| value != "0" && value != "off")
    })
}

#[cfg(test)]
mod tests;
