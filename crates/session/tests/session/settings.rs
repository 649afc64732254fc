//! The model and the mode: who may change them, and when a change is felt.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{ApprovalMode, Command, Grant, Refusal, Report, SessionOverrides, SessionSetting};
use pretty_assertions::assert_eq;

#[test]
fn a_model_answers_from_the_next_turn_on() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.set_model("bob", "flash");
    harness.step(&[]);
    harness.prompt("ann", "two");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::opened_with(SessionOverrides {
        mode: None,
        model: Some("pro".into()),
        ..SessionOverrides::default()
    });
    harness.prompt("ann", "go");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "go"
         4 agent turn starts on prompt-3 with pro, default
        owed: think 1
    "#]]);
}

#[test]
fn a_chosen_model_outlives_a_restart_with_another_one() {
    let mut harness = SessionHarness::new();
    harness.set_model("ann", "flash");
    harness.wake("model-2");
    harness.prompt("ann", "go");
    harness.check(expect![[r#"
         3 ann   model flash
         4 agent equipped model-2
         5 ann   prompted main (OpenEnded) "go"
         6 agent turn starts on prompt-5 with flash, default
        owed: think 1
    "#]]);
}

#[test]
fn a_model_does_not_vet_anything_again() {
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.ask("write a");
    harness.set_model("ann", "flash");
    harness.check(expect![[r#"
         7 agent call-6 asks under 0
         8 ann   model flash
        owed: nothing but answers
    "#]]);
}

#[test]
fn a_running_call_sets_the_mode_and_a_ready_one_does_not() {
    let mut harness = SessionHarness::calling(&["question plan", "run ls"]);
    harness.allow("run ls");
    harness.allow("question plan");
    harness.skip_ahead();
    let plan = || Report::Set { setting: SessionSetting::Mode(ApprovalMode::Plan) };
    harness.run("question plan", plan());
    harness.start("question plan");
    harness.run("question plan", plan());
    harness.done("question plan");
    harness.run("question plan", plan());
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    let [think] = harness.owed()[..] else { panic!("one effect") };
    let set = || Report::Set { setting: SessionSetting::Model("flash".into()) };
    assert_eq!(harness.report(think, set()), Err(Refusal::NotOwed));
    harness.step(&["read a"]);
    let [vet] = harness.owed()[..] else { panic!("one effect") };
    assert_eq!(harness.report(vet, set()), Err(Refusal::NotOwed));
}

#[test]
fn the_mode_that_holds_is_not_set_again() {
    let mut harness = SessionHarness::new();
    harness.set_mode("ann", ApprovalMode::Default);
    harness.set_mode("ann", ApprovalMode::Plan);
    harness.set_mode("bob", ApprovalMode::Plan);
    harness.check(expect![[r#"
         3 ann   mode plan
        owed: nothing
    "#]]);
}

#[test]
fn no_tool_switches_asking_off() {
    let mut harness = SessionHarness::calling(&["question plan"]);
    harness.allow("question plan");
    harness.skip_ahead();
    harness.start("question plan");
    harness.run("question plan", Report::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) });
    harness.check(expect![[r#"
         8 agent call-6 starts
         - agent refused: this work is no longer owed
        owed: run call-6
    "#]]);
}

/// Approving a plan so that each change of a file asks ends what was allowed before it.
#[test]
fn changes_of_files_ask_again_and_nothing_else_does() {
    let tool = |name: &str| Grant::Tool { tool: name.into() };
    let grants = vec![Grant::FileChanges, tool("write_file"), tool("replace"), tool("web_fetch")];
    let mut harness = SessionHarness::opened_with(SessionOverrides { grants, ..SessionOverrides::default() });
    let policy = harness.state.policy;
    let ends = || Command::Set { setting: SessionSetting::EditsAsk };
    harness.send("ann", ends()).unwrap();
    let left: Vec<&Grant> = harness.state.grants.iter().map(|(grant, _)| grant).collect();
    assert_eq!(left, [&tool("web_fetch")]);
    assert_eq!(harness.state.policy, policy + 1, "open asks are vetted again");
    assert_eq!(harness.send("ann", ends()), Ok(Vec::new()), "there is nothing left to end");
}

#[test]
fn a_grant_is_taken_back_once_and_what_it_allowed_is_vetted_again() {
    let grants = vec![Grant::FileChanges, Grant::Tool { tool: "web_fetch".into() }];
    let mut harness = SessionHarness::opened_with(SessionOverrides { grants, ..SessionOverrides::default() });
    harness.prompt("ann", "go");
    harness.step(&["write a"]);
    harness.allow("write a");
    harness.skip_ahead();
    let taken = || Command::Set { setting: SessionSetting::WithoutGrant(Grant::FileChanges) };
    for _ in 0..2 {
        assert!(harness.send("bob", taken()).is_ok());
    }
    harness.check(expect![[r#"
         8 bob   without every file write and edit
        owed: vet call-6 under 1
    "#]]);
    let left: Vec<&Grant> = harness.state.grants.iter().map(|(grant, _)| grant).collect();
    assert_eq!(left, [&Grant::Tool { tool: "web_fetch".into() }]);
    assert_eq!(harness.state.policy, 1);
}
