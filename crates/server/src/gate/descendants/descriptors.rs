//! Which process has a socket open, by the links under `/proc/PID/fd`.

use super::process::{ProcessStat, threads_of};
use std::fs;

/// A socket as the links name it.
pub(super) struct SocketLink(String);

impl SocketLink {
    pub(super) fn new(inode: u32) -> SocketLink {
        SocketLink(format!("socket:[{inode}]"))
    }

    /// Whether any thread of `pid` can be seen to hold it: threads may have descriptors of their own.
    pub(super) fn is_held_by_any_thread(&self, pid: u32) -> bool {
        threads_of(pid).into_iter().any(|thread| self.is_in(&format!("/proc/{pid}/task/{thread}/fd")))
    }

    /// Whether `pid` can be seen to hold it. The first thread stands for all, unless it has ended before the others.
    pub(super) fn is_held_by(&self, pid: u32, stat: ProcessStat) -> bool {
        if stat.is_zombie() { self.is_held_by_any_thread(pid) } else { self.is_in(&format!("/proc/{pid}/fd")) }
    }

    /// A directory that cannot be read shows nothing: its process is gone, or hides from us.
    fn is_in(&self, directory: &str) -> bool {
        let Ok(mut entries) = fs::read_dir(directory) else { return false };
        entries.any(|entry| {
            let link = entry.and_then(|entry| fs::read_link(entry.path()));
            link.is_ok_and(|link| link.as_os_str() == self.0.as_str())
        })
    }
}
