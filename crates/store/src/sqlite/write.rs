//! The three writes. Each runs inside the writer's transaction and leaves nothing behind when it fails.

use super::marks;
use super::query::number;
use super::writer::{SessionHead, SessionHeads};
use crate::error::StoreError;
use crate::log::{CreateOutcome, EntryBatch, Epoch, NewSession};
use crate::rows::{EntryRows, SessionRowChange};
use pollux_session::{CommandFingerprint, Owner, Seq, SessionId, UnixMillis};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

/// The time for which a message that opened a session is known again.
const ONCE_MS: u64 = 24 * 60 * 60 * 1000;

/// Create a session; its creator is its writer.
pub(super) fn create(
    conn: &Connection,
    heads: &mut SessionHeads,
    session: &NewSession,
    rows: &EntryRows,
) -> Result<CreateOutcome, StoreError> {
    let id = session.id;
    if let Some(once) = &session.once
        && let Some(existing) = opened_by(conn, &session.owner, once, session.opened)?
    {
        return Ok(CreateOutcome::Existing(existing));
    }
    let (Some(first), Some(head)) = (rows.first, rows.last()) else {
        return Err(StoreError::Unopened(id));
    };
    let expected = Seq::START.next();
    if first != expected {
        return Err(StoreError::Conflict { session: id, expected, found: first });
    }
    let epoch = Epoch(1);
    let mut insert_session = conn.prepare_cached(
        "INSERT INTO session (id, owner, context, workspace, title, opened, changed, in_turn, epoch, once, fresh)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING",
    )?;
    let added = insert_session.execute(params![
        id.0.as_bytes(),
        session.owner.0,
        session.context.as_str(),
        session.workspace,
        rows.change.as_ref().map_or("", |change| change.title.as_str()),
        number(session.opened.0),
        number(rows.change.as_ref().map_or(session.opened, |change| change.at).0),
        rows.change.as_ref().and_then(|change| change.in_turn).unwrap_or_default(),
        number(epoch.0),
        session.once.as_ref().map(|once| once.0.as_str()),
        session.marks.is_empty(),
    ])?;
    if added == 0 {
        return Err(StoreError::Exists(id));
    }
    insert(conn, id, rows)?;
    marks::write(conn, id, &session.marks, rows.at())?;
    heads.set(id, SessionHead { epoch, seq: head });
    Ok(CreateOutcome::New(epoch))
}

/// Hand out the next epoch of a session.
pub(super) fn claim(
    conn: &Connection,
    heads: &mut SessionHeads,
    session: SessionId,
) -> Result<Option<Epoch>, StoreError> {
    let Some(head) = heads.of(conn, session)? else {
        return Ok(None);
    };
    let epoch = Epoch(head.epoch.0 + 1);
    conn.prepare_cached("UPDATE session SET epoch = ?2 WHERE id = ?1")?
        .execute(params![session.0.as_bytes(), number(epoch.0)])?;
    heads.set(session, SessionHead { epoch, ..head });
    Ok(Some(epoch))
}

/// Append to a session, for the writer that holds its newest epoch.
pub(super) fn append(
    conn: &Connection,
    heads: &mut SessionHeads,
    batch: &EntryBatch,
    rows: &EntryRows,
) -> Result<(), StoreError> {
    let session = batch.session;
    let head = heads.of(conn, session)?.ok_or(StoreError::NotFound(session))?;
    if batch.epoch != head.epoch {
        return Err(StoreError::Fenced(session));
    }
    let (Some(first), Some(last)) = (rows.first, rows.last()) else {
        return Ok(());
    };
    let expected = head.seq.next();
    if first != expected {
        return Err(StoreError::Conflict { session, expected, found: first });
    }
    insert(conn, session, rows)?;
    change(conn, session, rows)?;
    marks::write(conn, session, &batch.marks, rows.at())?;
    heads.set(session, SessionHead { seq: last, ..head });
    Ok(())
}

/// Where a session stands, from the tables.
pub(super) fn stored_head(conn: &Connection, session: SessionId) -> Result<Option<SessionHead>, StoreError> {
    let stored = conn
        .prepare_cached("SELECT epoch, (SELECT max(seq) FROM entry WHERE session = ?1) FROM session WHERE id = ?1")?
        .query_row([session.0.as_bytes()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?)))
        .optional()?;
    Ok(stored.map(|(epoch, seq)| SessionHead {
        epoch: Epoch(epoch.cast_unsigned()),
        seq: Seq(seq.unwrap_or_default().cast_unsigned()),
    }))
}

fn insert(conn: &Connection, session: SessionId, rows: &EntryRows) -> Result<(), StoreError> {
    let session_bytes = session.0.as_bytes();
    for task in &rows.new_tasks {
        let added = conn
            .prepare_cached("INSERT INTO task (id, session) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![task.0.as_bytes(), session_bytes])?;
        if added == 0 {
            return Err(StoreError::TaskTaken(*task));
        }
    }
    let mut entry = conn.prepare_cached("INSERT INTO entry (session, seq, at, body) VALUES (?1, ?2, ?3, ?4)")?;
    for row in &rows.rows {
        entry.execute(params![session_bytes, number(row.last.0), number(row.at.0), row.body])?;
    }
    for checkpoint in &rows.checkpoints {
        conn.prepare_cached(
            "INSERT OR IGNORE INTO checkpoint (owner, workspace, at, task, name)
             SELECT owner, workspace, ?2, ?3, ?4 FROM session WHERE id = ?1",
        )?
        .execute(params![
            session_bytes,
            number(checkpoint.at.0),
            checkpoint.task.0.as_bytes(),
            checkpoint.name
        ])?;
    }
    Ok(())
}

/// Write down what entries change in the row of their session.
fn change(conn: &Connection, session: SessionId, rows: &EntryRows) -> Result<(), StoreError> {
    if let Some(SessionRowChange { at, title, in_turn }) = &rows.change {
        conn.prepare_cached(
            "UPDATE session SET changed = ?2, title = iif(title = '', ?3, title), in_turn = coalesce(?4, in_turn)
             WHERE id = ?1",
        )?
        .execute(params![session.0.as_bytes(), number(at.0), title, in_turn])?;
    }
    Ok(())
}

/// The session that the same message opened less than a day before `now`.
fn opened_by(
    conn: &Connection,
    owner: &Owner,
    once: &CommandFingerprint,
    now: UnixMillis,
) -> Result<Option<SessionId>, StoreError> {
    let session = conn
        .prepare_cached(
            "SELECT id FROM session WHERE owner = ?1 AND once = ?2 AND opened > ?3 ORDER BY opened DESC LIMIT 1",
        )?
        .query_row(params![owner.0, once.0, number(now.0) - number(ONCE_MS)], |row| row.get(0).map(Uuid::from_bytes))
        .optional()?;
    Ok(session.map(SessionId))
}
