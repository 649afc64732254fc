use crate::sqlite::{Reads, SqliteLog};
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
