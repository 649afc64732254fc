//! Ownership of a database. The lock is the operating system's, so it ends with its process however that dies; the
//! file's content only says whom to ask, and means nothing while the lock is free.

use pollux_session::UnixMillis;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use thiserror::Error;

/// The lock's name beside the database.
const FILE: &str = "lock";

/// The number of looks at a taken lock. A glance of [`DatabaseLock::holder`] takes it for a moment, and a new holder
/// needs one to write its name.
const LOOKS: u32 = 5;

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(2);

/// The most that is read of a lock file.
const CONTENT_BYTES: u64 = 64 * 1024;

/// The process that owns a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Its process id.
    pub pid: u32,
    /// The port it can be reached on.
    pub port: Option<u16>,
    /// The workspace it works in.
    pub workspace: String,
    /// Since when.
    pub since: UnixMillis,
}

impl LockHolder {
    /// This process, from now on.
    pub fn this_process(port: Option<u16>, workspace: impl AsRef<Path>) -> LockHolder {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        LockHolder {
            pid: std::process::id(),
            port,
            workspace: workspace.as_ref().to_string_lossy().into_owned(),
            since: UnixMillis(u64::try_from(now.as_millis()).unwrap_or(u64::MAX)),
        }
    }
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {}", self.pid)?;
        match self.port {
            Some(port) => write!(f, " on port {port}"),
            None => write!(f, ", which is not shared"),
        }
    }
}

/// Why a database could not be locked.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process has it.
    #[error("the database is held by {0}")]
    Held(LockHolder),
    /// Another process has it and has not said who it is.
    #[error("the database in {} is held by a process that has not given its name: try again", .0.display())]
    Unnamed(PathBuf),
    /// There is no room for the lock file.
    #[error("the disk is full: {} cannot be written; free some space and start again", .0.display())]
    Full(PathBuf),
    /// The lock file cannot be used.
    #[error("the lock {} cannot be used: {source}", .path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl LockError {
    fn of(path: &Path, source: io::Error) -> LockError {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => LockError::Full(path.to_owned()),
            _ => LockError::Io { path: path.to_owned(), source },
        }
    }
}

/// The ownership of the database in one directory, until it is dropped or the process ends.
#[derive(Debug)]
pub struct DatabaseLock {
    path: PathBuf,
    file: File,
    holder: LockHolder,
}

impl DatabaseLock {
    /// Own the database in `dir`, and say so.
    pub fn take(dir: &Path, holder: &LockHolder) -> Result<DatabaseLock, LockError> {
        let path = dir.join(FILE);
        let failed = |error| LockError::of(&path, error);
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).read(true).write(true).mode(0o600).open(&path);
        let file = file.map_err(failed)?;
        for look in 1..=LOOKS {
            match file.try_lock() {
                Ok(()) => {
                    let lock = DatabaseLock { path, file, holder: holder.clone() };
                    lock.say()?;
                    return Ok(lock);
                }
                Err(TryLockError::WouldBlock) if look < LOOKS => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
        Err(named(&path).map_or_else(|| LockError::Unnamed(dir.to_owned()), LockError::Held))
    }

    /// The owner of the database in `dir` now; `None` when nobody owns it.
    pub fn holder(dir: &Path) -> Result<Option<LockHolder>, LockError> {
        let path = dir.join(FILE);
        let failed = |error| LockError::of(&path, error);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        for _ in 0..LOOKS {
            match file.try_lock_shared() {
                Ok(()) => return Ok(None),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            if let Some(holder) = named(&path) {
                return Ok(Some(holder));
            }
            thread::sleep(PAUSE);
        }
        Err(LockError::Unnamed(dir.to_owned()))
    }

    /// Say on which port the owner can be reached from now on; `None` when it no longer can.
    pub fn set_port(&mut self, port: Option<u16>) -> Result<(), LockError> {
        self.holder.port = port;
        self.say()
    }

    fn say(&self) -> Result<(), LockError> {
        let write = || {
            let mut line = serde_json::to_vec(&self.holder)?;
            line.push(b'\n');
            // Written over the old line before the rest is cut off: a reader takes the first line, old or new.
            self.file.write_all_at(&line, 0)?;
            self.file.set_len(line.len() as u64)
        };
        write().map_err(|error| LockError::of(&self.path, error))
    }
}

impl Drop for DatabaseLock {
    fn drop(&mut self) {
        // The name goes first: whoever takes the lock next must not be mistaken for this process.
        if let Err(error) = self.file.set_len(0) {
            tracing::debug!(%error, "the lock keeps a name that no longer holds it");
        }
    }
}

/// The name in a lock file.
fn named(path: &Path) -> Option<LockHolder> {
    let mut content = Vec::new();
    File::open(path).ok()?.take(CONTENT_BYTES).read_to_end(&mut content).ok()?;
    serde_json::from_slice(content.split(|byte| *byte == b'\n').next()?).ok()
}

#[cfg(test)]
mod tests;
