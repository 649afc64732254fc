//! Which processes have sockets open, by the links under `/proc/PID/fd`.

use super::process::{ProcPidStat, is_gone, share_descriptors, threads_in};
use rustix::fs::{CWD, Mode, OFlags, RawDir, openat, readlinkat_raw};
use rustix::time::{ClockId, clock_gettime};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// The processor time that one search may take. Each process of a command can have thousands of descriptors, and each
/// of its threads a table of its own.
const WORK_LIMIT: Duration = Duration::from_secs(2);
/// The bytes of names that are read from a directory at once: those of some hundred descriptors.
const LISTING_BYTES: usize = 16 * 1024;
/// More than the name of a socket has. What has a longer name is none.
const LINK_BYTES: usize = 64;

/// The sockets that are looked for, by their inodes, and for how long. One look at a process is for all of them. It stays on the
/// thread that began it, whose work it counts.
pub(super) struct SocketSearch {
    wanted: HashSet<u32>,
    limit: SearchLimit,
    /// When the first look began, and how much work the thread had done by then. Which processes there are to look at is found
    /// out before, in time that depends on how many they are and not on what they hold.
    begun: OnceCell<(Instant, Duration)>,
}

/// The cost that one search may have.
struct SearchLimit {
    time: Duration,
    work: Duration,
}

/// The ownership of a socket, as the descriptors of a process show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SocketOwnership {
    Held,
    NotHeld,
    /// The descriptors cannot be read, so it may hold the socket.
    Hidden,
}

/// The sockets of a search that a process is seen to hold.
#[derive(Default)]
pub(super) struct SocketSighting {
    pub(super) held: HashSet<u32>,
    pub(super) is_partial: bool,
}

impl SocketSighting {
    pub(super) fn of(&self, inode: u32) -> SocketOwnership {
        match (self.held.contains(&inode), self.is_partial) {
            (true, _) => SocketOwnership::Held,
            (false, true) => SocketOwnership::Hidden,
            (false, false) => SocketOwnership::NotHeld,
        }
    }
}

/// The processor time that this thread has had so far.
fn work_of_thread() -> Duration {
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(spent.tv_sec).unwrap_or_default(), u32::try_from(spent.tv_nsec).unwrap_or_default())
}

impl SocketSearch {
    pub(super) fn new(wanted: impl IntoIterator<Item = u32>) -> SocketSearch {
        let limit = SearchLimit { time: super::SEARCH_LIMIT, work: WORK_LIMIT };
        SocketSearch { wanted: wanted.into_iter().collect(), limit, begun: OnceCell::new() }
    }

    /// One whose time is up.
    #[cfg(test)]
    pub(super) fn overdue(wanted: impl IntoIterator<Item = u32>) -> SocketSearch {
        let limit = SearchLimit { time: Duration::ZERO, work: Duration::ZERO };
        SocketSearch { limit, ..SocketSearch::new(wanted) }
    }

    /// True if the time is up. Then nothing that was not seen counts.
    pub(super) fn is_overdue(&self) -> bool {
        let (began, work) = *self.begun.get_or_init(|| (Instant::now(), work_of_thread()));
        began.elapsed() >= self.limit.time || work_of_thread().saturating_sub(work) >= self.limit.work
    }

    pub(super) fn wants(&self, inode: u32) -> bool {
        self.wanted.contains(&inode)
    }

    /// True if every socket is found.
    pub(super) fn is_done(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Looks for this socket no longer.
    pub(super) fn forget(&mut self, inode: u32) {
        self.wanted.remove(&inode);
    }

    /// Looks at all threads of `pid`: each may have descriptors and a user of its own.
    pub(super) fn look_at(&self, pid: u32) -> SocketSighting {
        self.look_into(&format!("/proc/{pid}"), share_descriptors)
    }

    /// Look by the directory of the process. `are_shared` says of two threads that they have the same table.
    fn look_into(&self, process: &str, are_shared: impl Fn(u32, u32) -> bool) -> SocketSighting {
        let mut seen = SocketSighting::default();
        let threads = match threads_in(process) {
            Ok(threads) => threads,
            Err(error) => {
                seen.is_partial = !is_gone(&error);
                return seen;
            }
        };
        let mut searched = Vec::new();
        for thread in threads {
            if seen.held.len() == self.wanted.len() {
                break;
            }
            if self.is_overdue() {
                seen.is_partial = true;
                break;
            }
            if searched.iter().any(|other| are_shared(*other, thread)) {
                continue;
            }
            let directory = format!("{process}/task/{thread}");
            match self.read(&format!("{directory}/fd"), &mut seen.held) {
                Ok(()) => searched.push(thread),
                // One that has ended has no descriptors, and may not be looked into for this reason alone.
                Err(_) if ProcPidStat::read_from(&directory).is_none_or(ProcPidStat::is_zombie) => {}
                Err(_) => seen.is_partial = true,
            }
        }
        seen
    }

    /// Look by its first thread alone, for a process whose threads are known to share their descriptors.
    pub(super) fn look_at_first_thread(&self, pid: u32) -> SocketSighting {
        let mut held = HashSet::new();
        let is_partial = self.read(&format!("/proc/{pid}/fd"), &mut held).is_err();
        SocketSighting { held, is_partial }
    }

    /// The sockets that `pid` can be seen to hold. The first thread stands for all, unless it has ended before the
    /// others.
    pub(super) fn held_by(&self, pid: u32, stat: ProcPidStat) -> HashSet<u32> {
        let seen = if stat.is_zombie() { self.look_at(pid) } else { self.look_at_first_thread(pid) };
        seen.held
    }

    /// Adds the wanted sockets of a directory to `held`. An error where something cannot be read that is there, or not in
    /// time. A command decides how many descriptors there are, so each is read by one call, from its directory on.
    fn read(&self, directory: &str, held: &mut HashSet<u32>) -> io::Result<()> {
        match openat(CWD, directory, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(directory) => self.read_links(&directory, held),
            Err(error) => unless_gone(error.into()),
        }
    }

    /// Read the links of an open directory, whose process may end meanwhile.
    fn read_links(&self, directory: &OwnedFd, held: &mut HashSet<u32>) -> io::Result<()> {
        let (mut names, mut link) = ([MaybeUninit::uninit(); LISTING_BYTES], [MaybeUninit::uninit(); LINK_BYTES]);
        let mut entries = RawDir::new(directory, &mut names);
        while let Some(entry) = entries.next() {
            if self.is_overdue() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let entry = match entry {
                Ok(entry) => entry,
                // The next one would be the same error again.
                Err(error) => return unless_gone(error.into()),
            };
            if entry.file_name().to_bytes().starts_with(b".") {
                continue;
            }
            match readlinkat_raw(directory, entry.file_name(), &mut link) {
                Ok((link, _)) => held.extend(socket_inode(link).filter(|inode| self.wants(*inode))),
                Err(error) => unless_gone(error.into())?,
            }
            if held.len() == self.wanted.len() {
                break;
            }
        }
        Ok(())
    }
}

/// A process that is gone holds nothing.
fn unless_gone(error: io::Error) -> io::Result<()> {
    if is_gone(&error) { Ok(()) } else { Err(error) }
}

/// The socket that a link names.
fn socket_inode(link: &[u8]) -> Option<u32> {
    let number = link.strip_prefix(b"socket:[")?.strip_suffix(b"]")?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
