//! Why the store could not do what it was asked.

use pollux_session::{Seq, SessionId, TaskId};
use rusqlite::ErrorCode;
use thiserror::Error;

/// The name of a log whose file is not known.
const UNNAMED: &str = "the log";

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
    /// Stored data cannot be read back.
    #[error("session {session} is damaged: {what}; restore the log from a copy")]
    Corrupt {
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
        log: String,
        /// Its version.
        found: u32,
        /// The newest version this release knows.
        known: u32,
    },
    /// The file is a database of another program.
    #[error("{0} is a database, but not a log of pollux: choose another directory")]
    Foreign(String),
    /// There is no room for more where the log is.
    #[error("the disk is full: {0} cannot be written; free some space and start again, nothing that was shown is lost")]
    Full(String),
    /// The file is no database at all, or is damaged.
    #[error("{0} is not a database: it is damaged, or no log of pollux; move it away or choose another directory")]
    NotDatabase(String),
    /// The disk or the database failed.
    #[error("the log failed: {0}")]
    Io(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full(UNNAMED.to_owned()),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => StoreError::NotDatabase(UNNAMED.to_owned()),
            _ => StoreError::Io(error.to_string()),
        }
    }
}

impl StoreError {
    /// The error with the name of the log's file.
    #[must_use]
    pub(crate) fn in_file(self, log: &str) -> StoreError {
        match self {
            StoreError::Full(_) => StoreError::Full(log.to_owned()),
            StoreError::NotDatabase(_) => StoreError::NotDatabase(log.to_owned()),
            StoreError::Io(why) if !why.contains(log) => StoreError::Io(format!("{log}: {why}")),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_and_a_file_that_is_no_database_are_told_with_the_files_name() -> rusqlite::Result<()> {
        let conn = rusqlite::Connection::open_in_memory()?;
        conn.execute_batch("CREATE TABLE t (x); PRAGMA max_page_count = 2;")?;
        let error = conn.execute("INSERT INTO t VALUES (zeroblob(100000))", []).map_err(StoreError::from);
        let told = error.map_err(|error| error.in_file("/data/log.db").to_string());
        let sentence = "the disk is full: /data/log.db cannot be written; free some space and start again, nothing that \
                        was shown is lost";
        assert_eq!(told, Err(sentence.to_owned()));
        let other = StoreError::Io("locked".into()).in_file("/data/log.db");
        assert_eq!(other, StoreError::Io("/data/log.db: locked".into()));
        assert_eq!(other.clone().in_file("/data/log.db"), other);
        Ok(())
    }
}
