//! Where a process keeps its sessions: a log, its blobs, and the lock that says whose they are.

use crate::settings::{Basics, Keep, Usage};
use pollux_session::{At, SessionId};
use pollux_store::{
    Blobs, DataDir, DatabaseLock, Holder, KeptSession, Log, SessionDir, SqliteLog, StoreError, kept_sessions,
};
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
        dir.create().map_err(|error| Usage(format!("cannot keep sessions in {}: {error}", dir.path().display())))?;
        let holder = Holder {
            pid: std::process::id(),
            port: address.map(|address| address.port()),
            workspace: workspace.to_owned(),
            since: now(),
        };
        let lock = DatabaseLock::take(dir.path(), &holder).map_err(|error| Usage(error.to_string()))?;
        let log = Arc::new(SqliteLog::open(&dir.log()).map_err(unreadable)?);
        Ok(Place { log, blobs: Blobs::at(&dir.blobs())?, lock: Some(lock) })
    }

    /// A log in memory that is gone with the process.
    pub(crate) fn ephemeral() -> anyhow::Result<Place> {
        Ok(Place { log: Arc::new(SqliteLog::in_memory()?), blobs: Blobs::ephemeral()?, lock: None })
    }

    /// The place of a session at the terminal, each in a directory of its own so that many run side by side.
    pub(crate) fn for_terminal(
        basics: &Basics,
        keep: &Keep,
        workspace: &str,
        address: Option<SocketAddr>,
    ) -> anyhow::Result<(Place, Begin)> {
        let fresh = SessionId(Uuid::now_v7());
        let (id, begin) = match keep {
            Keep::Nothing => return Ok((Place::ephemeral()?, Begin::New(fresh))),
            Keep::New => (fresh, Begin::New(fresh)),
            Keep::Session(id) => (*id, Begin::Resumed(*id)),
            Keep::Newest => {
                let id = newest(&basics.data_dir, workspace)?;
                (id, Begin::Resumed(id))
            }
        };
        let dir = SessionDir::at(&basics.data_dir, id).dir;
        Ok((Place::open(&dir, workspace, address)?, begin))
    }
}

/// The newest session of this workspace.
fn newest(data_dir: &Path, workspace: &str) -> anyhow::Result<SessionId> {
    let kept = list(data_dir)?;
    let here = kept.iter().find(|session| session.summary.as_ref().is_ok_and(|found| found.workspace == workspace));
    Ok(here
        .map(|session| session.place.id)
        .ok_or_else(|| Usage(format!("there is no earlier session in {workspace}; start one without --resume")))?)
}

/// Every session that is kept under `data_dir`, newest first.
pub(crate) fn list(data_dir: &Path) -> anyhow::Result<Vec<KeptSession>> {
    let refuse = |error| Usage(format!("cannot list the sessions in {}: {error}", data_dir.display()));
    Ok(kept_sessions(data_dir).map_err(refuse)?)
}

/// Where a kept session works, wherever it is resumed from.
pub(crate) fn workspace_of(data_dir: &Path, id: SessionId) -> anyhow::Result<String> {
    let found = list(data_dir)?.into_iter().find(|session| session.place.id == id);
    let found = found.ok_or_else(|| Usage(format!("there is no session {id}; `pollux sessions` lists them")))?;
    usable(Path::new(&found.summary.map_err(unreadable)?.workspace))
}

/// A database that this program was never meant to read is the person's to sort out; any other trouble is a failure.
fn unreadable(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Newer { .. } | StoreError::Foreign(_) => Usage(error.to_string()).into(),
        error => error.into(),
    }
}

/// A directory as a workspace: its real path, which must be text because it travels over protocols.
pub(crate) fn usable(path: &Path) -> anyhow::Result<String> {
    let refuse = |why: &str| Usage(format!("{} cannot be the workspace: {why}", path.display()));
    let real = std::fs::canonicalize(path).map_err(|error| refuse(&error.to_string()))?;
    if !real.is_dir() {
        return Err(refuse("it is not a directory").into());
    }
    Ok(real.to_str().ok_or_else(|| refuse("its name is not valid UTF-8"))?.to_owned())
}

fn now() -> At {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    At(since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}
