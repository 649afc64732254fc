//! Duties of a log in a file beyond the suite: it outlives its process, and it refuses what it cannot read.

use crate::fixture::*;
use pollux_session::{
    CallId, CheckpointLocation, ContextId, Entry, Event, Owner, Seq, TaskClosing, TaskMark, TaskQuery, TurnOutcome,
    UnixMillis, UnpromptedTasks, WorkspaceCheckpoint,
};
use pollux_store::{DatabaseLock, EntryBatch, Epoch, LockHolder, Log, SqliteLog, StoreError, TaskIndex};
use pretty_assertions::assert_eq;
use rusqlite::Connection;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

fn log_file() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    (dir, path)
}

async fn with_three_entries(path: &Path) -> SqliteLog {
    let log = SqliteLog::open(path).unwrap();
    let epoch = create(&log, opening(1)).await;
    append_singly(&log, epoch, [prompted(2, task(70), 1, "hello"), piece(3, "x")]).await;
    log
}

/// Undoes what store version 6 did to the tables: before it, all tasks were in the same indexes and counts, and each entry
/// had a row with its task. Rows with several entries are gone.
const BEFORE_VERSION_6: &str = "
    DROP INDEX IF EXISTS standing_under_way; DROP INDEX IF EXISTS standing_under_way_by_context;
    DROP TRIGGER standing_settled; DROP TRIGGER standing_left; DROP TRIGGER standing_label; DROP VIEW settled;
    CREATE TRIGGER standing_changed AFTER UPDATE ON standing BEGIN SELECT 1; END;
    UPDATE entry SET task = unhex(replace(json_extract(CAST(body AS TEXT), '$.task[0]'), '-', '')),
        task_seq = json_extract(CAST(body AS TEXT), '$.task[1]') WHERE json_valid(CAST(body AS TEXT));
    DELETE FROM entry WHERE NOT json_valid(CAST(body AS TEXT));
";

/// Undoes what store version 7 did.
const BEFORE_VERSION_7: &str = "
    DROP INDEX session_fresh; DROP INDEX session_fresh_by_context; ALTER TABLE session DROP COLUMN fresh;
";

/// Have the next opening find a database of an earlier store version, made so by `sql`.
fn make_older(path: &Path, sql: &str, version: usize) {
    let before_6 = if version < 6 { BEFORE_VERSION_6 } else { "" };
    tamper(path, &format!("{BEFORE_VERSION_7} {before_6} {sql}; PRAGMA user_version = {version}"));
}

/// Append entries one by one, each to a row of its own.
async fn append_singly(log: &SqliteLog, epoch: Epoch, entries: impl IntoIterator<Item = Entry>) {
    for entry in entries {
        log.append(batch(session(1), epoch, [entry])).await.unwrap();
    }
}

/// Change the database behind the log's back.
fn tamper(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[tokio::test]
async fn another_process_sees_which_sessions_are_busy() {
    let (_dir, path) = log_file();
    let log = SqliteLog::open(&path).unwrap();
    for (number, mark) in [(1, TaskMark::Working), (2, TaskMark::InputRequired), (3, TaskMark::Rested)] {
        let epoch = create(&log, opening(number)).await;
        let mut entries = vec![prompted(2, task(number + 70), 1, "go"), turn_started(3)];
        if mark == TaskMark::Rested {
            entries.push(turn_ended(4));
        }
        let marks = vec![standing(task(number + 70), mark)];
        log.append(EntryBatch { marks, ..batch(session(number), epoch, entries) }).await.unwrap();
    }
    let busy = [(session(1), TaskMark::Working), (session(2), TaskMark::InputRequired)];
    assert_eq!(SqliteLog::peek_running_turns(&path), Ok(busy.into()));
}

#[tokio::test]
async fn opening_it_again_finds_everything() {
    let (_dir, path) = log_file();
    let log = with_three_entries(&path).await;
    let before = (log.incarnation(), all(&log, session(1)).await, log.list(&ann(), 10).await.unwrap());
    drop(log);

    let log = SqliteLog::open(&path).unwrap();
    let after = (log.incarnation(), all(&log, session(1)).await, log.list(&ann(), 10).await.unwrap());
    assert_eq!(after, before);
    assert_eq!(log.locate(&ann(), task(70).0).await.unwrap().unwrap().session, session(1));
    let epoch = log.claim(session(1)).await.unwrap().unwrap();
    assert_eq!(epoch, Epoch(2));
    log.append(batch(session(1), epoch, [released(4)])).await.unwrap();
}

#[tokio::test]
async fn a_closed_log_is_one_file() {
    let (dir, path) = log_file();
    let log = with_three_entries(&path).await;
    assert_eq!(all(&log, session(1)).await.len(), 3);
    drop(log);
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["log.db"]);
}

#[tokio::test]
async fn a_copy_gets_a_new_incarnation_and_keeps_it() {
    let (dir, path) = log_file();
    let log = with_three_entries(&path).await;
    let original = log.incarnation();
    drop(log);
    let copied = dir.path().join("copy.db");
    fs::copy(&path, &copied).unwrap();

    let copy = SqliteLog::open(&copied).unwrap();
    let drawn = copy.incarnation();
    assert_ne!(drawn, original);
    assert_eq!(all(&copy, session(1)).await.len(), 3);
    drop(copy);
    assert_eq!(SqliteLog::open(&copied).unwrap().incarnation(), drawn);
    assert_eq!(SqliteLog::open(&path).unwrap().incarnation(), original);
}

#[tokio::test]
async fn a_later_store_is_refused_and_left_alone() {
    let (_dir, path) = log_file();
    drop(with_three_entries(&path).await);
    tamper(&path, "PRAGMA user_version = 8");
    let before = fs::read(&path).unwrap();

    let error = SqliteLog::open(&path).err().unwrap();
    let log = path.to_str().unwrap().to_owned();
    assert_eq!(error, StoreError::Newer { log: log.clone(), found: 8, known: 7 });
    let sentence = format!(
        "the log {log} was written by a later release (store version 8, this one knows 7): \
         update pollux or choose another directory"
    );
    assert_eq!(error.to_string(), sentence);
    assert!(fs::read(&path).unwrap() == before, "the file was changed");
}

#[test]
fn files_that_are_no_log_are_refused() {
    let (dir, path) = log_file();
    tamper(&path, "CREATE TABLE other (x)");
    assert_eq!(SqliteLog::open(&path).err(), Some(StoreError::Foreign(path.to_str().unwrap().into())));

    let text = dir.path().join("text.db");
    fs::write(&text, "not a database. ".repeat(1000)).unwrap();
    assert_eq!(SqliteLog::open(&text).err(), Some(StoreError::NotDatabase(text.to_str().unwrap().into())));
    let nowhere = dir.path().join("missing/log.db");
    assert!(matches!(SqliteLog::open(&nowhere), Err(StoreError::Io(why)) if why.contains("missing")));
}

#[tokio::test]
async fn damage_is_told_and_not_papered_over() {
    let check = async |sql: &str, complaint: &str| {
        let (_dir, path) = log_file();
        drop(with_three_entries(&path).await);
        tamper(&path, sql);
        let log = SqliteLog::open(&path).unwrap();
        match log.read(session(1), Seq::START, 10).await {
            Err(StoreError::Corrupt { session: damaged, what }) => {
                assert_eq!(damaged, session(1));
                assert!(what.starts_with(complaint), "{what}");
            }
            other => panic!("{sql}: {other:?}"),
        }
        assert_eq!(log.read(session(1), Seq(2), 10).await.unwrap().len(), 1, "{sql}");
    };
    check("UPDATE entry SET body = x'7b' WHERE seq = 2", "entry 2: ").await;
    check("UPDATE entry SET body = (SELECT body FROM entry WHERE seq = 3) WHERE seq = 2", "entry 2 says it is entry 3")
        .await;
    check("DELETE FROM entry WHERE seq = 2", "entry 2 is missing").await;
    check("DELETE FROM entry WHERE seq = 1", "entry 1 is missing").await;
}

/// Holds a lock, writes to a log and says what was acknowledged, until it is killed. Run by the test below in a process
/// of its own.
#[tokio::test]
#[ignore = "the other process of a test"]
async fn write_until_killed() {
    let Some(dir) = std::env::var_os("POLLUX_TEST_DIR").map(PathBuf::from) else { return };
    let _lock = DatabaseLock::take(&dir, &LockHolder::this_process(Some(7), "/ws")).unwrap();
    let log = SqliteLog::open(&dir.join("log.db")).unwrap();
    let epoch = create(&log, opening(1)).await;
    for seq in 2.. {
        log.append(batch(session(1), epoch, [piece(seq, "x")])).await.unwrap();
        // Past the capture of the test runner, and not buffered.
        writeln!(std::io::stderr(), "acknowledged {seq}").unwrap();
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a lock and a log must outlive a killed process, so there has to be one")]
async fn nothing_acknowledged_is_lost_with_a_killed_process_and_its_lock_is_free() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "disk::write_until_killed", "--ignored", "--nocapture"])
        .env("POLLUX_TEST_DIR", dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let acknowledged = |line: String| line.strip_prefix("acknowledged ").and_then(|seq| seq.parse::<u64>().ok());
    let reached = lines.by_ref().map_while(Result::ok).filter_map(acknowledged).find(|seq| *seq >= 50);
    assert_eq!(reached, Some(50));
    let holder = DatabaseLock::holder(dir.path()).unwrap().unwrap();
    assert_eq!((holder.pid, holder.port), (child.id(), Some(7)));

    child.kill().unwrap();
    child.wait().unwrap();
    let last = lines.map_while(Result::ok).filter_map(acknowledged).last().unwrap_or(50);
    assert_eq!(DatabaseLock::holder(dir.path()).unwrap(), None);
    let _lock = DatabaseLock::take(dir.path(), &LockHolder::this_process(None, "/ws")).unwrap();
    let log = SqliteLog::open(&dir.path().join("log.db")).unwrap();
    let head = log.head(session(1)).await.unwrap().unwrap();
    assert!(head >= Seq(last), "acknowledged {last}, found {head}");
    let pieces = (2..=head.0).map(|seq| piece(seq, "x"));
    let expected: Vec<_> = first_entries(1).into_iter().chain(pieces).collect();
    assert_eq!(all(&log, session(1)).await, expected);
}

/// A database of store version 1 is brought to today's, and its tasks are listed as its entries left them.
#[tokio::test]
async fn an_older_database_lists_its_tasks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    {
        let log = SqliteLog::open(&path).unwrap();
        let epoch = create(&log, opening(1)).await;
        let closed = |seq, task_seq, closing| {
            entry(seq, Some((task(9), task_seq)), Event::TaskClosed { task: task(9), closing })
        };
        let ended = |seq, task_seq, outcome| entry(seq, Some((task(8), task_seq)), Event::TurnEnded { outcome });
        let entries = [
            prompted(2, task(8), 1, "one"),
            ended(3, 2, TurnOutcome::Cancelled),
            prompted(4, task(9), 1, "two"),
            closed(5, 2, TaskClosing::Completed),
            prompted(6, task(7), 1, "three"),
        ];
        append_singly(&log, epoch, entries).await;
    }
    let tables = "DROP TABLE standing; DROP TABLE standing_count; DROP TABLE standing_count_fine;
        DROP TABLE context_count; DROP TABLE push_target; DROP TABLE checkpoint";
    make_older(&path, tables, 1);
    let log = SqliteLog::open(&path).unwrap();
    let query = TaskQuery {
        context: None,
        marks: vec![],
        since: None,
        unprompted: UnpromptedTasks::LeftOut,
        after: None,
        limit: 9,
    };
    let page = log.tasks(&ann(), query).await.unwrap();
    let rows: Vec<_> = page.rows.iter().map(|row| (row.task, row.mark, row.since)).collect();
    assert_eq!(
        rows,
        [
            (task(7), TaskMark::Submitted, UnixMillis(1006)),
            (task(9), TaskMark::Completed, UnixMillis(1005)),
            (task(8), TaskMark::RestedCancelled, UnixMillis(1003)),
        ]
    );
    assert_eq!(page.total, 3);
}

/// A database of store version 2 has no fine counts and none by label: they are made from the tasks it has.
#[tokio::test]
async fn an_older_database_is_counted_anew() {
    let (_dir, path) = log_file();
    with_many_tasks(&SqliteLog::open(&path).unwrap(), 1..=1001).await;
    assert_eq!(number(&path, "SELECT count(*) FROM context_count"), 0, "no id of these ends with a zero byte");
    make_older(&path, "DROP TABLE standing_count_fine; DROP TABLE context_count; DROP TABLE checkpoint", 2);
    let log = SqliteLog::open(&path).unwrap();
    assert_eq!(number(&path, "SELECT sum(tasks) FROM context_count"), 1001);
    let of_label = TaskQuery {
        context: Some(context("c")),
        marks: vec![],
        since: None,
        unprompted: UnpromptedTasks::LeftOut,
        after: None,
        limit: 1,
    };
    assert_eq!(log.tasks(&ann(), of_label.clone()).await.unwrap().total, 1001);
    let since = TaskQuery { context: None, since: Some(UnixMillis(1002)), ..of_label };
    assert_eq!(log.tasks(&ann(), since).await.unwrap().total, 1001);
}

/// The checkpoints of a workspace are found by whoever owns them, those of a database of store version 3 too.
#[tokio::test]
async fn the_checkpoints_of_a_workspace_are_listed() {
    let (_dir, path) = log_file();
    {
        let log = SqliteLog::open(&path).unwrap();
        let epoch = create(&log, opening(1)).await;
        let checkpoint = |seq, task_seq, name: &str, saved| {
            let checkpoint =
                WorkspaceCheckpoint { call: CallId(Seq(seq)), name: name.into(), saved, file: None, files: vec![] };
            entry(seq, Some((task(9), task_seq)), Event::Checkpointed(checkpoint))
        };
        let entries = [
            prompted(2, task(9), 1, "one"),
            checkpoint(3, 2, "first", Ok("a".into())),
            checkpoint(4, 3, "lost", Err("the disk is full".into())),
            checkpoint(5, 4, "second", Ok("b".into())),
        ];
        append_singly(&log, epoch, entries).await;
    }
    let newest_first = ["second", "first"].map(|name| CheckpointLocation { task: task(9), name: name.into() });
    for is_old in [false, true] {
        if is_old {
            make_older(&path, "DROP TABLE checkpoint", 3);
        }
        let log = SqliteLog::open(&path).unwrap();
        let workspace = opening(1).workspace;
        assert_eq!(log.checkpoints(&ann(), &workspace, 9).await.unwrap(), newest_first);
        assert_eq!(log.checkpoints(&ann(), &workspace, 1).await.unwrap(), newest_first[..1]);
        assert_eq!(log.checkpoints(&ann(), "/elsewhere", 9).await.unwrap(), []);
        assert_eq!(log.checkpoints(&Owner("bob".into()), &workspace, 9).await.unwrap(), []);
    }
}

/// A database of store version 4 keeps an index that nothing is looked up in.
#[tokio::test]
async fn an_older_database_sheds_what_nobody_reads() {
    let (_dir, path) = log_file();
    drop(with_three_entries(&path).await);
    make_older(&path, "CREATE UNIQUE INDEX entry_by_task ON entry (task, task_seq) WHERE task IS NOT NULL", 4);
    let log = SqliteLog::open(&path).unwrap();
    assert_eq!(number(&path, "SELECT count(*) FROM sqlite_schema WHERE name = 'entry_by_task'"), 0);
    assert_eq!(all(&log, session(1)).await.len(), 3);
}

/// A database of store version 5 counts tasks that are under way, which are counted when somebody asks from then on.
#[tokio::test]
async fn tasks_under_way_are_counted_once_in_an_older_database() {
    use TaskMark::{Completed, Failed, Working};
    let (_dir, path) = log_file();
    {
        let log = SqliteLog::open(&path).unwrap();
        let epoch = create(&log, opening(1)).await;
        let marks = vec![standing(task(8), Working), standing(task(9), Completed)];
        let entries = [prompted(2, task(8), 1, "one"), prompted(3, task(9), 1, "two")];
        append_singly(&log, epoch, entries).await;
        let entries = [prompted(4, task(8), 2, "more")];
        log.append(EntryBatch { marks, ..batch(session(1), epoch, entries) }).await.unwrap();
    }
    let counted = "INSERT INTO standing_count VALUES ('ann', 1, 0, 1);
        INSERT INTO context_count VALUES ('ann', 'c', 1, 1), ('ann', 'c', 6, 1)";
    make_older(&path, counted, 5);
    let log = SqliteLog::open(&path).unwrap();
    for table in ["standing_count", "standing_count_fine", "context_count"] {
        assert_eq!(number(&path, &format!("SELECT count(*) FROM {table} WHERE mark <= 1")), 0, "{table}");
    }
    let total = async |context: Option<ContextId>, mark: Option<TaskMark>| {
        let query = TaskQuery {
            context,
            marks: mark.into_iter().collect(),
            since: None,
            unprompted: UnpromptedTasks::LeftOut,
            after: None,
            limit: 9,
        };
        log.tasks(&ann(), query).await.unwrap().total
    };
    for label in [None, Some(context("c"))] {
        assert_eq!(total(label.clone(), None).await, 2);
        assert_eq!((total(label.clone(), Some(Working)).await, total(label, Some(Completed)).await), (1, 1));
    }
    // A mark that the label had no task with is counted from now on.
    tamper(&path, "UPDATE standing SET mark = 8 WHERE mark = 6");
    for label in [None, Some(context("c"))] {
        assert_eq!((total(label.clone(), Some(Failed)).await, total(label, Some(Completed)).await), (1, 0));
    }
}

/// A database of store version 6 does not say which sessions nobody has prompted: its tasks do.
#[tokio::test]
async fn sessions_that_nobody_prompted_are_listed_from_an_older_database() {
    let (_dir, path) = log_file();
    {
        let log = SqliteLog::open(&path).unwrap();
        let epoch = create(&log, opening(1)).await;
        let marks = vec![standing(task(8), TaskMark::Working)];
        log.append(EntryBatch { marks, ..batch(session(1), epoch, [prompted(2, task(8), 1, "one")]) }).await.unwrap();
        create(&log, opening(2)).await;
    }
    make_older(&path, "", 6);
    let log = SqliteLog::open(&path).unwrap();
    let (since, after, unprompted) = (None, None, UnpromptedTasks::Listed);
    let query = TaskQuery { context: None, marks: vec![], since, unprompted, after, limit: 9 };
    let listed = log.tasks(&ann(), query).await.unwrap().rows;
    let listed: Vec<_> = listed.iter().map(|row| (row.task, row.session, row.mark)).collect();
    let fresh = (session(2).main_task(), session(2), TaskMark::Submitted);
    assert_eq!(listed, [(task(8), session(1), TaskMark::Working), fresh]);
}

/// The result of a query for one number in the file.
fn number(path: &Path, sql: &str) -> i64 {
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}
