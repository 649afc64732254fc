//! `a2a-endpoint.md`, the guide to `--a2a-port`.

use crate::one_session;
use axum::http::{Method, StatusCode};
use pollux_wire::devtool::ToolCall;
use pollux_wire::flat::ConfirmationRequest;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// The frames of the guide are for `/ws`; this route takes the same ones.
fn stream_of(session: &crate::Session) -> String {
    format!("/tasks/{}/messages/stream", session.id)
}

#[tokio::test]
async fn section_1_metadata_the_card_names_the_extension() {
    let (_session, client) = one_session();
    let (status, card) = client.json(Method::GET, "/.well-known/agent-card.json", "").await;
    assert_eq!(status, StatusCode::OK);
    assert!(card["capabilities"]["extensions"][0]["uri"].as_str().unwrap().contains("developer-profile"));
}

#[tokio::test]
async fn section_2_http_create_task_returns_the_session() {
    let (session, client) = one_session();
    let (_, created) = client.json(Method::POST, "/tasks", "").await;
    assert_eq!(created["sessionId"], json!(session.id));
}

#[tokio::test]
async fn section_3_sending_a_prompt_and_the_text_content_broadcast() {
    let (session, client) = one_session();
    let prompt = json!({
      "jsonrpc": "2.0",
      "method": "message/stream",
      "params": {
        "message": {
          "content": {
            "text": "List the files in the current directory"
          }
        }
      }
    });
    let stream = client.post_stream(&stream_of(&session), &prompt).await;
    session.step_done("I will list the files for you.", &[]);
    let events = stream.events().await;
    let mut text = events[1].1.clone();
    // A frame has its number beside what the guide shows.
    text.as_object_mut().unwrap().remove("seq");
    assert_eq!(
        text,
        json!({
          "kind": "TEXT_CONTENT",
          "content": {
            "text": "I will list the files for you."
          },
          "taskId": session.id
        })
    );
}

#[test]
fn section_4_handling_a_confirmation_request() {
    let frame = json!({
      "kind": "TOOL_CALL_UPDATE",
      "tool_call_id": "uuid-correlation-id",
      "status": "PENDING",
      "tool_name": "run_shell_command",
      "confirmation_request": {
        "options": [
          { "id": "proceed_once", "name": "Allow Once" },
          { "id": "cancel", "name": "Cancel" }
        ],
        "details": {
          "execute_details": { "command": "rm -rf /" }
        }
      },
      "taskId": "..."
    });
    let call: ToolCall<ConfirmationRequest> = serde_json::from_value(frame.clone()).unwrap();
    let written = serde_json::to_value(&call).unwrap();
    for member in ["tool_call_id", "status", "tool_name", "confirmation_request"] {
        assert_eq!(written[member], frame[member]);
    }
}

#[tokio::test]
async fn section_4_responding_to_confirmation() {
    let (session, client) = one_session();
    let waiting = client.post_stream(&stream_of(&session), &json!({"text": "go"})).await;
    session.asks_to_run("ls");
    let answer: Value = json!({
      "jsonrpc": "2.0",
      "method": "message/stream",
      "params": {
        "message": {
          "content": {
            "data": {
              "kind": "TOOL_CALL_CONFIRMATION",
              "tool_call_id": "call-6",
              "selected_option_id": "proceed_once"
            }
          }
        }
      }
    });
    drop(client.post_stream(&stream_of(&session), &answer).await);
    session.starts();
    drop(waiting);
    let started = session.log().iter().any(|entry| matches!(entry.event, pollux_session::Event::CallStarted { .. }));
    assert!(started);
}
