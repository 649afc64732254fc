//! Opens connections: the writer's, the readers', and one that only peeks at another process's database.

use super::incarnation::{self, FileId};
use super::schema;
use crate::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// The longest wait for another process that is recovering the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// The write-ahead log is copied into the database every 8 MiB: often enough that recovery after a crash is a few
/// milliseconds, rarely enough that the copying is not what commits wait for. A commit changes a few bytes in each of
/// many pages and writes those pages whole, so they are small.
const WRITER: &str = "
    PRAGMA page_size = 4096;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 2000;
    PRAGMA journal_size_limit = 16777216;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -4096;
";

const MEMORY: &str = "
    PRAGMA journal_mode = MEMORY;
    PRAGMA temp_store = MEMORY;
";

const READER: &str = "PRAGMA cache_size = -1024;";

/// The one connection that writes to the file `path`, and its incarnation.
pub(super) fn writer(path: &Path) -> Result<(Connection, u32), StoreError> {
    let file = make(path).map_err(|error| StoreError::Io(format!("{}: {error}", path.display())))?;
    let log = path.to_string_lossy();
    let prepared = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|conn| {
        // Before the first pragma that writes: a database that is not ours stays as it is.
        schema::version(&conn, &log)?;
        prepare(conn, WRITER, &log, file)
    });
    prepared.map_err(|error| error.in_file(&log))
}

/// A database without a file.
pub(super) fn memory() -> Result<(Connection, u32), StoreError> {
    let conn = Connection::open_in_memory()?;
    plan_once(&conn)?;
    prepare(conn, MEMORY, "in memory", FileId::NONE)
}

/// A connection that reads what the writer of this process has committed to `path`.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let conn = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    conn.execute_batch(READER)?;
    Ok(conn)
}

/// A connection to a database that belongs to someone else, perhaps to another release; `None` while it has no tables.
pub(super) fn peek(path: &Path) -> Result<Option<Connection>, StoreError> {
    let log = path.to_string_lossy();
    let conn = reader(path).map_err(|error| error.in_file(&log))?;
    let version = schema::version(&conn, &log)?;
    Ok((version > 0).then_some(conn))
}

/// Make the file if it is not there, for its owner only: SQLite would let everyone read it, and gives the files beside it
/// the same mode. One that is there is not opened here, because closing it again would drop SQLite's locks on it.
fn make(path: &Path) -> io::Result<FileId> {
    match OpenOptions::new().create_new(true).write(true).mode(0o600).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(FileId::of(&fs::metadata(path)?)),
    }
}

fn open(path: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    let named = |error: rusqlite::Error| StoreError::from(error).in_file(&path.to_string_lossy());
    let conn = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(named)?;
    conn.busy_timeout(PATIENCE)?;
    plan_once(&conn)?;
    Ok(conn)
}

/// Have a statement planned without a look at what is bound to it. Else SQLite prepares it anew for every value, where a
/// partial index may or may not serve.
fn plan_once(conn: &Connection) -> Result<(), StoreError> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn prepare(mut conn: Connection, pragmas: &str, log: &str, file: FileId) -> Result<(Connection, u32), StoreError> {
    conn.execute_batch(pragmas)?;
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    schema::migrate(&transaction, log)?;
    let incarnation = incarnation::settle(&transaction, file)?;
    transaction.commit()?;
    Ok((conn, incarnation))
}
