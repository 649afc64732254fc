//! The decision about one connection: who holds its socket, and where that process stands.

use super::descriptors::SocketLink;
use super::process::{ProcessStat, ProcessTable, is_below, own_pid, threads_of};
use crate::gate::denied::Denied;
use crate::gate::uid::{self, PeerSocket};
use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};
use std::fs;
use std::net::SocketAddr;

/// What was found out about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Not a descendant's.
    Outsider,
    /// A descendant holds its socket.
    Descendant { pid: u32 },
    /// It cannot be told whose it is, and it may be a descendant's.
    Unidentified,
}

impl Verdict {
    /// Lets an outsider pass. Anybody else is refused, and the log says so: it may be an attack on the person's approval.
    pub(super) fn admit(self, remote: SocketAddr) -> Result<(), Denied> {
        match self {
            Verdict::Outsider => Ok(()),
            Verdict::Descendant { pid } => {
                tracing::warn!(%remote, pid, "refused a connection of a process that this one started");
                Err(Denied::Descendant)
            }
            Verdict::Unidentified => {
                tracing::warn!(%remote, "refused a connection that no process outside this one's tree is seen to hold");
                Err(Denied::Unidentified)
            }
        }
    }
}

/// The verdict where it costs nothing: on a connection from elsewhere, and as long as this process has no children.
pub(super) fn judge_without_children(remote: SocketAddr, local: SocketAddr) -> Option<Verdict> {
    let Some(socket) = held_socket(remote, local) else {
        return Some(without_socket(remote, local));
    };
    has_no_children().then(|| if_still_held(socket, remote, local))
}

/// The verdict by a search of `/proc`.
pub(super) fn judge(remote: SocketAddr, local: SocketAddr, is_supervisor: &dyn Fn(u32) -> bool) -> Verdict {
    let Some(socket) = held_socket(remote, local) else {
        return without_socket(remote, local);
    };
    let (Ok(own), Ok(table)) = (own_pid(), ProcessTable::read()) else {
        return Verdict::Unidentified;
    };
    let below = below_us(&table, own);
    let link = SocketLink::new(socket.inode);
    if let Some(pid) = below.iter().copied().find(|pid| link.is_held_by_any_thread(*pid)) {
        // What we hold ourselves a child has only between its fork and its exec.
        return if link.is_held_by_any_thread(own) { Verdict::Outsider } else { Verdict::Descendant { pid } };
    }
    // Another user's process cannot be looked into, and cannot be our child unless it changed its user.
    if socket.uid != uid::own() {
        return if_still_held(socket, remote, local);
    }
    if !conceals_processes() && none_counts(&table, &below, is_supervisor) {
        let again = ProcessTable::read();
        if again.is_ok_and(|table| none_counts(&table, &below_us(&table, own), is_supervisor)) {
            return if_still_held(socket, remote, local);
        }
    }
    find_outsider(&table, &below, &link, own)
}

/// Looks for a process outside our tree that holds the socket.
fn find_outsider(table: &ProcessTable, below: &[u32], link: &SocketLink, own: u32) -> Verdict {
    for pid in table.newest_first().filter(|pid| !below.contains(pid)) {
        let Some(stat) = table.get(pid).filter(|stat| link.is_held_by(pid, *stat)) else { continue };
        let is_inside = if pid == own { Some(false) } else { is_below(pid, own) };
        // Whatever was looked into must still be the process that the table names.
        if ProcessStat::read(pid).is_none_or(|now| now.started != stat.started) {
            continue;
        }
        match is_inside {
            Some(false) => return Verdict::Outsider,
            Some(true) => return Verdict::Descendant { pid },
            None => {}
        }
    }
    Verdict::Unidentified
}

fn below_us(table: &ProcessTable, own: u32) -> Vec<u32> {
    table.below(own, |pid| is_below(pid, own).unwrap_or(false))
}

/// Whether no descendant could hold a connection: all of them have ended, or are supervisors.
fn none_counts(table: &ProcessTable, below: &[u32], is_supervisor: &dyn Fn(u32) -> bool) -> bool {
    let has_ended = |pid: u32| table.get(pid).is_none_or(ProcessStat::is_zombie) && threads_of(pid).len() <= 1;
    below.iter().all(|pid| is_supervisor(*pid) || has_ended(*pid))
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

/// Whether `/proc` may leave out processes (`hidepid`), so that a descendant could be missing from it.
fn conceals_processes() -> bool {
    let Ok(mounts) = fs::read_to_string("/proc/self/mountinfo") else { return true };
    mounts.lines().filter(|line| line.split(' ').nth(4) == Some("/proc")).any(|line| {
        let options = line.rsplit(' ').next().unwrap_or_default();
        let hidden = options.split(',').find_map(|option| option.strip_prefix("hidepid="));
        hidden.is_some_and(|value| value != "0" && value != "off")
    })
}

#[cfg(test)]
mod tests;
