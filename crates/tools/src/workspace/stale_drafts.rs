//! Drafts that a killed process left beside the files they were for. Whoever comes by next removes them.

use cap_std::fs::{Dir, MetadataExt};
use lru::LruCache;
use parking_lot::Mutex;
use rustix::process::{Pid, geteuid, test_kill_process};
use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

#[cfg(test)]
mod tests;

/// A draft is written in one go. One that is older than this is nobody's, unless its process still runs; a younger one may
/// be of a process that we cannot see, in another container.
const MIN_AGE: Duration = Duration::from_secs(10 * 60);
/// The time for which a directory that was looked through is not looked through again.
const LOOK_AGAIN: Duration = Duration::from_secs(10 * 60);
/// The most directories that are remembered.
const MAX_DIRECTORIES: NonZeroUsize = NonZeroUsize::new(1024).unwrap();
/// The most names of one directory that are looked at.
const MAX_NAMES: usize = 100_000;

/// By device and inode: when each directory was looked through.
static LOOKED: LazyLock<Mutex<LruCache<(u64, u64), Instant>>> =
    LazyLock::new(|| Mutex::new(LruCache::sparse(MAX_DIRECTORIES)));
/// A draft with our number that is older is of an earlier process: in a container numbers come again.
static BEGINNING: LazyLock<SystemTime> = LazyLock::new(SystemTime::now);

/// True if a file of this name is a draft.
pub(crate) fn is_draft(name: &str) -> bool {
    writing_process(name).is_some()
}

/// Remove the stale drafts in `directory`, unless that was done just now.
pub(crate) fn remove_stale_drafts_sometimes(directory: &Dir) {
    let Ok(about) = directory.dir_metadata() else { return };
    let before = LOOKED.lock().put((about.dev(), about.ino()), Instant::now());
    if before.is_none_or(|before| before.elapsed() >= LOOK_AGAIN) {
        remove_stale_drafts(directory, SystemTime::now());
    }
}

/// Remove the drafts in `directory` that are stale at the time `now`. What cannot be removed stays: it is in nobody's way.
pub(crate) fn remove_stale_drafts(directory: &Dir, now: SystemTime) {
    let Ok(entries) = directory.entries() else { return };
    for entry in entries.take(MAX_NAMES).flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(writing_process) else { continue };
        if is_stale(directory, &name, process, now) {
            match directory.remove_file(&name) {
                Ok(()) => tracing::debug!(name = %name.display(), "a stale draft is removed"),
                Err(error) => tracing::debug!(name = %name.display(), %error, "a stale draft cannot be removed"),
            }
        }
    }
}

/// The process that wrote the draft `name`: `.pollux-PID-N.tmp`, or `.pollux-restore-PID-N.tmp`.
fn writing_process(name: &str) -> Option<Pid> {
    let numbers = name.strip_prefix(".pollux-")?.strip_suffix(".tmp")?;
    let (process, number) = numbers.strip_prefix("restore-").unwrap_or(numbers).split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(process) && is_number(number)).then(|| Pid::from_raw(process.parse().ok()?)).flatten()
}

fn is_stale(directory: &Dir, name: &std::ffi::OsStr, process: Pid, now: SystemTime) -> bool {
    let Ok(about) = directory.symlink_metadata(name) else { return false };
    let Ok(modified) = about.modified().map(cap_std::time::SystemTime::into_std) else { return false };
    let is_old = now.duration_since(modified).is_ok_and(|age| age >= MIN_AGE);
    let is_ours = about.is_file() && about.uid() == geteuid().as_raw();
    let runs = if process == rustix::process::getpid() {
        modified >= *BEGINNING
    } else {
        // A process that may not be signalled runs all the same.
        test_kill_process(process) != Err(rustix::io::Errno::SRCH)
    };
    is_old && is_ours && !runs
}

/// Remember when this process began to write drafts.
pub(crate) fn note_start() {
    LazyLock::force(&BEGINNING);
}
