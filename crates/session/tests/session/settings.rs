//! The model and the mode: who may change them, and when a change is felt.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{ApprovalMode, Refusal, Report, SessionOverrides, SessionSetting};
use pretty_assertions::assert_eq;

#[test]
fn a_model_answers_from_the_next_turn_on() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.set_model("bob", "flash");
    stage.step(&[]);
    stage.prompt("ann", "two");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   model flash
         6 agent step ends STOP
         7 agent turn rests
         8 ann   prompted main (OpenEnded) "two"
         9 agent turn starts on prompt-8 with flash, default
        owed: think 1
    "#]]);
}

#[test]
fn the_model_given_at_opening_is_the_turns_model() {
    let mut stage = SessionHarness::opened_with(SessionOverrides {
        mode: None,
        model: Some("pro".into()),
        ..SessionOverrides::default()
    });
    stage.prompt("ann", "go");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "go"
         4 agent turn starts on prompt-3 with pro, default
        owed: think 1
    "#]]);
}

#[test]
fn a_chosen_model_outlives_a_restart_with_another_one() {
    let mut stage = SessionHarness::new();
    stage.set_model("ann", "flash");
    stage.wake("model-2");
    stage.prompt("ann", "go");
    stage.check(expect![[r#"
         3 ann   model flash
         4 agent equipped model-2
         5 ann   prompted main (OpenEnded) "go"
         6 agent turn starts on prompt-5 with flash, default
        owed: think 1
    "#]]);
}

#[test]
fn a_model_does_not_vet_anything_again() {
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.ask("write a");
    stage.set_model("ann", "flash");
    stage.check(expect![[r#"
         7 agent call-6 asks under 0
         8 ann   model flash
        owed: nothing but answers
    "#]]);
}

#[test]
fn a_running_call_sets_the_mode_and_a_ready_one_does_not() {
    let mut stage = SessionHarness::calling(&["question plan", "run ls"]);
    stage.allow("run ls");
    stage.allow("question plan");
    stage.skip_ahead();
    let plan = || Report::Set { setting: SessionSetting::Mode(ApprovalMode::Plan) };
    stage.run("question plan", plan());
    stage.start("question plan");
    stage.run("question plan", plan());
    stage.done("question plan");
    stage.run("question plan", plan());
    stage.check(expect![[r#"
         - agent refused: this work is no longer owed
        10 agent call-6 starts
        11 agent mode plan
        12 agent call-6 succeeded
         - agent refused: this work is no longer owed
        owed: vet call-7 under 1
    "#]]);
}

#[test]
fn only_a_call_reports_a_setting() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    let [think] = stage.owed()[..] else { panic!("one effect") };
    let set = || Report::Set { setting: SessionSetting::Model("flash".into()) };
    assert_eq!(stage.report(think, set()), Err(Refusal::NotOwed));
    stage.step(&["read a"]);
    let [vet] = stage.owed()[..] else { panic!("one effect") };
    assert_eq!(stage.report(vet, set()), Err(Refusal::NotOwed));
}

#[test]
fn the_mode_that_holds_is_not_set_again() {
    let mut stage = SessionHarness::new();
    stage.set_mode("ann", ApprovalMode::Default);
    stage.set_mode("ann", ApprovalMode::Plan);
    stage.set_mode("bob", ApprovalMode::Plan);
    stage.check(expect![[r#"
         3 ann   mode plan
        owed: nothing
    "#]]);
}

#[test]
fn no_tool_switches_asking_off() {
    let mut stage = SessionHarness::calling(&["question plan"]);
    stage.allow("question plan");
    stage.skip_ahead();
    stage.start("question plan");
    stage.run("question plan", Report::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) });
    stage.check(expect![[r#"
         8 agent call-6 starts
         - agent refused: this work is no longer owed
        owed: run call-6
    "#]]);
}
