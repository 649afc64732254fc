//! The supervisors of this process. When one is killed, what was below it becomes ours: Pollux is a child subreaper too.
//! Such processes are told from children that somebody here waits for by their session, which is never our own.

use super::call_cgroup::{end_group, find_directory_of_call};
use super::leftovers::{self, SupervisorRecord};
use super::process_list::{ProcessList, ProcessSnapshot, signal_each};
use parking_lot::{Mutex, MutexGuard};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, set_child_subreaper, waitid, waitpid};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// The time that processes which were left to us may take to end.
const ADOPTED_LIMIT: Duration = Duration::from_secs(5);
/// The time between two looks at them.
const PAUSE: Duration = Duration::from_millis(5);

/// All supervisors that are not reaped, with their starts: a number alone may be another process's by now. Whoever starts
/// one holds the lock until it is listed.
static SUPERVISORS: LazyLock<Mutex<BTreeMap<i32, u64>>> = LazyLock::new(|| {
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        tracing::warn!(%error, "processes of a command that kills its supervisor cannot be ended");
    }
    Mutex::default()
});

/// True if there was ever a child process.
static ANY_STARTED: AtomicBool = AtomicBool::new(false);

fn lock() -> MutexGuard<'static, BTreeMap<i32, u64>> {
    // Nothing is done under the lock that could leave it half done.
    SUPERVISORS.lock()
}

/// A supervisor on the list.
pub(super) struct RegisteredSupervisor {
    pid: Pid,
    start: u64,
    record: Option<SupervisorRecord>,
}

impl RegisteredSupervisor {
    /// Start a supervisor and put it on the list.
    pub(super) fn start_process(command: &mut Command) -> io::Result<(Child, RegisteredSupervisor)> {
        let mut supervisors = lock();
        record_start();
        let child = command.spawn()?;
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pid = pid.ok_or_else(|| io::Error::other("the supervisor has no id"))?;
        let number = pid.as_raw_nonzero().get();
        // It is not reaped, so it is there.
        let start = ProcessSnapshot::read(number).map_or(0, |stat| stat.start);
        supervisors.insert(number, start);
        let record = leftovers::record_supervisor(number, start);
        Ok((child, RegisteredSupervisor { pid, start, record }))
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// It is reaped: whoever has its number from now on is another process.
    pub(super) fn unlist(&self) {
        let (mut supervisors, number) = (lock(), self.pid.as_raw_nonzero().get());
        if supervisors.get(&number) == Some(&self.start) {
            supervisors.remove(&number);
        }
    }

    /// A function that ends the processes of a supervisor that was killed, and says if none is left. It blocks.
    pub(super) fn takeover(&self) -> impl FnOnce() -> bool + Send + 'static {
        let (pid, start) = (self.pid.as_raw_nonzero().get(), self.start);
        move || {
            if let Some(group) = find_directory_of_call(pid, start) {
                end_group(&group);
            }
            end_adopted_processes(start)
        }
    }

    /// It is reaped, and nothing is left of its call.
    pub(super) fn forget(mut self) {
        if let Some(record) = self.record.take() {
            record.remove();
        }
    }
}

impl Drop for RegisteredSupervisor {
    fn drop(&mut self) {
        self.unlist();
    }
}

/// True if the process `pid` is the supervisor of a call of this process.
pub fn is_supervisor(pid: u32) -> bool {
    let Ok(pid) = i32::try_from(pid) else { return false };
    let listed = lock().get(&pid).copied();
    listed.is_some_and(|start| ProcessSnapshot::read(pid).is_some_and(|stat| stat.start == start))
}

/// Note that a child process is about to be started. From then on the endpoint looks who holds a connection, so this comes before
/// the process can open one.
pub(super) fn record_start() {
    ANY_STARTED.store(true, Ordering::SeqCst);
}

/// True if this process has ever started another one: a supervisor, an editor, a program for the clipboard, our git.
pub fn any_process_started() -> bool {
    ANY_STARTED.load(Ordering::SeqCst)
}

/// End every process that was left to us and that started at `since` or later, with all below it. It blocks until none
/// is left, or [`ADOPTED_LIMIT`] is over, and says which.
fn end_adopted_processes(since: u64) -> bool {
    let deadline = Instant::now() + ADOPTED_LIMIT;
    loop {
        let (list, adopted) = find_adopted(since);
        if adopted.is_empty() {
            return true;
        }
        let mut all = list.descendants(&adopted);
        all.extend(&adopted);
        let ours = getpid().as_raw_nonzero().get();
        // What is stopped cannot fork.
        for signal in [Signal::STOP, Signal::KILL] {
            list.signal_groups(&all, signal, ours);
            signal_each(&all, signal);
        }
        reap(&adopted);
        if Instant::now() > deadline {
            tracing::warn!(?all, "processes of a command whose supervisor was killed do not end");
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Reap processes that were left to us and have ended. Cheap when no child at all waits to be reaped.
pub(super) fn reap_adopted_zombies() {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if matches!(waitid(WaitId::All, look), Ok(Some(_))) {
        reap(&find_adopted(0).1);
    }
}

fn reap(adopted: &BTreeSet<i32>) {
    for pid in adopted.iter().copied().filter_map(Pid::from_raw) {
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// Our children that are no supervisors and have another session than we: nobody in this process started them.
fn find_adopted(since: u64) -> (ProcessList, BTreeSet<i32>) {
    let supervisors = lock();
    let list = ProcessList::read();
    let us = getpid().as_raw_nonzero().get();
    // In a container its leader may be outside and the session 0, which rustix's `getsid` does not expect.
    let our_session = list.get(us).map(|stat| stat.session);
    let adopted = list.select(|pid, stat| {
        let is_left_to_us = stat.parent == us && Some(stat.session) != our_session;
        is_left_to_us && stat.start >= since && supervisors.get(&pid) != Some(&stat.start)
    });
    (list, adopted)
}
