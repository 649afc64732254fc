use super::{CallCancellations, CallQueue, EnqueueResult, WAITING};
use pollux_session::{CallId, NewCall, Seq};
use serde_json::{Value, json};

fn call(tool: &str) -> NewCall {
    NewCall { tool: tool.into(), args: json!({}), meta: Value::Null }
}

#[test]
fn the_first_call_begins_a_turn_and_the_others_join_it() {
    let counter = CallQueue::default();
    assert_eq!(counter.enqueue(call("a")), EnqueueResult::TurnNeeded);
    assert_eq!(counter.enqueue(call("b")), EnqueueResult::TurnRunning);
    assert_eq!(counter.take(), Some(call("a")));
    assert!(!counter.stop_if_empty(), "b still waits");
    assert_eq!(counter.enqueue(call("c")), EnqueueResult::TurnRunning);
    assert_eq!([counter.take(), counter.take(), counter.take()], [Some(call("b")), Some(call("c")), None]);
    assert!(counter.stop_if_empty());
    assert_eq!(counter.enqueue(call("d")), EnqueueResult::TurnNeeded);
}

#[test]
fn a_full_or_closed_counter_takes_no_more() {
    let counter = CallQueue::default();
    for _ in 0..WAITING {
        assert_ne!(counter.enqueue(call("a")), EnqueueResult::Refused);
    }
    assert_eq!(counter.enqueue(call("a")), EnqueueResult::Refused);
    let counter = CallQueue::default();
    counter.give_up();
    assert_eq!(counter.enqueue(call("a")), EnqueueResult::Refused);
    assert!(counter.broken.is_cancelled());
}

#[test]
fn a_call_is_taken_back_by_whoever_knows_its_id() {
    let recalls = CallCancellations::default();
    let (one, other) = (CallId(Seq(7)), CallId(Seq(8)));
    let seen = recalls.token(one);
    recalls.token(one).cancel();
    assert!(seen.is_cancelled());
    assert!(!recalls.token(other).is_cancelled());
    recalls.forget(one);
    assert!(!recalls.token(one).is_cancelled());
}

#[test]
fn whoever_is_cut_off_attends_no_more() {
    let counter = CallQueue::default();
    assert_eq!(counter.enqueue(call("a")), EnqueueResult::TurnNeeded);
    drop(counter.guard());
    assert_eq!(counter.enqueue(call("b")), EnqueueResult::TurnNeeded);
}
