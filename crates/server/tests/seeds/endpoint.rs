//! `a2a-endpoint.md`, the guide to `--a2a-port`.

use crate::seeds::one_session;
use crate::test_server::script::vets;
use crate::test_server::socket::TestSocket;
use axum::http::{Method, StatusCode};
use pollux_session::{
    Ask, AskDetails, CallError, CallOutcome, CallResult, Notice, NoticeLevel, PolicyVerdict, Report, ToolKind,
    cancel_choice,
};
use pollux_wire::devtool::ToolCall;
use pollux_wire::flat::ConfirmationRequest;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The frames of the guide are for `/ws`; this route takes the same ones.
fn stream_of(session: &crate::seeds::ScriptedSession) -> String {
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

/// "Receiving Updates", of tools.
#[tokio::test]
async fn section_3_tool_call_update_has_the_five_statuses() {
    let (session, client) = one_session();
    drop(client.post_stream(&stream_of(&session), &json!({"text": "go"})).await);
    let mut socket = TestSocket::join(&client, "?after=3").await;
    let command = || ("run_shell_command", json!({"command": "make"}));
    session.step_done("", &[command(), command(), command()]);
    let why = || PolicyVerdict::allow("a test says so");
    let ask = Ask::new(AskDetails::generic("May it?"), vec![cancel_choice()]);
    for verdict in [why(), why(), PolicyVerdict::Ask(ask)] {
        session.report(vets, Report::Vetted { kind: ToolKind::Execute, verdict });
    }
    session.starts();
    session.ends(CallOutcome::Succeeded { result: CallResult::default() });
    session.starts();
    let error = CallError { kind: "shell_execute_error".into(), message: "it was killed".into() };
    session.ends(CallOutcome::Failed { error, result: None });
    let answer = json!({"tool_call_id": session.call_id(8), "selected_option_id": "cancel"});
    drop(client.post_stream(&stream_of(&session), &json!({"message": {"content": {"data": answer}}})).await);
    let mut told = BTreeMap::<String, Vec<String>>::new();
    loop {
        let frame = socket.next().await;
        let text = |member: &str| frame[member].as_str().unwrap_or_default().to_owned();
        match frame["kind"].as_str().unwrap() {
            "TOOL_CALL_UPDATE" => told.entry(text("tool_call_id")).or_default().push(text("status")),
            "STATE_CHANGE" if frame["state"] == "completed" => break,
            _ => {}
        }
    }
    let statuses: Vec<Vec<String>> = (6..9).map(|call| told.remove(&session.call_id(call)).unwrap()).collect();
    assert_eq!(
        statuses,
        [
            vec!["PENDING", "EXECUTING", "SUCCEEDED"],
            vec!["PENDING", "EXECUTING", "FAILED"],
            vec!["PENDING", "CANCELLED"]
        ]
    );
}

/// "Receiving Updates", of logs.
#[tokio::test]
async fn section_3_console_log_has_its_levels() {
    let (session, client) = one_session();
    let mut socket = TestSocket::join(&client, "").await;
    socket.ask("nothing", json!({})).await;
    for (level, word) in [(NoticeLevel::Info, "info"), (NoticeLevel::Warn, "warn"), (NoticeLevel::Error, "error")] {
        session.notice(Notice { level, text: "a line".into() });
        let frame = socket.next().await;
        assert_eq!((&frame["kind"], &frame["content"]["level"]), (&json!("CONSOLE_LOG"), &json!(word)));
    }
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
