//! The processes of this machine as `/proc` shows them, and which of them descend from which. A list is a moment's view:
//! whoever ends processes by it looks again until none is left.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::{BTreeMap, BTreeSet};

/// The flag of a process that has begun to exit and runs no code of its own any more.
const EXITING: u32 = 0x4;

/// The fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcessSnapshot {
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// Clock ticks from boot to its start: with its number and the boot, it names a process for good.
    pub(super) start: u64,
    /// True if it still runs code: it is not a zombie, and not about to be one.
    pub(super) is_live: bool,
}

impl ProcessSnapshot {
    /// `None` when there is no such process.
    pub(super) fn read(pid: i32) -> Option<ProcessSnapshot> {
        // The program's name may hold any bytes.
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        ProcessSnapshot::parse(&String::from_utf8_lossy(&stat))
    }

    fn parse(stat: &str) -> Option<ProcessSnapshot> {
        // The second field is the program's name in parentheses, which may hold parentheses and spaces too.
        let (_, after_name) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
        let is_over = matches!(*fields.first()?, "Z" | "X" | "x");
        let flags: u32 = fields.get(6)?.parse().ok()?;
        Some(ProcessSnapshot {
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
            is_live: !is_over && flags & EXITING == 0,
        })
    }
}

/// All processes at one moment.
pub(super) struct ProcessList(BTreeMap<i32, ProcessSnapshot>);

impl ProcessList {
    /// The processes that `/proc` shows now.
    pub(super) fn read() -> ProcessList {
        let Ok(entries) = std::fs::read_dir("/proc") else { return ProcessList(BTreeMap::new()) };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        ProcessList(pids.filter_map(|pid| Some((pid, ProcessSnapshot::read(pid)?))).collect())
    }

    pub(super) fn get(&self, pid: i32) -> Option<&ProcessSnapshot> {
        self.0.get(&pid)
    }

    /// Every process that `is_wanted`.
    pub(super) fn select(&self, mut is_wanted: impl FnMut(i32, &ProcessSnapshot) -> bool) -> BTreeSet<i32> {
        self.0.iter().filter(|(pid, stat)| is_wanted(**pid, stat)).map(|(pid, _)| *pid).collect()
    }

    /// Every process below one of `roots`, and not the roots themselves.
    pub(super) fn descendants(&self, roots: &BTreeSet<i32>) -> BTreeSet<i32> {
        let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for (pid, stat) in &self.0 {
            children.entry(stat.parent).or_default().push(*pid);
        }
        let mut found = BTreeSet::new();
        let mut open: Vec<i32> = roots.iter().copied().collect();
        while let Some(pid) = open.pop() {
            for child in children.get(&pid).into_iter().flatten() {
                if !roots.contains(child) && found.insert(*child) {
                    open.push(*child);
                }
            }
        }
        found
    }

    /// Those of `pids` that still run.
    pub(super) fn live(&self, pids: &BTreeSet<i32>) -> BTreeSet<i32> {
        pids.iter().copied().filter(|pid| self.0.get(pid).is_some_and(|stat| stat.is_live)).collect()
    }

    /// Send `signal` to the process groups of `pids`, except to the group `spared`. A group gets a signal as a whole: none of
    /// it can fork away from it, as it can from signals that come one by one.
    pub(super) fn signal_groups(&self, pids: &BTreeSet<i32>, signal: Signal, spared: i32) {
        let groups: BTreeSet<i32> = pids.iter().filter_map(|pid| Some(self.0.get(pid)?.group)).collect();
        for group in groups.into_iter().filter(|group| *group > 1 && *group != spared).filter_map(Pid::from_raw) {
            // The only failure is that nobody is left to get it.
            let _ = kill_process_group(group, signal);
        }
    }
}

/// Send `signal` to each of `pids`.
pub(super) fn signal_each(pids: &BTreeSet<i32>, signal: Signal) {
    for pid in pids.iter().copied().filter_map(Pid::from_raw) {
        // The only failure is that nobody is left to get it.
        let _ = kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests;
