//! Several calls at once: what each update says, and when a stream ends.

use crate::test_server::client::{SseReader, TestClient, shared_session};
use crate::test_server::script::vets;
use crate::test_server::{ScriptedSession, TestRoster, who, within_session};
use pollux_session::{
    Ask, AskDetails, CallId, CallOutcome, CallResult, CancelScope, Command, Effect, PolicyVerdict, PromptId,
    PromptTarget, Report, Seq, ToolKind, cancel_choice, once_choice,
};
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

async fn say(client: &TestClient, text: &str) -> SseReader {
    let message = json!({"role": "user", "messageId": text, "parts": [{"kind": "text", "text": text}]});
    client.stream("message/stream", json!({ "message": message })).await
}

async fn answer(client: &TestClient, call: u64, option: &str) -> SseReader {
    let data = json!({"tool_call_id": format!("call-{call}"), "selected_option_id": option});
    let message = json!({"role": "user", "messageId": format!("{call}"), "parts": [{"kind": "data", "data": data}]});
    client.stream("message/stream", json!({ "message": message })).await
}

/// The model wants two commands, and policy asks about both. They become `call-6` and `call-7`.
fn asks_twice(session: &ScriptedSession) {
    session.step_done("", &[("run_shell_command", json!({})), ("run_shell_command", json!({}))]);
    for _ in 0..2 {
        let details = AskDetails::Execute { command: "make".into(), directory: "/w".into() };
        let ask = Ask::new(details, vec![once_choice(), cancel_choice()]);
        session.report(vets, Report::Vetted { kind: ToolKind::Execute, verdict: PolicyVerdict::Ask(ask) });
    }
}

fn run(session: &ScriptedSession, call: u64, report: Report) {
    session.report(|effect| *effect == Effect::Run { call: CallId(Seq(call)) }, report);
}

fn done() -> Report {
    Report::Done { outcome: CallOutcome::Succeeded { result: CallResult::default() } }
}

/// Events in short: state changes as `state` with `!` when final, calls as `id STATUS` with `?` when they ask.
async fn in_short(stream: SseReader) -> Vec<String> {
    stream.results().await.iter().map(short).collect()
}

fn short(event: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match event["metadata"][URI]["kind"].as_str() {
        Some("STATE_CHANGE") => {
            let last = if event["final"] == true { "!" } else { "" };
            text(&event["status"]["state"]) + last
        }
        Some("TOOL_CALL_UPDATE") => {
            let call = &event["status"]["message"]["parts"][0]["data"];
            let asks = if call["confirmation_request"].is_object() { "?" } else { "" };
            let id = text(&call["tool_call_id"]);
            format!("{} {}{asks}", within_session(&id), text(&call["status"]))
        }
        Some(kind) => kind.to_owned(),
        None => text(&event["kind"]),
    }
}

#[tokio::test]
async fn the_stream_ends_when_only_asks_remain() {
    let (session, client) = one_session();
    let stream = say(&client, "go").await;
    asks_twice(&session);
    assert_eq!(in_short(stream).await, ["task", "working", "call-6 PENDING?", "call-7 PENDING?", "input-required!"]);
    let stream = answer(&client, 6, "proceed_once").await;
    run(&session, 6, Report::Starting);
    run(&session, 6, done());
    assert_eq!(in_short(stream).await, ["call-6 EXECUTING", "call-6 SUCCEEDED", "input-required!"]);
    let task = client.rpc("tasks/get", json!({"id": session.id})).await;
    let waiting = &task["result"]["status"]["message"]["parts"];
    assert_eq!(waiting[0]["data"]["tool_call_id"], json!(session.call_id(7)));
    let question = waiting[1]["text"].as_str().unwrap();
    assert!(question.starts_with("Ask 7: The agent wants to "), "{question}");
    assert!(question.contains("\n1. Allow once (\"yes\")\n"), "{question}");
}

#[tokio::test]
async fn declining_one_leaves_the_other_open() {
    let (session, client) = one_session();
    drop(say(&client, "go").await);
    asks_twice(&session);
    let stream = answer(&client, 6, "cancel").await;
    assert_eq!(in_short(stream).await, ["call-6 CANCELLED", "input-required!"]);
    let stream = answer(&client, 7, "cancel").await;
    assert_eq!(in_short(stream).await, ["call-7 CANCELLED", "completed!"]);
}

#[tokio::test]
async fn an_allowed_call_that_has_to_wait_asks_no_more() {
    let (session, client) = one_session();
    drop(say(&client, "go").await);
    asks_twice(&session);
    drop(answer(&client, 6, "proceed_once").await);
    run(&session, 6, Report::Starting);
    let stream = answer(&client, 7, "proceed_once").await;
    run(&session, 6, done());
    run(&session, 7, Report::Starting);
    run(&session, 7, done());
    session.step_done("", &[]);
    assert_eq!(
        in_short(stream).await,
        ["call-7 PENDING", "call-6 SUCCEEDED", "call-7 EXECUTING", "call-7 SUCCEEDED", "completed!"]
    );
}

#[tokio::test]
async fn a_cancel_never_reads_as_waiting() {
    let (session, client) = one_session();
    drop(say(&client, "go").await);
    asks_twice(&session);
    let stream = answer(&client, 6, "proceed_once").await;
    run(&session, 6, Report::Starting);
    session.command(&who("terminal"), "c", Command::Cancel { scope: CancelScope::Turn }).unwrap();
    assert_eq!(in_short(stream).await, ["call-6 EXECUTING", "call-6 CANCELLED", "call-7 CANCELLED", "canceled!"]);
}

#[tokio::test]
async fn a_superseded_call_ends_and_another_asks() {
    let (session, client) = one_session();
    drop(say(&client, "go").await);
    session.asks_to_write();
    let stream = answer(&client, 6, "proceed_once").await;
    run(&session, 6, Report::Stale);
    let ask = Ask::new(AskDetails::generic("again"), vec![once_choice()]);
    session.report(vets, Report::Vetted { kind: ToolKind::Edit, verdict: PolicyVerdict::Ask(ask) });
    assert_eq!(in_short(stream).await, ["call-6 CANCELLED", "call-9 PENDING?", "input-required!"]);
}

#[tokio::test]
async fn what_policy_decides_alone_is_shown_too() {
    let (session, client) = one_session();
    let stream = say(&client.declaring(), "go").await;
    session.step_done("", &[("read_file", json!({})), ("run_shell_command", json!({}))]);
    let (allow, deny) = (PolicyVerdict::allow("read"), PolicyVerdict::Deny { why: "plan mode".into() });
    session.report(vets, Report::Vetted { kind: ToolKind::Read, verdict: allow });
    session.report(vets, Report::Vetted { kind: ToolKind::Execute, verdict: deny });
    run(&session, 6, Report::Starting);
    run(&session, 6, done());
    session.step_done("Done.", &[]);
    assert_eq!(
        in_short(stream).await,
        [
            "task",
            "working",
            "call-6 PENDING",
            "call-7 PENDING",
            "call-7 FAILED",
            "call-6 EXECUTING",
            "call-6 SUCCEEDED",
            "TEXT_CONTENT",
            "completed!"
        ]
    );
}

#[tokio::test]
async fn a_prompt_taken_out_of_the_queue_ends_its_stream() {
    let (session, client) = one_session();
    drop(say(&client, "go").await);
    let target = PromptTarget::Existing { task: session.id.main_task() };
    let waiting = say(&client, "later").await;
    session.command(&who("terminal"), "edit", Command::prompt(target, "more")).unwrap();
    session.command(&who("terminal"), "u", Command::Unqueue { prompt: PromptId(Seq(5)) }).unwrap();
    assert_eq!(in_short(waiting).await, ["task", "TEXT_CONTENT", "canceled!"]);
}
