//! `/ws`, `POST /tasks` and `POST /tasks/{id}/messages/stream` in the flat dialect.

use crate::test_server;
use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::script::{options_json, thinks};
use crate::test_server::socket::TestSocket;
use crate::test_server::{ScriptedSession, TestRoster, who};
use axum::http::{Method, StatusCode};
use pollux_session::{Command, Notice, NoticeLevel, PromptTarget};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

/// The prompt frame of the endpoint guide, verbatim.
const GUIDE_PROMPT: &str = r#"{
  "jsonrpc": "2.0",
  "method": "message/stream",
  "params": {
    "message": {
      "content": {
        "text": "List the files in the current directory"
      }
    }
  }
}"#;

/// The confirmation frame of the endpoint guide, for a call of ours.
fn guide_answer(call: &str, option: &str) -> String {
    json!({"jsonrpc": "2.0", "method": "message/stream", "params": {"message": {"content": {"data": {
        "kind": "TOOL_CALL_CONFIRMATION", "tool_call_id": call, "selected_option_id": option,
    }}}}})
    .to_string()
}

fn one_session() -> (Arc<ScriptedSession>, TestClient) {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("wscat"));
    (session, client)
}

fn prompt(session: &ScriptedSession, text: &str) {
    let target = PromptTarget::Existing { task: session.id.main_task() };
    session.command(&who("terminal"), text, Command::prompt(target, text)).unwrap();
}

fn pending(session: &ScriptedSession, call: u64, seq: u64) -> Value {
    json!({
        "kind": "TOOL_CALL_UPDATE", "tool_call_id": session.call_id(call), "status": "PENDING", "tool_name": "run_shell_command",
        "input_parameters": {"command": "ls"},
        "confirmation_request": {
            "options": options_json(),
            "details": {"execute_details": {"command": "ls", "working_directory": "/w"}},
        },
        "taskId": session.id, "seq": seq,
    })
}

#[tokio::test]
async fn the_guides_frames_drive_a_turn() {
    let (session, client) = one_session();
    let mut ws = TestSocket::join(&client, "").await;
    ws.send(GUIDE_PROMPT).await;
    session.owes(thinks).await;
    session.muses("**Looking** around");
    session.says("I will list the files for you.");
    session.asks_to_run("ls");
    let id = session.id.to_string();
    let frame = |mut body: Value, seq: u64| {
        body["taskId"] = json!(id);
        body["seq"] = json!(seq);
        body
    };
    for expected in [
        frame(json!({"kind": "STATE_CHANGE", "state": "working", "final": false}), 4),
        frame(json!({"kind": "THOUGHT", "content": {"subject": "Looking", "description": "around"}}), 6),
        frame(json!({"kind": "TEXT_CONTENT", "content": {"text": "I will list the files for you."}}), 7),
        // Two frames come from entry 11: whoever has only the first goes on before it.
        pending(&session, 10, 10),
        frame(json!({"kind": "STATE_CHANGE", "state": "input-required", "final": true}), 11),
    ] {
        assert_eq!(ws.next().await, expected);
    }
    ws.send(&guide_answer(&session.call_id(10), "proceed_once")).await;
    session.owes(test_server::script::runs).await;
    session.starts();
    session.prints("a\n");
    let running = |seq| {
        json!({
            "kind": "TOOL_CALL_UPDATE", "tool_call_id": session.call_id(10), "status": "EXECUTING",
            "tool_name": "run_shell_command", "input_parameters": {"command": "ls"}, "taskId": id, "seq": seq,
        })
    };
    assert_eq!(ws.next().await, running(13));
    let mut printed = running(14);
    printed["live_content"] = json!("a\n");
    assert_eq!(ws.next().await, printed);
}

#[tokio::test]
async fn a_prompt_is_shown_to_all_but_its_sender() {
    let (session, client) = one_session();
    let mut one = TestSocket::join(&client, "").await;
    let mut two = TestSocket::join(&client.seen_by(who("phone")), "").await;
    let unknown = two.ask("nothing", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601);
    let answer = one.ask("message/send", json!({"message": {"content": {"text": "hi"}}})).await;
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": "q", "result": {"taskId": session.id, "seq": 3}}));
    let working = json!({"kind": "STATE_CHANGE", "state": "working", "final": false, "taskId": session.id, "seq": 4});
    assert_eq!(one.next().await, working);
    let echo = json!({
        "kind": "USER_MESSAGE", "content": {"text": "hi"}, "sender": {"label": "wscat", "principal": "local"},
        "taskId": session.id, "seq": 3,
    });
    assert_eq!((two.next().await, two.next().await), (echo, working));
}

#[tokio::test]
async fn joining_shows_open_asks_and_after_replays() {
    let (session, client) = one_session();
    prompt(&session, "go");
    session.asks_to_run("ls");
    let mut now = TestSocket::join(&client, "").await;
    assert_eq!(now.next().await, pending(&session, 6, 7));

    let mut again = TestSocket::join(&client, "?after=3").await;
    let kinds = [again.next().await, again.next().await, again.next().await].map(|frame| frame["kind"].clone());
    assert_eq!(kinds, ["STATE_CHANGE", "TOOL_CALL_UPDATE", "STATE_CHANGE"]);

    let mut beyond = TestSocket::join(&client, &format!("?taskId={}&after=99", session.id)).await;
    assert_eq!(beyond.next().await["kind"], "TOOL_CALL_UPDATE");
    assert_eq!(beyond.next().await["kind"], "GAP");
}

#[tokio::test]
async fn a_losing_answer_without_an_id_is_an_error_frame() {
    let (session, client) = one_session();
    prompt(&session, "go");
    session.asks_to_run("ls");
    let mut winner = TestSocket::join(&client, "").await;
    let mut loser = TestSocket::join(&client.seen_by(who("phone")), "").await;
    winner.next().await;
    loser.next().await;
    winner.send(&guide_answer("call-6", "cancel")).await;
    assert_eq!(winner.next().await["status"], "CANCELLED");
    assert_eq!(loser.next().await["status"], "CANCELLED");
    assert_eq!(loser.next().await["state"], "completed");
    loser.send(&guide_answer("call-6", "proceed_once")).await;
    assert_eq!(
        loser.next().await,
        json!({
            "kind": "ERROR", "code": -32004, "message": "call-6 was already decided: wscat chose cancel",
            "decided_by": "wscat", "taskId": session.id, "seq": 10,
        })
    );
}

#[tokio::test]
async fn bad_frames_get_an_error_and_the_connection_stays() {
    let (session, client) = one_session();
    let log = session.log();
    let mut ws = TestSocket::join(&client, "").await;
    for (frame, code) in [
        ("{", -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","method":"nothing"}"#, -32601),
        (r#"{"jsonrpc":"2.0","method":"message/stream","params":{}}"#, -32602),
        (r#"{"jsonrpc":"2.0","method":"message/stream","params":{"message":{"content":{"text":" "}}}}"#, -32602),
        (
            r#"{"jsonrpc":"2.0","method":"message/stream","params":{"message":{"taskId":"x","content":{"text":"a"}}}}"#,
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","method":"tasks/cancel"}"#, -32002),
        (&guide_answer("call-77", "proceed_once"), -32602),
    ] {
        ws.send(frame).await;
        let answer = ws.next().await;
        assert_eq!((&answer["kind"], &answer["code"]), (&json!("ERROR"), &json!(code)), "{frame}");
    }
    assert_eq!(session.log(), log);
}

#[tokio::test]
async fn notices_are_console_lines() {
    let (session, client) = one_session();
    let mut ws = TestSocket::join(&client, "").await;
    ws.ask("nothing", json!({})).await;
    session.notice(Notice { level: NoticeLevel::Warn, text: "the disk is nearly full".into() });
    assert_eq!(
        ws.next().await,
        json!({
            "kind": "CONSOLE_LOG", "content": {"level": "warn", "text": "the disk is nearly full"},
            "taskId": session.id, "seq": 2,
        })
    );
}

#[tokio::test]
async fn in_serve_the_first_frame_names_or_begins_a_task() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("wscat"));
    let mut ws = TestSocket::join(&client, "").await;
    let refused = ws.ask("tasks/cancel", json!({})).await;
    assert_eq!(refused["error"]["message"], "`params.id` is missing: say which task to cancel");
    ws.send(GUIDE_PROMPT).await;
    let working = ws.next().await;
    assert_eq!((&working["state"], &working["seq"]), (&json!("working"), &json!(4)));

    let (status, created) = client.json(Method::POST, "/tasks", "").await;
    assert_eq!(status, StatusCode::CREATED);
    let id = roster.newest().id;
    assert_eq!(created, json!({"sessionId": id, "taskId": id, "contextId": created["contextId"]}));
    let mut named = TestSocket::join(&client, "").await;
    let message = json!({"message": {"taskId": id, "content": {"text": "hi"}}});
    assert_eq!(named.ask("message/stream", message).await["result"], json!({"taskId": id, "seq": 3}));
}

#[tokio::test]
async fn a_message_to_a_task_streams_until_the_turn_rests() {
    let (session, client) = one_session();
    let (status, created) = client.json(Method::POST, "/tasks", "{}").await;
    assert_eq!((status, created), (StatusCode::OK, json!({"sessionId": session.id, "taskId": session.id})));
    let path = format!("/tasks/{}/messages/stream", session.id);
    for (body, seq) in [
        (json!({"text": "hi"}), 3),
        (json!({"message": {"parts": [{"kind": "text", "text": "hi"}]}}), 9),
        (serde_json::from_str(GUIDE_PROMPT).unwrap(), 15),
    ] {
        let stream = client.post_stream(&path, &body).await;
        session.step_done("Hello.", &[]);
        let frame = |mut body: Value, seq: u64| {
            body["taskId"] = json!(session.id);
            body["seq"] = json!(seq);
            (Some(format!("1z.{seq}")), body)
        };
        assert_eq!(
            stream.events().await,
            vec![
                frame(json!({"kind": "STATE_CHANGE", "state": "working", "final": false}), seq + 1),
                frame(json!({"kind": "TEXT_CONTENT", "content": {"text": "Hello."}}), seq + 2),
                frame(json!({"kind": "STATE_CHANGE", "state": "completed", "final": true}), seq + 5),
            ]
        );
    }
}

#[tokio::test]
async fn a_message_stream_stays_open_over_an_ask_that_somebody_else_answers() {
    let (session, client) = one_session();
    let path = format!("/tasks/{}/messages/stream", session.id);
    let stream = client.post_stream(&path, &json!({"text": "go"})).await;
    session.asks_to_run("ls");
    let answer = Command::Answer { call: "call-6".parse().unwrap(), option: "cancel".into(), edit: None };
    session.command(&who("phone"), "answer", answer).unwrap();
    let told: Vec<_> = stream
        .events()
        .await
        .into_iter()
        .map(|(_, frame)| (frame["status"].clone(), frame["state"].clone(), frame["final"].clone()))
        .collect();
    let null = Value::Null;
    assert_eq!(
        told,
        vec![
            (null.clone(), json!("working"), json!(false)),
            (json!("PENDING"), null.clone(), null.clone()),
            (null.clone(), json!("input-required"), json!(false)),
            (json!("CANCELLED"), null.clone(), null.clone()),
            (null, json!("completed"), json!(true)),
        ]
    );
}
