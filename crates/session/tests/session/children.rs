//! Calls that a running call has made: vetted, asked about and run like any other, and gone with the one they serve.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{ModelUsage, Report, TaskStatus};
use pretty_assertions::assert_eq;

/// A call that hands work on, and runs.
fn delegating() -> SessionHarness {
    let mut harness = SessionHarness::calling(&["delegate digging"]);
    harness.allow("delegate digging");
    harness.start("delegate digging");
    harness
}

#[test]
fn what_it_has_made_is_vetted_and_run() {
    let mut harness = delegating();
    harness.within("delegate digging", "read a");
    harness.within("delegate digging", "write b");
    harness.allow("read a");
    harness.allow("write b");
    harness.start("read a");
    harness.start("write b");
    harness.done("read a");
    harness.done("write b");
    harness.run(
        "delegate digging",
        Report::Spent { model: "small".into(), usage: ModelUsage { prompt: 7, ..ModelUsage::default() } },
    );
    harness.done("delegate digging");
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent calls read a within call-6
        10 agent calls write b within call-6
        11 agent call-9 allowed
        12 agent call-10 allowed
        13 agent call-9 starts
        14 agent call-10 starts
        15 agent call-9 succeeded
        16 agent call-10 succeeded
        17 agent call-6 used small for 7 tokens
        18 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn while_it_waits_for_an_answer_to_its_own_ask_only_asks_remain() {
    let mut harness = delegating();
    harness.within("delegate digging", "write b");
    assert!(!harness.state.only_asks_remain());
    harness.ask("write b");
    assert!(harness.state.only_asks_remain());
    assert_eq!(harness.state.task_status(crate::harness::task(0)), Some(TaskStatus::InputRequired));
    harness.within("delegate digging", "read a");
    assert!(!harness.state.only_asks_remain());
    harness.allow("read a");
    harness.start("read a");
    harness.done("read a");
    assert!(harness.state.only_asks_remain());
}

#[test]
fn a_declined_one_is_told_to_it_and_the_turn_goes_on() {
    let mut harness = delegating();
    harness.within("delegate digging", "write b");
    harness.ask("write b");
    harness.answer("ann", "write b", "cancel");
    harness.done("delegate digging");
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent calls write b within call-6
        10 agent call-9 asks under 0
        11 ann   call-9 answered cancel
        12 ann   call-9 declined
        13 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn its_end_ends_what_it_had_made() {
    let mut harness = delegating();
    harness.within("delegate digging", "delegate more");
    harness.within("delegate digging", "write b");
    harness.allow("delegate more");
    harness.start("delegate more");
    harness.within("delegate more", "read c");
    harness.ask("write b");
    harness.done("delegate digging");
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent calls delegate more within call-6
        10 agent calls write b within call-6
        11 agent call-9 allowed
        12 agent call-9 starts
        13 agent calls read c within call-9
        14 agent call-10 asks under 0
        15 agent call-13 cancelled
        16 agent call-10 cancelled
        17 agent call-9 cancelled
        18 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn after_a_restart_it_is_interrupted_and_nobody_waits_for_what_it_had_made() {
    let mut harness = delegating();
    harness.within("delegate digging", "write b");
    harness.ask("write b");
    harness.within("delegate digging", "read a");
    harness.wake("model-1");
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent calls write b within call-6
        10 agent call-9 asks under 0
        11 agent calls read a within call-6
        12 agent call-11 cancelled
        13 agent call-9 cancelled
        14 agent call-6 interrupted
        owed: think 2
    "#]]);
}

#[test]
fn one_that_does_not_run_has_nothing_made() {
    let mut harness = SessionHarness::calling(&["delegate digging"]);
    harness.within("delegate digging", "read a");
    harness.allow("delegate digging");
    harness.within("delegate digging", "read a");
    harness.check(expect![[r#"
         - agent refused: this work is no longer owed
         7 agent call-6 allowed
         - agent refused: this work is no longer owed
        owed: run call-6
    "#]]);
}

#[test]
fn one_that_changes_things_does_not_hold_up_its_own() {
    let mut harness = SessionHarness::calling(&["run a", "write z"]);
    harness.allow("run a");
    harness.allow("write z");
    harness.start("run a");
    harness.within("run a", "write b");
    harness.allow("write b");
    harness.check(expect![[r#"
         8 agent call-6 allowed
         9 agent call-7 allowed
        10 agent call-6 starts
        11 agent calls write b within call-6
        12 agent call-11 allowed
        owed: run call-6, run call-11
    "#]]);
}
