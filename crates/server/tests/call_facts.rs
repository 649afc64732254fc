//! Facts about tool calls that clients get: ids, results, errors, sources.

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::script::{response, thinks, vets};
use crate::test_server::{ScriptedSession, TestRoster, who};
use pollux_session::{
    Ask, AskDetails, CallOutcome, CallResult, Command, FileDiff, ModelUsage, PolicyVerdict, PromptTarget, Report,
    ToolKind, once_choice,
};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

fn one_session() -> (Arc<ScriptedSession>, TestClient) {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    (Arc::clone(&session), TestClient::new(shared_session(&roster, session.id, "/"), who("zed")))
}

fn prompt(session: &ScriptedSession) {
    let target = PromptTarget::Existing { task: session.id.main_task() };
    session.command(&who("terminal"), "go", Command::prompt(target, "go")).unwrap();
}

fn answer(session: &ScriptedSession, call: &str) -> Value {
    let data = json!({"tool_call_id": call, "selected_option_id": "proceed_once"});
    json!({
        "message": {"messageId": call, "role": "user", "taskId": session.id, "parts": [{"kind": "data", "data": data}]},
        "configuration": {"blocking": false},
    })
}

/// The calls that the session's history tells of.
async fn told_calls(client: &TestClient, session: &ScriptedSession) -> Vec<Value> {
    let task = client.rpc("tasks/get", json!({"id": session.id})).await;
    let history = task["result"]["history"].as_array().unwrap().clone();
    let parts = history.iter().map(|message| message["parts"][0]["data"].clone());
    parts.filter(|data| data["tool_call_id"].is_string()).collect()
}

/// A call that runs without asking and ends so.
fn runs_to(session: &ScriptedSession, outcome: CallOutcome) {
    prompt(session);
    session.step_done("", &[("run_shell_command", json!({"command": "make"}))]);
    let allow = PolicyVerdict::Allow { why: "a test says so".into(), plan: None };
    session.report(vets, Report::Vetted { kind: ToolKind::Execute, verdict: allow });
    session.starts();
    session.prints("a\n");
    session.ends(outcome);
}

#[tokio::test]
async fn no_two_sessions_have_a_call_of_one_id() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let (one, two) = (roster.session("one", "/"), roster.session("two", "/"));
    for session in [&one, &two] {
        prompt(session);
        session.asks_to_run("ls");
    }
    let ids = [told_calls(&client, &one).await, told_calls(&client, &two).await];
    let ids = ids.map(|calls| calls[0]["tool_call_id"].as_str().unwrap().to_owned());
    assert_eq!(ids, [one.call_id(6), two.call_id(6)]);
    assert_ne!(ids[0], ids[1]);

    let wrong = client.rpc("message/send", answer(&one, &ids[1])).await;
    let message = wrong["error"]["message"].as_str().unwrap();
    assert_eq!(wrong["error"]["code"], -32602);
    assert!(message.contains(&two.id.to_string()) && message.contains("`taskId`"), "{message}");
    let right = client.rpc("message/send", answer(&one, &ids[0])).await;
    assert_eq!(right["result"]["status"]["state"], "working");
    // The older spelling means the call of the session that the message goes to.
    let older = client.rpc("message/send", answer(&two, "call-6")).await;
    assert_eq!(older["result"]["status"]["state"], "working");
}

#[tokio::test]
async fn a_command_with_an_exit_code_has_failed_and_google_reads_it_as_done() {
    let (session, client) = one_session();
    let result = CallResult { text: "a\nExit code: 3\n".into(), exit_code: Some(3), ..CallResult::default() };
    runs_to(&session, CallOutcome::Succeeded { result });
    let failed = json!({
        "message": "the command ended with exit code 3:\na", "type": "shell_execute_error", "status_code": 3,
    });
    let live = told_calls(&client, &session).await.remove(0);
    assert_eq!((&live["status"], &live["error"], &live["live_content"]), (&json!("FAILED"), &failed, &Value::Null));
    session.step_done("done", &[]);
    let kept = told_calls(&client, &session).await.remove(0);
    assert_eq!((&kept["status"], &kept["error"]), (&json!("FAILED"), &failed));

    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("ide"));
    let settings = json!({"agentSettings": {"kind": "agent-settings", "workspacePath": "/"}});
    client.json(axum::http::Method::POST, "/tasks", &settings.to_string()).await;
    let coder = roster.newest();
    let result = CallResult { text: "a\nExit code: 3\n".into(), exit_code: Some(3), ..CallResult::default() };
    runs_to(&coder, CallOutcome::Succeeded { result });
    let task = client.rpc("tasks/get", json!({"id": coder.id})).await;
    let history = task["result"]["history"].as_array().unwrap();
    let call = history.iter().map(|message| &message["parts"][0]["data"]).find(|data| data["request"].is_object());
    let call = call.unwrap();
    assert_eq!((&call["status"], &call["response"]["data"]["exitCode"]), (&json!("success"), &json!(3)));
}

#[tokio::test]
async fn an_exit_code_of_zero_is_success() {
    let (session, client) = one_session();
    let result = CallResult { text: "a\n".into(), exit_code: Some(0), ..CallResult::default() };
    runs_to(&session, CallOutcome::Succeeded { result });
    let call = told_calls(&client, &session).await.remove(0);
    assert_eq!((&call["status"], &call["output"]), (&json!("SUCCEEDED"), &json!({"text": "a\n"})));
}

#[tokio::test]
async fn structured_content_is_structured_data() {
    let (session, client) = one_session();
    let structured = Some(Box::new(json!({"n": 3})));
    runs_to(
        &session,
        CallOutcome::Succeeded {
            result: CallResult { text: r#"{"n":3}"#.into(), structured, ..CallResult::default() },
        },
    );
    let call = told_calls(&client, &session).await.remove(0);
    assert_eq!(call["output"], json!({"structured_data": {"n": 3}}));
}

#[tokio::test]
async fn a_file_name_is_a_name_and_the_path_is_the_path() {
    let (session, client) = one_session();
    prompt(&session);
    session.step_done("", &[("write_file", json!({"file_path": "sub/dir/x.txt"}))]);
    let diff = FileDiff {
        name: "sub/dir/x.txt".into(),
        path: "/w/sub/dir/x.txt".into(),
        old: None,
        new: "x".into(),
        patch: "+x".into(),
    };
    let ask = Ask::new(AskDetails::Edit(diff), vec![once_choice()]);
    session.report(vets, Report::Vetted { kind: ToolKind::Edit, verdict: PolicyVerdict::Ask(ask) });
    let call = told_calls(&client, &session).await.remove(0);
    let shown = &call["confirmation_request"]["file_edit_details"];
    assert_eq!((&shown["file_name"], &shown["file_path"]), (&json!("x.txt"), &json!("/w/sub/dir/x.txt")));
}

#[tokio::test]
async fn sources_are_told_in_the_rfcs_dialect_and_in_flat_frames() {
    for path in ["/", "flat"] {
        let (session, client) = one_session();
        let stream = match path {
            "/" => {
                let part = json!({"kind": "text", "text": "hi"});
                let message = json!({"messageId": "m", "role": "user", "parts": [part]});
                client.declaring().stream("message/stream", json!({ "message": message })).await
            }
            _ => client.post_stream(&format!("/tasks/{}/messages/stream", session.id), &json!({"text": "hi"})).await,
        };
        let citations = vec!["(Rust) https://example.com".to_owned(), "https://example.org".to_owned()];
        let (finish, usage) = ("STOP".into(), ModelUsage::default());
        let done = Report::StepDone {
            fragments: Vec::new(),
            calls: Vec::new(),
            finish,
            usage,
            citations: citations.clone(),
            response: response(),
        };
        session.report(thinks, done);
        let text = "\n\nSources:\n(Rust) https://example.com\nhttps://example.org";
        let events: Vec<Value> = stream.events().await.into_iter().map(|(_, event)| event).collect();
        if path == "/" {
            let cited = events
                .iter()
                .map(|event| &event["result"])
                .find(|event| event["metadata"][URI]["kind"] == "TEXT_CONTENT");
            let cited = cited.unwrap();
            assert_eq!(cited["status"]["message"]["parts"], json!([{"kind": "text", "text": text}]));
            assert_eq!(cited["metadata"]["pollux/citations"], json!(citations));
            let task = client.rpc("tasks/get", json!({"id": session.id})).await;
            assert_eq!(task["result"]["history"][1]["parts"], json!([{"kind": "text", "text": text.trim_start()}]));
        } else {
            let cited = events.iter().find(|event| event["kind"] == "TEXT_CONTENT").unwrap();
            assert_eq!(cited["content"]["text"], text);
        }
    }
}
