use crate::sqlite::{Reads, SqliteLog};
use rusqlite::Connection;
use std::sync::mpsc;
use std::thread;

/// A server that stops drops its tasks while their queries run; the database is still closed whole.
#[tokio::test]
async fn a_log_that_is_dropped_waits_for_a_query_whose_caller_went_away() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = SqliteLog::open(&path).unwrap();
    let Reads::Pool(pool) = &log.reads else { panic!("a log in a file has a pool") };
    let (begun, begins) = mpsc::channel();
    let (go_on, told) = mpsc::channel::<()>();
    let query = pool.run(move |_| {
        begun.send(()).unwrap();
        told.recv().unwrap();
        Ok(())
    });
    tokio::select! {
        biased;
        _ = query => panic!("nobody told the query to go on"),
        () = tokio::task::yield_now() => {}
    }
    begins.recv().unwrap();
    let closing = thread::spawn(move || drop(log));
    // Long enough for a drop that does not wait to be over.
    thread::sleep(std::time::Duration::from_millis(50));
    assert!(!closing.is_finished());
    go_on.send(()).unwrap();
    closing.join().unwrap();
    assert!(!path.with_extension("db-wal").exists());
}

/// A list is read in several steps; a task that moves between two of them is in one place all the same.
#[tokio::test]
async fn everything_a_query_reads_is_of_one_moment() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = SqliteLog::open(&path).unwrap();
    let Reads::Pool(pool) = &log.reads else { panic!("a log in a file has a pool") };
    let count = |conn: &Connection| conn.query_row("SELECT count(*) FROM task", [], |row| row.get::<_, i64>(0));
    let seen = pool.run(move |conn| {
        let before = count(conn)?;
        let writer = Connection::open(&path)?;
        writer.execute("INSERT INTO task VALUES (x'01', x'02')", [])?;
        Ok((before, count(conn)?, count(&writer)?))
    });
    assert_eq!(seen.await.unwrap(), (0, 0, 1));
}
