//! `save_memory` in a real file beside the workspace.

use crate::tools::test_workspace::{ToolTestWorkspace, done, success};
use pollux_session::{AskDetails, FileDiff, ResultDisplay, ToolKind};
use pollux_tools::ToolRunOutcome;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::fs;

#[tokio::test]
async fn a_fact_is_shown_as_a_change_and_remembered() {
    let room = ToolTestWorkspace::new();
    let path = room.memory().to_string_lossy().into_owned();
    let args = json!({ "fact": "Ada prefers tabs." });
    let new = "## Gemini Added Memories\n\n- Ada prefers tabs.\n";
    let patch =
        format!("--- {path}\n+++ {path}\n@@ -0,0 +1,3 @@\n+## Gemini Added Memories\n+\n+- Ada prefers tabs.\n");
    let diff = FileDiff { name: path.clone(), path: path.clone(), old: None, new: new.into(), patch };
    let preview = room.preview("save_memory", args.clone()).await.unwrap();
    assert_eq!((preview.kind, preview.details), (ToolKind::Edit, AskDetails::Edit(diff.clone())));
    assert_eq!(preview.protected, Some(path.clone()), "no standing permission covers it");
    assert!(!room.memory().exists() && !room.memory().parent().unwrap().exists(), "a preview changes nothing");

    let call = room.preview_and_allow("save_memory", args, None).await;
    let result = success(done(room.run_call(&call).await.0));
    assert_eq!((result.text, result.display), (format!("Remembered in {path}."), Some(ResultDisplay::Diff(diff))));
    assert_eq!(fs::read_to_string(room.memory()).unwrap(), new);

    let again = room.preview_and_allow("save_memory", json!({ "fact": "And tea." }), None).await;
    success(done(room.run_call(&again).await.0));
    assert_eq!(fs::read_to_string(room.memory()).unwrap(), format!("{new}- And tea.\n"));
}

#[tokio::test]
async fn a_person_may_change_it_and_a_change_meanwhile_is_stale() {
    let room = ToolTestWorkspace::new();
    let edited = room.preview_and_allow("save_memory", json!({ "fact": "x" }), Some("mine\n")).await;
    success(done(room.run_call(&edited).await.0));
    assert_eq!(fs::read_to_string(room.memory()).unwrap(), "mine\n");
    let stale = room.preview_and_allow("save_memory", json!({ "fact": "x" }), None).await;
    fs::write(room.memory(), "other\n").unwrap();
    assert_eq!(room.run_call(&stale).await.0, ToolRunOutcome::Stale);
    assert_eq!(fs::read_to_string(room.memory()).unwrap(), "other\n");
}

#[tokio::test]
async fn without_a_memory_file_it_is_not_offered() {
    let room = ToolTestWorkspace::with_settings(|settings| settings.memory = None);
    assert!(!room.toolbox.names().contains(&"save_memory".to_owned()));
    let relative = ToolTestWorkspace::with_settings(|settings| settings.memory = Some("GEMINI.md".into()));
    let error = relative.refusal("save_memory", json!({ "fact": "x" })).await;
    assert_eq!(error.kind, "memory_tool_execution_error");
}
