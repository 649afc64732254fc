//! A call's life: vetted, run, over; alone and beside others.

use crate::harness::{SessionHarness, ask_about};
use expect_test::expect;
use pollux_session::{CallError, CallOutcome, Effect, PolicyVerdict, Refusal, Report, TaskStatus, ToolKind};
use pretty_assertions::assert_eq;

#[test]
fn an_allowed_call_runs_and_the_model_goes_on() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "look");
    harness.text("Let me see");
    harness.step(&["read a"]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "look"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent says "Let me see"
         6 agent item-5 ends at 10
         7 agent step ends STOP
         8 agent calls read a
        owed: vet call-8 under 0
    "#]]);
    harness.allow("read a");
    harness.check(expect![[r#"
         9 agent call-8 allowed
        owed: run call-8
    "#]]);
    harness.start("read a");
    harness.output("read a", "line\n", 0);
    harness.output("read a", "é", 0);
    harness.output("read a", "tail", 1_000);
    harness.done("read a");
    harness.check(expect![[r#"
        10 agent call-8 starts
        11 agent call-8 prints at 0 "line\n"
        12 agent call-8 prints at 5 "é"
        13 agent call-8 prints at 1007 "tail"
        14 agent call-8 succeeded
        owed: think 2
    "#]]);
    assert!(harness.state.turn.as_ref().unwrap().printed.is_empty());
    harness.text("It says line");
    harness.step(&[]);
    harness.check(expect![[r#"
        15 agent says "It says line"
        16 agent item-15 ends at 12
        17 agent step ends STOP
        18 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_denied_call_and_one_that_cannot_run_go_back_to_the_model() {
    let mut harness = SessionHarness::calling(&["run rm", "write ?", "nosuch x"]);
    harness.deny("run rm");
    harness.unfit("write ?");
    harness.check(expect![[r#"
         9 agent call-6 denied
        10 agent call-7 failed: bad_arguments
        owed: vet call-8 under 0
    "#]]);
    harness.unfit("nosuch x");
    harness.check(expect![[r#"
        11 agent call-8 failed: bad_arguments
        owed: think 2
    "#]]);
}

#[test]
fn a_failed_call_goes_back_to_the_model() {
    let mut harness = SessionHarness::calling(&["run false"]);
    harness.allow("run false");
    harness.start("run false");
    let error = CallError { kind: "exit_code".into(), message: "it failed".into() };
    harness.run("run false", Report::Done { outcome: CallOutcome::Failed { error, result: None } });
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent call-6 failed: exit_code
        owed: think 2
    "#]]);
}

#[test]
fn a_call_may_end_without_having_started() {
    let mut harness = SessionHarness::calling(&["run ls"]);
    harness.allow("run ls");
    let error = CallError { kind: "spawn".into(), message: "no shell".into() };
    harness.run("run ls", Report::Done { outcome: CallOutcome::Failed { error, result: None } });
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 failed: spawn
        owed: think 2
    "#]]);
}

#[test]
fn reads_run_side_by_side() {
    let mut harness = SessionHarness::calling(&["read a", "read b"]);
    harness.allow("read a");
    harness.allow("read b");
    harness.start("read b");
    harness.start("read a");
    harness.check(expect![[r#"
         8 agent call-6 allowed
         9 agent call-7 allowed
        10 agent call-7 starts
        11 agent call-6 starts
        owed: run call-6, run call-7
    "#]]);
    harness.done("read b");
    harness.done("read a");
    harness.check(expect![[r#"
        12 agent call-7 succeeded
        13 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn calls_that_change_things_run_one_at_a_time_oldest_first() {
    let mut harness = SessionHarness::calling(&["write a", "run ls", "read c"]);
    harness.allow("read c");
    // It is allowed first, but the older call may yet come before it.
    harness.allow("run ls");
    harness.check(expect![[r#"
         9 agent call-8 allowed
        10 agent call-7 allowed
        owed: vet call-6 under 0
    "#]]);
    harness.allow("write a");
    harness.check(expect![[r#"
        11 agent call-6 allowed
        owed: run call-6
    "#]]);
    harness.start("write a");
    harness.start("run ls");
    harness.check(expect![[r#"
        12 agent call-6 starts
         - agent refused: this work is no longer owed
        owed: run call-6
    "#]]);
    harness.done("write a");
    harness.check(expect![[r#"
        13 agent call-6 succeeded
        owed: run call-7
    "#]]);
    harness.perform("run ls");
    harness.perform("read c");
    harness.check(expect![[r#"
        14 agent call-7 starts
        15 agent call-7 succeeded
        16 agent call-8 starts
        17 agent call-8 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn an_ask_holds_up_only_what_comes_after_it() {
    let mut harness = SessionHarness::calling(&["read a", "write b", "read c", "run ls"]);
    harness.allow("read c");
    harness.allow("run ls");
    harness.allow("read a");
    harness.ask("write b");
    harness.start("read a");
    assert_eq!(harness.state.session_status(), TaskStatus::Working);
    harness.done("read a");
    assert_eq!(harness.state.session_status(), TaskStatus::InputRequired);
    harness.start("read c");
    harness.start("run ls");
    harness.check(expect![[r#"
        10 agent call-8 allowed
        11 agent call-9 allowed
        12 agent call-6 allowed
        13 agent call-7 asks under 0
        14 agent call-6 starts
        15 agent call-6 succeeded
         - agent refused: this work is no longer owed
         - agent refused: this work is no longer owed
        owed: nothing but answers
    "#]]);
    harness.answer("ann", "write b", "proceed_once");
    harness.perform("write b");
    harness.perform("read c");
    harness.perform("run ls");
    harness.check(expect![[r#"
        16 ann   call-7 answered proceed_once
        17 agent call-7 starts
        18 agent call-7 succeeded
        19 agent call-8 starts
        20 agent call-8 succeeded
        21 agent call-9 starts
        22 agent call-9 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn asks_are_recorded_in_the_order_of_the_calls() {
    let mut harness = SessionHarness::calling(&["write a", "write b", "write c"]);
    let asked = |harness: &mut SessionHarness, label: &str| {
        let effect = Effect::Vet { call: harness.call(label), revision: 0, again: false };
        let verdict = PolicyVerdict::Ask(ask_about("write", label));
        harness.report(effect, Report::Vetted { kind: ToolKind::Edit, verdict }).map(drop)
    };
    assert_eq!(asked(&mut harness, "write c"), Err(Refusal::NotYet));
    assert_eq!(asked(&mut harness, "write b"), Err(Refusal::NotYet));
    assert_eq!(asked(&mut harness, "write a"), Ok(()));
    assert_eq!(asked(&mut harness, "write c"), Err(Refusal::NotYet), "the one between them may ask, too");
    harness.deny("write b");
    assert_eq!(asked(&mut harness, "write c"), Ok(()));
}

#[test]
fn a_call_that_fits_no_file_yet_waits_for_the_calls_before_it() {
    let mut harness = SessionHarness::calling(&["write a", "write b", "write c"]);
    harness.ask("write a");
    harness.unfit("write b");
    harness.ask("write c");
    assert!(harness.state.only_asks_remain(), "a client that is told to answer is told so now");
    harness.check(expect![[r#"
         9 agent call-6 asks under 0
        10 agent call-7 waits for the calls before it
        11 agent call-8 asks under 0
        owed: nothing but answers
    "#]]);
    harness.wake("model-1");
    harness.answer("ann", "write a", "proceed_once");
    harness.perform("write a");
    harness.ask("write b");
    harness.check(expect![[r#"
        12 ann   call-6 answered proceed_once
        13 agent call-6 starts
        14 agent call-6 succeeded
        15 agent call-7 asks under 0
        owed: nothing but answers
    "#]]);
    let mut harness = SessionHarness::calling(&["read a", "write b"]);
    harness.allow("read a");
    harness.unfit("write b");
    harness.check(expect![[r#"
         8 agent call-6 allowed
         9 agent call-7 failed: bad_arguments
        owed: run call-6
    "#]]);
}

#[test]
fn neighbours_that_only_look_run_at_once_and_so_do_sub_agents_and_calls_of_servers() {
    let mut harness = SessionHarness::calling(&["mcp a", "mcp b", "delegate c", "delegate d", "read e", "read f"]);
    for label in ["mcp a", "mcp b", "delegate c", "delegate d", "read e", "read f"] {
        harness.allow(label);
    }
    harness.skip_ahead();
    for pair in [["mcp a", "mcp b"], ["delegate c", "delegate d"], ["read e", "read f"]] {
        assert_eq!(harness.owed(), pair.map(|label| Effect::Run { call: harness.call(label) }));
        // The younger one is done first.
        harness.perform(pair[1]);
        harness.perform(pair[0]);
    }
}

#[test]
fn after_a_no_what_nobody_was_asked_about_changes_nothing() {
    let labels = ["write a", "run b", "read c", "write d", "run e", "delegate f", "write g", "read h"];
    let mut harness = SessionHarness::calling(&labels);
    harness.ask("write a");
    harness.allow("run b");
    harness.allow("read c");
    harness.ask("write d");
    harness.ask("run e");
    harness.answer("ann", "run e", "proceed_once");
    harness.skip_ahead();
    harness.answer("ann", "write a", "cancel");
    harness.allow("delegate f");
    harness.ask("write g");
    harness.allow("read h");
    harness.check(expect![[r#"
        20 ann   call-6 answered cancel
        21 ann   call-6 declined
        22 agent call-7 cancelled
        23 agent call-11 allowed
        24 agent call-11 cancelled
        25 agent call-12 cancelled
        26 agent call-13 allowed
        owed: run call-8
    "#]]);
    harness.perform("read c");
    harness.answer("ann", "write d", "proceed_once");
    harness.perform("write d");
    harness.perform("run e");
    harness.perform("read h");
    harness.check(expect![[r#"
        27 agent call-8 starts
        28 agent call-8 succeeded
        29 ann   call-9 answered proceed_once
        30 agent call-9 starts
        31 agent call-9 succeeded
        32 agent call-10 starts
        33 agent call-10 succeeded
        34 agent call-13 starts
        35 agent call-13 succeeded
        36 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_call_that_stands_for_another_one_has_its_place() {
    let mut harness = SessionHarness::calling(&["write a", "read b"]);
    harness.ask("write a");
    harness.allow("read b");
    harness.answer("ann", "write a", "proceed_once");
    harness.stale("write a");
    harness.ask("write a");
    assert!(harness.state.only_asks_remain(), "the read still comes after it");
    harness.answer("ann", "write a", "proceed_once");
    assert_eq!(harness.owed(), [Effect::Run { call: harness.call("write a") }]);
}

#[test]
fn a_stale_call_is_superseded_and_a_new_one_asks() {
    let mut harness = SessionHarness::calling(&["read b", "write a"]);
    harness.allow("read b");
    harness.perform("read b");
    harness.ask("write a");
    harness.answer("ann", "write a", "proceed_once");
    let first = harness.call("write a");
    harness.stale("write a");
    harness.check(expect![[r#"
         8 agent call-6 allowed
         9 agent call-6 starts
        10 agent call-6 succeeded
        11 agent call-7 asks under 0
        12 ann   call-7 answered proceed_once
        13 agent calls write a for call-7
        14 agent call-7 superseded
        owed: vet call-13 under 0
    "#]]);
    assert_eq!(harness.report(Effect::Run { call: first }, Report::Starting), Err(pollux_session::Refusal::NotOwed));
    harness.ask("write a");
    harness.answer("bob", "write a", "proceed_once");
    harness.perform("write a");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::calling(&["write a", "write b"]);
    harness.ask("write a");
    harness.ask("write b");
    harness.answer("ann", "write a", "proceed_once");
    harness.answer("ann", "write b", "cancel");
    harness.stale("write a");
    harness.check(expect![[r#"
         8 agent call-6 asks under 0
         9 agent call-7 asks under 0
        10 ann   call-6 answered proceed_once
        11 ann   call-7 answered cancel
        12 ann   call-7 declined
        13 agent calls write a for call-6
        14 agent call-6 superseded
        owed: vet call-13 under 0
    "#]]);
    harness.ask("write a");
    harness.answer("ann", "write a", "proceed_once");
    harness.perform("write a");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::calling(&["run ls", "read b"]);
    harness.allow("run ls");
    harness.allow("run ls");
    harness.perform("run ls");
    harness.output("run ls", "late", 0);
    harness.done("run ls");
    harness.stale("run ls");
    harness.start("run ls");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::calling(&["read a"]);
    harness.deny("read a");
    harness.step(&["read b"]);
    let turn = harness.state.turn.as_ref().unwrap();
    assert_eq!(turn.calls.keys().copied().collect::<Vec<_>>(), [harness.call("read b")]);
    assert_eq!(turn.step, 2);
}
