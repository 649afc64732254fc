//! `a2a-server-reference.md`, the server reference.

use crate::seeds::serve;
use crate::test_server::NOW_TEXT;
use crate::test_server::script::runs;
use axum::http::{Method, StatusCode};
use http_body_util::BodyExt;
use pollux_server::{RouterOptions, task_count_check};
use pollux_wire::named::{self, TaskCreated};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn endpoints_post_tasks() {
    let (roster, client) = serve();
    let request = json!({
      "contextId": "context-123",
      "agentSettings": {
        "workspaceRoot": "/tmp",
        "model": "gemini-2.0-flash-exp"
      }
    });
    let (status, answer) = client.json(Method::POST, "/tasks", &request.to_string()).await;
    let id = roster.newest().id;
    assert_eq!((status, answer), (StatusCode::CREATED, json!({"taskId": id, "state": "running"})));
    let example: TaskCreated = serde_json::from_value(json!({ "taskId": "task-456", "state": "running" })).unwrap();
    assert_eq!((example.task_id.as_str(), example.state), ("task-456", named::State::Running));
    let pollux_session::Event::Opened(opened) = roster.newest().log()[0].event.clone() else { panic!("it opens") };
    assert_eq!((opened.workspace.as_str(), opened.context.as_str()), ("/tmp", "context-123"));
    assert_eq!(opened.overrides.model.as_deref(), Some("gemini-2.0-flash-exp"));
}

#[test]
fn endpoints_execute_every_event_of_the_example_is_read_and_written_the_same() {
    for (name, event) in [
        ("text_content", json!({"type": "text_content", "text": "I'll write a sort function..."})),
        (
            "tool_call_update",
            json!({"type": "tool_call_update", "toolCallId": "call-1", "status": "requested", "toolName": "write_file"}),
        ),
        (
            "tool_call_update",
            json!({"type": "tool_call_update", "toolCallId": "call-1", "status": "completed", "result": "..."}),
        ),
        ("state_change", json!({"type": "state_change", "state": "completed", "timestamp": "2025-10-24T12:00:00Z"})),
        ("thought", json!({"type": "thought", "thought": "…"})),
        ("thought_summary", json!({"type": "thought_summary", "summary": "…"})),
    ] {
        let read: named::Event = serde_json::from_value(event.clone()).unwrap();
        assert_eq!((read.name(), serde_json::to_value(&read).unwrap()), (name, event));
    }
}

#[tokio::test]
async fn endpoints_execute_streams_named_events() {
    let (roster, client) = serve();
    let session = roster.session("context-123", "/");
    let path = format!("/tasks/{}/execute", session.id);
    let body = json!({ "message": "Write a Python function to sort a list" });
    let response = client.raw(Method::POST, &path, &[], &body.to_string()).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    session.muses("**Sorting** with sorted");
    session.says("I'll write a sort function...");
    session.asks_to_write();
    let text = response.into_body().collect().await.unwrap().to_bytes();
    let text = std::str::from_utf8(&text).unwrap();
    let events: Vec<(&str, Value)> = text
        .split_terminator("\n\n")
        .map(|event| {
            let field = |name| event.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            (field("event: "), serde_json::from_str(field("data: ")).unwrap())
        })
        .collect();
    let call = events[4].1["toolCallId"].clone();
    let state = |state: &str| json!({"type": "state_change", "state": state, "timestamp": NOW_TEXT});
    assert_eq!(
        events,
        [
            ("state_change", state("running")),
            ("thought", json!({"type": "thought", "thought": "with sorted"})),
            ("thought_summary", json!({"type": "thought_summary", "summary": "Sorting"})),
            ("text_content", json!({"type": "text_content", "text": "I'll write a sort function..."})),
            (
                "tool_call_update",
                json!({
                    "type": "tool_call_update", "toolCallId": call, "status": "requested", "toolName": "write_file",
                    "confirmationRequest": {"title": "Create /w/hello.txt", "prompt": "+hello\n", "type": "warning"},
                })
            ),
            ("state_change", state("running")),
        ]
    );
    // An ask is answered by another execute.
    let stream = client.post_stream(&path, &json!({"toolCallId": call, "approved": true})).await;
    session.owes(runs).await;
    session.starts();
    session.has_written();
    session.step_done("", &[]);
    let events: Vec<Value> = stream.events().await.into_iter().map(|(_, event)| event).collect();
    let update = |status: &str| json!({"type": "tool_call_update", "toolCallId": call, "status": status, "toolName": "write_file"});
    let mut completed = update("completed");
    completed["result"] = json!("+hello\n");
    assert_eq!(events, [update("executing"), completed, state("completed")]);
}

#[tokio::test]
async fn endpoints_get_task() {
    let (roster, client) = serve();
    let session = roster.session("context-123", "/");
    let stream = client.post_stream(&format!("/tasks/{}/execute", session.id), &json!({"message": "hi"})).await;
    session.step_done("Hello.", &[]);
    stream.events().await;
    let (_, told) = client.json(Method::GET, &format!("/tasks/{}", session.id), "").await;
    let example = json!({
      "id": session.id,
      "contextId": "context-123",
      "state": "completed",
      "timestamp": NOW_TEXT,
      "metadata": {},
      "history": told["history"],
      "artifacts": told["artifacts"]
    });
    assert_eq!((&told, told["history"].as_array().unwrap().len()), (&example, 2));
    // "Endpoints", GET /tasks.
    let (_, listed) = client.json(Method::GET, "/tasks", "").await;
    assert_eq!(
        listed,
        json!({
          "tasks": [
            {
              "id": session.id,
              "contextId": "context-123",
              "state": "completed"
            }
          ]
        })
    );
}

#[tokio::test]
async fn multi_task_execution_a_task_does_not_wait_for_another() {
    let (house, client) = serve();
    let (slow, quick) = (house.session("one", "/"), house.session("two", "/"));
    let execute = async |session: &crate::seeds::ScriptedSession| {
        client.post_stream(&format!("/tasks/{}/execute", session.id), &json!({"message": "go"})).await
    };
    let (waiting, done) = (execute(&slow).await, execute(&quick).await);
    quick.step_done("Done.", &[]);
    assert_eq!(done.events().await.last().unwrap().1["state"], "completed");
    let (_, told) = client.json(Method::GET, &format!("/tasks/{}", slow.id), "").await;
    assert_eq!((&told["state"], told["history"].as_array().unwrap().len()), (&json!("running"), 1));
    slow.step_done("Done too.", &[]);
    assert_eq!(waiting.events().await.last().unwrap().1["state"], "completed");
}

#[tokio::test]
async fn task_state_error_and_a_call_that_ends_in_one() {
    let (roster, client) = serve();
    let session = roster.session("context-123", "/");
    let path = format!("/tasks/{}/execute", session.id);
    drop(client.post_stream(&path, &json!({"message": "Run the tests"})).await);
    session.asks_to_run("make");
    let call = session.call_id(6);
    let stream = client.post_stream(&path, &json!({"toolCallId": call, "approved": true})).await;
    session.owes(runs).await;
    session.starts();
    let error = pollux_session::CallError { kind: "shell_execute_error".into(), message: "it was killed".into() };
    session.ends(pollux_session::CallOutcome::Failed { error, result: None });
    session.fails("model_refused", "no quota");
    let events: Vec<Value> = stream.events().await.into_iter().map(|(_, event)| event).collect();
    let failed = json!({
        "type": "tool_call_update", "toolCallId": call, "status": "error", "toolName": "run_shell_command",
        "error": "it was killed",
    });
    assert_eq!(events[1], failed);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["state"]), (&json!("state_change"), &json!("error")));
    let (_, told) = client.json(Method::GET, &format!("/tasks/{}", session.id), "").await;
    assert_eq!(told["state"], "error");
}

#[tokio::test]
async fn health_check_endpoint() {
    let roster = crate::seeds::TestRoster::new();
    let extras = RouterOptions {
        health: Some(task_count_check(Arc::clone(&roster) as _, pollux_session::Owner("me".into()))),
        ..RouterOptions::default()
    };
    let client = crate::seeds::TestClient::offering(
        crate::seeds::many_sessions(&roster, "/"),
        extras,
        crate::seeds::who("seed"),
    );
    let (_, health) = client.json(Method::GET, "/health", "").await;
    for (member, value) in
        [("status", json!("healthy")), ("uptime", json!(0)), ("activeTasks", json!(0)), ("totalTasks", json!(0))]
    {
        assert_eq!(health[member], value);
    }
}
