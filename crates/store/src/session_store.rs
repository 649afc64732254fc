//! All that a process keeps its sessions in. One backend has all three parts; each can be wrapped for itself.

use crate::error::StoreError;
use crate::log::{Log, PushTargetStore, TaskIndex};
use crate::sqlite::SqliteLog;
use pollux_session::{Entry, Seq, SessionId, SessionSummary, TaskMark};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A log, the index over it, and where news is pushed to. Cloning is cheap.
#[derive(Clone)]
pub struct SessionStore {
    pub log: Arc<dyn Log>,
    pub index: Arc<dyn TaskIndex>,
    pub targets: Arc<dyn PushTargetStore>,
}

impl SessionStore {
    /// The store in the file `path`, made when it is not there; its directory must be.
    pub fn open(path: &Path) -> Result<SessionStore, StoreError> {
        Ok(SessionStore::over(Arc::new(SqliteLog::open(path)?)))
    }

    /// A store that is gone when it is dropped and never touches a disk.
    pub fn in_memory() -> Result<SessionStore, StoreError> {
        Ok(SessionStore::over(Arc::new(SqliteLog::in_memory()?)))
    }

    /// The sessions in the file `path`, newest change first and for every owner, without taking part in it: another
    /// process may be writing to it.
    pub fn peek(path: &Path) -> Result<Vec<SessionSummary>, StoreError> {
        SqliteLog::peek(path)
    }

    /// Entries of a session in that database that come after `after`, as far as they are read at once; none when there are no
    /// more.
    pub fn peek_entries(path: &Path, session: SessionId, after: Seq) -> Result<Vec<Arc<Entry>>, StoreError> {
        SqliteLog::peek_entries(path, session, after)
    }

    /// The sessions of that database whose turn has not ended, without taking part in it: it runs, or it waits for a person.
    pub fn peek_running_turns(path: &Path) -> Result<HashMap<SessionId, TaskMark>, StoreError> {
        SqliteLog::peek_running_turns(path)
    }

    /// The store that is kept in `backend`.
    pub fn over(backend: Arc<impl Log + TaskIndex + PushTargetStore>) -> SessionStore {
        SessionStore { log: backend.clone(), index: backend.clone(), targets: backend }
    }

    /// The store with another log before its own.
    pub fn with_log(self, log: Arc<dyn Log>) -> SessionStore {
        SessionStore { log, ..self }
    }
}
