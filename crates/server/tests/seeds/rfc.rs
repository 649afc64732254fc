//! `development-tool-rfc.md`, the extension. Its schemas are in protobuf; each is here as the JSON that its fields make.

use crate::seeds::one_session;
use crate::test_server::script::vets;
use axum::http::Method;
use pollux_session::{PolicyVerdict, Report, ToolKind};
use pollux_wire::commands::{
    CommandExecutionStatus, ExecuteSlashCommandRequest, ExecuteSlashCommandResponse, GetAllSlashCommandsResponse,
};
use pollux_wire::devtool::{AgentSettings, AgentThought, DevelopmentToolEvent, ToolCall, ToolCallConfirmation, URI};
use pretty_assertions::assert_eq;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Check that what is read is written unchanged.
fn same<T: DeserializeOwned + Serialize>(example: &Value) {
    let read: T = serde_json::from_value(example.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), *example);
}

#[tokio::test]
async fn section_3_1_sample_agent_card() {
    let (_session, client) = one_session();
    let (_, card) = client.json(Method::GET, "/.well-known/agent-card.json", "").await;
    assert_eq!((&card["name"], &card["capabilities"]["streaming"]), (&json!("Gemini CLI Agent"), &json!(true)));
    let uri = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";
    assert_eq!((URI, &card["capabilities"]["extensions"][0]["uri"]), (uri, &json!(uri)));
}

#[test]
fn section_3_2_agent_settings() {
    same::<AgentSettings>(&json!({"workspace_path": "/absolute"}));
}

#[test]
fn section_3_2_tool_calls() {
    same::<ToolCall>(&json!({
        "tool_call_id": "c", "status": "PENDING", "tool_name": "ShellTool", "description": "d",
        "input_parameters": {"command": "ls"},
        "confirmation_request": {
            "options": [{"id": "proceed_once", "name": "Allow Once", "description": "tooltip"}],
            "execute_details": {"command": "ls", "working_directory": "/w"},
        },
    }));
    for (status, result) in [
        ("EXECUTING", json!({"live_content": "so far"})),
        ("SUCCEEDED", json!({"output": {"text": "done"}})),
        ("SUCCEEDED", json!({"output": {"structured_data": {"a": 1}}})),
        (
            "SUCCEEDED",
            json!({"output": {"diff": {"file_name": "a", "file_path": "/w/a", "old_content": "x", "new_content": "y",
                "formatted_diff": "-x\n+y\n"}}}),
        ),
        ("FAILED", json!({"error": {"message": "m", "type": "mcp_tool_error", "status_code": 3}})),
        ("CANCELLED", json!({})),
    ] {
        let mut call = json!({"tool_call_id": "c", "status": status, "tool_name": "Edit", "input_parameters": {}});
        call.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
        same::<ToolCall>(&call);
    }
}

#[tokio::test]
async fn section_3_2_a_call_has_a_description_where_the_model_gives_one() {
    for (input, description) in [
        (json!({"command": "ls", "description": "Look around"}), json!("Look around")),
        (json!({"command": "ls"}), Value::Null),
    ] {
        let (session, client) = one_session();
        let message = json!({"role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "go"}]});
        let mut stream = client.stream("message/stream", json!({ "message": message })).await;
        session.step_done("", &[("run_shell_command", input.clone())]);
        session
            .report(vets, Report::Vetted { kind: ToolKind::Execute, verdict: PolicyVerdict::allow("it only reads") });
        let told = stream.take(3).await.pop().unwrap();
        let call = &told["status"]["message"]["parts"][0]["data"];
        assert_eq!((&call["input_parameters"], &call["description"]), (&input, &description), "{told}");
    }
}

#[test]
fn section_3_2_agent_thoughts_and_event_metadata() {
    same::<AgentThought>(&json!({"subject": "s", "description": "d"}));
    for kind in ["TOOL_CALL_CONFIRMATION", "TOOL_CALL_UPDATE", "TEXT_CONTENT", "STATE_CHANGE", "THOUGHT"] {
        same::<DevelopmentToolEvent>(&json!({"kind": kind, "model": "m", "user_tier": "t", "error": "e"}));
    }
}

#[test]
fn section_3_2_tool_call_confirmation() {
    same::<ToolCallConfirmation>(&json!({
        "tool_call_id": "c", "selected_option_id": "proceed_once", "file_details": {"new_content": "n"},
    }));
}

#[test]
fn section_3_3_commands_get() {
    same::<GetAllSlashCommandsResponse>(&json!({"commands": [{
        "name": "memory", "description": "d", "arguments": [],
        "sub_commands": [{
            "name": "add", "description": "d", "sub_commands": [],
            "arguments": [{"name": "text", "description": "d", "is_required": true}],
        }],
    }]}));
}

#[test]
fn section_3_3_command_execute() {
    same::<ExecuteSlashCommandRequest>(&json!({"command_path": ["memory", "add"], "args": "some text"}));
    for status in ["STARTED", "FAILED_TO_START", "AWAITING_SHELL_CONFIRMATION", "AWAITING_ACTION_CONFIRMATION"] {
        same::<CommandExecutionStatus>(&json!(status));
        same::<ExecuteSlashCommandResponse>(&json!({"execution_id": "t", "status": status, "message": "m"}));
    }
}

#[tokio::test]
async fn appendix_a_example_interaction_flow() {
    let (session, client) = one_session();
    let message = json!({
        "role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "go"}], "metadata": {URI: {"workspace_path": "/"}},
    });
    let stream = client.stream("message/stream", json!({ "message": message })).await;
    session.asks_to_write();
    let told = |events: &[Value]| -> Vec<String> {
        let word = |event: &Value| {
            let kind = event["metadata"][URI]["kind"].as_str().unwrap_or("Task").to_owned();
            let call = event["status"]["message"]["parts"][0]["data"]["status"].as_str().unwrap_or_default();
            format!("{kind} {} {call} {}", event["status"]["state"].as_str().unwrap_or_default(), event["final"])
        };
        events.iter().map(word).collect()
    };
    assert_eq!(
        told(&stream.results().await),
        [
            "Task submitted  null",
            "STATE_CHANGE working  false",
            "TOOL_CALL_UPDATE input-required PENDING false",
            "STATE_CHANGE input-required  true",
        ]
    );
    let data = json!({"tool_call_id": "call-6", "selected_option_id": "proceed_once"});
    let part = json!({"kind": "data", "data": data});
    let message = json!({"role": "user", "messageId": "m2", "taskId": session.id, "contextId": "ctx", "parts": [part]});
    let stream = client.stream("message/stream", json!({ "message": message })).await;
    session.owes(crate::test_server::script::runs).await;
    session.starts();
    session.has_written();
    session.step_done("Written.", &[]);
    assert_eq!(
        told(&stream.results().await),
        [
            "TOOL_CALL_UPDATE working EXECUTING false",
            "TOOL_CALL_UPDATE working SUCCEEDED false",
            "TEXT_CONTENT working  false",
            "STATE_CHANGE completed  true",
        ]
    );
}
