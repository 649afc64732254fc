//! One JSON object per line.

use super::{TestRun, step, turn};
use crate::headless::{AskResponder, HeadlessOutcome, OutputFormat};
use crate::line_input::{EchoSource, LineInput};
use crate::testing::{EVIL, FakeSession, assert_harmless};
use expect_test::expect;
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::sync::mpsc;

async fn start(session: &std::sync::Arc<FakeSession>) -> TestRun {
    TestRun::start_in(session, AskResponder::Nobody, OutputFormat::StreamJson).await
}

fn lines(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The lines of these types, without their time.
fn of_types(output: &str, types: &[&str]) -> Vec<Value> {
    let mut lines = lines(output);
    lines.retain(|line| types.contains(&line["type"].as_str().unwrap()));
    for line in &mut lines {
        line.as_object_mut().unwrap().shift_remove("timestamp").unwrap();
    }
    lines
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_told_as_it_happens() {
    let session = FakeSession::open();
    session.advance_clock(1_794_739_508_123);
    let run = start(&session).await;
    turn(&session);
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, errors.as_str()), (HeadlessOutcome::Rested, ""));
    expect![[r#"
        {"type":"init","timestamp":"2026-11-15T10:45:08.123Z","session_id":"00000000-0000-0000-0000-000000000007","model":"demo"}
        {"type":"message","timestamp":"2026-11-15T10:45:08.123Z","role":"user","content":"do it"}
        {"type":"thought","timestamp":"2026-11-15T10:45:08.123Z","content":"**Looking** at it","delta":true}
        {"type":"message","timestamp":"2026-11-15T10:45:08.123Z","role":"assistant","content":"I will ","delta":true}
        {"type":"retry","timestamp":"2026-11-15T10:45:08.163Z","attempt":2,"wait_ms":100,"reason":"503 overloaded"}
        {"type":"message","timestamp":"2026-11-15T10:45:08.313Z","role":"assistant","content":"look.","delta":true}
        {"type":"tool_use","timestamp":"2026-11-15T10:45:08.313Z","tool_name":"read_file","tool_id":"call-13","parameters":{"file_path":"a.txt"}}
        {"type":"tool_result","timestamp":"2026-11-15T10:45:08.316Z","tool_id":"call-13","status":"success","output":"the text"}
        {"type":"message","timestamp":"2026-11-15T10:45:08.316Z","role":"assistant","content":"\n\nIt says \u001b[2Ja.","delta":true}
        {"type":"result","timestamp":"2026-11-15T10:45:08.323Z","status":"success","stats":{"total_tokens":125,"input_tokens":100,"output_tokens":20,"thoughts":5,"cached":40,"input":60,"duration_ms":200,"tool_calls":1,"models":{"demo":{"total_tokens":125,"input_tokens":100,"output_tokens":20,"thoughts":5,"cached":40,"input":60}},"cost":0.1}}
    "#]].assert_eq(&output);
}

#[tokio::test(start_paused = true)]
async fn a_retry_repeats_nothing() {
    let session = FakeSession::open();
    let run = start(&session).await;
    session.says(ItemKind::Text, "The answer is long");
    session.thinks(Report::Retrying { reason: "it broke off".into(), attempt: 2, wait_ms: 1000 });
    session.says(ItemKind::Text, "The answer");
    session.says(ItemKind::Text, " is long and good.");
    session.rests();
    let (_, output, _) = run.ends().await;
    let delta = |content: &str| json!({ "type": "message", "role": "assistant", "content": content, "delta": true });
    assert_eq!(
        of_types(&output, &["message", "retry"]),
        [
            json!({ "type": "message", "role": "user", "content": "do it" }),
            delta("The answer is long"),
            json!({ "type": "retry", "attempt": 2, "wait_ms": 1000, "reason": "it broke off" }),
            delta(" and good."),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn every_end_of_a_call_is_told() {
    let session = FakeSession::open();
    let run = start(&session).await;
    let tools = ["fails", "denied", "succeeds"];
    let calls = session.calls(&tools.map(|tool| (tool, json!({ "a": 1 }))));
    let result = CallResult { text: "out".into(), exit_code: Some(2), ..CallResult::default() };
    let error = CallError { kind: "exit".into(), message: "it failed".into() };
    session.vets(
        calls[0],
        ToolKind::Read,
        PolicyVerdict::Fail { outcome: CallOutcome::Failed { error, result: Some(result) } },
    );
    session.vets(calls[1], ToolKind::Read, PolicyVerdict::Deny { why: "plan mode".into() });
    session.vets(calls[2], ToolKind::Read, PolicyVerdict::allow("reading"));
    session.runs(calls[2], Report::Starting);
    session.ends_call(calls[2], CallResult { text: "all of it".into(), ..CallResult::default() });
    let running = session.calls(&[("runs", json!({}))])[0];
    session.vets(running, ToolKind::Execute, PolicyVerdict::allow("yolo"));
    session.runs(running, Report::Starting);
    run.settle().await;
    run.shutdown.cancel();
    let (outcome, output, _) = run.ends().await;
    assert_eq!(outcome, HeadlessOutcome::Cancelled);
    let [fails, denied, succeeds] = [calls[0], calls[1], calls[2]].map(|call| call.to_string());
    let id = running.to_string();
    assert_eq!(
        of_types(&output, &["tool_result"]),
        [
            json!({ "type": "tool_result", "tool_id": fails, "status": "error", "output": "out", "exit_code": 2,
                "error": { "type": "exit", "message": "it failed" } }),
            json!({ "type": "tool_result", "tool_id": denied, "status": "error",
                "error": { "type": "denied", "message": "plan mode" } }),
            json!({ "type": "tool_result", "tool_id": succeeds, "status": "success", "output": "all of it" }),
            json!({ "type": "tool_result", "tool_id": id, "status": "error",
                "error": { "type": "cancelled", "message": "the turn was cancelled" } }),
        ]
    );
    let result = of_types(&output, &["result"]).remove(0);
    let error = json!({ "type": "cancelled", "message": "the turn was cancelled", "code": 130 });
    assert_eq!((&result["status"], &result["error"]), (&json!("error"), &error));
}

#[tokio::test(start_paused = true)]
async fn a_person_answers_on_the_other_stream() {
    let session = FakeSession::open();
    let (typed, lines) = mpsc::channel(4);
    let asks = AskResponder::Person(LineInput::from_channel(lines, EchoSource::Terminal));
    let run = TestRun::start_in(&session, asks, OutputFormat::StreamJson).await;
    let schema = json!({ "properties": { "0": { "title": "Colour", "enum": ["red", "blue"] } } });
    let call = session.asks_questions("", schema, vec![once_choice(), cancel_choice()]);
    run.settle().await;
    for line in ["", "green", "2"] {
        typed.send(Ok(line.into())).await.unwrap();
        run.settle().await;
    }
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult::default());
    session.rests();
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, of_types(&output, &["error"])), (HeadlessOutcome::Rested, vec![]));
    expect![[r#"
        ? Question
          Colour
          1. red
          2. blue
          /skip leaves it out, /decline answers nothing
        answer 1-2: ? Question
          Colour
          1. red
          2. blue
          /skip leaves it out, /decline answers nothing
        answer 1-2: green is not on the list; give a number from it
        ? Question
          Colour
          1. red
          2. blue
          /skip leaves it out, /decline answers nothing
        answer 1-2: "#]]
    .assert_eq(&errors);
}

#[tokio::test(start_paused = true)]
async fn others_turns_are_not_told() {
    let session = FakeSession::open();
    session.seat("A2A zed").prompts("busy");
    let run = start(&session).await;
    session.says(ItemKind::Text, "For zed.");
    session.rests();
    run.settle().await;
    session.seat("A2A zed").prompts("later");
    session.says(ItemKind::Text, "For us.");
    session.rests();
    let (_, output, _) = run.ends().await;
    let said: Vec<Value> = of_types(&output, &["message"]).into_iter().map(|line| line["content"].clone()).collect();
    assert_eq!(said, ["do it", "For us."]);
}

#[tokio::test(start_paused = true)]
async fn no_line_can_harm_a_terminal_and_none_loses_anything() {
    let session = FakeSession::open_in(EVIL);
    let run = start(&session).await;
    session.says(ItemKind::Thought, EVIL);
    session.says(ItemKind::Text, EVIL);
    session.thinks(Report::Retrying { reason: EVIL.into(), attempt: 2, wait_ms: 1 });
    let call = session.calls(&[(EVIL, json!({ EVIL: EVIL }))])[0];
    session.vets(call, ToolKind::Read, PolicyVerdict::Deny { why: EVIL.into() });
    session.thinks(step(EVIL, ModelUsage::default(), &[EVIL]));
    let (_, output, _) = run.ends().await;
    assert_harmless(&output);
    let tool_use =
        json!({ "type": "tool_use", "tool_name": EVIL, "tool_id": call.to_string(), "parameters": { EVIL: EVIL } });
    assert_eq!(of_types(&output, &["tool_use"]), [tool_use]);
    assert_eq!(of_types(&output, &["thought"]), [json!({ "type": "thought", "content": EVIL, "delta": true })]);
}
