//! Ends the processes that a dead Pollux left behind. Each supervisor has a file in the state directory while it lives;
//! a later Pollux finds the files of those that died with their supervisor, and ends what is left. A number alone
//! proves nothing: a process is named by its number, its start and the boot.

use super::call_cgroup::{end_group, find_directory_of_call, name_of_call};
use super::process_list::{ProcessList, ProcessSnapshot, signal_each};
use pollux_files::read_whole;
use rustix::process::{Signal, getpid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The time that processes which were left may take to end.
const ENDING_LIMIT: Duration = Duration::from_secs(2);
/// The time between two looks at it.
const PAUSE: Duration = Duration::from_millis(5);
/// The longest record that is read.
const MAX_RECORD: u64 = 64 * 1024;
/// A mark in the environment of every process that we start.
const MARK: &[u8] = b"POLLUX=1";
/// More than the environment that a program can be started with on Linux, which is 6 MiB.
const ENVIRONMENT_BYTES: u64 = 8 * 1024 * 1024;

/// Where this process keeps its records.
static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// A process, and no other that has its number later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ProcessIdentity {
    pid: i32,
    /// Clock ticks from boot to its start.
    start: u64,
}

impl ProcessIdentity {
    fn is_alive(self) -> bool {
        ProcessSnapshot::read(self.pid).is_some_and(|stat| stat.start == self.start && stat.is_live)
    }

    /// True if its number is still its own, if only because nobody has reaped it.
    fn is_there(self) -> bool {
        ProcessSnapshot::read(self.pid).is_some_and(|stat| stat.start == self.start)
    }
}

/// The content of a file.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedSupervisor {
    boot: String,
    /// The Pollux that started it.
    owner: ProcessIdentity,
    supervisor: ProcessIdentity,
    /// Where the control group of its call is, if it has one.
    #[serde(default)]
    group: Option<PathBuf>,
}

/// The file of a supervisor.
pub(super) struct SupervisorRecord(PathBuf);

impl SupervisorRecord {
    /// The supervisor is gone, and nothing is left of its call.
    pub(super) fn remove(self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::debug!(%error, path = %self.0.display(), "the record of a supervisor could not be removed");
        }
    }
}

/// End what earlier processes of ours left running although they are dead, and keep records of our own in `directory`.
/// Call it once, when the process starts. It blocks for as long as ending takes, which is no time if nothing is left.
pub fn end_leftover_processes(directory: &Path) -> io::Result<()> {
    let _ = DIRECTORY.set(directory.to_owned());
    let boot = read_boot();
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let recorded = read_whole(&path, MAX_RECORD)
            .ok()
            .and_then(|text| serde_json::from_slice::<RecordedSupervisor>(&text).ok());
        // A file that says nothing is being written right now, or was cut off by a crash. It is in nobody's way.
        let Some(recorded) = recorded else { continue };
        if recorded.boot == boot && recorded.owner.is_alive() {
            continue;
        }
        if recorded.boot == boot {
            end_call(recorded.supervisor);
            if let Some(group) = recorded.group.filter(|group| is_group_of(group, recorded.supervisor)) {
                end_group(&group);
            }
        }
        if let Err(error) = fs::remove_file(&path) {
            tracing::debug!(%error, path = %path.display(), "the record of a dead supervisor could not be removed");
        }
    }
    Ok(())
}

/// Note that this process has a supervisor. Without a directory, or when it is full, nothing is noted.
pub(super) fn record_supervisor(pid: i32, start: u64) -> Option<SupervisorRecord> {
    let directory = DIRECTORY.get()?;
    let us = getpid().as_raw_nonzero().get();
    let owner = ProcessIdentity { pid: us, start: ProcessSnapshot::read(us)?.start };
    let (supervisor, group) = (ProcessIdentity { pid, start }, find_directory_of_call(pid, start));
    let recorded = RecordedSupervisor { boot: read_boot(), owner, supervisor, group };
    let path = directory.join(format!("{pid}-{start}.json"));
    let write = || {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        fs::write(&path, serde_json::to_vec(&recorded)?)
    };
    match write() {
        Ok(()) => Some(SupervisorRecord(path)),
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "a command's supervisor could not be recorded");
            None
        }
    }
}

/// Which start of the machine this is.
fn read_boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// End a supervisor that may still be there, all below it, and all of its session.
fn end_call(supervisor: ProcessIdentity) {
    let deadline = Instant::now() + ENDING_LIMIT;
    loop {
        let left = find_left(supervisor);
        if left.is_empty() {
            return;
        }
        tracing::info!(?left, "ending processes that a dead Pollux left behind");
        for signal in [Signal::STOP, Signal::KILL] {
            signal_each(&left, signal);
        }
        if Instant::now() > deadline {
            tracing::warn!(?left, "processes that a dead Pollux left behind do not end");
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

fn find_left(supervisor: ProcessIdentity) -> BTreeSet<i32> {
    let list = ProcessList::read();
    let mut left = BTreeSet::new();
    let leader = list.select(|pid, _| pid == supervisor.pid);
    let is_leader_ours = supervisor.is_there();
    if is_leader_ours {
        left.extend(list.descendants(&leader));
        left.insert(supervisor.pid);
    }
    // A number is not given away while it is the name of a session. So if it names another process now, the session is
    // that one's; if it names none, the session can be ours only if its processes are.
    if is_leader_ours || leader.is_empty() {
        left.extend(list.select(|pid, stat| {
            stat.session == supervisor.pid && stat.start >= supervisor.start && (is_leader_ours || has_mark(pid))
        }));
    }
    list.live(&left)
}

/// True if a control group has the name of the one of `supervisor`'s call.
fn is_group_of(group: &Path, supervisor: ProcessIdentity) -> bool {
    group.file_name() == Some(name_of_call(supervisor.pid, supervisor.start).as_ref())
}

/// True if a process was started by a Pollux, as far as it lets us see that.
fn has_mark(pid: i32) -> bool {
    let mut environment = Vec::new();
    // A process can make its own as long as it likes. What cannot be read has no mark.
    let file = fs::File::open(format!("/proc/{pid}/environ")).map(|file| file.take(ENVIRONMENT_BYTES));
    let _ = file.and_then(|mut file| file.read_to_end(&mut environment));
    environment.split(|byte| *byte == 0).any(|variable| variable == MARK)
}
