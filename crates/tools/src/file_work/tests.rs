use super::{FileWorkError, FileWorkPool, run_file_work};
use rustix::fs::{CWD, FileType, mknodat};
use std::fs::{File, OpenOptions};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Generous: machines are busy.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn hanging_file_work_leaves_threads_for_everybody_else() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, 0o600.into(), 0).unwrap();
    let pool = Arc::new(FileWorkPool::new(64, Duration::from_millis(200)));
    // More than the 512 threads that the runtime has for all: each waits for somebody to write to the pipe.
    let hanging: Vec<_> = (0..600)
        .map(|_| {
            let (pool, pipe) = (pool.clone(), pipe.clone());
            tokio::spawn(async move { pool.run(move || File::open(pipe).is_ok()).await })
        })
        .collect();
    while pool.free.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    let store = timeout(TEST_TIMEOUT, tokio::task::spawn_blocking(|| 42)).await;
    assert_eq!(store.expect("the store has no thread").unwrap(), 42);
    let refused = timeout(TEST_TIMEOUT, pool.run(|| ())).await.expect("more work waits for ever");
    assert!(matches!(refused, Err(FileWorkError::Busy { running: 64, .. })));
    let others = timeout(TEST_TIMEOUT, run_file_work(|| 43)).await.expect("another pool waits");
    assert_eq!(others.unwrap(), 43);
    // Opened for both, it is somebody who writes.
    let _writer = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let mut done = 0;
    for work in hanging {
        done += usize::from(timeout(TEST_TIMEOUT, work).await.expect("it still hangs").unwrap().is_ok());
    }
    assert!(done >= 64, "only {done} came to their end");
    assert_eq!(timeout(TEST_TIMEOUT, pool.run(|| 44)).await.expect("it is free again").unwrap(), 44);
}

#[tokio::test]
async fn work_that_panics_is_told_and_gives_its_place_back() {
    let pool = FileWorkPool::new(1, TEST_TIMEOUT);
    let broken = pool.run(|| panic!("boom")).await;
    assert!(matches!(broken, Err(FileWorkError::Broken(why)) if why.contains("boom")));
    assert_eq!(pool.run(|| 1).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn work_that_hangs_counts_although_nobody_waits_for_it_any_more() {
    let (free, held) = std::sync::mpsc::channel::<()>();
    let pool = Arc::new(FileWorkPool::new(1, Duration::from_millis(50)));
    let waiting = {
        let pool = pool.clone();
        tokio::spawn(async move { pool.run(move || held.recv().is_ok()).await })
    };
    while pool.free.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    waiting.abort();
    assert!(matches!(pool.run(|| ()).await, Err(FileWorkError::Busy { running: 1, .. })));
    drop(free);
    let free_again = async { while pool.run(|| ()).await.is_err() {} };
    timeout(TEST_TIMEOUT, free_again).await.expect("its place is given back");
}
