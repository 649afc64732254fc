use super::*;
use pretty_assertions::assert_eq;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

const HIDDEN: ConnectionVerdict = ConnectionVerdict::Hidden { pid: 7 };

fn connection(port: u16) -> ConnectionEnds {
    ConnectionEnds::unconnected(([127, 0, 0, 1], port).into(), ([127, 0, 0, 1], 8080).into())
}

#[tokio::test]
async fn a_hidden_descendant_is_looked_at_again_for_a_while() {
    let verdicts = Mutex::new([HIDDEN, HIDDEN, ConnectionVerdict::Outsider].into_iter());
    let searches = ProcSearchLimiter::new(move |_| vec![verdicts.lock().next().unwrap()]);
    assert_eq!(searches.repeat_while_hidden(connection(1)).await, ConnectionVerdict::Outsider);
    let (start, looks) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    let counted = looks.clone();
    let searches = ProcSearchLimiter::new(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        vec![HIDDEN]
    });
    assert_eq!(searches.repeat_while_hidden(connection(1)).await, HIDDEN);
    assert!(start.elapsed() >= HIDDEN_LIMIT && looks.load(Ordering::SeqCst) > 2, "{looks:?} looks");
}

/// Time stands still until everybody waits, so this measures the pauses that a client is kept for.
#[tokio::test(start_paused = true)]
async fn connections_that_hide_keep_nobody_else_waiting() {
    let outsider = connection(1);
    let judge = move |ends: &ConnectionEnds| if *ends == outsider { ConnectionVerdict::Outsider } else { HIDDEN };
    let searches = Arc::new(ProcSearchLimiter::new(move |all| all.iter().map(judge).collect()));
    let hiding: Vec<_> = (0..200)
        .map(|n| {
            let searches = searches.clone();
            tokio::spawn(async move { searches.repeat_while_hidden(connection(1000 + n)).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let start = Instant::now();
    assert_eq!(searches.repeat_while_hidden(outsider).await, ConnectionVerdict::Outsider);
    assert!(start.elapsed() < HIDDEN_LIMIT, "{:?}", start.elapsed());
    for hidden in hiding {
        assert_eq!(hidden.await.unwrap(), HIDDEN);
    }
    // And not one after the other.
    assert!(start.elapsed() < HIDDEN_LIMIT * 3, "{:?}", start.elapsed());
}

/// Searches that each wait for a word of the test, and say how many connections they are for.
fn held_searches() -> (Arc<ProcSearchLimiter>, mpsc::Receiver<usize>, mpsc::Sender<()>) {
    let ((began, begun), (go, may_go)) = (mpsc::channel(), mpsc::channel());
    let may_go = Mutex::new(may_go);
    let searches = ProcSearchLimiter::new(move |all| {
        began.send(all.len()).unwrap();
        may_go.lock().recv().unwrap();
        vec![ConnectionVerdict::Outsider; all.len()]
    });
    (Arc::new(searches), begun, go)
}

fn judge(searches: &Arc<ProcSearchLimiter>, port: u16) -> tokio::task::JoinHandle<ConnectionVerdict> {
    let searches = searches.clone();
    tokio::spawn(async move { searches.repeat_while_hidden(connection(port)).await })
}

async fn until_waiting(searches: &ProcSearchLimiter, count: usize) {
    while searches.queue.waiting.lock().len() != count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn one_search_answers_all_that_wait() {
    let (searches, begun, go) = held_searches();
    let mut all = vec![judge(&searches, 1)];
    while searches.running.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(begun.recv().unwrap(), 1);
    all.extend((2..1000).map(|port| judge(&searches, port)));
    until_waiting(&searches, 998).await;
    go.send(()).unwrap();
    go.send(()).unwrap();
    for verdict in all {
        assert_eq!(verdict.await.unwrap(), ConnectionVerdict::Outsider);
    }
    assert_eq!(begun.try_iter().collect::<Vec<_>>(), [998]);
}

#[tokio::test]
async fn connections_that_are_judged_together_have_their_verdicts_in_their_order() {
    let (searches, begun, go) = held_searches();
    let first = judge(&searches, 1);
    while searches.running.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(begun.recv().unwrap(), 1);
    let many = searches.clone();
    let many = tokio::spawn(async move { many.judge_all((2..5).map(connection).collect()).await });
    until_waiting(&searches, 1).await;
    let last = judge(&searches, 5);
    until_waiting(&searches, 2).await;
    go.send(()).unwrap();
    go.send(()).unwrap();
    assert_eq!(many.await.unwrap(), [ConnectionVerdict::Outsider; 3]);
    assert_eq!((first.await.unwrap(), last.await.unwrap()), (ConnectionVerdict::Outsider, ConnectionVerdict::Outsider));
    assert_eq!(begun.try_iter().collect::<Vec<_>>(), [4], "one search for both");

    let by_port = |all: &[ConnectionEnds]| {
        all.iter().map(|ends| ConnectionVerdict::Descendant { pid: ends.remote.port().into() }).collect()
    };
    let verdicts = ProcSearchLimiter::new(by_port).judge_all([7, 9, 8].map(connection).into()).await;
    assert_eq!(verdicts, [7, 9, 8].map(|pid| ConnectionVerdict::Descendant { pid }));
}

/// A search cannot be called off, so it counts until it is done.
#[tokio::test]
async fn clients_that_leave_cause_no_second_search_at_one_time() {
    let (searches, begun, go) = held_searches();
    let first = judge(&searches, 1);
    while searches.running.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(begun.recv().unwrap(), 1);
    first.abort();
    assert!(first.await.is_err());
    for port in 2..50 {
        let left = judge(&searches, port);
        until_waiting(&searches, usize::from(port) - 1).await;
        left.abort();
        assert!(left.await.is_err());
        assert_eq!(searches.running.available_permits(), 0);
    }
    let last = judge(&searches, 50);
    until_waiting(&searches, 49).await;
    assert!(begun.try_recv().is_err());
    go.send(()).unwrap();
    go.send(()).unwrap();
    assert_eq!(last.await.unwrap(), ConnectionVerdict::Outsider);
    assert_eq!(begun.try_iter().collect::<Vec<_>>(), [1], "those who have left are not looked for");
}

#[tokio::test]
async fn a_search_that_panics_leaves_nobody_waiting() {
    let searches = ProcSearchLimiter::new(|all| match all {
        [ends] if ends.remote.port() == 1 => panic!("of the test"),
        _ => vec![ConnectionVerdict::Outsider; all.len()],
    });
    assert_eq!(searches.repeat_while_hidden(connection(1)).await, ConnectionVerdict::Unidentified);
    assert_eq!(searches.repeat_while_hidden(connection(2)).await, ConnectionVerdict::Outsider);
}
