//! Where things lie on disk: a log, its lock and its blobs share a directory. `serve` has one of its own; each
//! interactive session has one under the person's state directory.

mod stored_sessions;

use crate::dirs::make_dir;
use pollux_session::SessionId;
use std::io;
use std::path::{Path, PathBuf};
pub use stored_sessions::{StoredSession, kept_sessions};

/// The directory of interactive sessions under the state directory.
const SESSIONS: &str = "sessions";

/// The directory of one database: `log.db`, `lock` and `blobs/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir(PathBuf);

impl DataDir {
    /// The directory `path`, whether it is there or not.
    pub fn at(path: &Path) -> DataDir {
        DataDir(path.to_owned())
    }

    /// Make it, durably and for its owner only, if it is not there.
    pub fn create(&self) -> io::Result<()> {
        make_dir(&self.0)
    }

    /// The directory itself, which is also what [`crate::DatabaseLock::take`] wants.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The database.
    pub fn log(&self) -> PathBuf {
        self.0.join("log.db")
    }

    /// The directory of blobs.
    pub fn blobs(&self) -> PathBuf {
        self.0.join("blobs")
    }
}

/// The directory of one interactive session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDir {
    pub id: SessionId,
    /// Its directory.
    pub dir: DataDir,
}

impl SessionDir {
    /// The directory of session `id` under the state directory `state`.
    pub fn at(state: &Path, id: SessionId) -> SessionDir {
        SessionDir { id, dir: DataDir(state.join(SESSIONS).join(id.to_string())) }
    }
}

#[cfg(test)]
mod tests;
