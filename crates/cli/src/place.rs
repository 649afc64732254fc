//! Where a process keeps its sessions: a log, its blobs, and the lock that says whose they are.

use crate::kept::{self, Found};
use crate::settings::{Basics, Keep, Usage};
use pollux_session::{At, SessionId};
use pollux_store::{Blobs, DataDir, DatabaseLock, Holder, LockError, Log, SessionDir, SqliteLog, StoreError};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use uuid::Uuid;

/// An opened log with all that belongs to it.
pub(crate) struct Place {
    pub(crate) log: Arc<dyn Log>,
    pub(crate) blobs: Blobs,
    /// Held until the process ends; `None` when nothing is kept.
    pub(crate) lock: Option<DatabaseLock>,
}

/// The session a terminal works with.
pub(crate) enum Begin {
    /// One that is to be opened with this id.
    New(SessionId),
    /// One that is in the log already.
    Resumed(SessionId),
}

impl Place {
    /// The log in `dir`, for this process alone. Whoever finds it taken is told by whom and on which port.
    pub(crate) fn open(dir: &DataDir, workspace: &str, address: Option<SocketAddr>) -> anyhow::Result<Place> {
        Place::take(dir, workspace, address, &|error| error.to_string())
    }

    fn take(
        dir: &DataDir,
        workspace: &str,
        address: Option<SocketAddr>,
        taken: &dyn Fn(&LockError) -> String,
    ) -> anyhow::Result<Place> {
        dir.create().map_err(|error| {
            let way_out = "name another place with --data-dir DIR, or keep nothing with --ephemeral";
            Usage(format!("cannot keep sessions in {}: {error}; {way_out}", dir.path().display()))
        })?;
        let holder = Holder {
            pid: std::process::id(),
            port: address.map(|address| address.port()),
            workspace: workspace.to_owned(),
            since: now(),
        };
        let lock = DatabaseLock::take(dir.path(), &holder).map_err(|error| Usage(taken(&error)))?;
        let log = Arc::new(SqliteLog::open(&dir.log()).map_err(unreadable)?);
        Ok(Place { log, blobs: Blobs::at(&dir.blobs())?, lock: Some(lock) })
    }

    /// A log in memory that is gone with the process.
    pub(crate) fn ephemeral() -> anyhow::Result<Place> {
        Ok(Place { log: Arc::new(SqliteLog::in_memory()?), blobs: Blobs::ephemeral()?, lock: None })
    }

    /// The place of a session at the terminal, each in a directory of its own so that many run side by side. `earlier`
    /// is the one to go on with.
    pub(crate) fn for_terminal(
        basics: &Basics,
        keep: &Keep,
        earlier: Option<Found>,
        workspace: &str,
        address: Option<SocketAddr>,
    ) -> anyhow::Result<(Place, Begin)> {
        let fresh = SessionId(Uuid::now_v7());
        match (keep, earlier) {
            (Keep::Nothing, _) => Ok((Place::ephemeral()?, Begin::New(fresh))),
            (_, Some(Found { id, dir, .. })) => {
                let place = Place::take(&dir, workspace, address, &|error| kept::held(id, error))?;
                Ok((place, Begin::Resumed(id)))
            }
            (_, None) => {
                let dir = SessionDir::at(&basics.data_dir, fresh).dir;
                Ok((Place::open(&dir, workspace, address)?, Begin::New(fresh)))
            }
        }
    }
}

/// A database that this program was never meant to read is the person's to sort out; any other trouble is a failure.
pub(crate) fn unreadable(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Newer { .. } | StoreError::Foreign(_) => Usage(error.to_string()).into(),
        error => error.into(),
    }
}

/// A directory as a workspace: its real path, which must be text because it travels over protocols.
pub(crate) fn usable(path: &Path) -> anyhow::Result<String> {
    let refuse = |why| Usage(format!("{} cannot be the workspace: {why}", path.display()));
    Ok(real_directory(path).map_err(refuse)?)
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
pub(crate) fn now() -> At {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    At(since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}
