//! Where a process keeps its sessions: a log, its blobs, and the lock that says whose they are.

use crate::disk_sessions::{self, ResumableSession};
use crate::settings::{GlobalSettings, UsageError};
use anyhow::Context as _;
use pollux_session::{SessionId, UnixMillis};
use pollux_store::{BlobStore, DataDir, DatabaseLock, LockError, LockHolder, SessionDir, SessionStore, StoreError};
use std::net::SocketAddr;
use std::path::Path;
use uuid::Uuid;

/// An opened log with all that belongs to it.
pub(crate) struct SessionStorage {
    pub(crate) store: SessionStore,
    pub(crate) blobs: BlobStore,
    /// Held until the process ends; `None` when nothing is kept.
    pub(crate) lock: Option<DatabaseLock>,
}

/// The selection of a session that is kept.
pub(crate) enum SessionSelection {
    /// Nothing.
    Nothing,
    /// All of it, in a new session.
    New,
    /// Go on with the newest session of this workspace.
    Newest,
    /// Go on with the one that this id names, or the beginning of it.
    Named(String),
}

/// The session a terminal works with.
pub(crate) enum SessionStart {
    /// One that is to be opened with this id.
    New(SessionId),
    /// One that is in the log already.
    Resumed(SessionId),
}

impl SessionStorage {
    /// The log in `dir`, for this process alone. Whoever finds it taken is told by whom and on which port.
    pub(crate) fn open(dir: &DataDir, workspace: &str, address: Option<SocketAddr>) -> anyhow::Result<SessionStorage> {
        SessionStorage::lock_and_open(dir, workspace, address, &|error| error.to_string())
    }

    fn lock_and_open(
        dir: &DataDir,
        workspace: &str,
        address: Option<SocketAddr>,
        taken: &dyn Fn(&LockError) -> String,
    ) -> anyhow::Result<SessionStorage> {
        dir.create().map_err(|error| {
            let way_out = "name another place with --data-dir DIR, or keep nothing with --ephemeral";
            UsageError(format!("cannot keep sessions in {}: {error}; {way_out}", dir.path().display()))
        })?;
        let holder = LockHolder {
            pid: std::process::id(),
            port: address.map(|address| address.port()),
            workspace: workspace.to_owned(),
            since: now(),
        };
        let lock = DatabaseLock::take(dir.path(), &holder).map_err(|error| UsageError(taken(&error)))?;
        let store = SessionStore::open(&dir.log()).map_err(unreadable)?;
        Ok(SessionStorage { store, blobs: BlobStore::at(&dir.blobs())?, lock: Some(lock) })
    }

    /// A log in memory that is gone with the process.
    pub(crate) fn ephemeral() -> anyhow::Result<SessionStorage> {
        Ok(SessionStorage { store: SessionStore::in_memory()?, blobs: BlobStore::ephemeral()?, lock: None })
    }

    /// The place of a session at the terminal, each in a directory of its own so that many run side by side. `earlier`
    /// is the one to go on with.
    pub(crate) fn for_terminal(
        global_settings: &GlobalSettings,
        keep: &SessionSelection,
        earlier: Option<ResumableSession>,
        workspace: &str,
        address: Option<SocketAddr>,
    ) -> anyhow::Result<(SessionStorage, SessionStart)> {
        let fresh = SessionId(Uuid::now_v7());
        match (keep, earlier) {
            (SessionSelection::Nothing, _) => Ok((SessionStorage::ephemeral()?, SessionStart::New(fresh))),
            (_, Some(ResumableSession { id, dir, .. })) => {
                let place = SessionStorage::lock_and_open(&dir, workspace, address, &|error| {
                    disk_sessions::explain_held(id, error)
                })?;
                Ok((place, SessionStart::Resumed(id)))
            }
            (_, None) => {
                let dir = SessionDir::at(&global_settings.data_dir, fresh).dir;
                Ok((SessionStorage::open(&dir, workspace, address)?, SessionStart::New(fresh)))
            }
        }
    }
}

/// A database that this program was never meant to read is the person's to sort out; any other trouble is a failure.
pub(crate) fn unreadable(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Newer { .. } | StoreError::Foreign(_) => UsageError(error.to_string()).into(),
        error => error.into(),
    }
}

/// A directory as a workspace: its real path, which must be text because it travels over protocols.
pub(crate) fn resolve_workspace(path: &Path) -> anyhow::Result<String> {
    let refuse = |why| UsageError(format!("{} cannot be the workspace: {why}", path.display()));
    Ok(real_directory(path).map_err(refuse)?)
}

/// The directory the program was started in, as a workspace.
pub(crate) fn resolve_current_workspace() -> anyhow::Result<String> {
    resolve_workspace(&std::env::current_dir().context("the current directory cannot be used")?)
}

/// The real path of a directory as text, or why there is none.
pub(crate) fn real_directory(path: &Path) -> Result<String, String> {
    let real = std::fs::canonicalize(path).map_err(|error| error.to_string())?;
    if !real.is_dir() {
        return Err("it is not a directory".to_owned());
    }
    Ok(real.to_str().ok_or("its name is not valid UTF-8")?.to_owned())
}

/// The time.
pub(crate) fn now() -> UnixMillis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    UnixMillis(since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}
