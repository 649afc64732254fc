//! The reads.

use crate::error::StoreError;
use crate::log::LocatedTask;
use crate::rows::lines;
use pollux_session::{
    CheckpointLocation, ContextId, Entry, Owner, Seq, SessionId, SessionSummary, TaskId, UnixMillis, decode,
};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use std::sync::Arc;
use uuid::Uuid;

/// The bytes after which a page of entries ends.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// The columns of a [`SessionSummary`], in its order.
const SUMMARY: &str = "SELECT id, owner, context, workspace, title, opened, changed,
        (SELECT max(seq) FROM entry WHERE entry.session = session.id) FROM session";

/// A number as SQLite keeps it. What is stored stays far below the sign bit.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Entries after a cursor.
pub(super) fn read(
    conn: &Connection,
    session: SessionId,
    after: Seq,
    limit: usize,
) -> Result<Vec<Arc<Entry>>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT seq, body FROM entry WHERE session = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3")?;
    let mut rows = statement.query(params![session.0.as_bytes(), number(after.0), number(limit as u64)])?;
    let mut page: Vec<Arc<Entry>> = Vec::new();
    let (mut last, mut bytes) = (after, 0);
    while page.len() < limit
        && bytes < PAGE_BYTES
        && let Some(row) = rows.next()?
    {
        let row_last = Seq(row.get::<_, i64>(0)?.cast_unsigned());
        let body = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        // The first row may begin before the cursor, the last one end after the limit.
        let wanted = lines(row_last, body).skip_while(|(seq, _)| *seq <= after).take(limit - page.len());
        for (seq, line) in wanted {
            page.push(Arc::new(check(session, last, seq, line)?));
            bytes += line.len();
            last = seq;
        }
    }
    Ok(page)
}

/// The number of the newest entry.
pub(super) fn head(conn: &Connection, session: SessionId) -> Result<Option<Seq>, StoreError> {
    let head: Option<i64> = conn
        .prepare_cached("SELECT max(seq) FROM entry WHERE session = ?1")?
        .query_row([session.0.as_bytes()], |row| row.get(0))?;
    Ok(head.map(|seq| Seq(seq.cast_unsigned())))
}

/// The owner's session that has the id or the task.
pub(super) fn locate(conn: &Connection, owner: &Owner, id: Uuid) -> Result<Option<LocatedTask>, StoreError> {
    let whole = one_id(conn, "SELECT id FROM session WHERE id = ?1 AND owner = ?2", params![id.as_bytes(), owner.0])?;
    if let Some(session) = whole {
        return Ok(Some(LocatedTask { session, task: None }));
    }
    let part = one_id(
        conn,
        "SELECT session.id FROM task JOIN session ON session.id = task.session WHERE task.id = ?1 AND owner = ?2",
        params![id.as_bytes(), owner.0],
    )?;
    Ok(part.map(|session| LocatedTask { session, task: Some(TaskId(id)) }))
}

/// The session opened last under a label.
pub(super) fn newest(conn: &Connection, owner: &Owner, context: &ContextId) -> Result<Option<SessionId>, StoreError> {
    one_id(
        conn,
        "SELECT id FROM session WHERE owner = ?1 AND context = ?2 ORDER BY opened DESC, number DESC LIMIT 1",
        params![owner.0, context.as_str()],
    )
}

/// The owner's sessions, newest change first.
pub(super) fn list(conn: &Connection, owner: &Owner, limit: usize) -> Result<Vec<SessionSummary>, StoreError> {
    summaries(
        conn,
        &format!("{SUMMARY} WHERE owner = ?1 ORDER BY changed DESC, number DESC LIMIT ?2"),
        params![owner.0, number(limit as u64)],
    )
}

/// Everyone's sessions, newest change first.
pub(super) fn list_all(conn: &Connection) -> Result<Vec<SessionSummary>, StoreError> {
    summaries(conn, &format!("{SUMMARY} ORDER BY changed DESC, number DESC"), [])
}

/// The newest checkpoints of a workspace.
pub(super) fn checkpoints(
    conn: &Connection,
    owner: &Owner,
    workspace: &str,
    limit: usize,
) -> Result<Vec<CheckpointLocation>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT task, name FROM checkpoint WHERE owner = ?1 AND workspace = ?2
         ORDER BY at DESC, task DESC, name DESC LIMIT ?3",
    )?;
    let landmark =
        |row: &Row<'_>| Ok(CheckpointLocation { task: TaskId(Uuid::from_bytes(row.get(0)?)), name: row.get(1)? });
    let found = statement.query_map(params![owner.0, workspace, number(limit as u64)], landmark)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Sessions whose turn has not ended.
pub(super) fn unfinished(conn: &Connection) -> Result<Vec<SessionId>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT id FROM session WHERE in_turn = 1 ORDER BY number")?;
    let ids = statement.query_map([], |row| row.get(0).map(|id| SessionId(Uuid::from_bytes(id))))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

fn summaries(conn: &Connection, sql: &str, parameters: impl Params) -> Result<Vec<SessionSummary>, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(summary(row)?);
    }
    Ok(found)
}

fn summary(row: &Row<'_>) -> Result<SessionSummary, StoreError> {
    let id = SessionId(Uuid::from_bytes(row.get(0)?));
    let context: String = row.get(2)?;
    let damaged = || StoreError::Corrupt { session: id, what: format!("{context:?} cannot be its label") };
    Ok(SessionSummary {
        id,
        owner: Owner(row.get(1)?),
        context: ContextId::new(&context).ok_or_else(damaged)?,
        workspace: row.get(3)?,
        title: row.get(4)?,
        opened: UnixMillis(row.get::<_, i64>(5)?.cast_unsigned()),
        changed: UnixMillis(row.get::<_, i64>(6)?.cast_unsigned()),
        head: Seq(row.get::<_, Option<i64>>(7)?.unwrap_or_default().cast_unsigned()),
    })
}

fn one_id(conn: &Connection, sql: &str, parameters: impl Params) -> Result<Option<SessionId>, StoreError> {
    let id = conn.prepare_cached(sql)?.query_row(parameters, |row| row.get(0).map(Uuid::from_bytes)).optional()?;
    Ok(id.map(SessionId))
}

/// The entry with the number `seq`, if it is the one that follows `last`.
fn check(session: SessionId, last: Seq, seq: Seq, line: &[u8]) -> Result<Entry, StoreError> {
    let damaged = |what: String| StoreError::Corrupt { session, what };
    if seq != last.next() {
        return Err(damaged(format!("entry {} is missing", last.next())));
    }
    let entry = decode(line).map_err(|error| damaged(format!("entry {seq}: {error}")))?;
    if entry.seq != seq {
        return Err(damaged(format!("entry {seq} says it is entry {}", entry.seq)));
    }
    Ok(entry)
}
