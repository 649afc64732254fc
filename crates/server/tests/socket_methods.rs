//! `/ws` with every method of 0.3, and as a stream of bare status updates.

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::script::thinks;
use crate::test_server::socket::TestSocket;
use crate::test_server::{ScriptedSession, TestRoster, who};
use pollux_server::METHODS_V03;
use pollux_session::{Command, Notice, NoticeLevel, PromptTarget};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

fn one_session() -> (Arc<ScriptedSession>, TestClient) {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    (session, client)
}

fn say(text: &str) -> Value {
    json!({"message": {"role": "user", "messageId": text, "parts": [{"kind": "text", "text": text}]}})
}

/// A message from a client of the extension.
fn say_with_settings(text: &str) -> Value {
    let mut params = say(text);
    params["message"]["metadata"] = json!({URI: {"workspace_path": "/"}});
    params
}

fn prompt(session: &ScriptedSession, text: &str) {
    let target = PromptTarget::Existing { task: session.id.main_task() };
    session.command(&who("terminal"), text, Command::prompt(target, text)).unwrap();
}

/// A status update in short: its state, `!` when it is final, and what it says.
fn short(event: &Value) -> String {
    assert_eq!(event["kind"], "status-update", "{event}");
    let last = if event["final"] == true { "!" } else { "" };
    let part = &event["status"]["message"]["parts"][0];
    let is_question = event["status"]["state"] == "input-required" && part["text"].is_string();
    let said = part["text"].as_str().filter(|_| !is_question).or(part["data"]["status"].as_str());
    let said = said.map(|said| format!(" {said}"));
    format!("{}{last}{}", event["status"]["state"].as_str().unwrap(), said.unwrap_or_default())
}

async fn bare(ws: &mut TestSocket, count: usize) -> Vec<String> {
    let mut events = Vec::new();
    for _ in 0..count {
        let event = ws.next().await;
        assert_eq!(event["jsonrpc"], Value::Null, "{event}");
        events.push(short(&event));
    }
    events
}

#[tokio::test]
async fn every_method_is_answered() {
    let (session, client) = one_session();
    let mut ws = TestSocket::join(&client, "").await;
    let id = json!({"id": session.id});
    for method in METHODS_V03.into_iter().chain(["tasks/forget"]) {
        let params = match method {
            "message/send" | "message/stream" => say(method),
            "command/execute" => json!({"command_path": []}),
            _ => id.clone(),
        };
        ws.request(method, method, params).await;
        // What the messages begin is told too; it is no answer.
        let answer = loop {
            let frame = ws.next().await;
            if frame["id"] == method {
                break frame;
            }
        };
        let known = answer["error"]["code"] != -32601;
        assert_eq!(known, method != "tasks/forget", "{method}: {answer}");
    }
    ws.send(r#"{"jsonrpc":"2.0","method":"tasks/get","params":{}}"#).await;
    let without_id = loop {
        let frame = ws.next().await;
        if frame["kind"] == "ERROR" {
            break frame;
        }
    };
    assert_eq!(without_id["message"], "`id` is missing: tasks/get has an answer, which needs one");
}

#[tokio::test]
async fn a_task_is_looked_at_and_followed_by_request() {
    let (session, client) = one_session();
    let mut ws = TestSocket::join(&client, "").await;
    let task = ws.ask("tasks/get", json!({"id": session.id})).await;
    assert_eq!((&task["result"]["kind"], &task["result"]["id"]), (&json!("task"), &json!(session.id)));
    let commands = ws.ask("commands/get", json!({})).await;
    assert_eq!(commands["result"], json!({"commands": []}));
    ws.request(7, "tasks/resubscribe", json!({"id": session.id})).await;
    let first = ws.next().await;
    assert_eq!((&first["id"], &first["result"]["kind"]), (&json!(7), &json!("task")));
    prompt(&session, "go");
    // Each event comes once as a frame of the socket and once as the answer.
    let (mut frames, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let event = ws.next().await;
        match event["id"] == 7 {
            true => answers.push(short(&event["result"])),
            false => frames.push(event["kind"].clone()),
        }
    }
    assert_eq!(
        (frames, answers.as_slice()),
        (vec![json!("USER_MESSAGE"), json!("STATE_CHANGE")], &["submitted go".to_owned(), "working".to_owned()][..])
    );
}

#[tokio::test]
async fn a_socket_may_ask_for_bare_status_updates() {
    let (session, client) = one_session();
    let mut ws = TestSocket::join(&client, "?dialect=rfc").await;
    // Whatever anybody does is told, each event once.
    ws.ask("nothing", json!({})).await;
    prompt(&session, "go");
    session.asks_to_run("ls");
    assert_eq!(bare(&mut ws, 4).await, ["submitted go", "working", "input-required PENDING", "input-required!"]);
    session.notice(Notice { level: NoticeLevel::Warn, text: "the disk is nearly full".into() });
    let notice = ws.next().await;
    assert_eq!(notice["metadata"]["pollux/remark"], json!({"level": "warn"}));
    assert_eq!(notice["status"]["message"]["parts"][0]["text"], "the disk is nearly full");
    let mut late = TestSocket::join(&client, "?dialect=rfc").await;
    assert_eq!(bare(&mut late, 1).await, ["input-required PENDING"]);

    // Without an id an answer is only accepted; a refusal is an error without one.
    let choice = json!({"tool_call_id": session.call_id(6), "selected_option_id": "cancel"});
    let answer = json!({"message": {"parts": [{"kind": "data", "data": choice}]}});
    let answer = json!({"jsonrpc": "2.0", "method": "message/stream", "params": answer}).to_string();
    late.send(&answer).await;
    for socket in [&mut ws, &mut late] {
        assert_eq!(bare(socket, 2).await, ["working CANCELLED", "completed!"]);
    }
    ws.send(&answer).await;
    let refused = ws.next().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32004)));

    let response = client.raw(axum::http::Method::GET, "/ws?dialect=klingon", &[], "").await;
    assert_eq!(response.status(), 400);
}

#[tokio::test]
async fn a_request_is_answered_by_its_events_and_nothing_is_told_twice() {
    let (session, client) = one_session();
    let mut ws = TestSocket::join(&client, "?dialect=rfc").await;
    let mut other = TestSocket::join(&client, "?dialect=rfc").await;
    other.ask("nothing", json!({})).await;
    ws.request(1, "message/stream", say("one")).await;
    let task = ws.next().await;
    assert_eq!((&task["id"], &task["result"]["kind"]), (&json!(1), &json!("task")));
    session.owes(thinks).await;
    session.step_done("Hello.", &[]);
    let mut answers = Vec::new();
    loop {
        let event = ws.next().await;
        assert_eq!(event["id"], 1, "{event}");
        let last = event["result"]["final"] == true;
        if event["result"]["kind"] == "status-update" {
            answers.push(short(&event["result"]));
        }
        if last {
            break;
        }
    }
    assert_eq!(answers, ["working", "working Hello.", "completed!"]);
    // What follows is bare again, for both.
    prompt(&session, "two");
    assert_eq!(bare(&mut ws, 2).await, ["submitted two", "working"]);
    assert_eq!(short(&other.next().await), "submitted one");

    session.step_done("", &[]);
    assert_eq!(bare(&mut ws, 1).await, ["completed!"]);
    ws.request(2, "message/send", say("three")).await;
    assert_eq!(bare(&mut ws, 2).await, ["submitted three", "working"]);
    session.step_done("", &[]);
    let (mut told, mut answered) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let event = ws.next().await;
        match event["id"] == 2 {
            true => answered.push(event["result"]["status"]["state"].clone()),
            false => told.push(short(&event)),
        }
    }
    assert_eq!((told, answered), (vec!["completed!".to_owned()], vec![json!("completed")]));
}

#[tokio::test]
async fn a_message_of_the_extension_changes_the_dialect_and_parts_alone_do_not() {
    let (session, client) = one_session();
    let mut ws = TestSocket::join(&client, "").await;
    let frame = |params: Value| json!({"jsonrpc": "2.0", "method": "message/stream", "params": params}).to_string();
    ws.send(&frame(say("flat"))).await;
    assert_eq!(ws.next().await["kind"], "STATE_CHANGE");
    session.step_done("", &[]);
    assert_eq!(ws.next().await["kind"], "STATE_CHANGE");
    ws.send(&frame(say_with_settings("rfc"))).await;
    assert_eq!(bare(&mut ws, 1).await, ["working"]);
    session.step_done("", &[]);
    assert_eq!(bare(&mut ws, 1).await, ["completed!"]);
    // It stays so.
    ws.send(&frame(say("more"))).await;
    assert_eq!(bare(&mut ws, 1).await, ["working"]);
}

#[tokio::test]
async fn in_serve_a_socket_follows_the_task_that_its_request_begins() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let mut ws = TestSocket::join(&client, "?dialect=rfc").await;
    ws.request(1, "message/stream", json!({"message": {"content": {"text": "one"}}})).await;
    let task = ws.next().await["result"]["id"].clone();
    let session = roster.newest();
    session.owes(thinks).await;
    session.step_done("", &[]);
    assert_eq!(short(&ws.next().await["result"]), "working");
    assert_eq!(short(&ws.next().await["result"]), "completed!");
    ws.request(2, "message/stream", json!({"message": {"content": {"text": "two"}}})).await;
    let next = ws.next().await;
    assert_eq!(
        (&next["id"], &next["result"]["taskId"], short(&next["result"]).as_str()),
        (&json!(2), &task, "working")
    );
    let elsewhere = json!({"message": {"taskId": "another", "content": {"text": "x"}}});
    let refused = ws.ask("message/stream", elsewhere).await;
    assert!(refused["error"]["message"].as_str().unwrap().starts_with("this connection follows task"), "{refused}");
}

#[tokio::test]
async fn open_requests_have_a_limit() {
    let (session, client) = one_session();
    let mut ws = TestSocket::join(&client, "").await;
    for number in 0..32 {
        ws.request(number, "tasks/resubscribe", json!({"id": session.id})).await;
        assert_eq!(ws.next().await["result"]["kind"], "task");
    }
    let refused = ws.ask("tasks/resubscribe", json!({"id": session.id})).await;
    assert_eq!(refused["error"]["code"], -32600);
}

#[tokio::test]
async fn following_the_session_goes_on_when_it_rests() {
    let (session, client) = one_session();
    let mut stream = client.stream("tasks/resubscribe", json!({"id": session.id})).await;
    assert_eq!(stream.result().await["kind"], "task");
    for round in ["one", "two"] {
        prompt(&session, round);
        session.step_done("", &[]);
        let told = [stream.result().await, stream.result().await, stream.result().await];
        assert_eq!(told.map(|event| short(&event)), [format!("submitted {round}").as_str(), "working", "completed"]);
    }
    // A task of its own ends as before.
    let begun = json!({"message": {
        "role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "x"}], "metadata": {"coderAgent": {}},
    }});
    let mut first = client.stream("message/stream", begun).await;
    let task = first.result().await["id"].clone();
    session.step_done("", &[]);
    first.results().await;
    let again = client.stream("tasks/resubscribe", json!({"id": task})).await.results().await;
    assert_eq!((again.len(), &again[0]["kind"]), (1, &json!("task")));
}
