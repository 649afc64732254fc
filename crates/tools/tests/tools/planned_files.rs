//! Calls of one answer are previewed on what the calls before them will make of files.

use crate::tools::test_workspace::{SESSION, ToolTestWorkspace, call, done, success};
use pollux_session::{AnswerEdit, Ask, AskDetails, CallState, FileDiff};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn replace(file: &str, old: &str, new: &str) -> CallState {
    call("replace", json!({ "file_path": file, "old_string": old, "new_string": new }))
}

fn write(file: &str, content: &str) -> CallState {
    call("write_file", json!({ "file_path": file, "content": content }))
}

/// What the last of `calls` shows while the others are open.
async fn shown(room: &ToolTestWorkspace, calls: &[CallState]) -> Result<FileDiff, Value> {
    let (last, before) = calls.split_last().unwrap();
    let session = SESSION.parse().unwrap();
    let preview = room.toolbox.preview_after(session, &room.root(), last, before, &room.seen_files()).await;
    let preview = preview.map_err(|outcome| json!(outcome))?;
    match (preview.misfit, preview.details) {
        (Some(misfit), _) => Err(json!(misfit.outcome)),
        (None, AskDetails::Edit(diff)) => Ok(diff),
        (None, other) => panic!("no change of a file: {other:?}"),
    }
}

#[tokio::test]
async fn edits_of_one_file_build_on_each_other() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\ntwo\n");
    let edits = [replace("a.txt", "two", "zwei"), replace("a.txt", "zwei", "deux"), replace("a.txt", "one", "un")];
    let last = shown(&room, &edits).await.unwrap();
    assert_eq!((last.old.as_deref(), last.new.as_str()), (Some("one\ndeux\n"), "un\ndeux\n"));
    assert_eq!(room.get("a.txt"), "one\ntwo\n", "a plan changes nothing");
    // What was shown is what happens, without another question.
    let mut asked = Vec::new();
    for nth in 1..=edits.len() {
        let details = AskDetails::Edit(shown(&room, &edits[..nth]).await.unwrap());
        asked.push(CallState { ask: Some(Ask::new(details, vec![])), ..edits[nth - 1].clone() });
    }
    for call in &asked {
        success(done(room.run_call(call).await.0));
    }
    assert_eq!(room.get("a.txt"), "un\ndeux\n");
}

#[tokio::test]
async fn a_file_that_will_be_there_can_be_changed() {
    let room = ToolTestWorkspace::new();
    let diff = shown(&room, &[write("new/g.txt", "one\n"), replace("new/g.txt", "one", "two")]).await.unwrap();
    assert_eq!((diff.old.as_deref(), diff.new.as_str()), (Some("one\n"), "two\n"));
    assert!(shown(&room, &[replace("new/g.txt", "one", "two")]).await.is_err(), "it is not there yet");
}

#[tokio::test]
async fn what_a_person_made_of_an_edit_is_what_the_next_one_builds_on() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\r\ntwo\r\n");
    let edit = Some(AnswerEdit::Content { new: "one\nmine\n".into() });
    let edited = CallState { edit, ..replace("a.txt", "two", "2") };
    let diff = shown(&room, &[edited, replace("a.txt", "mine", "ours")]).await.unwrap();
    assert_eq!((diff.old.as_deref(), diff.new.as_str()), (Some("one\r\nmine\r\n"), "one\r\nours\r\n"));
}

#[tokio::test]
async fn an_edit_that_does_not_fit_leaves_the_file_to_the_next_one() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\n");
    let diff = shown(&room, &[replace("a.txt", "nothing", "x"), replace("a.txt", "one", "two")]).await.unwrap();
    assert_eq!((diff.old.as_deref(), diff.new.as_str()), (Some("one\n"), "two\n"));
}

#[tokio::test]
async fn a_plan_reaches_no_further_than_a_call() {
    let room = ToolTestWorkspace::new();
    std::fs::write(room.outside().join("secret.txt"), "one\n").unwrap();
    let outside = room.outside().join("secret.txt").display().to_string();
    assert!(shown(&room, &[write(&outside, "x"), replace(&outside, "x", "y")]).await.is_err());
}
