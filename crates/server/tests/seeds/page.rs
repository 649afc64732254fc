//! `a2a-protocol.md`, the protocol page.

use crate::seeds::{one_session, serve};
use crate::test_server::script::{runs, thinks};
use axum::http::{Method, StatusCode};
use pollux_session::{ModelUsage, Report};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// The kinds of the events, with the word that matters in each.
fn flow(events: &[(Option<String>, Value)]) -> Vec<String> {
    let word = |event: &Value| {
        ["state", "status", "text"].iter().find_map(|name| event[*name].as_str()).unwrap_or_default().to_owned()
    };
    events.iter().map(|(_, event)| format!("{}: {}", event["kind"].as_str().unwrap(), word(event))).collect()
}

#[tokio::test]
async fn message_types_agent_settings() {
    let (roster, client) = serve();
    let settings = json!({
      "kind": "agent-settings",
      "workspacePath": "/tmp",
      "autoExecute": true
    });
    let body = json!({"agentSettings": settings}).to_string();
    let (status, id) = client.json(Method::POST, "/tasks", &body).await;
    assert_eq!((status, id), (StatusCode::CREATED, json!(roster.newest().id)));
    let pollux_session::Event::Opened(opened) = roster.newest().log()[0].event.clone() else { panic!("it opens") };
    assert_eq!((opened.workspace.as_str(), opened.overrides.mode), ("/tmp", Some(pollux_session::ApprovalMode::Yolo)));
}

#[tokio::test]
async fn message_types_task_metadata() {
    let (session, client) = one_session();
    let (_, told) = client.json(Method::GET, &format!("/tasks/{}/metadata", session.id), "").await;
    assert_eq!(
        told["metadata"],
        json!({
          "id": session.id,
          "contextId": "ctx",
          "taskState": "submitted",
          "model": "script",
          "mcpServers": [],
          "availableTools": [{"name": "write_file", "description": ""}]
        })
    );
}

#[tokio::test]
async fn agent_card() {
    let (_session, client) = one_session();
    let (_, card) = client.json(Method::GET, "/.well-known/agent-card.json", "").await;
    // The name is the extension's unless the operator says otherwise.
    let example = json!({
      "url": "http://localhost:41242/",
      "capabilities": { "streaming": true },
      "skills": [{
        "id": "code_generation",
        "name": "Code Generation",
        "tags": ["code", "development", "programming"]
      }]
    });
    assert_eq!((&card["url"], &card["capabilities"]["streaming"]), (&example["url"], &json!(true)));
    for member in ["id", "name", "tags"] {
        assert_eq!(card["skills"][0][member], example["skills"][0][member]);
    }
}

#[tokio::test]
async fn event_flow_example_with_its_confirmation_and_updates() {
    let (roster, client) = serve();
    let (_, id) = client.json(Method::POST, "/tasks", r#"{"agentSettings": {"kind": "agent-settings"}}"#).await;
    let session = roster.newest();
    let body = json!({"taskId": id, "userMessage": "Create hello.txt"});
    let stream = client.post_stream("/message/stream", &body).await;
    session.muses("I'll create...");
    session.asks_to_write();
    let events = stream.events().await;
    assert_eq!(
        flow(&events),
        [
            "state-change: working",
            "thought: I'll create...",
            "tool-call-update: PENDING",
            "tool-call-confirmation: ",
            "state-change: input-required",
        ]
    );
    let context = events[0].1["contextId"].clone();
    let call = events[2].1["toolCallId"].clone();
    // Message types, "Tool call update" and "Tool call confirmation": all members, and no other but the ids.
    assert_eq!(
        events[2].1,
        json!({
          "kind": "tool-call-update",
          "toolCallId": call,
          "toolName": "write_file",
          "status": "PENDING",
          "inputParameters": {"file_path": "hello.txt"},
          "taskId": id, "contextId": context
        })
    );
    assert_eq!(
        events[3].1,
        json!({
          "kind": "tool-call-confirmation",
          "toolCallId": call,
          "toolName": "write_file",
          "inputParameters": {"file_path": "hello.txt"},
          "confirmationRequest": {
            "title": "Create /w/hello.txt",
            "prompt": "+hello\n",
            "type": "warning"
          },
          "taskId": id, "contextId": context
        })
    );
    // "Responding to confirmations".
    let answer = json!({
      "taskId": id,
      "contextId": context,
      "userMessage": {
        "kind": "tool-call-confirmation",
        "toolCallId": call,
        "approved": true
      }
    });
    let stream = client.post_stream("/message/stream", &answer).await;
    session.owes(runs).await;
    session.starts();
    session.has_written();
    session.step_done("I've created...", &[]);
    let events = stream.events().await;
    assert_eq!(
        flow(&events),
        [
            "state-change: working",
            "tool-call-update: EXECUTING",
            "tool-call-update: SUCCEEDED",
            "text-content: I've created...",
            "state-change: completed",
        ]
    );
    assert_eq!(events[2].1["result"], "+hello\n");
}

#[tokio::test]
async fn responding_to_confirmations_false_rejects() {
    let (session, client) = one_session();
    drop(client.post_stream("/message/stream", &json!({"userMessage": "go"})).await);
    session.asks_to_run("ls");
    let answer = json!({
      "taskId": session.id,
      "contextId": "ctx",
      "userMessage": {
        "kind": "tool-call-confirmation",
        "toolCallId": "call-6",
        "approved": false
      }
    });
    let events = client.post_stream("/message/stream", &answer).await.events().await;
    assert_eq!(flow(&events), ["state-change: working", "tool-call-update: CANCELLED", "state-change: completed"]);
}

#[tokio::test]
async fn tool_call_lifecycle_a_failure_has_its_error() {
    let (session, client) = one_session();
    drop(client.post_stream("/message/stream", &json!({"userMessage": {"text": "go"}})).await);
    session.asks_to_run("ls");
    let answer = json!({"userMessage": {"toolCallId": "call-6", "approved": true}});
    let stream = client.post_stream("/message/stream", &answer).await;
    session.owes(runs).await;
    session.starts();
    session.prints("half");
    let error = pollux_session::CallError { kind: "exit".into(), message: "it failed".into() };
    session.ends(pollux_session::CallOutcome::Failed { error, result: None });
    session.fails("model_refused", "no quota");
    let events = stream.events().await;
    let flow = flow(&events);
    assert_eq!(
        flow,
        [
            "state-change: working",
            "tool-call-update: EXECUTING",
            "tool-call-update: EXECUTING",
            "tool-call-update: FAILED",
            "state-change: failed",
        ]
    );
    assert_eq!((&events[2].1["result"], &events[3].1["error"]), (&json!("half"), &json!("it failed")));
    assert_eq!(events[4].1["message"], "no quota");
}

#[tokio::test]
async fn event_types_citation() {
    let (roster, client) = serve();
    let stream = client.post_stream("/message/stream", &json!({"userMessage": "who says so?"})).await;
    let session = roster.newest();
    session.says("They do.");
    let citations = vec!["https://example.com/".to_owned(), "https://example.org/".to_owned()];
    let (finish, usage) = ("STOP".into(), ModelUsage::default());
    session.report(
        thinks,
        Report::StepDone { fragments: Vec::new(), calls: Vec::new(), finish, usage, citations, response: None },
    );
    let told = [
        "state-change: working",
        "text-content: They do.",
        "citation: https://example.com/\nhttps://example.org/",
        "state-change: completed",
    ];
    assert_eq!(flow(&stream.events().await), told);
}

#[tokio::test]
async fn task_states_canceled() {
    let (session, client) = one_session();
    let stream = client.post_stream("/message/stream", &json!({"userMessage": "go"})).await;
    session.owes(thinks).await;
    client.rpc("tasks/cancel", json!({"id": session.id})).await;
    assert_eq!(flow(&stream.events().await), ["state-change: working", "state-change: canceled"]);
}
