//! Grants that outlive the session: they hold at once, and the policy file is owed until it is written.

use crate::harness::{SessionHarness, somebody};
use expect_test::expect;
use pollux_session::{Effect, EntryAuthor, Grant, GrantScope, PendingGrant, Refusal, Report, Seq, TaskStatus};
use pretty_assertions::assert_eq;

fn asking(calls: &[&str]) -> SessionHarness {
    let mut harness = SessionHarness::calling(calls);
    for label in calls {
        harness.ask(label);
    }
    harness.skip_ahead();
    harness
}

#[test]
fn it_holds_at_once_and_is_owed_to_the_policy_file() {
    let mut harness = asking(&["mcp docs"]);
    harness.answer("ann", "mcp docs", "proceed_always_workspace");
    harness.check(expect![[r#"
         8 ann   call-6 answered proceed_always_workspace, granted in the workspace
        owed: keep 8, run call-6
    "#]]);
    let grant = Grant::Server { server: "docs".into() };
    assert_eq!(harness.state.grants, [(grant.clone(), EntryAuthor::from(&somebody("ann")))]);
    assert_eq!(harness.state.keeping, [PendingGrant { answer: Seq(8), grant, reach: GrantScope::Workspace }]);
    harness.keep(None);
    harness.check(expect![[r#"
         9 agent kept: every tool of the MCP server docs
        owed: run call-6
    "#]]);
    assert_eq!(harness.state.keeping, []);
}

#[test]
fn what_could_not_be_written_still_holds_for_the_session() {
    let mut harness = asking(&["mcp docs"]);
    harness.answer("ann", "mcp docs", "proceed_always_and_save");
    harness.keep(Some("the disk is full"));
    harness.check(expect![[r#"
         8 ann   call-6 answered proceed_always_and_save, granted for good
         9 agent not kept: every tool of the MCP server docs: the disk is full
        owed: run call-6
    "#]]);
    assert_eq!(harness.state.grants.len(), 1);
}

#[test]
fn a_grant_for_the_session_owes_nothing() {
    let mut harness = asking(&["mcp docs"]);
    harness.answer("ann", "mcp docs", "proceed_always");
    harness.check(expect![[r#"
         8 ann   call-6 answered proceed_always, granted
        owed: run call-6
    "#]]);
}

#[test]
fn writing_it_does_not_keep_a_turn_busy() {
    let mut harness = asking(&["mcp docs", "write a"]);
    harness.answer("ann", "mcp docs", "proceed_always_workspace");
    harness.perform("mcp docs");
    harness.ask("write a");
    assert_eq!((harness.state.only_asks_remain(), harness.state.session_status()), (true, TaskStatus::InputRequired));
    harness.skip_ahead();
    harness.answer("bob", "write a", "cancel");
    harness.prompt("bob", "next");
    harness.check(expect![[r#"
        14 bob   call-7 answered cancel
        15 bob   call-7 declined
        16 agent turn rests
        17 bob   prompted main (OpenEnded) "next"
        18 agent turn starts on prompt-17 with model-1, default
        owed: keep 10, think 1
    "#]]);
    // The turn that gave it is long over.
    harness.keep(None);
    harness.check(expect![[r#"
        19 agent kept: every tool of the MCP server docs
        owed: think 1
    "#]]);
}

#[test]
fn a_cancel_does_not_take_it_back() {
    let mut harness = asking(&["mcp docs"]);
    harness.answer("ann", "mcp docs", "proceed_always_workspace");
    harness.cancel("bob");
    harness.check(expect![[r#"
         8 ann   call-6 answered proceed_always_workspace, granted in the workspace
         9 bob   call-6 cancelled
        10 bob   turn cancelled
        owed: keep 8
    "#]]);
}

#[test]
fn a_restart_owes_it_again() {
    let mut harness = asking(&["mcp docs"]);
    harness.answer("ann", "mcp docs", "proceed_always_workspace");
    harness.wake("model-1");
    harness.wake("model-1");
    harness.keep(None);
    harness.wake("model-1");
    harness.check(expect![[r#"
         8 ann   call-6 answered proceed_always_workspace, granted in the workspace
         9 agent kept: every tool of the MCP server docs
        owed: run call-6
    "#]]);
}

#[test]
fn the_same_grant_given_twice_is_written_once() {
    let mut harness = asking(&["mcp docs/a", "mcp docs/b"]);
    harness.answer("ann", "mcp docs/a", "proceed_always_workspace");
    // The other ask has not been vetted again yet.
    harness.answer("bob", "mcp docs/b", "proceed_always_workspace");
    harness.check(expect![[r#"
        10 ann   call-6 answered proceed_always_workspace, granted in the workspace
        11 bob   call-7 answered proceed_always_workspace, granted in the workspace
        owed: keep 10, run call-6, run call-7
    "#]]);
    harness.keep(None);
    harness.check(expect![[r#"
        12 agent kept: every tool of the MCP server docs
        owed: run call-6, run call-7
    "#]]);
}

#[test]
fn one_grant_may_be_owed_at_two_reaches() {
    let mut harness = asking(&["mcp docs/a", "mcp docs/b"]);
    harness.answer("ann", "mcp docs/a", "proceed_always_workspace");
    harness.answer("bob", "mcp docs/b", "proceed_always_and_save");
    let [first, second] = [10, 11].map(|answer| Effect::Keep { answer: Seq(answer) });
    assert_eq!(harness.owed()[..2], [first, second]);
    harness.report(second, Report::Kept { failure: None }).unwrap();
    assert_eq!(harness.owed()[0], first);
    harness.report(first, Report::Kept { failure: None }).unwrap();
    assert_eq!(harness.state.keeping, []);
}

#[test]
fn a_losing_answer_owes_nothing() {
    let mut harness = asking(&["mcp docs"]);
    harness.answer("ann", "mcp docs", "proceed_once");
    harness.answer("bob", "mcp docs", "proceed_always_and_save");
    harness.check(expect![[r#"
         8 ann   call-6 answered proceed_once
         - bob   refused: call-6 was already decided: ann chose proceed_once
        owed: run call-6
    "#]]);
    assert_eq!((harness.state.grants.clone(), harness.state.keeping.clone()), (vec![], vec![]));
}

#[test]
fn a_report_of_another_shape_or_key_is_not_owed() {
    let mut harness = asking(&["mcp docs"]);
    harness.answer("ann", "mcp docs", "proceed_always_workspace");
    let keep = Effect::Keep { answer: Seq(8) };
    assert_eq!(harness.report(keep, Report::Starting), Err(Refusal::NotOwed));
    let kept = || Report::Kept { failure: None };
    assert_eq!(harness.report(Effect::Keep { answer: Seq(7) }, kept()), Err(Refusal::NotOwed));
    harness.report(keep, kept()).unwrap();
    assert_eq!(harness.report(keep, kept()), Err(Refusal::NotOwed));
}

#[test]
fn a_label_says_how_far_it_goes() {
    let prefix = Grant::Prefix { words: vec!["git".into(), "log".into()], options: Vec::new(), directory: None };
    let labels = [GrantScope::Session, GrantScope::Workspace, GrantScope::Always]
        .map(|reach| pollux_session::lasting_choice(prefix.clone(), reach))
        .map(|choice| format!("{}: {}", choice.id, choice.name));
    expect![[r#"
        proceed_always: Allow every command that begins with `git log` (with another option it asks) in this session
        proceed_always_workspace: Allow every command that begins with `git log` (with another option it asks) in this workspace from now on
        proceed_always_and_save: Allow every command that begins with `git log` (with another option it asks) everywhere from now on"#]]
    .assert_eq(&labels.join("\n"));
}
