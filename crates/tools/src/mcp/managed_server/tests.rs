use super::runtime_is_ending;
use std::future::pending;
use std::sync::mpsc;

/// Says when it is dropped.
struct DropNotice(mpsc::Sender<()>);

impl Drop for DropNotice {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[test]
fn a_task_that_still_runs_while_others_are_dropped_knows_that_all_ends() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    assert!(!runtime.block_on(runtime_is_ending()));
    let (notice, dropped) = mpsc::channel();
    let (started, all_started) = mpsc::channel();
    let (answer, answered) = mpsc::channel();
    let one_started = started.clone();
    runtime.spawn(async move {
        let _notice = DropNotice(notice);
        one_started.send(()).unwrap();
        pending::<()>().await;
    });
    all_started.recv().unwrap();
    runtime.spawn(async move {
        started.send(()).unwrap();
        // It has one of the two threads until the other one has dropped the first task.
        dropped.recv().unwrap();
        answer.send(runtime_is_ending().await).unwrap();
    });
    all_started.recv().unwrap();
    runtime.shutdown_background();
    assert!(answered.recv().unwrap());
}
