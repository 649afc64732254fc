//! Which process has a socket open, by the links under `/proc/PID/fd`.

use super::process::{ProcPidStat, is_gone, share_descriptors, threads_in};
use std::time::{Duration, Instant};
use std::{fs, io};

/// How long one search may look at descriptors. A process can have a million, and each of its threads a table of its own.
const SEARCH_LIMIT: Duration = Duration::from_secs(2);

/// A socket as the links name it, and until when it is looked for.
pub(super) struct SocketLink {
    link: String,
    deadline: Instant,
}

/// What the descriptors of a process say about a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SocketOwnership {
    Held,
    NotHeld,
    /// The descriptors cannot be read, so it may hold the socket.
    Hidden,
}

impl SocketLink {
    pub(super) fn new(inode: u32) -> SocketLink {
        SocketLink { link: format!("socket:[{inode}]"), deadline: Instant::now() + SEARCH_LIMIT }
    }

    /// Whether the time is up. Then nothing that was not seen counts.
    pub(super) fn is_overdue(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Looks at all threads of `pid`: each may have descriptors and a user of its own.
    pub(super) fn look_at(&self, pid: u32) -> SocketOwnership {
        self.look_into(&format!("/proc/{pid}"), share_descriptors)
    }

    /// The same by the directory of the process. `are_shared` says of two threads that they have the same table.
    fn look_into(&self, process: &str, are_shared: impl Fn(u32, u32) -> bool) -> SocketOwnership {
        let threads = match threads_in(process) {
            Ok(threads) => threads,
            Err(error) if is_gone(&error) => return SocketOwnership::NotHeld,
            Err(_) => return SocketOwnership::Hidden,
        };
        let (mut seen, mut searched) = (SocketOwnership::NotHeld, Vec::new());
        for thread in threads {
            if self.is_overdue() {
                return SocketOwnership::Hidden;
            }
            if searched.iter().any(|other| are_shared(*other, thread)) {
                continue;
            }
            let directory = format!("{process}/task/{thread}");
            match self.is_in(&format!("{directory}/fd")) {
                Ok(true) => return SocketOwnership::Held,
                Ok(false) => searched.push(thread),
                // One that has ended has no descriptors, and may not be looked into for this reason alone.
                Err(_) if ProcPidStat::read_from(&directory).is_none_or(ProcPidStat::is_zombie) => {}
                Err(_) => seen = SocketOwnership::Hidden,
            }
        }
        seen
    }

    /// The same by its first thread alone, for a process whose threads are known to share their descriptors.
    pub(super) fn look_at_first_thread(&self, pid: u32) -> SocketOwnership {
        match self.is_in(&format!("/proc/{pid}/fd")) {
            Ok(true) => SocketOwnership::Held,
            Ok(false) => SocketOwnership::NotHeld,
            Err(_) => SocketOwnership::Hidden,
        }
    }

    /// Whether `pid` can be seen to hold it. The first thread stands for all, unless it has ended before the others.
    pub(super) fn is_held_by(&self, pid: u32, stat: ProcPidStat) -> bool {
        if stat.is_zombie() {
            return self.look_at(pid) == SocketOwnership::Held;
        }
        self.is_in(&format!("/proc/{pid}/fd")).unwrap_or(false)
    }

    /// An error where something cannot be read that is there, or not in time.
    fn is_in(&self, directory: &str) -> io::Result<bool> {
        let present = |error: io::Error| if is_gone(&error) { Ok(false) } else { Err(error) };
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => return present(error),
        };
        for entry in entries {
            if self.is_overdue() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            match entry.and_then(|entry| fs::read_link(entry.path())) {
                Ok(link) if link.as_os_str() == self.link.as_str() => return Ok(true),
                Ok(_) => {}
                Err(error) => drop(present(error)?),
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests;
