//! A restart at every point: nothing started runs again, an ask stays, the model is asked again.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{TaskKind, TaskStatus};
use pretty_assertions::assert_eq;

#[test]
fn when_idle_only_new_equipment_is_recorded() {
    let mut harness = SessionHarness::new();
    harness.wake("model-1");
    harness.wake("model-2");
    harness.prompt("ann", "one");
    harness.check(expect![[r#"
         3 agent equipped model-2
         4 ann   prompted main (OpenEnded) "one"
         5 agent turn starts on prompt-4 with model-2, default
        owed: think 1
    "#]]);
}

#[test]
fn while_thinking_the_step_is_owed_again() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.wake("model-2");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent equipped model-2
        owed: think 1
    "#]]);
}

#[test]
fn while_streaming_the_item_is_cut() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.text("half a");
    harness.text(" sentence");
    harness.wake("model-1");
    harness.wake("model-1");
    harness.text("A whole one.");
    harness.step(&[]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent says "half a"
         6 agent item-5 at 6 " sentence"
         7 agent item-5 cut at 15
         8 agent says "A whole one."
         9 agent item-8 ends at 12
        10 agent step ends STOP
        11 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn while_vetting_the_call_is_vetted_again() {
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.wake("model-1");
    harness.check(expect![[r#"
        owed: vet call-6 under 0
    "#]]);
}

#[test]
fn while_asking_the_ask_stays() {
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.ask("write a");
    harness.wake("model-1");
    assert_eq!(harness.state.session_status(), TaskStatus::InputRequired);
    harness.check(expect![[r#"
         7 agent call-6 asks under 0
        owed: nothing but answers
    "#]]);
    harness.answer("bob", "write a", "proceed_once");
    harness.wake("model-1");
    // It was answered and never started: it still runs, once.
    harness.check(expect![[r#"
         8 bob   call-6 answered proceed_once
        owed: run call-6
    "#]]);
    harness.perform("write a");
    harness.check(expect![[r#"
         9 agent call-6 starts
        10 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn while_running_the_call_is_interrupted_and_never_run_again() {
    let mut harness = SessionHarness::calling(&["read ls", "read b", "write a"]);
    harness.allow("read ls");
    harness.allow("read b");
    harness.ask("write a");
    harness.start("read ls");
    harness.start("read b");
    harness.wake("model-1");
    harness.done("read ls");
    harness.check(expect![[r#"
         9 agent call-6 allowed
        10 agent call-7 allowed
        11 agent call-8 asks under 0
        12 agent call-6 starts
        13 agent call-7 starts
        14 agent call-7 interrupted
        15 agent call-6 interrupted
         - agent refused: this work is no longer owed
        owed: nothing but answers
    "#]]);
    harness.answer("bob", "write a", "proceed_once");
    harness.start("write a");
    harness.wake("model-1");
    harness.check(expect![[r#"
        16 bob   call-8 answered proceed_once
        17 agent call-8 starts
        18 agent call-8 interrupted
        owed: think 2
    "#]]);
}

#[test]
fn after_a_decline_an_interrupted_call_lets_the_turn_rest() {
    let mut harness = SessionHarness::calling(&["run ls", "write a"]);
    harness.allow("run ls");
    harness.start("run ls");
    harness.ask("write a");
    harness.answer("bob", "write a", "cancel");
    harness.wake("model-1");
    harness.check(expect![[r#"
         8 agent call-6 allowed
         9 agent call-6 starts
        10 agent call-7 asks under 0
        11 bob   call-7 answered cancel
        12 bob   call-7 declined
        13 agent call-6 interrupted
        14 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn between_steps_the_next_step_is_owed() {
    let mut harness = SessionHarness::calling(&["read a"]);
    harness.allow("read a");
    harness.perform("read a");
    harness.wake("model-1");
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn a_held_queue_stays_held() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.cancel("ann");
    harness.wake("model-1");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 ann   turn cancelled
        owed: nothing while held
    "#]]);
}

#[test]
fn a_log_cut_inside_a_commit_goes_on_safely() {
    // No store cuts a commit in two; if one did, a declined call would not run and a superseded one not twice.
    let mut harness = SessionHarness::calling(&["write a", "write b"]);
    harness.ask("write a");
    harness.ask("write b");
    harness.answer("ann", "write a", "proceed_once");
    harness.stale("write a");
    let torn = |harness: &SessionHarness, drop: usize| {
        let mut torn = harness.clone();
        torn.cut_log(drop);
        torn.wake("model-1");
        torn
    };
    torn(&harness, 1).check(expect![[r#"
        owed: vet call-11 under 0
    "#]]);
    harness.ask("write a");
    harness.answer("ann", "write a", "cancel");
    torn(&harness, 1).check(expect![[r#"
        owed: nothing but answers
    "#]]);
    harness.answer("ann", "write b", "cancel");
    torn(&harness, 2).check(expect![[r#"
        17 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_once_task_whose_turn_ended_is_closed_on_waking() {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::Once, "one");
    harness.step(&[]);
    harness.cut_log(1);
    harness.wake("model-1");
    harness.check(expect![[r#"
         7 agent task 1 closed completed
        owed: nothing
    "#]]);
}
