//! Why the store could not do what it was asked.

use pollux_session::{Seq, SessionId, TaskId};
use thiserror::Error;

/// Why the log could not be read or written. A write that failed has left nothing in the log, except that after
/// [`StoreError::Io`] only the log itself can tell.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// Someone else became the writer of the session.
    #[error("session {0} has another writer now: load it again before writing")]
    Fenced(SessionId),
    /// The entries do not follow the newest one.
    #[error("session {session} expects entry {expected} next and was given {found}")]
    Conflict {
        /// The session.
        session: SessionId,
        /// The number that comes next.
        expected: Seq,
        /// The number that came.
        found: Seq,
    },
    /// There is no such session.
    #[error("there is no session {0}")]
    NotFound(SessionId),
    /// A session with this id exists.
    #[error("there is a session {0} already: open one with an id of its own")]
    Exists(SessionId),
    /// A session cannot begin without its first entry.
    #[error("session {0} has no first entry")]
    Unopened(SessionId),
    /// A task with this id exists in another session.
    #[error("there is a task {0} already in another session: give the task an id of its own")]
    TaskTaken(TaskId),
    /// What is stored cannot be read back.
    #[error("session {session} is damaged: {what}; restore the log from a copy")]
    Corrupt {
        /// The session.
        session: SessionId,
        /// Which part, and how.
        what: String,
    },
    /// The store was written by a later release.
    #[error(
        "the log {log} was written by a later release (store version {found}, this one knows {known}): \
         update pollux or choose another directory"
    )]
    Newer {
        /// Which log.
        log: String,
        /// Its version.
        found: u32,
        /// The newest version this release knows.
        known: u32,
    },
    /// The file is a database of another program.
    #[error("{0} is a database, but not a log of pollux: choose another directory")]
    Foreign(String),
    /// The disk or the database failed.
    #[error("the log failed: {0}")]
    Io(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Io(error.to_string())
    }
}
