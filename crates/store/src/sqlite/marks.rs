//! Where tasks stand: written with the entries that say so, listed straight from an index.

use super::query::number;
use crate::error::StoreError;
use crate::log::Marked;
use pollux_session::{
    At, Context, Owner, SessionId, TaskId, TaskKind, TaskMark, TaskPage, TaskPlace, TaskQuery, TaskRow,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};
use uuid::Uuid;

/// What tasks are counted by: whole hours, and ten seconds for what is left of one.
const HOUR_MS: i64 = 3_600_000;
const TENS_MS: i64 = 10_000;

/// The number a mark is kept as. Numbers that were released never change.
fn code(mark: TaskMark) -> i64 {
    match mark {
        TaskMark::Submitted => 0,
        TaskMark::Working => 1,
        TaskMark::InputRequired => 2,
        TaskMark::Rested => 3,
        TaskMark::RestedCancelled => 4,
        TaskMark::RestedFailed => 5,
        TaskMark::Completed => 6,
        TaskMark::Cancelled => 7,
        TaskMark::Failed => 8,
    }
}

/// Write down where tasks stand. One that stands as it did keeps its time.
pub(super) fn write(conn: &Connection, session: SessionId, marks: &[Marked], at: At) -> Result<(), StoreError> {
    for Marked { task, kind, mark } in marks {
        conn.prepare_cached(
            "INSERT INTO standing (task, session, owner, context, once, mark, since)
             SELECT ?1, id, owner, context, ?3, ?4, ?5 FROM session WHERE id = ?2
             ON CONFLICT DO UPDATE SET mark = excluded.mark, since = excluded.since WHERE mark <> excluded.mark",
        )?
        .execute(params![
            task.0.as_bytes(),
            session.0.as_bytes(),
            *kind == TaskKind::Once,
            code(*mark),
            number(at.0)
        ])?;
    }
    Ok(())
}

/// A page of the owner's tasks.
pub(super) fn list(conn: &Connection, owner: &Owner, query: &TaskQuery) -> Result<TaskPage, StoreError> {
    let mut marks = query.marks.clone();
    marks.sort_unstable();
    marks.dedup();
    // One ordered run per mark, merged: an index can give the newest of one mark at once, but not of several.
    let runs: Vec<Option<TaskMark>> = match (&query.context, marks.is_empty()) {
        (None, false) => marks.iter().copied().map(Some).collect(),
        (_, true) | (Some(_), false) => vec![None],
    };
    let mut rows = Vec::new();
    for run in runs {
        rows.extend(one_run(conn, owner, query, run, &marks)?);
    }
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.place()));
    let more = rows.len() > query.limit;
    rows.truncate(query.limit);
    let next = rows.last().filter(|_| more).map(TaskRow::place);
    Ok(TaskPage { total: total(conn, owner, query, &marks)?, rows, next })
}

/// The conditions of a query besides its place in the list.
struct Where {
    sql: String,
    values: Vec<Value>,
}

impl Where {
    fn of(owner: &Owner, query: &TaskQuery, marks: &[TaskMark]) -> Where {
        let mut all = Where { sql: "owner = ?1".into(), values: vec![owner.0.clone().into()] };
        if let Some(context) = &query.context {
            all.and("context =", context.as_str().to_owned());
        }
        if let Some(since) = query.since {
            all.and("since >=", number(since.0));
        }
        if !marks.is_empty() {
            let codes: Vec<String> = marks.iter().map(|mark| code(*mark).to_string()).collect();
            all.sql.push_str(&format!(" AND mark IN ({})", codes.join(", ")));
        }
        all
    }

    fn and(&mut self, column: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        self.sql.push_str(&format!(" AND {column} ?{}", self.values.len()));
    }
}

fn one_run(
    conn: &Connection,
    owner: &Owner,
    query: &TaskQuery,
    run: Option<TaskMark>,
    marks: &[TaskMark],
) -> Result<Vec<TaskRow>, StoreError> {
    let of_one = run.map(|mark| [mark]);
    let mut wanted = Where::of(owner, query, of_one.as_ref().map_or(marks, |mark| mark));
    if let Some(TaskPlace { since, task }) = query.after {
        wanted.values.extend([number(since.0).into(), Value::Blob(task.0.as_bytes().to_vec())]);
        let last = wanted.values.len();
        wanted.sql.push_str(&format!(" AND (since, task) < (?{}, ?{last})", last - 1));
    }
    let sql = format!(
        "SELECT task, session, context, once, mark, since FROM standing WHERE {}
         ORDER BY since DESC, task DESC LIMIT {}",
        wanted.sql,
        query.limit.saturating_add(1)
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut found = statement.query(params_from_iter(wanted.values))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(task_row(row)?);
    }
    Ok(rows)
}

fn total(conn: &Connection, owner: &Owner, query: &TaskQuery, marks: &[TaskMark]) -> Result<u64, StoreError> {
    if let Some(context) = &query.context {
        let kept = query.since.is_none() && is_kept(conn, owner, context)?;
        let from = if kept { "coalesce(sum(tasks), 0) FROM context_count" } else { "count(*) FROM standing" };
        return count(conn, from, Where::of(owner, query, marks));
    }
    let whole = || Where::of(owner, &TaskQuery { since: None, ..query.clone() }, marks);
    let mut hours = whole();
    let Some(since) = query.since else {
        return count(conn, "coalesce(sum(tasks), 0) FROM standing_count", hours);
    };
    // Whole hours are counted already, and so are the whole tens of seconds of the first one; only the rest is counted now.
    let since = number(since.0);
    let (hour, tens) = (since / HOUR_MS, since / TENS_MS);
    hours.and("hour >", hour);
    let mut fine = whole();
    fine.and("tens >", tens);
    fine.and("tens <", (hour + 1).saturating_mul(HOUR_MS / TENS_MS));
    let mut begun = Where::of(owner, query, marks);
    begun.and("since <", (tens + 1).saturating_mul(TENS_MS));
    Ok(count(conn, "coalesce(sum(tasks), 0) FROM standing_count", hours)?
        + count(conn, "coalesce(sum(tasks), 0) FROM standing_count_fine", fine)?
        + count(conn, "count(*) FROM standing", begun)?)
}

/// Whether the tasks with a label are kept count of.
fn is_kept(conn: &Connection, owner: &Owner, context: &Context) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM context_count WHERE owner = ?1 AND context = ?2)";
    Ok(conn.prepare_cached(sql)?.query_row(params![owner.0, context.as_str()], |row| row.get(0))?)
}

fn count(conn: &Connection, what: &str, wanted: Where) -> Result<u64, StoreError> {
    let sql = format!("SELECT {what} WHERE {}", wanted.sql);
    let total: i64 = conn.prepare_cached(&sql)?.query_row(params_from_iter(wanted.values), |row| row.get(0))?;
    Ok(total.cast_unsigned())
}

fn task_row(row: &Row<'_>) -> Result<TaskRow, StoreError> {
    let session = SessionId(Uuid::from_bytes(row.get(1)?));
    let damaged = |what: String| StoreError::Corrupt { session, what };
    let context: String = row.get(2)?;
    let mark: i64 = row.get(4)?;
    Ok(TaskRow {
        task: TaskId(Uuid::from_bytes(row.get(0)?)),
        session,
        context: Context::new(&context).ok_or_else(|| damaged(format!("{context:?} cannot be its label")))?,
        kind: if row.get(3)? { TaskKind::Once } else { TaskKind::OpenEnded },
        mark: TaskMark::ALL
            .into_iter()
            .find(|known| code(*known) == mark)
            .ok_or_else(|| damaged(format!("{mark} is no standing")))?,
        since: At(row.get::<_, i64>(5)?.cast_unsigned()),
    })
}
