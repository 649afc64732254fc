//! A call's life: vetted, run, over; alone and beside others.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{CallError, CallOutcome, Effect, Report, TaskStatus};
use pretty_assertions::assert_eq;

#[test]
fn an_allowed_call_runs_and_the_model_goes_on() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "look");
    stage.text("Let me see");
    stage.step(&["read a"]);
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "look"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent says "Let me see"
         6 agent item-5 ends at 10
         7 agent step ends STOP
         8 agent calls read a
        owed: vet call-8 under 0
    "#]]);
    stage.allow("read a");
    stage.check(expect![[r#"
         9 agent call-8 allowed
        owed: run call-8
    "#]]);
    stage.start("read a");
    stage.output("read a", "line\n", 0);
    stage.output("read a", "é", 0);
    stage.output("read a", "tail", 1_000);
    stage.done("read a");
    stage.check(expect![[r#"
        10 agent call-8 starts
        11 agent call-8 prints at 0 "line\n"
        12 agent call-8 prints at 5 "é"
        13 agent call-8 prints at 1007 "tail"
        14 agent call-8 succeeded
        owed: think 2
    "#]]);
    assert!(stage.state.turn.as_ref().unwrap().printed.is_empty());
    stage.text("It says line");
    stage.step(&[]);
    stage.check(expect![[r#"
        15 agent says "It says line"
        16 agent item-15 ends at 12
        17 agent step ends STOP
        18 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_denied_call_and_one_that_cannot_run_go_back_to_the_model() {
    let mut stage = SessionHarness::calling(&["run rm", "write ?", "nosuch x"]);
    stage.deny("run rm");
    stage.unfit("write ?");
    stage.check(expect![[r#"
         9 agent call-6 denied
        10 agent call-7 failed: bad_arguments
        owed: vet call-8 under 0
    "#]]);
    stage.unfit("nosuch x");
    stage.check(expect![[r#"
        11 agent call-8 failed: bad_arguments
        owed: think 2
    "#]]);
}

#[test]
fn a_failed_call_goes_back_to_the_model() {
    let mut stage = SessionHarness::calling(&["run false"]);
    stage.allow("run false");
    stage.start("run false");
    let error = CallError { kind: "exit_code".into(), message: "it failed".into() };
    stage.run("run false", Report::Done { outcome: CallOutcome::Failed { error, result: None } });
    stage.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent call-6 failed: exit_code
        owed: think 2
    "#]]);
}

#[test]
fn a_call_may_end_without_having_started() {
    let mut stage = SessionHarness::calling(&["run ls"]);
    stage.allow("run ls");
    let error = CallError { kind: "spawn".into(), message: "no shell".into() };
    stage.run("run ls", Report::Done { outcome: CallOutcome::Failed { error, result: None } });
    stage.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 failed: spawn
        owed: think 2
    "#]]);
}

#[test]
fn reads_run_side_by_side() {
    let mut stage = SessionHarness::calling(&["read a", "read b"]);
    stage.allow("read a");
    stage.allow("read b");
    stage.start("read b");
    stage.start("read a");
    stage.check(expect![[r#"
         8 agent call-6 allowed
         9 agent call-7 allowed
        10 agent call-7 starts
        11 agent call-6 starts
        owed: run call-6, run call-7
    "#]]);
    stage.done("read b");
    stage.done("read a");
    stage.check(expect![[r#"
        12 agent call-7 succeeded
        13 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn calls_that_change_things_run_one_at_a_time_oldest_first() {
    let mut stage = SessionHarness::calling(&["write a", "run ls", "read c"]);
    stage.allow("read c");
    // It is allowed first, but the older call may yet come before it.
    stage.allow("run ls");
    stage.check(expect![[r#"
         9 agent call-8 allowed
        10 agent call-7 allowed
        owed: vet call-6 under 0, run call-8
    "#]]);
    stage.allow("write a");
    stage.check(expect![[r#"
        11 agent call-6 allowed
        owed: run call-6, run call-8
    "#]]);
    stage.start("write a");
    stage.start("run ls");
    stage.check(expect![[r#"
        12 agent call-6 starts
         - agent refused: this work is no longer owed
        owed: run call-6, run call-8
    "#]]);
    stage.done("write a");
    stage.check(expect![[r#"
        13 agent call-6 succeeded
        owed: run call-7, run call-8
    "#]]);
    stage.perform("run ls");
    stage.perform("read c");
    stage.check(expect![[r#"
        14 agent call-7 starts
        15 agent call-7 succeeded
        16 agent call-8 starts
        17 agent call-8 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn a_call_that_runs_is_not_overtaken_by_an_older_one() {
    let mut stage = SessionHarness::calling(&["write a", "run ls"]);
    stage.ask("write a");
    stage.allow("run ls");
    stage.start("run ls");
    stage.answer("ann", "write a", "proceed_once");
    stage.check(expect![[r#"
         8 agent call-6 asks under 0
         9 agent call-7 allowed
        10 agent call-7 starts
        11 ann   call-6 answered proceed_once
        owed: run call-7
    "#]]);
    stage.done("run ls");
    stage.check(expect![[r#"
        12 agent call-7 succeeded
        owed: run call-6
    "#]]);
}

#[test]
fn an_ask_holds_up_only_its_own_call() {
    let mut stage = SessionHarness::calling(&["write a", "read b"]);
    stage.ask("write a");
    stage.allow("read b");
    stage.start("read b");
    assert_eq!(stage.state.session_status(), TaskStatus::Working);
    stage.done("read b");
    assert_eq!(stage.state.session_status(), TaskStatus::InputRequired);
    stage.check(expect![[r#"
         8 agent call-6 asks under 0
         9 agent call-7 allowed
        10 agent call-7 starts
        11 agent call-7 succeeded
        owed: nothing but answers
    "#]]);
    stage.answer("ann", "write a", "proceed_once");
    stage.perform("write a");
    stage.check(expect![[r#"
        12 ann   call-6 answered proceed_once
        13 agent call-6 starts
        14 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn a_stale_call_is_superseded_and_a_new_one_asks() {
    let mut stage = SessionHarness::calling(&["write a", "read b"]);
    stage.ask("write a");
    stage.allow("read b");
    stage.perform("read b");
    stage.answer("ann", "write a", "proceed_once");
    let first = stage.call("write a");
    stage.stale("write a");
    stage.check(expect![[r#"
         8 agent call-6 asks under 0
         9 agent call-7 allowed
        10 agent call-7 starts
        11 agent call-7 succeeded
        12 ann   call-6 answered proceed_once
        13 agent calls write a for call-6
        14 agent call-6 superseded
        owed: vet call-13 under 0
    "#]]);
    assert_eq!(stage.report(Effect::Run { call: first }, Report::Starting), Err(pollux_session::Refusal::NotOwed));
    stage.ask("write a");
    stage.answer("bob", "write a", "proceed_once");
    stage.perform("write a");
    stage.check(expect![[r#"
         - agent refused: this work is no longer owed
        15 agent call-13 asks under 0
        16 bob   call-13 answered proceed_once
        17 agent call-13 starts
        18 agent call-13 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn a_stale_call_beside_a_declined_one_still_asks_anew() {
    let mut stage = SessionHarness::calling(&["write a", "write b"]);
    stage.ask("write a");
    stage.ask("write b");
    stage.answer("ann", "write a", "proceed_once");
    stage.answer("ann", "write b", "cancel");
    stage.stale("write a");
    stage.check(expect![[r#"
         8 agent call-6 asks under 0
         9 agent call-7 asks under 0
        10 ann   call-6 answered proceed_once
        11 ann   call-7 answered cancel
        12 ann   call-7 declined
        13 agent calls write a for call-6
        14 agent call-6 superseded
        owed: vet call-13 under 0
    "#]]);
    stage.ask("write a");
    stage.answer("ann", "write a", "proceed_once");
    stage.perform("write a");
    stage.check(expect![[r#"
        15 agent call-13 asks under 0
        16 ann   call-13 answered proceed_once
        17 agent call-13 starts
        18 agent call-13 succeeded
        19 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn late_reports_of_a_call_are_not_owed() {
    let mut stage = SessionHarness::calling(&["run ls", "read b"]);
    stage.allow("run ls");
    stage.allow("run ls");
    stage.perform("run ls");
    stage.output("run ls", "late", 0);
    stage.done("run ls");
    stage.stale("run ls");
    stage.start("run ls");
    stage.check(expect![[r#"
         8 agent call-6 allowed
         - agent refused: this work is no longer owed
         9 agent call-6 starts
        10 agent call-6 succeeded
         - agent refused: this work is no longer owed
         - agent refused: this work is no longer owed
         - agent refused: this work is no longer owed
         - agent refused: this work is no longer owed
        owed: vet call-7 under 0
    "#]]);
}

#[test]
fn the_calls_of_a_step_are_forgotten_with_the_next_step() {
    let mut stage = SessionHarness::calling(&["read a"]);
    stage.deny("read a");
    stage.step(&["read b"]);
    let turn = stage.state.turn.as_ref().unwrap();
    assert_eq!(turn.calls.keys().copied().collect::<Vec<_>>(), [stage.call("read b")]);
    assert_eq!(turn.step, 2);
}
