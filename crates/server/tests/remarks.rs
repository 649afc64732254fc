//! Remarks in both dialects, and the tokens of a turn.

use crate::test_server::client::{SseReader, TestClient, many_sessions, shared_session};
use crate::test_server::script::{thinks, vets};
use crate::test_server::{NOW_TEXT, ScriptedSession, TestRoster, who};
use pollux_session::{
    ApprovalMode, Ask, AskDetails, Command, Effect, Grant, GrantScope, McpToolVersion, ModelUsage, PolicyVerdict,
    PromptTarget, Report, Seq, SessionSetting, TaskKind, ToolKind, lasting_choice,
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

async fn in_rfc(client: &TestClient, text: &str) -> SseReader {
    let message = json!({"role": "user", "messageId": text, "parts": [{"text": text}]});
    client.declaring().stream("message/stream", json!({ "message": message })).await
}

async fn in_flat(client: &TestClient, session: &ScriptedSession, text: &str) -> SseReader {
    client.post_stream(&format!("/tasks/{}/messages/stream", session.id), &json!({ "text": text })).await
}

fn terminal(session: &ScriptedSession, id: &str, command: Command) {
    session.command(&who("terminal"), id, command).unwrap();
}

fn compacts(effect: &Effect) -> bool {
    matches!(effect, Effect::Compact { .. })
}

fn keeps(effect: &Effect) -> bool {
    matches!(effect, Effect::Keep { .. })
}

fn summary() -> Report {
    let usage = ModelUsage { prompt: 1_000, cached: 0, output: 100, thoughts: 10 };
    Report::Compacted { before: Seq(3), summary: "They said hi.".into(), usage }
}

/// A session in which everything happens that is worth a remark, while a turn runs.
fn eventful(session: &ScriptedSession) {
    session.report(
        thinks,
        Report::Attached { name: "@a.rs".into(), text: "fn main() {}".into(), media: vec![], seen: Vec::new() },
    );
    terminal(session, "mode", Command::Set { setting: SessionSetting::Mode(ApprovalMode::Plan) });
    terminal(session, "model", Command::Set { setting: SessionSetting::Model("flash".into()) });
    terminal(session, "compact", Command::Compact);
    session.report(thinks, summary());
    terminal(session, "uncompact", Command::Uncompact);
    session.step_done("", &[("a_tool", json!({}))]);
    let grant = Grant::Server { server: "docs".into() };
    let options = vec![lasting_choice(grant.clone(), GrantScope::Workspace), lasting_choice(grant, GrantScope::Always)];
    let details = AskDetails::Mcp { server: "docs".into(), tool: "look".into(), version: McpToolVersion::default() };
    let verdict = PolicyVerdict::Ask(Ask::new(details, options));
    session.report(vets, Report::Vetted { kind: ToolKind::Fetch, verdict });
}

const LINES: [(&str, &str); 6] = [
    ("info", "@a.rs was read"),
    ("info", "mode set by terminal: plan"),
    ("info", "model set by terminal: flash, from the next turn on"),
    ("info", "summary of the conversation requested by terminal: it is made when this turn is over"),
    ("info", "the model sees a summary of the older part of the conversation from now on"),
    ("info", "the newest summary was taken back by terminal: the model sees what it stood for"),
];

#[tokio::test]
async fn rfc_remarks_are_status_updates_that_change_nothing() {
    let (session, client) = one_session();
    let stream = in_rfc(&client, "go").await;
    eventful(&session);
    let events = stream.results().await;
    let remark = |seq: usize, (level, line): (&str, &str)| {
        json!({
            "kind": "status-update", "taskId": session.id, "contextId": "ctx", "final": false,
            "status": {
                "state": "working", "timestamp": NOW_TEXT,
                "message": {
                    "kind": "message", "role": "agent", "parts": [{"kind": "text", "text": line}],
                    "messageId": format!("{}-{seq}", session.id), "taskId": session.id, "contextId": "ctx",
                },
            },
            "metadata": {URI: {"kind": "STATE_CHANGE", "model": "script"}, "pollux/remark": {"level": level}},
        })
    };
    let expected: Vec<Value> = LINES.into_iter().enumerate().map(|(at, line)| remark(at + 5, line)).collect();
    assert_eq!(events[2..8], expected);
    assert_eq!((events.len(), &events[9]["status"]["state"]), (10, &json!("input-required")));
}

#[tokio::test]
async fn flat_remarks_are_console_lines() {
    let (session, client) = one_session();
    let mut stream = in_flat(&client, &session, "go").await;
    eventful(&session);
    let answer = |option: &str| Command::Answer { call: "call-12".parse().unwrap(), option: option.into(), edit: None };
    terminal(&session, "a", answer("proceed_always_workspace"));
    session.report(keeps, Report::Kept { failure: Some("the disk is full".into()) });
    let mut lines = Vec::new();
    while lines.len() < 7 {
        let (_, frame) = stream.next().await.unwrap();
        if frame["kind"] == "CONSOLE_LOG" {
            lines.push(frame);
        }
    }
    let mut expected: Vec<Value> = LINES
        .into_iter()
        .zip(5..)
        .map(|((level, text), seq)| {
            json!({
                "kind": "CONSOLE_LOG", "content": {"level": level, "text": text}, "taskId": session.id, "seq": seq,
            })
        })
        .collect();
    let text =
        "every tool of the MCP server docs is allowed in this session only; it could not be kept: the disk is full";
    expected.push(json!({
        "kind": "CONSOLE_LOG", "content": {"level": "warn", "text": text}, "taskId": session.id, "seq": 15,
    }));
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn a_grant_that_was_written_says_how_far_it_goes() {
    for (option, reach) in [
        ("proceed_always_workspace", "in this workspace from now on"),
        ("proceed_always_and_save", "everywhere from now on"),
    ] {
        let (session, client) = one_session();
        drop(in_rfc(&client, "go").await);
        eventful(&session);
        let call = "call-12".parse().unwrap();
        terminal(&session, "a", Command::Answer { call, option: option.into(), edit: None });
        session.report(keeps, Report::Kept { failure: None });
        let params = json!({"id": session.id, "metadata": {"lastEventId": format!("1z.{}", session.head().0 - 1)}});
        let mut stream = client.stream("tasks/resubscribe", params).await;
        assert_eq!(stream.result().await["kind"], "task");
        let kept = stream.result().await;
        let text = format!("kept in your policy file: every tool of the MCP server docs is allowed {reach}");
        assert_eq!(kept["status"]["message"]["parts"], json!([{"kind": "text", "text": text}]));
    }
}

#[tokio::test]
async fn remarks_reach_the_streams_of_every_task() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let message = json!({"role": "user", "messageId": "m", "contextId": "ctx", "parts": [{"text": "hi"}]});
    let stream = client.stream("message/stream", json!({ "message": message })).await;
    terminal(&session, "model", Command::Set { setting: SessionSetting::Model("flash".into()) });
    session.step_done("", &[]);
    let kinds: Vec<Value> =
        stream.results().await.iter().map(|event| event["metadata"]["pollux/remark"].clone()).collect();
    assert_eq!(kinds, [Value::Null, Value::Null, json!({"level": "info"}), Value::Null]);
}

#[tokio::test]
async fn a_compaction_holds_a_prompt_and_its_stream_waits() {
    let (session, client) = one_session();
    terminal(&session, "compact", Command::Compact);
    let stream = in_rfc(&client, "go").await;
    session.report(compacts, Report::NotCompacted { why: "there is too little of it".into() });
    session.step_done("Hi.", &[]);
    let events = stream.results().await;
    let said: Vec<(&Value, &Value)> = events[1..]
        .iter()
        .map(|event| (&event["status"]["state"], &event["status"]["message"]["parts"][0]["text"]))
        .collect();
    assert_eq!(
        said,
        [
            (&json!("submitted"), &json!("no summary was made: there is too little of it")),
            (&json!("working"), &Value::Null),
            (&json!("working"), &json!("Hi.")),
            (&json!("completed"), &Value::Null),
        ]
    );
}

#[tokio::test]
async fn a_cancel_of_the_session_ends_its_compaction() {
    let (session, client) = one_session();
    drop(in_rfc(&client, "go").await);
    session.step_done("", &[]);
    let idle = client.rpc("tasks/cancel", json!({"id": session.id})).await;
    assert_eq!(idle["error"]["code"], -32002);
    terminal(&session, "compact", Command::Compact);
    let cancelled = client.rpc("tasks/cancel", json!({"id": session.id})).await;
    assert_eq!(cancelled["result"]["status"]["state"], "completed");
    let again = client.rpc("tasks/cancel", json!({"id": session.id})).await;
    assert_eq!(again["error"]["code"], -32002);
}

#[tokio::test]
async fn a_cancel_of_a_task_leaves_the_compaction_alone() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let task = pollux_session::TaskId(uuid::Uuid::now_v7());
    let target = PromptTarget::New { task, kind: TaskKind::OpenEnded, edge: Value::Null };
    terminal(&session, "p", Command::prompt(target, "hi"));
    session.step_done("", &[]);
    terminal(&session, "compact", Command::Compact);
    let refused = client.rpc("tasks/cancel", json!({ "id": task })).await;
    assert_eq!(refused["error"]["code"], -32002);
    session.report(compacts, summary());
}

/// A turn of two steps, with a summary made in between.
fn costly(session: &ScriptedSession) {
    let step = |calls: Vec<pollux_session::NewCall>, usage| Report::StepDone {
        fragments: Vec::new(),
        calls,
        finish: "STOP".into(),
        usage,
        citations: Vec::new(),
        response: None,
    };
    let call = pollux_session::NewCall { tool: "a_tool".into(), args: json!({}), meta: Value::Null };
    session.report(thinks, step(vec![call], ModelUsage { prompt: 100, cached: 60, output: 20, thoughts: 5 }));
    let verdict = PolicyVerdict::Deny { why: "no".into() };
    session.report(vets, Report::Vetted { kind: ToolKind::Read, verdict });
    session.report(thinks, summary());
    session.report(thinks, step(Vec::new(), ModelUsage { prompt: 200, cached: 100, output: 10, thoughts: 0 }));
}

#[tokio::test]
async fn the_end_of_a_turn_says_what_it_cost() {
    let usage = json!({
        "prompt_token_count": 1_300, "cached_content_token_count": 160, "candidates_token_count": 130,
        "thoughts_token_count": 15, "total_token_count": 1_445,
    });
    let (session, client) = one_session();
    let stream = in_rfc(&client, "go").await;
    costly(&session);
    let last = stream.results().await.pop().unwrap();
    assert_eq!(last["metadata"][URI], json!({"kind": "STATE_CHANGE", "model": "script", "usage": usage}));
    assert_eq!(last["final"], true);
    let stream = in_flat(&client, &session, "again").await;
    costly(&session);
    let (_, last) = stream.events().await.pop().unwrap();
    // The next turn counts from nothing.
    let seq = session.head();
    let expected = json!({
        "kind": "STATE_CHANGE", "state": "completed", "final": true, "usage": usage, "taskId": session.id, "seq": seq,
    });
    assert_eq!(last, expected);
}
