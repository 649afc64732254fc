//! A restart at every point: nothing started runs again, an ask stays, the model is asked again.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{TaskKind, TaskStatus};
use pretty_assertions::assert_eq;

#[test]
fn when_idle_only_new_equipment_is_recorded() {
    let mut stage = SessionHarness::new();
    stage.wake("model-1");
    stage.wake("model-2");
    stage.prompt("ann", "one");
    stage.check(expect![[r#"
         3 agent equipped model-2
         4 ann   prompted main (OpenEnded) "one"
         5 agent turn starts on prompt-4 with model-2, default
        owed: think 1
    "#]]);
}

#[test]
fn while_thinking_the_step_is_owed_again() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.wake("model-2");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent equipped model-2
        owed: think 1
    "#]]);
}

#[test]
fn while_streaming_the_item_is_cut() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.text("half a");
    stage.text(" sentence");
    stage.wake("model-1");
    stage.wake("model-1");
    stage.text("A whole one.");
    stage.step(&[]);
    stage.check(expect![[r#"
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
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.wake("model-1");
    stage.check(expect![[r#"
        owed: vet call-6 under 0
    "#]]);
}

#[test]
fn while_asking_the_ask_stays() {
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.ask("write a");
    stage.wake("model-1");
    assert_eq!(stage.state.session_status(), TaskStatus::InputRequired);
    stage.check(expect![[r#"
         7 agent call-6 asks under 0
        owed: nothing but answers
    "#]]);
    stage.answer("bob", "write a", "proceed_once");
    stage.wake("model-1");
    // It was answered and never started: it still runs, once.
    stage.check(expect![[r#"
         8 bob   call-6 answered proceed_once
        owed: run call-6
    "#]]);
    stage.perform("write a");
    stage.check(expect![[r#"
         9 agent call-6 starts
        10 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn while_running_the_call_is_interrupted_and_never_run_again() {
    let mut stage = SessionHarness::calling(&["run ls", "write a", "read b"]);
    stage.allow("run ls");
    stage.ask("write a");
    stage.allow("read b");
    stage.start("run ls");
    stage.start("read b");
    stage.wake("model-1");
    stage.done("run ls");
    stage.check(expect![[r#"
         9 agent call-6 allowed
        10 agent call-7 asks under 0
        11 agent call-8 allowed
        12 agent call-6 starts
        13 agent call-8 starts
        14 agent call-8 interrupted
        15 agent call-6 interrupted
         - agent refused: this work is no longer owed
        owed: nothing but answers
    "#]]);
    stage.answer("bob", "write a", "proceed_once");
    stage.start("write a");
    stage.wake("model-1");
    stage.check(expect![[r#"
        16 bob   call-7 answered proceed_once
        17 agent call-7 starts
        18 agent call-7 interrupted
        owed: think 2
    "#]]);
}

#[test]
fn after_a_decline_an_interrupted_call_lets_the_turn_rest() {
    let mut stage = SessionHarness::calling(&["run ls", "write a"]);
    stage.allow("run ls");
    stage.start("run ls");
    stage.ask("write a");
    stage.answer("bob", "write a", "cancel");
    stage.wake("model-1");
    stage.check(expect![[r#"
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
    let mut stage = SessionHarness::calling(&["read a"]);
    stage.allow("read a");
    stage.perform("read a");
    stage.wake("model-1");
    stage.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn a_held_queue_stays_held() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.prompt("ann", "two");
    stage.cancel("ann");
    stage.wake("model-1");
    stage.check(expect![[r#"
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
    let mut stage = SessionHarness::calling(&["write a", "write b"]);
    stage.ask("write a");
    stage.ask("write b");
    stage.answer("ann", "write a", "proceed_once");
    stage.stale("write a");
    let torn = |stage: &SessionHarness, drop: usize| {
        let mut torn = stage.clone();
        torn.cut_log(drop);
        torn.wake("model-1");
        torn
    };
    torn(&stage, 1).check(expect![[r#"
        owed: vet call-11 under 0
    "#]]);
    stage.ask("write a");
    stage.answer("ann", "write a", "cancel");
    torn(&stage, 1).check(expect![[r#"
        owed: nothing but answers
    "#]]);
    stage.answer("ann", "write b", "cancel");
    torn(&stage, 2).check(expect![[r#"
        17 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_once_task_whose_turn_ended_is_closed_on_waking() {
    let mut stage = SessionHarness::new();
    stage.prompt_new("ann", 1, TaskKind::Once, "one");
    stage.step(&[]);
    stage.cut_log(1);
    stage.wake("model-1");
    stage.check(expect![[r#"
         7 agent task 1 closed completed
        owed: nothing
    "#]]);
}
