//! The model is told where it works: once, and again when it no longer knows.

use crate::test_session::{TestSession, answer, start_session_with};
use pollux_agent::AgentSettings;
use pollux_session::{ApprovalMode, Entry, Event, SITUATION_ATTACHMENT};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::process::Command;
use std::sync::Arc;

async fn start(trust_all: bool) -> TestSession {
    let settings = AgentSettings { describe_situation: true, trust_all, ..AgentSettings::default() };
    let answers = vec![answer(&json!([{"text": "done"}])); 3];
    start_session_with(settings, "", ApprovalMode::AutoEdit, &answers).await
}

fn situations(entries: &[Arc<Entry>]) -> Vec<String> {
    let text = |entry: &Arc<Entry>| match &entry.event {
        Event::Attached { name, text, .. } if name == SITUATION_ATTACHMENT => Some(text.clone()),
        _ => None,
    };
    entries.iter().filter_map(text).collect()
}

#[expect(clippy::disallowed_methods, reason = "the repository of a test")]
fn git(session: &TestSession, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(session.workspace());
    assert!(git.output().unwrap().status.success(), "{arguments:?}");
}

#[tokio::test]
async fn the_situation_is_told_once_and_again_after_the_conversation_is_cleared() {
    let session = start(false).await;
    std::fs::write(session.workspace().join("GEMINI.md"), "use tabs\n").unwrap();
    std::fs::create_dir(session.workspace().join("src")).unwrap();
    session.prompt("one").await;
    session.rest().await;
    session.prompt("two").await;
    let (_, entries) = session.rest().await;
    let told = situations(&entries);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("In it: src/, GEMINI.md.\n- Mode: auto_edit. "), "{}", told[0]);
    assert!(told[0].contains("Rules files, which you have read: GEMINI.md."), "{}", told[0]);
    assert!(!told[0].contains("Git"), "there is no repository: {}", told[0]);
    session.prompt("/clear").await;
    session.rest().await;
    session.prompt("three").await;
    let (_, entries) = session.rest().await;
    assert_eq!(situations(&entries).len(), 2);
}

#[tokio::test]
async fn git_is_asked_only_in_a_folder_that_the_person_trusts() {
    for (trusted, told) in [(true, "- Git: branch trunk, 1 changed or new file."), (false, "- Git: a repository.")] {
        let session = start(trusted).await;
        git(&session, &["init", "-q", "-b", "trunk"]);
        git(&session, &["commit", "-q", "--allow-empty", "-m", "first"]);
        std::fs::write(session.workspace().join("new.txt"), "").unwrap();
        session.prompt("one").await;
        let (_, entries) = session.rest().await;
        let situation = situations(&entries).concat();
        assert!(situation.contains(told), "{situation}");
    }
}
