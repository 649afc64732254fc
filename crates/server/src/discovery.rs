//! Discovery of a running server by local clients: one file a process, readable by its user only, with port and token.

mod process_start;

use crate::gate::{BearerToken, TokenError};
use pollux_session::SessionId;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The largest file that is taken for a record.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// The most files of a directory that are looked at.
const MAX_FILES: usize = 4096;

/// The facts that a local client needs about a server.
#[derive(Clone)]
pub struct DiscoveryRecord {
    /// The port it listens on.
    pub port: u16,
    /// Its process.
    pub pid: u32,
    /// When that process started, in the system's own count: tells it from a later one with the same id.
    pub start_time: u64,
    /// The directory it works in.
    pub workspace: PathBuf,
    /// Its one session, when it serves just one.
    pub session_id: Option<SessionId>,
    /// The token it takes.
    pub token: BearerToken,
}

impl DiscoveryRecord {
    /// The record of this process.
    pub fn for_this_process(
        port: u16,
        workspace: PathBuf,
        session_id: Option<SessionId>,
        token: BearerToken,
    ) -> DiscoveryRecord {
        let pid = std::process::id();
        DiscoveryRecord {
            port,
            pid,
            start_time: process_start::start_time(pid).unwrap_or_default(),
            workspace,
            session_id,
            token,
        }
    }

    /// True if the process it names still runs.
    fn is_live(&self) -> bool {
        process_start::start_time(self.pid) == Some(self.start_time)
    }
}

/// Why a server cannot be made known, or servers cannot be looked up.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    /// A file operation failed.
    #[error("cannot use {path} to find local servers: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        source: io::Error,
    },
    /// Others could read or place files there.
    #[error("{path} must be a directory that only you can open: run chmod 700 on it, or remove it")]
    Exposed {
        /// The directory.
        path: PathBuf,
    },
    /// This process has already made itself known.
    #[error("{path} already names this process")]
    Taken {
        /// The file.
        path: PathBuf,
    },
}

/// The file of a running server; dropping it removes the file.
#[derive(Debug)]
pub struct DiscoveryFile {
    path: PathBuf,
}

impl DiscoveryFile {
    /// Makes `record` known in `dir`, which is created for its user alone if need be.
    pub fn write(dir: &Path, record: &DiscoveryRecord) -> Result<DiscoveryFile, DiscoveryError> {
        prepare(dir)?;
        let path = dir.join(format!("a2a-{}.json", record.pid));
        let failed = |source| DiscoveryError::Io { path: path.clone(), source };
        let mut file = match create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if read(&path).is_some_and(|found| found.is_live()) {
                    return Err(DiscoveryError::Taken { path });
                }
                // Left by a process that was killed and had the same id.
                fs::remove_file(&path).map_err(failed)?;
                create(&path).map_err(failed)?
            }
            created => created.map_err(failed)?,
        };
        // From here on the file goes away with the value, half-written or not.
        let discovery = DiscoveryFile { path: path.clone() };
        let json = serde_json::to_vec(&SerializedRecord::from(record)).map_err(|error| failed(error.into()))?;
        file.write_all(&json).map_err(failed)?;
        Ok(discovery)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for DiscoveryFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, path = %self.path.display(), "cannot remove the discovery file");
        }
    }
}

/// Where records are kept: under the user's runtime directory (`$XDG_RUNTIME_DIR`), else under `state_dir`.
/// Never under a temporary directory, where others could be first.
pub fn directory(runtime_dir: Option<PathBuf>, state_dir: &Path) -> PathBuf {
    match runtime_dir {
        Some(dir) if dir.is_absolute() => dir.join("pollux"),
        Some(_) | None => state_dir.join("run"),
    }
}

/// The servers that run now, by process id. Files of ended processes, of other users or of another shape are passed
/// over; a directory that does not exist holds none.
pub fn list(dir: &Path) -> Result<Vec<DiscoveryRecord>, DiscoveryError> {
    let failed = |source| DiscoveryError::Io { path: dir.to_owned(), source };
    let files = match fs::read_dir(dir) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut records = Vec::new();
    for file in files.take(MAX_FILES) {
        let file = file.map_err(failed)?;
        let name = file.file_name();
        let is_record = name.to_str().is_some_and(|name| name.starts_with("a2a-") && name.ends_with(".json"));
        records.extend(is_record.then(|| read(&file.path())).flatten().filter(DiscoveryRecord::is_live));
    }
    records.sort_by_key(|record| record.pid);
    Ok(records)
}

fn prepare(dir: &Path) -> Result<(), DiscoveryError> {
    let failed = |source| DiscoveryError::Io { path: dir.to_owned(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(failed)?;
    let found = fs::symlink_metadata(dir).map_err(failed)?;
    let is_private = found.is_dir() && found.uid() == own_uid() && found.mode() & 0o077 == 0;
    if is_private { Ok(()) } else { Err(DiscoveryError::Exposed { path: dir.to_owned() }) }
}

/// Created with its final mode: there is no moment at which others can open it.
fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).custom_flags(no_follow()).open(path)
}

fn read(path: &Path) -> Option<DiscoveryRecord> {
    let file = OpenOptions::new().read(true).custom_flags(no_follow()).open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.uid() != own_uid() || found.mode() & 0o077 != 0 {
        return None;
    }
    let mut json = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut json).ok()?;
    serde_json::from_slice::<SerializedRecord>(&json).ok()?.try_into().ok()
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Neither a link nor a pipe is ever waited on.
fn no_follow() -> i32 {
    use rustix::fs::OFlags;
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32
}

/// A record as it is in the file: the one place where a token is written down.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SerializedRecord {
    port: u16,
    pid: u32,
    start_time: u64,
    workspace: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_id: Option<SessionId>,
    token: String,
}

impl From<&DiscoveryRecord> for SerializedRecord {
    fn from(record: &DiscoveryRecord) -> SerializedRecord {
        SerializedRecord {
            port: record.port,
            pid: record.pid,
            start_time: record.start_time,
            workspace: record.workspace.clone(),
            session_id: record.session_id,
            token: record.token.reveal().to_owned(),
        }
    }
}

impl TryFrom<SerializedRecord> for DiscoveryRecord {
    type Error = TokenError;

    fn try_from(written: SerializedRecord) -> Result<DiscoveryRecord, TokenError> {
        let SerializedRecord { port, pid, start_time, workspace, session_id, token } = written;
        Ok(DiscoveryRecord { port, pid, start_time, workspace, session_id, token: BearerToken::parse(&token)? })
    }
}

#[cfg(test)]
mod tests;
