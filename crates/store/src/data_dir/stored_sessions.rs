//! The interactive sessions on this machine, running ones included.

use super::{DataDir, SESSIONS, SessionDir};
use crate::error::StoreError;
use crate::lock::{DatabaseLock, LockError, LockHolder};
use crate::sqlite::SqliteLog;
use pollux_session::{SessionId, SessionSummary, UnixMillis};
use std::fs;
use std::io;
use std::path::Path;

/// An interactive session found on disk.
#[derive(Debug)]
pub struct StoredSession {
    /// Where it is.
    pub place: SessionDir,
    /// Its summary, or why that cannot be read.
    pub summary: Result<SessionSummary, StoreError>,
    /// The process that has it open, if there is one, or why that is unknown.
    pub holder: Result<Option<LockHolder>, LockError>,
}

/// The sessions under the state directory `state`, newest change first, unreadable ones last. Databases in use are read
/// beside their owner. Directories that never came to hold a session are left out.
pub fn kept_sessions(state: &Path) -> io::Result<Vec<StoredSession>> {
    let listing = match fs::read_dir(state.join(SESSIONS)) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut kept = Vec::new();
    for entry in listing {
        let entry = entry?;
        // Whatever else lies there is not ours to judge.
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        kept.extend(look(SessionDir { id, dir: DataDir(entry.path()) }));
    }
    kept.sort_by_key(|session| std::cmp::Reverse(age(session)));
    Ok(kept)
}

fn look(place: SessionDir) -> Option<StoredSession> {
    let log = place.dir.log();
    if !log.exists() {
        return None;
    }
    let summary = match SqliteLog::peek(&log) {
        Ok(found) => Ok(found.into_iter().find(|summary| summary.id == place.id)?),
        Err(error) => Err(error),
    };
    let holder = DatabaseLock::holder(place.dir.path());
    Some(StoredSession { place, summary, holder })
}

fn age(session: &StoredSession) -> Option<(UnixMillis, SessionId)> {
    session.summary.as_ref().ok().map(|summary| (summary.changed, summary.id))
}
