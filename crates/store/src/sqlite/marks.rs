//! SqlFilter tasks stand: written with the entries that say so, listed straight from an index.

use super::query::number;
use crate::error::StoreError;
use crate::log::TaskUpdate;
use pollux_session::{
    ContextId, Owner, SessionId, TaskCursor, TaskId, TaskKind, TaskMark, TaskPage, TaskQuery, TaskRow, UnixMillis,
    UnpromptedTasks,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// Tasks are counted by whole hours, and by ten seconds for the rest of one.
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

/// Sessions whose turn has not ended, and whether it waits for a person.
pub(super) fn running_turns(conn: &Connection) -> Result<HashMap<SessionId, TaskMark>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, EXISTS (SELECT 1 FROM standing WHERE standing.session = session.id AND mark = ?1)
         FROM session WHERE in_turn = 1",
    )?;
    let turn = |row: &Row<'_>| {
        let mark = if row.get(1)? { TaskMark::InputRequired } else { TaskMark::Working };
        Ok((SessionId(Uuid::from_bytes(row.get(0)?)), mark))
    };
    let found = statement.query_map([code(TaskMark::InputRequired)], turn)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Write down where tasks stand. One that stands as it did keeps its time.
pub(super) fn write(
    conn: &Connection,
    session: SessionId,
    marks: &[TaskUpdate],
    at: UnixMillis,
) -> Result<(), StoreError> {
    // Two statements of one row each: what might write several has SQLite set up temporary tables.
    let mut change = conn.prepare_cached("UPDATE standing SET mark = ?2, since = ?3 WHERE task = ?1 AND mark <> ?2")?;
    let mut add = conn.prepare_cached(
        "INSERT INTO standing (task, session, owner, context, once, mark, since)
         VALUES (?1, ?2, (SELECT owner FROM session WHERE id = ?2), (SELECT context FROM session WHERE id = ?2), ?3, ?4, ?5)
         ON CONFLICT DO NOTHING",
    )?;
    let mut note = conn.prepare_cached("UPDATE session SET fresh = 0 WHERE id = ?1 AND fresh = 1")?;
    let session = session.0.as_bytes();
    for TaskUpdate { task, kind, mark } in marks {
        let (task, mark, at) = (task.0.as_bytes(), code(*mark), number(at.0));
        if change.execute(params![task, mark, at])? == 0
            && add.execute(params![task, session, *kind == TaskKind::Once, mark, at])? == 1
        {
            note.execute([session])?;
        }
    }
    Ok(())
}

/// The expected change of a task: soon by itself, or not until somebody does something. There are indexes for each, and
/// only settled tasks are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    UnderWay,
    Settled,
}

impl Phase {
    const BOTH: [Phase; 2] = [Phase::UnderWay, Phase::Settled];

    fn of(mark: TaskMark) -> Phase {
        match mark {
            TaskMark::Submitted | TaskMark::Working => Phase::UnderWay,
            TaskMark::InputRequired
            | TaskMark::Rested
            | TaskMark::RestedCancelled
            | TaskMark::RestedFailed
            | TaskMark::Completed
            | TaskMark::Cancelled
            | TaskMark::Failed => Phase::Settled,
        }
    }

    /// The condition in the words of the indexes, without which they would not be used.
    fn sql(self) -> &'static str {
        match self {
            Phase::UnderWay => "mark <= 1",
            Phase::Settled => "+mark > 1",
        }
    }
}

/// Some of the tasks that a query wants, which an index has in order.
struct TaskRun {
    phase: Phase,
    /// Only those that stand so; empty means all of the phase.
    marks: BTreeSet<TaskMark>,
}

impl TaskRun {
    /// The runs that a query is answered from.
    fn all(query: &TaskQuery) -> Vec<TaskRun> {
        let of_phase = |phase| {
            let marks = query.marks.iter().copied().filter(|mark| Phase::of(*mark) == phase);
            TaskRun { phase, marks: BTreeSet::from_iter(marks) }
        };
        let is_wanted = |run: &TaskRun| query.marks.is_empty() || !run.marks.is_empty();
        // An index can give the newest of one mark at once, but not of several.
        let one_by_one = |run: TaskRun| match run.phase {
            Phase::Settled if !run.marks.is_empty() => {
                run.marks.into_iter().map(|mark| TaskRun { phase: run.phase, marks: BTreeSet::from([mark]) }).collect()
            }
            Phase::Settled | Phase::UnderWay => vec![run],
        };
        Phase::BOTH.into_iter().map(of_phase).filter(is_wanted).flat_map(one_by_one).collect()
    }
}

/// A page of the owner's tasks.
pub(super) fn list(conn: &Connection, owner: &Owner, query: &TaskQuery) -> Result<TaskPage, StoreError> {
    let (mut rows, mut all) = (Vec::new(), 0);
    for run in TaskRun::all(query) {
        rows.extend(found(conn, page(owner, query, &run))?);
        all += total(conn, owner, query, &run)?;
    }
    let submitted = query.marks.is_empty() || query.marks.contains(&TaskMark::Submitted);
    if query.unprompted == UnpromptedTasks::Listed && submitted {
        rows.extend(found(conn, unprompted(owner, query))?);
    }
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.place()));
    let more = rows.len() > query.limit;
    rows.truncate(query.limit);
    let next = rows.last().filter(|_| more).map(TaskRow::place);
    Ok(TaskPage { total: all, rows, next })
}

/// Conditions, or a whole statement, and what is bound in it.
struct SqlFilter {
    sql: String,
    values: Vec<Value>,
}

impl SqlFilter {
    fn of(owner: &Owner, query: &TaskQuery, run: &TaskRun) -> SqlFilter {
        let sql = format!("owner = ?1 AND {}", run.phase.sql());
        let mut all = SqlFilter { sql, values: vec![owner.0.clone().into()] };
        if let Some(context) = &query.context {
            all.and("context =", context.as_str().to_owned());
        }
        if let Some(since) = query.since {
            all.and("since >=", number(since.0));
        }
        if !run.marks.is_empty() {
            let codes: Vec<String> = run.marks.iter().map(|mark| code(*mark).to_string()).collect();
            all.sql.push_str(&format!(" AND mark IN ({})", codes.join(", ")));
        }
        all
    }

    fn and(&mut self, column: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        self.sql.push_str(&format!(" AND {column} ?{}", self.values.len()));
    }

    /// Only what comes after a place in the list, whose order is that of `columns`, the highest first.
    fn behind(&mut self, columns: &str, after: Option<TaskCursor>) {
        let Some(TaskCursor { since, task }) = after else { return };
        self.values.extend([number(since.0).into(), Value::Blob(task.0.as_bytes().to_vec())]);
        let last = self.values.len();
        self.sql.push_str(&format!(" AND ({columns}) < (?{}, ?{last})", last - 1));
    }
}

/// The tasks that a statement finds.
fn found(conn: &Connection, wanted: SqlFilter) -> Result<Vec<TaskRow>, StoreError> {
    let mut statement = conn.prepare_cached(&wanted.sql)?;
    let mut found = statement.query(params_from_iter(wanted.values))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(task_row(row)?);
    }
    Ok(rows)
}

/// The statement for the newest tasks of a run, one more than fit on a page.
fn page(owner: &Owner, query: &TaskQuery, run: &TaskRun) -> SqlFilter {
    let mut wanted = SqlFilter::of(owner, query, run);
    wanted.behind("since, task", query.after);
    let sql = format!(
        "SELECT task, session, context, once, mark, since FROM standing WHERE {}
         ORDER BY since DESC, task DESC LIMIT {}",
        wanted.sql,
        query.limit.saturating_add(1)
    );
    SqlFilter { sql, ..wanted }
}

/// The page of sessions that nobody has prompted yet. Their main tasks have their ids.
fn unprompted(owner: &Owner, query: &TaskQuery) -> SqlFilter {
    let mut wanted = SqlFilter { sql: "owner = ?1 AND fresh = 1".into(), values: vec![owner.0.clone().into()] };
    if let Some(context) = &query.context {
        wanted.and("context =", context.as_str().to_owned());
    }
    if let Some(since) = query.since {
        wanted.and("opened >=", number(since.0));
    }
    wanted.behind("opened, id", query.after);
    let sql = format!(
        "SELECT id, id, context, 0, {}, opened FROM session WHERE {}
         ORDER BY opened DESC, id DESC LIMIT {}",
        code(TaskMark::Submitted),
        wanted.sql,
        query.limit.saturating_add(1)
    );
    SqlFilter { sql, ..wanted }
}

/// The number of tasks in a run.
fn total(conn: &Connection, owner: &Owner, query: &TaskQuery, run: &TaskRun) -> Result<u64, StoreError> {
    let all = |query: &TaskQuery| SqlFilter::of(owner, query, run);
    if run.phase == Phase::UnderWay {
        return count(conn, "count(*) FROM standing", all(query));
    }
    if let Some(context) = &query.context {
        let kept = query.since.is_none() && is_kept(conn, owner, context)?;
        let from = if kept { "coalesce(sum(tasks), 0) FROM context_count" } else { "count(*) FROM standing" };
        return count(conn, from, all(query));
    }
    let whole = || all(&TaskQuery { since: None, ..query.clone() });
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
    let mut begun = all(query);
    begun.and("since <", (tens + 1).saturating_mul(TENS_MS));
    Ok(count(conn, "coalesce(sum(tasks), 0) FROM standing_count", hours)?
        + count(conn, "coalesce(sum(tasks), 0) FROM standing_count_fine", fine)?
        + count(conn, "count(*) FROM standing", begun)?)
}

/// True if the tasks with a label are counted.
fn is_kept(conn: &Connection, owner: &Owner, context: &ContextId) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM context_count WHERE owner = ?1 AND context = ?2)";
    Ok(conn.prepare_cached(sql)?.query_row(params![owner.0, context.as_str()], |row| row.get(0))?)
}

fn count(conn: &Connection, what: &str, wanted: SqlFilter) -> Result<u64, StoreError> {
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
        context: ContextId::new(&context).ok_or_else(|| damaged(format!("{context:?} cannot be its label")))?,
        kind: if row.get(3)? { TaskKind::Once } else { TaskKind::OpenEnded },
        mark: TaskMark::ALL
            .into_iter()
            .find(|known| code(*known) == mark)
            .ok_or_else(|| damaged(format!("{mark} is no standing")))?,
        since: UnixMillis(row.get::<_, i64>(5)?.cast_unsigned()),
    })
}

#[cfg(test)]
mod tests;
