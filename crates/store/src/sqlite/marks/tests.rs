use super::*;
use crate::sqlite::connect;

/// A page costs what the page costs: an index has the tasks in order, whatever is asked for.
#[test]
fn no_page_is_sorted_or_searched_for() {
    use TaskMark::{Cancelled, Completed, InputRequired, Working};
    let (conn, _) = connect::memory().unwrap();
    let owner = Owner("ann".into());
    let place = TaskCursor { since: UnixMillis(5), task: TaskId(Uuid::from_u128(7)) };
    for context in [None, ContextId::new("c")] {
        for marks in [vec![], vec![Working], vec![Completed], vec![Working, InputRequired, Completed, Cancelled]] {
            for (since, after) in
                [(None, None), (Some(UnixMillis(3)), None), (None, Some(place)), (Some(UnixMillis(3)), Some(place))]
            {
                let query = TaskQuery {
                    context: context.clone(),
                    marks: marks.clone(),
                    since,
                    unprompted: UnpromptedTasks::Listed,
                    after,
                    limit: 50,
                };
                let runs = TaskRun::all(&query).into_iter().map(|run| page(&owner, &query, &run));
                for SqlFilter { sql, values } in runs.chain([unprompted(&owner, &query)]) {
                    let plan = plan(&conn, &sql, values);
                    assert!(!plan.contains("TEMP") && !plan.contains("SCAN"), "{sql}\n{plan}");
                    assert!(plan.contains("owner=?") && !plan.contains("mark>?"), "{sql}\n{plan}");
                }
            }
        }
    }
}

/// The plan of SQLite for a statement, in its words.
fn plan(conn: &Connection, sql: &str, values: Vec<Value>) -> String {
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let steps = statement.query_map(params_from_iter(values), |row| row.get::<_, String>(3)).unwrap();
    steps.map(Result::unwrap).collect::<Vec<_>>().join("\n")
}
