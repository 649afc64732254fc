//! Where tasks' news is pushed to.

use super::query::number;
use crate::error::StoreError;
use pollux_session::{Owner, PushTarget, Seq};
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

/// Write a target down, in place of one with the same name.
pub(super) fn put(conn: &Connection, target: &PushTarget) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO push_target (owner, task, id, form, cursor) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        target.owner.0,
        target.task.as_bytes(),
        target.id,
        target.form.to_string(),
        number(target.cursor.0)
    ])?;
    Ok(())
}

/// The targets of one task of one owner, or all there are.
pub(super) fn list(conn: &Connection, of: Option<(&Owner, Uuid)>) -> Result<Vec<PushTarget>, StoreError> {
    const COLUMNS: &str = "SELECT owner, task, id, form, cursor FROM push_target";
    let found = match of {
        Some((owner, task)) => conn
            .prepare_cached(&format!("{COLUMNS} WHERE owner = ?1 AND task = ?2 ORDER BY id"))?
            .query_map(params![owner.0, task.as_bytes()], target)?
            .collect::<Result<Vec<_>, _>>()?,
        None => conn
            .prepare_cached(&format!("{COLUMNS} ORDER BY owner, task, id"))?
            .query_map([], target)?
            .collect::<Result<Vec<_>, _>>()?,
    };
    Ok(found)
}

/// Forget a target.
pub(super) fn remove(conn: &Connection, owner: &Owner, task: Uuid, id: &str) -> Result<bool, StoreError> {
    let removed = conn
        .prepare_cached("DELETE FROM push_target WHERE owner = ?1 AND task = ?2 AND id = ?3")?
        .execute(params![owner.0, task.as_bytes(), id])?;
    Ok(removed > 0)
}

/// Move a target's cursor.
pub(super) fn advance(conn: &Connection, owner: &Owner, task: Uuid, id: &str, to: Seq) -> Result<bool, StoreError> {
    let moved = conn
        .prepare_cached("UPDATE push_target SET cursor = ?4 WHERE owner = ?1 AND task = ?2 AND id = ?3")?
        .execute(params![owner.0, task.as_bytes(), id, number(to.0)])?;
    Ok(moved > 0)
}

fn target(row: &Row<'_>) -> rusqlite::Result<PushTarget> {
    let form: String = row.get(3)?;
    let unreadable = |error: serde_json::Error| {
        rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, Box::new(error))
    };
    Ok(PushTarget {
        owner: Owner(row.get(0)?),
        task: Uuid::from_bytes(row.get(1)?),
        id: row.get(2)?,
        form: serde_json::from_str(&form).map_err(unreadable)?,
        cursor: Seq(row.get::<_, i64>(4)?.cast_unsigned()),
    })
}
