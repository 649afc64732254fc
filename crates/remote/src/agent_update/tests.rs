use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

/// An update as each version writes it.
fn same(old: &Value, new: &Value) -> AgentUpdate {
    let old = AgentUpdate::read(old).unwrap();
    assert_eq!(Some(&old), AgentUpdate::read(new).as_ref());
    old
}

#[test]
fn both_versions_say_the_same_things() {
    let told = same(
        &json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "submitted"}}),
        &json!({"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_SUBMITTED"}}}),
    );
    let AgentUpdate::Task(task) = told else { panic!("{told:?}") };
    assert_eq!((task.id.as_str(), task.state), ("t", AgentTaskState::Working));

    let told = same(
        &json!({"kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": "input-required", "message":
            {"kind": "message", "role": "agent", "messageId": "m", "parts": [{"kind": "text", "text": "Which?"}]}}}),
        &json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_INPUT_REQUIRED",
            "message": {"role": "ROLE_AGENT", "messageId": "m", "parts": [{"text": "Which?"}]}}}}),
    );
    let AgentUpdate::Status(status) = told else { panic!("{told:?}") };
    assert_eq!(
        (status.state, status.message.map(|message| message.text())),
        (AgentTaskState::InputRequired, Some("Which?".into()))
    );

    let told = same(
        &json!({"kind": "artifact-update", "taskId": "t", "contextId": "c", "append": true, "artifact": {"artifactId": "a",
            "parts": [{"kind": "file", "file": {"uri": "https://x/y", "name": "y", "mimeType": "text/plain"}}]}}),
        &json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "append": true, "artifact": {"artifactId": "a",
            "parts": [{"url": "https://x/y", "filename": "y", "mediaType": "text/plain"}]}}}),
    );
    let AgentUpdate::Artifact(artifact) = told else { panic!("{told:?}") };
    assert_eq!(text_of(&artifact.parts), "[y (text/plain), at https://x/y; it was not fetched]");

    same(
        &json!({"kind": "message", "role": "agent", "messageId": "m", "parts": [{"kind": "data", "data": {"a": 1}}]}),
        &json!({"message": {"role": "ROLE_AGENT", "messageId": "m", "parts": [{"data": {"a": 1}}]}}),
    );
}

#[test]
fn a_bare_task_is_a_task_and_nonsense_is_nothing() {
    let told = AgentUpdate::read(&json!({"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "history": []}));
    assert!(matches!(told, Some(AgentUpdate::Task(TaskView { state: AgentTaskState::Completed, .. }))));
    for nonsense in [json!(null), json!({}), json!({"kind": "weather"}), json!({"kind": "task"}), json!([1])] {
        assert_eq!(AgentUpdate::read(&nonsense), None, "{nonsense}");
    }
}

#[test]
fn the_note_of_a_coding_agent_is_read_in_both_dialects() {
    for (metadata, dialect) in [
        (json!({pollux_wire::devtool::URI: {"kind": "TOOL_CALL_UPDATE"}}), AgentDialect::Rfc),
        (json!({"coderAgent": {"kind": "tool-call-update"}}), AgentDialect::Coder),
    ] {
        assert_eq!(
            UpdateMetadata::read(&metadata),
            UpdateMetadata { dialect: Some(dialect), kind: "TOOL_CALL_UPDATE".into() }
        );
    }
    assert_eq!(UpdateMetadata::read(&json!({"other": 1})), UpdateMetadata::default());
}

#[test]
fn the_size_of_a_file_that_is_left_out_is_exact() {
    for (bytes, len) in [("", 0), ("YQ==", 1), ("YWI=", 2), ("YWJj", 3), ("YWJjZA", 4)] {
        let shown = read_part(&json!({"file": {"name": "a.txt", "bytes": bytes}}));
        assert_eq!(shown, Some(PartView::File(format!("[a.txt, {len} bytes; it was left out]"))));
    }
}
