//! The tables, and how an older database becomes today's. All migrations are in this file.

use crate::error::StoreError;
use rusqlite::Connection;

/// The scripts that bring a database from version `index` to `index + 1`. Scripts that were released are never changed.
const MIGRATIONS: [&str; 7] = [
    include_str!("schema.sql"),
    include_str!("standing.sql"),
    include_str!("counts.sql"),
    include_str!("checkpoints.sql"),
    include_str!("lean.sql"),
    include_str!("runs.sql"),
    include_str!("fresh.sql"),
];

/// Marks the file as ours: `PLLX`.
const APPLICATION: i64 = 0x504C_4C58;

/// Bring the database up to this release, inside the caller's transaction. `log` names it in errors.
pub(super) fn migrate(conn: &Connection, log: &str) -> Result<(), StoreError> {
    let found = version(conn, log)?;
    if found < MIGRATIONS.len() {
        for script in &MIGRATIONS[found..] {
            conn.execute_batch(script)?;
        }
        conn.pragma_update(None, "application_id", APPLICATION)?;
        conn.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    }
    Ok(())
}

/// The version of a database that this release can read, 0 for an empty one.
pub(super) fn version(conn: &Connection, log: &str) -> Result<usize, StoreError> {
    let known = MIGRATIONS.len();
    let failed = |error: rusqlite::Error| StoreError::from(error).in_file(log);
    let application: i64 = conn.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    let found: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    if application != APPLICATION {
        let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        return if tables == 0 && found == 0 { Ok(0) } else { Err(StoreError::Foreign(log.to_owned())) };
    }
    if found as usize > known {
        return Err(StoreError::Newer { log: log.to_owned(), found, known: known as u32 });
    }
    Ok(found as usize)
}
