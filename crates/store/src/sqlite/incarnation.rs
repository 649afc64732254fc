//! Which life of the log this is. A copied or restored file is another file, and its numbers may come to mean other
//! entries than a client has seen: it gets a new incarnation, so that old cursors find a gap and not wrong text.

use crate::error::StoreError;
use rusqlite::{Connection, OptionalExtension, params};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// Which file a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileId {
    device: i64,
    inode: i64,
}

impl FileId {
    /// No file: a database in memory.
    pub(super) const NONE: FileId = FileId { device: 0, inode: 0 };

    pub(super) fn of(file: &Metadata) -> FileId {
        FileId { device: file.dev().cast_signed(), inode: file.ino().cast_signed() }
    }
}

/// The incarnation of the database in `file`: the one it has, or a new one when it was decided for another file.
pub(super) fn settle(conn: &Connection, file: FileId) -> Result<u32, StoreError> {
    let known = conn
        .query_row("SELECT incarnation, device, inode FROM life", [], |row| {
            Ok((row.get::<_, u32>(0)?, FileId { device: row.get(1)?, inode: row.get(2)? }))
        })
        .optional()?;
    match known {
        Some((incarnation, decided_for)) if decided_for == file => Ok(incarnation),
        other => {
            let incarnation = draw(other.map(|(old, _)| old))?;
            conn.execute("DELETE FROM life", [])?;
            conn.execute("INSERT INTO life VALUES (?1, ?2, ?3)", params![incarnation, file.device, file.inode])?;
            Ok(incarnation)
        }
    }
}

fn draw(old: Option<u32>) -> Result<u32, StoreError> {
    loop {
        let drawn = getrandom::u32().map_err(|error| StoreError::Io(error.to_string()))?;
        if Some(drawn) != old {
            return Ok(drawn);
        }
    }
}
