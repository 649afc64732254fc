//! The processes of this machine as `/proc` shows them: who started whom, and when.

use super::proc_file::read_start;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The number of times that a chain of parents is walked again because one of them ended on the way.
const WALKS: usize = 16;
/// More than a `stat` can have: its name is short, and the rest are numbers.
const STAT_BYTES: usize = 4 * 1024;
/// More than a `status` has, unless its process is in thousands of groups. What is looked for behind those is missing then.
const STATUS_BYTES: usize = 64 * 1024;
/// The longest name of a program that its argument is looked for behind.
const NAME_BYTES: usize = 4 * 1024;

/// The fields of `/proc/PID/stat` of a process or a thread that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcPidStat {
    pub(super) state: u8,
    pub(super) parent: u32,
    /// In clock ticks since the machine started; tells a process from an earlier one with the same pid.
    pub(super) started: u64,
}

impl ProcPidStat {
    /// `pid (name) state ppid …`. The name is whatever the process calls itself, brackets, spaces and line feeds included,
    /// so the fields are counted from the last bracket.
    pub(super) fn parse(stat: &[u8]) -> Option<ProcPidStat> {
        const STARTED: usize = 17;
        let end_of_name = stat.iter().rposition(|byte| *byte == b')')?;
        let fields = std::str::from_utf8(stat.get(end_of_name + 1..)?).ok()?;
        let mut fields = fields.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let parent = fields.next()?.parse().ok()?;
        let started = fields.nth(STARTED)?.parse().ok()?;
        Some(ProcPidStat { state, parent, started })
    }

    /// The process `pid`, or `None` when it is gone.
    pub(super) fn read(pid: u32) -> Option<ProcPidStat> {
        ProcPidStat::read_from(&format!("/proc/{pid}"))
    }

    /// The process or thread whose directory in `/proc` this is.
    pub(super) fn read_from(directory: &str) -> Option<ProcPidStat> {
        ProcPidStat::parse(&read_start(File::open(format!("{directory}/stat")).ok()?, STAT_BYTES).ok()?)
    }

    /// True if it has ended and only waits to be collected. A process whose first thread has ended looks so, too.
    pub(super) fn is_zombie(self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// A parent cannot be younger than its child: if it looks so, the pid was given to another process.
    fn may_be_parent_of(self, child: ProcPidStat) -> bool {
        self.started <= child.started
    }
}

/// This process, by the number it has in `/proc`.
pub(super) fn own_pid() -> io::Result<u32> {
    let link = fs::read_link("/proc/self")?;
    let pid = link.to_str().and_then(|pid| pid.parse().ok());
    pid.ok_or_else(|| io::Error::other("/proc/self does not name a process"))
}

/// True if reading failed because the process has ended, or has closed what was to be read.
pub(super) fn is_gone(error: &io::Error) -> bool {
    const NO_SUCH_PROCESS: i32 = 3;
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(NO_SUCH_PROCESS)
}

/// The threads of a process.
pub(super) fn threads_of(pid: u32) -> io::Result<Vec<u32>> {
    threads_in(&format!("/proc/{pid}"))
}

/// The threads of the process whose directory in `/proc` this is.
pub(super) fn threads_in(directory: &str) -> io::Result<Vec<u32>> {
    numbered(&Path::new(directory).join("task"))
}

/// True if two threads have one table of descriptors. False where the kernel does not say so.
#[cfg(target_os = "linux")]
pub(super) fn share_descriptors(one: u32, other: u32) -> bool {
    const KCMP_FILES: libc::c_long = 2;
    // The kernel takes numbers of our own namespace, and `/proc` may be mounted from another.
    static NUMBERS_ARE_OURS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    if !NUMBERS_ARE_OURS.get_or_init(|| own_pid().is_ok_and(|pid| pid == std::process::id())) {
        return false;
    }
    let (one, other): (libc::c_long, libc::c_long) = (one.into(), other.into());
    #[expect(unsafe_code, reason = "rustix has no kcmp")]
    // SAFETY: with this operation the call reads and writes no memory of ours.
    let order = unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_FILES, 0_usize, 0_usize) };
    order == 0
}

/// True if a process acts as this user and no other, or `None` when it is gone. The owner of `/proc/PID` would not do: that is
/// the effective user alone.
pub(super) fn acts_only_as(pid: u32, uid: u32) -> Option<bool> {
    let status = read_status(&pid.to_string())?;
    let uids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    Some(uids.split_ascii_whitespace().all(|found| found.parse() == Ok(uid)))
}

fn read_status(process: &str) -> Option<String> {
    let status = read_start(File::open(format!("/proc/{process}/status")).ok()?, STATUS_BYTES).ok()?;
    Some(String::from_utf8_lossy(&status).into_owned())
}

/// True if a process is in the PID namespace of this one. No process can go from one below it into it, or out of it to
/// one above, so whoever left our tree through another namespace is still there.
pub(super) fn is_in_own_pid_namespace(pid: u32) -> bool {
    let namespace = |process: &str| fs::read_link(format!("/proc/{process}/ns/pid")).ok();
    let pid = pid.to_string();
    match (namespace("self"), namespace(&pid)) {
        (Some(own), Some(other)) => own == other,
        // Those of other users cannot be read. How deep they lie says the same of everybody who was below us.
        (None, _) | (_, None) => {
            let depth = |process: &str| pid_namespace_depth(&read_status(process)?);
            depth("self").is_some_and(|own| depth(&pid) == Some(own))
        }
    }
}

/// In how many nested PID namespaces a process has a number, by its `/proc/PID/status`.
fn pid_namespace_depth(status: &str) -> Option<usize> {
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    Some(numbers.split_ascii_whitespace().count())
}

/// True if a process acts as `uid` and its first argument, after its name, is `argument`. Everybody may read that of every
/// process, but it is the memory of that process, which can keep its reader waiting. So strangers' are not read. Whose a
/// process is, the owner of its directory says: this is asked of every process for every new connection, and its `status`
/// takes the kernel ten times as long to write.
pub(super) fn has_first_argument(pid: u32, uid: u32, argument: &str) -> bool {
    if !fs::metadata(format!("/proc/{pid}")).is_ok_and(|directory| directory.uid() == uid) {
        return false;
    }
    // One byte more, to see that the argument ends there.
    let file = File::open(format!("/proc/{pid}/cmdline"));
    let start = file.and_then(|file| read_start(file, NAME_BYTES + argument.len() + 1));
    start.is_ok_and(|start| start.split(|byte| *byte == 0).nth(1) == Some(argument.as_bytes()))
}

/// All processes.
pub(super) fn all_pids() -> io::Result<Vec<u32>> {
    numbered(Path::new("/proc"))
}

/// True if `pid` descends from one of `ancestors`, or is one; `None` when the process ended before that was known.
pub(super) fn is_below(pid: u32, ancestors: &[u32]) -> Option<bool> {
    (0..WALKS).find_map(|_| walk(pid, ancestors)).flatten()
}

/// One walk from `pid` upwards. The outer `None`: a parent ended on the way, so its children have another one by now.
fn walk(pid: u32, ancestors: &[u32]) -> Option<Option<bool>> {
    if ancestors.contains(&pid) {
        return Some(Some(true));
    }
    let Some(mut child) = ProcPidStat::read(pid) else { return Some(None) };
    loop {
        match child.parent {
            0 => return Some(Some(false)),
            parent if ancestors.contains(&parent) => return Some(Some(true)),
            parent => child = ProcPidStat::read(parent).filter(|found| found.may_be_parent_of(child))?,
        }
    }
}

/// All processes at one moment, or nearly: some may have ended and others begun while they were read.
pub(super) struct ProcessTable(BTreeMap<u32, ProcPidStat>);

impl ProcessTable {
    pub(super) fn read() -> io::Result<ProcessTable> {
        let pids = all_pids()?;
        Ok(ProcessTable(pids.into_iter().filter_map(|pid| Some((pid, ProcPidStat::read(pid)?))).collect()))
    }

    #[cfg(test)]
    pub(super) fn of(processes: impl IntoIterator<Item = (u32, ProcPidStat)>) -> ProcessTable {
        ProcessTable(processes.into_iter().collect())
    }

    /// All pids, the highest first: clients are mostly younger than the rest of the machine.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = u32> {
        self.0.keys().rev().copied()
    }

    pub(super) fn get(&self, pid: u32) -> Option<ProcPidStat> {
        self.0.get(&pid).copied()
    }

    /// The process and its parents, as far as this table goes.
    pub(super) fn lineage(&self, pid: u32) -> Vec<u32> {
        let parent_of = |pid: &u32| self.get(*pid).map(|stat| stat.parent).filter(|parent| *parent != 0);
        // A chain longer than the table goes in a circle: pids were reused while it was read.
        std::iter::successors(Some(pid), parent_of).take(self.0.len() + 1).collect()
    }

    /// The processes strictly below `ancestors`. `ask_again` decides about one whose parents the table cannot name.
    pub(super) fn below(&self, ancestors: &[u32], ask_again: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut known = HashMap::from([(0, false)]);
        known.extend(ancestors.iter().map(|ancestor| (*ancestor, true)));
        for &pid in self.0.keys() {
            let mut path = vec![pid];
            let verdict = loop {
                let Some(&last) = path.last() else { break None };
                if let Some(&verdict) = known.get(&last) {
                    break Some(verdict);
                }
                let parent = self.get(last).map(|child| child.parent).filter(|parent| self.names(*parent, last));
                match parent {
                    // A chain longer than the table goes in a circle: pids were reused while it was read.
                    Some(parent) if path.len() <= self.0.len() => path.push(parent),
                    Some(_) | None => break None,
                }
            };
            match verdict {
                Some(verdict) => known.extend(path.into_iter().map(|passed| (passed, verdict))),
                None => {
                    known.insert(pid, ask_again(pid));
                }
            }
        }
        self.0.keys().copied().filter(|pid| !ancestors.contains(pid) && known.get(pid) == Some(&true)).collect()
    }

    /// True if `parent` can be the parent of `child`, as far as this table goes.
    fn names(&self, parent: u32, child: u32) -> bool {
        match (self.get(parent), self.get(child)) {
            (Some(parent), Some(child)) => parent.may_be_parent_of(child),
            (None, _) => parent == 0,
            (Some(_), None) => false,
        }
    }
}

/// The entries of a directory that are numbers.
fn numbered(dir: &Path) -> io::Result<Vec<u32>> {
    let names = fs::read_dir(dir)?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    Ok(names.collect())
}

#[cfg(test)]
mod tests;
