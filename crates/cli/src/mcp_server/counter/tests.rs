use super::{Counter, Put, Recalls, WAITING};
use pollux_session::{CallId, NewCall, Seq};
use serde_json::{Value, json};

fn call(tool: &str) -> NewCall {
    NewCall { tool: tool.into(), args: json!({}), meta: Value::Null }
}

#[test]
fn the_first_call_begins_a_turn_and_the_others_join_it() {
    let counter = Counter::default();
    assert_eq!(counter.put(call("a")), Put::Unattended);
    assert_eq!(counter.put(call("b")), Put::Attended);
    assert_eq!(counter.take(), Some(call("a")));
    assert!(!counter.leave(), "b still waits");
    assert_eq!(counter.put(call("c")), Put::Attended);
    assert_eq!([counter.take(), counter.take(), counter.take()], [Some(call("b")), Some(call("c")), None]);
    assert!(counter.leave());
    assert_eq!(counter.put(call("d")), Put::Unattended);
}

#[test]
fn a_full_or_closed_counter_takes_no_more() {
    let counter = Counter::default();
    for _ in 0..WAITING {
        assert_ne!(counter.put(call("a")), Put::Refused);
    }
    assert_eq!(counter.put(call("a")), Put::Refused);
    let counter = Counter::default();
    counter.give_up();
    assert_eq!(counter.put(call("a")), Put::Refused);
    assert!(counter.broken.is_cancelled());
}

#[test]
fn a_call_is_taken_back_by_whoever_knows_its_id() {
    let recalls = Recalls::default();
    let (one, other) = (CallId(Seq(7)), CallId(Seq(8)));
    let seen = recalls.of(one);
    recalls.of(one).cancel();
    assert!(seen.is_cancelled());
    assert!(!recalls.of(other).is_cancelled());
    recalls.forget(one);
    assert!(!recalls.of(one).is_cancelled());
}

#[test]
fn whoever_is_cut_off_attends_no_more() {
    let counter = Counter::default();
    assert_eq!(counter.put(call("a")), Put::Unattended);
    drop(counter.attended());
    assert_eq!(counter.put(call("b")), Put::Unattended);
}
