//! Tasks: open-ended ones rest, once tasks close, and each has its own dense numbers and status.

use crate::harness::{SessionHarness, task};
use expect_test::expect;
use pollux_session::{Command, PromptTarget, TaskClosing, TaskKind, TaskStatus, TurnFailure, TurnOutcome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn failed() -> TurnOutcome {
    TurnOutcome::Failed { failure: TurnFailure { kind: "offline".into(), message: "no luck".into() } }
}

#[test]
fn a_once_task_closes_when_its_turn_rests() {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::Once, "one");
    assert_eq!(harness.state.task_status(task(1)), Some(TaskStatus::Working));
    harness.step(&[]);
    harness.prompt_in("ann", 1, "more");
    harness.prompt_new("ann", 1, TaskKind::Once, "more");
    harness.check(expect![[r#"
         3 ann   prompted task 1 (Once) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent step ends STOP
         6 agent turn rests
         7 agent task 1 closed completed
         - ann   refused: task 00000000-0000-0000-0000-000000000001 is completed and takes no more messages; start a new task
         - ann   refused: task 00000000-0000-0000-0000-000000000001 is completed and takes no more messages; start a new task
        owed: nothing
    "#]]);
    assert_eq!(harness.state.task_status(task(1)), Some(TaskStatus::Closed(TaskClosing::Completed)));
}

#[test]
fn what_the_edge_wants_to_find_again_begins_its_task() {
    let mut harness = SessionHarness::new();
    let edge = json!({"spoken": "so"});
    let open = |new| Command::OpenTask { task: task(new), kind: TaskKind::OpenEnded, edge: json!({"spoken": "so"}) };
    harness.send("ann", open(1)).unwrap();
    assert_eq!(harness.state.task_status(task(1)), Some(TaskStatus::Submitted));
    // A task begins once, however often somebody says so.
    harness.send("bob", open(1)).unwrap();
    let new = |new, edge: &Value| PromptTarget::New { task: task(new), kind: TaskKind::Once, edge: edge.clone() };
    harness.send("ann", Command::prompt(new(2, &edge), "two")).unwrap();
    harness.send("ann", Command::prompt(new(2, &json!("other")), "more")).unwrap();
    harness.send("ann", Command::prompt(new(3, &Value::Null), "three")).unwrap();
    harness.check(expect![[r#"
         3 ann   opened task 1 (OpenEnded) {"spoken":"so"}
         4 ann   opened task 2 (Once) {"spoken":"so"}
         5 ann   prompted task 2 (Once) "two"
         6 agent turn starts on prompt-5 with model-1, default
         7 ann   prompted task 2 (Once) "more"
         8 ann   prompted task 3 (Once) "three"
        owed: think 1
    "#]]);
    let kept = [1, 2, 3].map(|id| harness.state.tasks[&task(id)].edge.clone());
    assert_eq!(kept, [edge.clone(), edge, Value::Null]);
}

#[test]
fn a_once_task_closes_when_its_turn_fails_or_is_cancelled() {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::Once, "one");
    harness.fail("offline");
    harness.prompt_new("ann", 2, TaskKind::Once, "two");
    harness.cancel("ann");
    harness.prompt_new("ann", 3, TaskKind::Once, "three");
    harness.cancel_task("ann", 3);
    harness.check(expect![[r#"
         3 ann   prompted task 1 (Once) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent turn failed: offline
         6 agent task 1 closed failed
         7 ann   prompted task 2 (Once) "two"
         8 agent turn starts on prompt-7 with model-1, default
         9 ann   turn cancelled
        10 agent task 2 closed canceled
        11 ann   prompted task 3 (Once) "three"
        12 agent turn starts on prompt-11 with model-1, default
        13 ann   turn cancelled
        14 ann   task 3 closed canceled
        owed: nothing
    "#]]);
}

#[test]
fn a_once_task_answers_every_prompt_it_took_before_it_closes() {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::Once, "one");
    harness.prompt_in("ann", 1, "and this");
    harness.step(&[]);
    harness.check(expect![[r#"
         3 ann   prompted task 1 (Once) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted task 1 (Once) "and this"
         6 agent step ends STOP
         7 agent turn rests
         8 agent turn starts on prompt-5 with model-1, default
        owed: think 1
    "#]]);
    harness.step(&[]);
    harness.check(expect![[r#"
         9 agent step ends STOP
        10 agent turn rests
        11 agent task 1 closed completed
        owed: nothing
    "#]]);
}

#[test]
fn a_once_task_without_its_prompt_closes() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt_new("ann", 1, TaskKind::Once, "two");
    harness.unqueue("ann", "two");
    harness.step(&[]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted task 1 (Once) "two"
         6 ann   unqueued prompt-5
         7 agent step ends STOP
         8 agent turn rests
         9 agent task 1 closed canceled
        owed: nothing
    "#]]);
}

#[test]
fn a_declined_ask_completes_a_once_task() {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::Once, "one");
    harness.step(&["write a"]);
    harness.ask("write a");
    assert_eq!(harness.state.task_status(task(1)), Some(TaskStatus::InputRequired));
    harness.answer("ann", "write a", "cancel");
    harness.check(expect![[r#"
         3 ann   prompted task 1 (Once) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent step ends STOP
         6 agent calls write a
         7 agent call-6 asks under 0
         8 ann   call-6 answered cancel
         9 ann   call-6 declined
        10 agent turn rests
        11 agent task 1 closed completed
        owed: nothing
    "#]]);
}

#[test]
fn a_task_that_was_named_before_keeps_its_kind() {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::OpenEnded, "one");
    harness.prompt_new("bob", 1, TaskKind::Once, "two");
    assert_eq!(harness.state.tasks[&task(1)].kind, TaskKind::OpenEnded);
    harness.check(expect![[r#"
         3 ann   prompted task 1 (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   prompted task 1 (OpenEnded) "two"
        owed: think 1
    "#]]);
}

#[test]
fn every_task_numbers_its_own_entries() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt_new("bob", 1, TaskKind::Once, "two");
    harness.requeue("ann", "two", "2");
    harness.text("done");
    harness.step(&[]);
    harness.step(&[]);
    let numbers: Vec<_> = harness.log.iter().map(|entry| entry.task.map(|(id, n)| (id.0.as_u128(), n))).collect();
    assert_eq!(
        numbers,
        [
            None,         // opened
            None,         // equipped
            Some((0, 1)), // prompted
            Some((0, 2)), // turn
            Some((1, 1)), // prompted
            Some((1, 2)), // requeued
            Some((0, 3)), // says
            Some((0, 4)), // item ends
            Some((0, 5)), // step ends
            Some((0, 6)), // turn rests
            Some((1, 3)), // turn
            Some((1, 4)), // step ends
            Some((1, 5)), // turn rests
            Some((1, 6)), // closed
        ]
    );
    assert_eq!((harness.state.tasks[&task(0)].entries, harness.state.tasks[&task(1)].entries), (6, 6));
}

#[test]
fn statuses_follow_the_turns() {
    let mut harness = SessionHarness::new();
    assert_eq!(harness.state.session_status(), TaskStatus::Submitted);
    assert_eq!(harness.state.task_status(task(0)), Some(TaskStatus::Submitted));
    assert_eq!(harness.state.task_status(task(1)), None);
    harness.prompt("ann", "one");
    harness.prompt_new("bob", 1, TaskKind::OpenEnded, "two");
    assert_eq!(harness.state.session_status(), TaskStatus::Working);
    assert_eq!(harness.state.task_status(task(0)), Some(TaskStatus::Working));
    assert_eq!(harness.state.task_status(task(1)), Some(TaskStatus::Submitted));
    harness.step(&[]);
    assert_eq!(harness.state.task_status(task(0)), Some(TaskStatus::Resting(TurnOutcome::Rested)));
    assert_eq!(harness.state.task_status(task(1)), Some(TaskStatus::Working));
    harness.fail("offline");
    assert_eq!(harness.state.task_status(task(1)), Some(TaskStatus::Resting(failed())));
    assert_eq!(harness.state.session_status(), TaskStatus::Resting(failed()));
}

#[test]
fn the_session_stands_as_its_newest_turn_ended_whatever_the_ids_and_the_clock() {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 9, TaskKind::OpenEnded, "one");
    harness.fail("offline");
    harness.prompt_new("ann", 1, TaskKind::OpenEnded, "two");
    harness.prompt_in("ann", 9, "three");
    // Task 9 changes last of all, but it is the turn of task 1 that ends last.
    harness.clock.0 += 1;
    harness.unqueue("ann", "three");
    harness.step(&[]);
    assert_eq!(harness.state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
}
