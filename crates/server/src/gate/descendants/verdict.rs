//! The decision about connections: who holds their sockets, and where those processes stand.

use super::SupervisorMarks;
use super::descriptors::{SocketOwnership, SocketSearch};
use super::other_sessions::{OtherSessions, any_supervisor_runs};
use super::proc_file::read_start;
use super::process::{ProcPidStat, ProcessTable, acts_only_as, is_below, is_in_own_pid_namespace, own_pid, threads_of};
use super::refusal_log::RefusalLog;
use crate::gate::connection_ends::ConnectionEnds;
use crate::gate::denial::GateDenial;
use crate::gate::local_machine::is_on_this_machine;
use crate::gate::uid::{self, PeerSocket};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::time::Instant;

/// The user who may look into everybody's processes.
const ROOT: u32 = 0;
/// More than the mounts of a machine with thousands of containers.
const MOUNTS_BYTES: usize = 4 * 1024 * 1024;

/// A socket that a process has, and the connection that it is the client's end of.
type HeldSocket = (PeerSocket, ConnectionEnds);

/// The result of looking for the holder of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionVerdict {
    /// Not a descendant's.
    Outsider,
    /// This process holds its socket: one of its own clients has connected to it.
    Own,
    /// A descendant holds its socket, or a process of another session.
    Descendant { pid: u32 },
    /// Nobody is seen to hold it, and a descendant hides its descriptors, so the connection may be its own.
    Hidden { pid: u32 },
    /// It cannot be told whose it is, and it may be a descendant's.
    Unidentified,
    /// As [`ConnectionVerdict::Unidentified`], because the search for its holder took too long.
    Overdue,
}

impl ConnectionVerdict {
    /// Lets an outsider pass. Anybody else is refused, and the log says so: it may be an attack on the person's approval.
    pub(super) fn admit(self, remote: SocketAddr, log: &RefusalLog) -> Result<(), GateDenial> {
        let (denied, pid, what) = match self {
            ConnectionVerdict::Outsider => return Ok(()),
            ConnectionVerdict::Own => (GateDenial::OwnConnection, None, "that this process has opened itself"),
            ConnectionVerdict::Descendant { pid } => {
                (GateDenial::Descendant, Some(pid), "of a process that this or another session started")
            }
            ConnectionVerdict::Hidden { pid } => {
                (GateDenial::Unidentified, Some(pid), "that a process may hold that this one started")
            }
            ConnectionVerdict::Unidentified => {
                (GateDenial::Unidentified, None, "that no process outside this one's tree is seen to hold")
            }
            ConnectionVerdict::Overdue => {
                (GateDenial::Unidentified, None, "because the search for the process that holds it took too long")
            }
        };
        if let Some(more) = log.count(Instant::now()) {
            let more = Some(more).filter(|more| *more > 0);
            tracing::warn!(%remote, pid, refused_since_last_line = more, "refused a connection {what}");
        }
        Err(denied)
    }
}

/// The verdict where it costs nothing: on a connection from elsewhere, or on one that is closed already.
pub(super) fn judge_without_search(ends: ConnectionEnds) -> Option<ConnectionVerdict> {
    held_socket(ends).err()
}

/// The verdicts on all these connections by one search of `/proc`, in their order.
pub(super) fn search(connections: &[ConnectionEnds], marks: &SupervisorMarks) -> Vec<ConnectionVerdict> {
    let held: Vec<_> = connections.iter().copied().map(held_socket).collect();
    let sockets = connections.iter().zip(&held).filter_map(|(ends, held)| Some((held.ok()?, *ends))).collect();
    let verdicts = judge_sockets(sockets, marks);
    // Who is seen to hold a socket is not told of the connection unless it is still the connection's.
    let judged = |held: HeldSocket| match verdicts.get(&held.0.inode) {
        Some(ConnectionVerdict::Outsider) => if_still_held(held),
        Some(verdict) => *verdict,
        None => ConnectionVerdict::Unidentified,
    };
    let judge = |(ends, held): (&ConnectionEnds, Result<PeerSocket, ConnectionVerdict>)| match held {
        Ok(socket) => judged((socket, *ends)),
        Err(verdict) => verdict,
    };
    connections.iter().zip(held).map(judge).collect()
}

/// The verdicts by the sockets' inodes.
fn judge_sockets(mut sockets: Vec<HeldSocket>, marks: &SupervisorMarks) -> HashMap<u32, ConnectionVerdict> {
    let mut verdicts = judge_own(&sockets);
    sockets.retain(|(socket, _)| !verdicts.contains_key(&socket.inode));
    if sockets.is_empty() {
        return verdicts;
    }
    // As long as nothing was ever started, nobody can be below us. Later it does not help that nobody is there any more: a
    // process can have left its connection in the queue of a Unix socket, and one that keeps changing its number is in no
    // table.
    if !(marks.any_started)() && !any_supervisor_runs(marks.first_argument) {
        verdicts.extend(sockets.into_iter().map(|held| (held.0.inode, if_still_held(held))));
    } else {
        let search = SocketSearch::new(sockets.iter().map(|(socket, _)| socket.inode));
        verdicts.extend(judge_holders(&sockets, search, uid::own_uid(), marks));
    }
    verdicts
}

/// The verdicts on connections that this process may hold itself. Nothing in this program is a client of its own endpoint. What
/// connects here from within was sent here by somebody else: a remote agent, an MCP server or a page names an address, and this
/// process goes there with the rights of its user. So this comes before everything else, also while nothing was started yet.
fn judge_own(sockets: &[HeldSocket]) -> HashMap<u32, ConnectionVerdict> {
    // A socket of another user is not ours, which is known without `/proc`: a container may have none.
    let of_user = sockets.iter().map(|(socket, _)| socket).filter(|socket| socket.uid == uid::own_uid());
    let inodes: Vec<u32> = of_user.map(|socket| socket.inode).collect();
    if inodes.is_empty() {
        return HashMap::new();
    }
    let seen = own_pid().map(|own| SocketSearch::new(inodes.iter().copied()).look_at_first_thread(own));
    let judge = |inode: u32| match seen.as_ref().map(|seen| seen.of(inode)) {
        Ok(SocketOwnership::Held) => Some((inode, ConnectionVerdict::Own)),
        Ok(SocketOwnership::Hidden) | Err(_) => Some((inode, ConnectionVerdict::Unidentified)),
        Ok(SocketOwnership::NotHeld) => None,
    };
    inodes.into_iter().filter_map(judge).collect()
}

/// The verdicts by who holds the sockets, for a server that acts as `user`. Sockets without one are unidentified.
fn judge_holders(
    sockets: &[HeldSocket],
    mut search: SocketSearch,
    user: u32,
    marks: &SupervisorMarks,
) -> HashMap<u32, ConnectionVerdict> {
    let mut verdicts = HashMap::new();
    let (Ok(own), Ok(table)) = (own_pid(), ProcessTable::read()) else { return verdicts };
    let insiders = ExcludedProcesses::find(&table, own, marks);
    let mut hiding = Vec::new();
    for pid in insiders.all() {
        let seen = search.look_at(pid);
        for inode in seen.held {
            verdicts.insert(inode, ConnectionVerdict::Descendant { pid });
            search.forget(inode);
        }
        if seen.is_partial {
            hiding.push(pid);
        }
    }
    if search.is_done() {
        return verdicts;
    }
    if search.is_overdue() {
        verdicts.extend(unseen(sockets, &search, ConnectionVerdict::Overdue));
        return verdicts;
    }
    // A process of another user cannot be looked into, unless by root. It is no descendant unless one changed its user, and
    // then only descendants may act as that user, or nobody any more.
    let of_others =
        sockets.iter().filter(|(socket, _)| socket.uid != user && user != ROOT && search.wants(socket.inode));
    let of_others: Vec<HeldSocket> = of_others.copied().collect();
    let is_concealed = || conceals_processes(read_mounts());
    if !of_others.is_empty() && !is_concealed() && !insiders.any_changed_user(user) {
        let users: HashSet<u32> = of_others.iter().map(|(socket, _)| socket.uid).collect();
        let seen: HashSet<u32> = users.into_iter().filter(|uid| insiders.any_outsider_acts_as(*uid)).collect();
        for held in of_others.into_iter().filter(|(socket, _)| seen.contains(&socket.uid)) {
            verdicts.insert(held.0.inode, if_still_held(held));
            search.forget(held.0.inode);
        }
    }
    insiders.find_outsiders(&mut search, own, &mut verdicts);
    let hides = |pid: &u32| insiders.below.contains(pid) && insiders.counts(*pid);
    if search.is_overdue() {
        verdicts.extend(unseen(sockets, &search, ConnectionVerdict::Overdue));
    } else if let Some(pid) = (!search.is_done()).then(|| hiding.into_iter().find(hides)).flatten() {
        verdicts.extend(unseen(sockets, &search, ConnectionVerdict::Hidden { pid }));
    }
    verdicts
}

/// The verdict for every socket that is still looked for.
fn unseen<'a>(
    sockets: &'a [HeldSocket],
    search: &'a SocketSearch,
    verdict: ConnectionVerdict,
) -> impl Iterator<Item = (u32, ConnectionVerdict)> + 'a {
    let inodes = sockets.iter().map(|(socket, _)| socket.inode);
    inodes.filter(|inode| search.wants(*inode)).map(move |inode| (inode, verdict))
}

/// The processes that may not hold the connection, among all.
struct ExcludedProcesses<'a> {
    table: &'a ProcessTable,
    marks: &'a SupervisorMarks,
    below: Vec<u32>,
    others: OtherSessions,
}

impl<'a> ExcludedProcesses<'a> {
    fn find(table: &'a ProcessTable, own: u32, marks: &'a SupervisorMarks) -> ExcludedProcesses<'a> {
        let below = table.below(&[own], |pid| is_below(pid, &[own]).unwrap_or(true));
        let others = OtherSessions::find(table, own, marks.first_argument);
        ExcludedProcesses { table, marks, below, others }
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        self.below.iter().chain(&self.others.processes).copied()
    }

    /// True if a process could hold a connection: it has not ended and is none of our supervisors.
    fn counts(&self, pid: u32) -> bool {
        let has_ended = || {
            let has_threads = || threads_of(pid).is_ok_and(|threads| threads.len() > 1);
            self.table.get(pid).is_none_or(ProcPidStat::is_zombie) && !has_threads()
        };
        !(self.marks.is_registered)(pid) && !has_ended()
    }

    /// True if a descendant acts as another user than `user`.
    fn any_changed_user(&self, user: u32) -> bool {
        self.below.iter().any(|pid| self.counts(*pid) && acts_only_as(*pid, user) == Some(false))
    }

    fn any_outsider_acts_as(&self, uid: u32) -> bool {
        let insiders: HashSet<u32> = self.all().collect();
        let mut outsiders = self.table.newest_first().filter(|pid| !insiders.contains(pid));
        outsiders.any(|pid| acts_only_as(pid, uid) == Some(true) && is_in_own_pid_namespace(pid))
    }

    /// Looks for processes that are no insiders and hold the sockets. One in another PID namespace may have been an insider:
    /// it can have entered the namespace of a process outside our tree and been adopted there.
    fn find_outsiders(&self, search: &mut SocketSearch, own: u32, verdicts: &mut HashMap<u32, ConnectionVerdict>) {
        let insiders: HashSet<u32> = self.all().collect();
        for pid in self.table.newest_first().filter(|pid| !insiders.contains(pid)) {
            if search.is_done() {
                return;
            }
            let Some(stat) = self.table.get(pid) else { continue };
            let held = search.held_by(pid, stat);
            let Some(verdict) = (!held.is_empty()).then(|| self.place_holder(pid, stat, own)).flatten() else {
                continue;
            };
            for inode in held {
                verdicts.insert(inode, verdict);
                search.forget(inode);
            }
        }
    }

    /// The verdict on what `pid` was seen to hold, if it has one.
    fn place_holder(&self, pid: u32, stat: ProcPidStat, own: u32) -> Option<ConnectionVerdict> {
        if pid == own {
            return Some(ConnectionVerdict::Own);
        }
        let (is_below, is_other) = (is_below(pid, &[own]), self.others.include(pid));
        let is_elsewhere = !is_in_own_pid_namespace(pid);
        // Whatever was looked into must still be the process that the table names.
        if ProcPidStat::read(pid).is_none_or(|now| now.started != stat.started) {
            return None;
        }
        match (is_below, is_other) {
            (Some(false), Some(false)) => (!is_elsewhere).then_some(ConnectionVerdict::Outsider),
            (Some(true), _) | (_, Some(true)) => Some(ConnectionVerdict::Descendant { pid }),
            (None, _) | (_, None) => None,
        }
    }
}

/// The peer's socket, as long as a process has it; otherwise the verdict, which needs no search.
fn held_socket(ends: ConnectionEnds) -> Result<PeerSocket, ConnectionVerdict> {
    match uid::find_socket(ends.remote, ends.local) {
        // One that has reset its connection may have been anybody, and somebody else may have its port by now.
        Some(socket) if socket.is_held_end() && ends.is_connected() => Ok(socket),
        unheld => Err(without_holder(unheld, ends)),
    }
}

/// A peer on this machine whose socket no process has any more has closed it already: it may have been anybody.
fn without_holder(socket: Option<PeerSocket>, ends: ConnectionEnds) -> ConnectionVerdict {
    let is_here = socket.is_some() || is_on_this_machine(ends.remote, ends.local);
    if is_here { ConnectionVerdict::Unidentified } else { ConnectionVerdict::Outsider }
}

/// A descendant that ended while we looked has closed its socket.
fn if_still_held((socket, ends): HeldSocket) -> ConnectionVerdict {
    let is_held = held_socket(ends).is_ok_and(|now| now.inode == socket.inode);
    if is_held { ConnectionVerdict::Outsider } else { ConnectionVerdict::Unidentified }
}

/// All mounts that this process sees. A part of them would not say what the rest conceal.
fn read_mounts() -> io::Result<String> {
    let mounts = read_start(File::open("/proc/self/mountinfo")?, MOUNTS_BYTES)?;
    if mounts.len() == MOUNTS_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    String::from_utf8(mounts).map_err(io::Error::other)
}

/// True if `/proc`, mounted as `mounts` say, may leave out processes (`hidepid`), so that a descendant could be missing
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
