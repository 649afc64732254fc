//! Edits that wait behind other calls of their answer: what was shown is what is written, and what nobody was shown is judged
//! once more when its turn comes.

use crate::test_session::{TestSession, answer, outcomes, start_session, start_session_with_policy};
use pollux_session::{
    ApprovalMode, AskDetails, CallId, CallOutcome, CallPhase, Command, Entry, Event, FileDiff, SessionSetting,
    SessionState, whole_diff,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

/// An answer with these calls, and one that ends the turn.
fn answers(calls: &[(&str, Value)]) -> Vec<Value> {
    let calls = calls.iter().map(|(name, args)| json!({ "functionCall": { "name": name, "args": args } }));
    vec![answer(&calls.collect()), answer(&json!([{ "text": "done" }]))]
}

fn write(file: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({ "file_path": file, "content": content }))
}

fn read(file: &str) -> (&'static str, Value) {
    ("read_file", json!({ "file_path": file }))
}

fn shell(command: &str) -> (&'static str, Value) {
    ("run_shell_command", json!({ "command": command }))
}

/// The open asks, oldest first, with the patch of those that show one.
fn asks(state: &SessionState) -> Vec<(CallId, String)> {
    let calls = state.turn.iter().flat_map(|turn| turn.open_calls());
    let asking = calls.filter(|call| matches!(call.phase, CallPhase::Asking { .. }));
    let shown = asking.map(|call| match call.ask.as_ref().map(|ask| &ask.details) {
        Some(AskDetails::Patch { files }) => (call.id, whole_diff(files)),
        Some(AskDetails::Edit(FileDiff { patch, .. })) => (call.id, patch.clone()),
        Some(AskDetails::Generic { description, .. }) => (call.id, description.clone()),
        _ => (call.id, String::new()),
    });
    shown.collect()
}

async fn choose(session: &TestSession, call: CallId, option: &str) {
    session.send(Command::Answer { call, option: option.into(), edit: None }).await;
}

const CONFIG: &str = "[test]\na\nb\nc\nd\ne\nf\n[production]\na\nb\nc\nverify = true\nd\ne\nf\n";
/// The same with the line in the other section, between lines that look the same.
const MOVED: &str = "[test]\na\nb\nc\nverify = true\nd\ne\nf\n[production]\na\nb\nc\nd\ne\nf\n";

fn switch_off() -> (&'static str, Value) {
    ("replace", json!({ "file_path": "app.conf", "old_string": "verify = true", "new_string": "verify = false" }))
}

#[tokio::test]
async fn a_call_that_fails_or_is_denied_shapes_no_preview() {
    let denied = "[[rule]]\ntoolName = \"write_file\"\ndecision = \"deny\"\npriority = 500\n";
    let (tool, mut args) = write("app.conf", MOVED);
    args["bogus"] = json!(1);
    for (policy, first) in [("", (tool, args)), (denied, write("app.conf", MOVED))] {
        let steps = answers(&[read("app.conf"), first, switch_off()]);
        let session = start_session_with_policy(policy, ApprovalMode::Default, &steps).await;
        std::fs::write(session.workspace().join("app.conf"), CONFIG).unwrap();
        session.prompt("go").await;
        let (state, _) = session.until(SessionState::only_asks_remain).await;
        let asks = asks(&state);
        assert_eq!(asks.len(), 1);
        assert!(asks[0].1.contains("@@ -9,7 +9,7 @@"), "where it is now: {}", asks[0].1);
    }
}

#[tokio::test]
async fn after_a_no_the_edit_that_was_shown_on_top_of_it_asks_again() {
    let steps = answers(&[read("app.conf"), write("app.conf", MOVED), switch_off()]);
    let session = start_session(ApprovalMode::Default, &steps).await;
    std::fs::write(session.workspace().join("app.conf"), CONFIG).unwrap();
    session.prompt("go").await;
    let (state, _) = session.until(|state| asks(state).len() == 2).await;
    let shown = asks(&state);
    assert!(shown[1].1.contains("@@ -2,7 +2,7 @@"), "on top of the first: {}", shown[1].1);
    choose(&session, shown[0].0, "cancel").await;
    choose(&session, shown[1].0, "proceed_once").await;
    let (state, _) = session.until(|state| asks(state).iter().any(|ask| ask.0 > shown[1].0)).await;
    assert_eq!(std::fs::read_to_string(session.workspace().join("app.conf")).unwrap(), CONFIG);
    assert!(asks(&state)[0].1.contains("@@ -9,7 +9,7 @@"), "as it would be: {:?}", asks(&state));
}

#[tokio::test]
async fn an_edit_does_not_follow_a_line_that_a_command_has_moved() {
    let session = start_session(ApprovalMode::Default, &answers(&[shell("cp moved app.conf"), switch_off()])).await;
    std::fs::write(session.workspace().join("app.conf"), CONFIG).unwrap();
    std::fs::write(session.workspace().join("moved"), MOVED).unwrap();
    session.prompt("go").await;
    let (state, _) = session.until(|state| asks(state).len() == 2).await;
    let shown = asks(&state);
    choose(&session, shown[0].0, "proceed_once").await;
    choose(&session, shown[1].0, "proceed_once").await;
    session.until(|state| asks(state).iter().any(|ask| ask.0 > shown[1].0)).await;
    assert_eq!(std::fs::read_to_string(session.workspace().join("app.conf")).unwrap(), MOVED);
}

/// What an approved command of the answer made of a path counts when the write behind it runs.
#[tokio::test]
async fn a_write_that_nobody_was_asked_about_is_judged_when_its_turn_comes() {
    let cases = [
        ("docs", ".git", "docs/fresh", Some("+planted")),
        // Nobody is asked about what the model has never seen: it is left as it is.
        ("docs", ".git", "docs/description", None),
        // A secret asks whatever the model has seen.
        ("docs", ".git", "docs/config", Some("nothing will be changed")),
        ("config", "secrets/.env", "config", Some("nothing will be changed")),
    ];
    for (link, target, file, shown) in cases {
        let command = format!("rm -rf {link}; ln -s {target} {link}");
        let session =
            start_session(ApprovalMode::AutoEdit, &answers(&[shell(&command), write(file, "planted\n")])).await;
        let root = session.workspace();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        std::fs::create_dir_all(root.join("secrets")).unwrap();
        std::fs::write(root.join(".git/config"), "own\n").unwrap();
        std::fs::write(root.join(".git/description"), "own\n").unwrap();
        std::fs::write(root.join("secrets/.env"), "own\n").unwrap();
        session.prompt("go").await;
        let (state, _) = session.until(|state| asks(state).len() == 1).await;
        let first = asks(&state)[0].0;
        choose(&session, first, "proceed_once").await;
        let is_over = |state: &SessionState| match shown {
            Some(_) => asks(state).iter().any(|ask| ask.0 != first),
            None => state.turn.is_none() && state.ended.is_some(),
        };
        let (state, entries) = session.until(is_over).await;
        assert_eq!(std::fs::read_to_string(root.join(".git/config")).unwrap(), "own\n");
        assert_eq!(std::fs::read_to_string(root.join(".git/description")).unwrap(), "own\n");
        assert_eq!(std::fs::read_to_string(root.join("secrets/.env")).unwrap(), "own\n");
        assert!(outcomes(&entries).contains(&CallOutcome::Superseded));
        match shown {
            Some(shown) => assert!(asks(&state)[0].1.contains(shown), "{:?}", asks(&state)),
            None => assert_eq!(last_failure(&entries).as_deref(), Some("file_not_seen")),
        }
    }
}

/// The word for the newest failure of a call.
fn last_failure(entries: &[Arc<Entry>]) -> Option<String> {
    outcomes(entries).into_iter().rev().find_map(|outcome| match outcome {
        CallOutcome::Failed { error, .. } => Some(error.kind),
        _ => None,
    })
}

/// A patch of several files waits as one: when one of them is no longer what was shown, all of it asks again, and when one that goes
/// away is no longer what the model has seen, nothing of it is done.
#[tokio::test]
async fn a_patch_of_which_one_file_has_changed_asks_again_as_a_whole() {
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** End Patch";
    let patch = ("apply_patch", json!({ "patch": patch }));
    let cases = [
        ("sed -i 1d a.txt; echo one >> a.txt", "asks"),
        ("echo more >> a.txt", "runs"),
        ("echo more >> b.txt", "fails"),
    ];
    for (command, then) in cases {
        let steps = answers(&[read("b.txt"), shell(command), patch.clone()]);
        let session = start_session(ApprovalMode::Default, &steps).await;
        let root = session.workspace();
        let lines: String = (2..20).map(|number| format!("{number}\n")).collect();
        std::fs::write(root.join("a.txt"), format!("one\n{lines}")).unwrap();
        std::fs::write(root.join("b.txt"), "bee\n").unwrap();
        session.prompt("go").await;
        let (state, _) = session.until(|state| asks(state).len() == 2).await;
        for (call, _) in asks(&state) {
            choose(&session, call, "proceed_once").await;
        }
        if then == "asks" {
            let (state, entries) = session.until(|state| asks(state).len() == 1 && state.only_asks_remain()).await;
            assert!(outcomes(&entries).contains(&CallOutcome::Superseded));
            let (call, shown) = asks(&state).remove(0);
            assert!(shown.contains("-bee\n") && shown.contains("+1\n"), "{shown}");
            assert!(
                root.join("b.txt").exists() && std::fs::read_to_string(root.join("a.txt")).unwrap().ends_with("one\n")
            );
            choose(&session, call, "proceed_once").await;
        }
        let (_, entries) = session.rest().await;
        let is_done = then != "fails";
        assert_eq!(root.join("b.txt").exists(), !is_done);
        assert_eq!(std::fs::read_to_string(root.join("a.txt")).unwrap().contains("1\n2\n"), then == "runs");
        assert_eq!(std::fs::read_to_string(root.join("a.txt")).unwrap().contains("one"), !is_done);
        assert_eq!(last_failure(&entries).as_deref(), (!is_done).then_some("file_changed"));
    }
}

/// The same as for one file: what an approved command of the answer has made of a path counts for every file of a patch.
#[tokio::test]
async fn a_patch_that_nobody_was_asked_about_is_judged_when_its_turn_comes() {
    let command = "rm -rf docs; ln -s .git docs";
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Add File: docs/hook\n+planted\n*** End Patch";
    let steps = answers(&[shell(command), ("apply_patch", json!({ "patch": patch }))]);
    let session = start_session(ApprovalMode::AutoEdit, &steps).await;
    let root = session.workspace();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    session.prompt("go").await;
    let (state, _) = session.until(|state| asks(state).len() == 1).await;
    let first = asks(&state)[0].0;
    choose(&session, first, "proceed_once").await;
    let (state, entries) = session.until(|state| asks(state).iter().any(|ask| ask.0 != first)).await;
    assert!(!root.join(".git/hook").exists() && !root.join("a.txt").exists());
    assert!(outcomes(&entries).contains(&CallOutcome::Superseded));
    assert!(asks(&state)[0].1.contains(".git/hook"), "{:?}", asks(&state));
}

#[tokio::test]
async fn a_rule_that_the_person_adds_meanwhile_counts() {
    let session = start_session(ApprovalMode::AutoEdit, &answers(&[shell("touch made"), write("a.txt", "a\n")])).await;
    session.prompt("go").await;
    let (state, _) = session.until(|state| asks(state).len() == 1).await;
    let rule = "[[rule]]\ntoolName = \"write_file\"\ndecision = \"deny\"\npriority = 500\n";
    std::fs::write(session.dir.path().join("policies/own.toml"), rule).unwrap();
    choose(&session, asks(&state)[0].0, "proceed_once").await;
    let (_, entries) = session.rest().await;
    assert!(session.workspace().join("made").exists() && !session.workspace().join("a.txt").exists());
    let denied = |entry: &&std::sync::Arc<pollux_session::Entry>| {
        matches!(&entry.event, Event::CallEnded { outcome: CallOutcome::Denied { .. }, .. })
    };
    assert_eq!(entries.iter().filter(denied).count(), 1);
}

/// Four files that are harmless one by one, and together a repository whose configuration names a program.
#[tokio::test]
async fn a_repository_is_not_planted_in_one_answer() {
    let session = start_session(
        ApprovalMode::AutoEdit,
        &answers(&[
            write("x/config", "[core]\n\tfsmonitor = \"touch ran\"\n"),
            write("x/objects/a", "a"),
            write("x/refs/a", "a"),
            write("x/HEAD", "ref: refs/heads/main\n"),
        ]),
    )
    .await;
    session.prompt("go").await;
    let (state, _) = session.until(SessionState::only_asks_remain).await;
    assert_eq!(asks(&state).len(), 1, "the one that completes it asks");
    assert!(!session.workspace().join("x/HEAD").exists());
}

/// A call that a mode let through, and then no longer, asks again.
#[tokio::test]
async fn a_mode_that_is_taken_back_leaves_what_asked_before_asking() {
    let session = start_session(ApprovalMode::Default, &answers(&[shell("touch made"), write("a.txt", "a\n")])).await;
    session.prompt("go").await;
    session.until(|state| asks(state).len() == 2).await;
    for (mode, open) in [(ApprovalMode::AutoEdit, 1), (ApprovalMode::Default, 2)] {
        session.send(Command::Set { setting: SessionSetting::Mode(mode) }).await;
        session.until(|state| asks(state).len() == open).await;
    }
    let (state, _) = session.until(SessionState::only_asks_remain).await;
    for (call, _) in asks(&state) {
        choose(&session, call, "proceed_once").await;
    }
    let (_, entries) = session.rest().await;
    assert!(session.workspace().join("made").exists() && session.workspace().join("a.txt").exists());
    assert!(entries.len() < 40, "{} entries", entries.len());
}

/// What a grant let through is no call that a person has allowed: it is judged when its turn comes.
#[tokio::test]
async fn a_repository_is_not_planted_by_one_always() {
    let calls = [
        write("x/config", "[core]\n\tfsmonitor = \"touch ran\"\n"),
        write("x/objects/a", "a"),
        write("x/refs/a", "a"),
        write("x/HEAD", "ref: refs/heads/main\n"),
    ];
    let session = start_session(ApprovalMode::Default, &answers(&calls)).await;
    session.prompt("go").await;
    let (state, _) = session.until(|state| asks(state).len() == 4).await;
    choose(&session, asks(&state)[0].0, "proceed_always").await;
    let (state, _) = session.until(|state| state.only_asks_remain() && asks(state).len() == 1).await;
    assert!(asks(&state)[0].1.contains("refs/heads/main"), "{:?}", asks(&state));
    assert!(session.workspace().join("x/refs/a").exists() && !session.workspace().join("x/HEAD").exists());
}

#[tokio::test]
async fn a_read_that_waits_is_judged_when_its_turn_comes() {
    let read = ("read_file", json!({ "file_path": "a.txt" }));
    let session = start_session(ApprovalMode::Default, &answers(&[shell("touch made"), read])).await;
    std::fs::write(session.workspace().join("a.txt"), "a\n").unwrap();
    session.prompt("go").await;
    let (state, _) = session.until(|state| asks(state).len() == 1).await;
    let rule = "[[rule]]\ntoolName = \"read_file\"\ndecision = \"deny\"\npriority = 500\n";
    std::fs::write(session.dir.path().join("policies/own.toml"), rule).unwrap();
    choose(&session, asks(&state)[0].0, "proceed_once").await;
    let (_, entries) = session.rest().await;
    assert!(outcomes(&entries).iter().any(|outcome| matches!(outcome, CallOutcome::Denied { .. })));
}

#[tokio::test]
async fn a_flag_in_quotes_passes_no_rule() {
    let rule = "[[rule]]\ntoolName = \"replace\"\nargsPattern = '\"allow_multiple\":true'\ndecision = \"deny\"\npriority = 500\n";
    let mut edit = switch_off();
    edit.1["allow_multiple"] = json!(" TRUE ");
    let session = start_session_with_policy(rule, ApprovalMode::Yolo, &answers(&[edit])).await;
    std::fs::write(session.workspace().join("app.conf"), CONFIG).unwrap();
    session.prompt("go").await;
    let (_, entries) = session.rest().await;
    assert!(matches!(outcomes(&entries)[0], CallOutcome::Denied { .. }), "{:?}", outcomes(&entries));
}
