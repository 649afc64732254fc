//! Can sessions be kept?

use super::DoctorCheck;
use pollux_store::{DataDir, DatabaseLock, LockError, LockHolder, SessionStore, kept_sessions};
use std::fs;
use std::io;
use std::path::Path;

#[cfg(test)]
mod tests;

/// Less free space than this and sessions are about to fail.
const LEAST_FREE: u64 = 64 << 20;

/// The directories, what is in them, and the room that is left.
pub(super) fn checks(data_dir: &Path, serve_dir: &Path) -> Vec<DoctorCheck> {
    vec![directory(data_dir), sessions(data_dir), served(serve_dir), disk(data_dir)]
}

/// Check that a session could be made here: a directory of its own with a lock in it, removed at once.
fn directory(data_dir: &Path) -> DoctorCheck {
    const NAME: &str = "data";
    let shown = data_dir.display();
    let remedy = "make it writable for you, or choose another with --data-dir";
    let probe = data_dir.join(format!(".doctor-{}", std::process::id()));
    let made = DataDir::at(data_dir).create().and_then(|()| fs::create_dir(&probe));
    if let Err(error) = made {
        return DoctorCheck::broken(NAME, format!("{shown} cannot be written to: {error}"), remedy);
    }
    let locked = DatabaseLock::take(&probe, &LockHolder::this_process(None, data_dir)).map(drop);
    let removed = fs::remove_dir_all(&probe);
    match (locked, removed) {
        (Ok(()), Ok(())) => DoctorCheck::good(NAME, format!("{shown} can be written to and locked")),
        (Err(error), _) => DoctorCheck::broken(NAME, format!("nothing can be locked in {shown}: {error}"), remedy),
        (Ok(()), Err(error)) => {
            DoctorCheck::broken(NAME, format!("{} cannot be removed: {error}", probe.display()), remedy)
        }
    }
}

/// Check that this release can read what is kept.
fn sessions(data_dir: &Path) -> DoctorCheck {
    const NAME: &str = "sessions";
    let kept = match kept_sessions(data_dir) {
        Ok(kept) => kept,
        Err(error) => {
            return DoctorCheck::broken(NAME, format!("cannot be listed: {error}"), "check who owns the directory");
        }
    };
    let unreadable: Vec<String> = kept
        .iter()
        .filter_map(|session| Some(format!("{}: {}", session.place.id, session.summary.as_ref().err()?)))
        .collect();
    match unreadable.first() {
        None => DoctorCheck::good(NAME, format!("{} kept, all can be read by this release", kept.len())),
        Some(first) => DoctorCheck::missing(
            NAME,
            format!("{} of {} cannot be read, first {first}", unreadable.len(), kept.len()),
            "update pollux, or move those directories away",
        ),
    }
}

/// Check that the server's database could be opened; it is opened as `pollux serve` would, unless somebody has it.
fn served(serve_dir: &Path) -> DoctorCheck {
    const NAME: &str = "server";
    let dir = DataDir::at(serve_dir);
    if !dir.log().exists() {
        return DoctorCheck::good(NAME, "`pollux serve` has no database yet");
    }
    let remedy = format!("update pollux, or move {} away", serve_dir.display());
    let _lock = match DatabaseLock::take(serve_dir, &LockHolder::this_process(None, serve_dir)) {
        Ok(lock) => lock,
        Err(LockError::Held(holder)) => return DoctorCheck::good(NAME, format!("the database is in use by {holder}")),
        Err(error) => return DoctorCheck::broken(NAME, error.to_string(), remedy),
    };
    match SessionStore::open(&dir.log()) {
        Ok(_) => DoctorCheck::good(NAME, "the database opens, its version is this release's"),
        Err(error) => DoctorCheck::broken(NAME, error.to_string(), remedy),
    }
}

fn disk(data_dir: &Path) -> DoctorCheck {
    const NAME: &str = "disk";
    match free_bytes(data_dir) {
        Ok(free) if free >= LEAST_FREE => DoctorCheck::good(NAME, format!("{} MiB free", free >> 20)),
        Ok(free) => DoctorCheck::broken(
            NAME,
            format!("only {} MiB free for {}", free >> 20, data_dir.display()),
            "make room, or choose another disk with --data-dir",
        ),
        Err(error) => DoctorCheck::missing(NAME, format!("free space is unknown: {error}"), "check the disk yourself"),
    }
}

/// Free space where `path` is, or will be.
fn free_bytes(path: &Path) -> io::Result<u64> {
    let there = path.ancestors().find(|path| path.exists()).unwrap_or(path);
    let stat = rustix::fs::statvfs(there)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}
