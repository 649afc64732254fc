//! Refusals: the right code, a sentence that helps, and a log that has not changed.

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::{TestRoster, observer, who};
use axum::http::{Method, StatusCode};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn message(extra: &Value) -> Value {
    let mut message = json!({"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "hi"}]});
    message.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    json!({"message": message})
}

fn settings(settings: &Value) -> Value {
    message(&json!({"metadata": {URI: settings}}))
}

/// The code and the sentence that each request is answered with.
async fn refusals(client: &TestClient, requests: &[(&str, Value)]) -> Vec<(i64, String)> {
    let mut answers = Vec::new();
    for (method, params) in requests {
        let answer = client.rpc(method, params.clone()).await;
        let error = &answer["error"];
        answers.push((error["code"].as_i64().unwrap_or(0), error["message"].as_str().unwrap_or("").to_owned()));
    }
    answers
}

#[tokio::test]
async fn requests_that_cannot_be_understood() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let file = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let requests = [
        ("nothing", json!({})),
        ("message/send", json!([])),
        ("message/send", json!({"message": "hi"})),
        ("message/send", json!({"message": {"parts": [{"kind": "text", "text": "hi"}]}})),
        ("message/stream", message(&json!({"parts": []}))),
        ("message/stream", message(&json!({"parts": [{"kind": "text", "text": "  "}]}))),
        ("message/stream", message(&json!({"parts": [{"kind": "file", "file": {"uri": "file:///x"}}]}))),
        ("message/stream", message(&json!({"parts": [{"kind": "data", "data": {"kind": "TOOL_CALL_CONFIRMATION"}}]}))),
        ("message/stream", message(&json!({"parts": [{"data": {"tool_call_id": "call-3"}}]}))),
        ("message/stream", message(&json!({"parts": [{"data": {"tool_call_id": "x", "outcome": "cancel"}}]}))),
        ("message/stream", message(&json!({"parts": [{"data": {"callId": "call-3", "outcome": "cancel"}}]}))),
        ("message/stream", message(&json!({"contextId": ""}))),
        ("message/stream", message(&json!({"taskId": "x"}))),
        ("message/stream", message(&json!({"taskId": "x".repeat(129)}))),
        ("message/stream", message(&json!({"messageId": "x".repeat(129)}))),
        ("message/send", message(&json!({"parts": [{"kind": "text", "text": "a\u{0}b"}]}))),
        ("message/send", message(&json!({"parts": [{"kind": "text", "text": "a", "mimeType": "image/png"}]}))),
        ("message/send", {
            let mut params = message(&json!({}));
            params["configuration"] = json!({"acceptedOutputModes": ["image/png"]});
            params
        }),
        ("message/send", {
            let mut params = message(&json!({}));
            params["configuration"] = json!({"pushNotificationConfig": {"url": "https://example.com/"}});
            params
        }),
        ("message/stream", settings(&json!("here"))),
        ("message/stream", settings(&json!({"workspace_path": 7}))),
        ("message/stream", settings(&json!({"model": 7}))),
        ("message/stream", settings(&json!({"model": " "}))),
        ("message/stream", settings(&json!({"model": "a\nb"}))),
        ("message/stream", settings(&json!({"workspacePath": "src"}))),
        ("message/stream", settings(&json!({"workspace_path": "/does/not/exist"}))),
        ("message/stream", settings(&json!({"workspace_path": file}))),
        ("tasks/get", json!({})),
        ("tasks/get", json!({"id": "0197f000-0000-7000-8000-000000000000"})),
        ("tasks/get", json!({"id": "x", "historyLength": -1})),
        ("tasks/cancel", json!({"id": "x"})),
        ("tasks/resubscribe", json!({"id": 5})),
        ("tasks/pushNotificationConfig/set", json!({})),
    ];
    let uri = format!("params.message.metadata[{URI:?}]");
    let expected: Vec<(i64, String)> = [
        (
            -32601,
            "no method \"nothing\"; there are message/send, message/stream, tasks/get, tasks/cancel, tasks/resubscribe, \
                 tasks/pushNotificationConfig/set, tasks/pushNotificationConfig/get, tasks/pushNotificationConfig/list, \
                 tasks/pushNotificationConfig/delete, agent/getAuthenticatedExtendedCard, commands/get, command/execute",
        ),
        (-32602, "`params` must be an object"),
        (-32602, "`params.message` must be an object"),
        (-32602, "`params.message.messageId` is missing: give each message an id of its own"),
        (-32602, "the message holds neither text nor a tool call confirmation"),
        (-32602, "the prompt is empty; send some text"),
        (-32005, "incompatible content type: `params.message.parts[0]`: the file's address must begin with https://, http:// or gs://; or send its bytes"),
        (-32602, "`params.message.parts[0].data.tool_call_id` is missing: say which tool call is meant"),
        (-32602, "`params.message.parts[0].data.selected_option_id` is missing: choose one of the options offered"),
        (-32602, "no tool call \"x\" is waiting for an answer; send the `tool_call_id` as it came"),
        (-32602, "`message.taskId` is missing: say which task's tool call this answers"),
        (-32602, "`contextId` must have 1 to 128 characters and no control characters"),
        (-32001, "task not found: \"x\"; leave the task id out to start one"),
        (-32602, "`taskId` must have 1 to 128 characters"),
        (-32602, "`params.message.messageId` must have 1 to 128 characters"),
        (-32602, "`params.message.parts[0].text` holds a NUL character; leave it out"),
        (
            -32005,
            "incompatible content type: image/png parts are not taken; send text, or put the file into the workspace and \
                 name it",
        ),
        (
            -32005,
            "incompatible content type: the agent answers in text/plain, which `acceptedOutputModes` leaves out",
        ),
        (-32003, "push notifications are not supported here; follow the task instead"),
        (-32602, &format!("`{uri}` must be an object")),
        (-32602, &format!("`{uri}.workspace_path` must be text")),
        (-32602, &format!("`{uri}.model` must be text")),
        (-32602, &format!("`{uri}.model` must have 1 to 256 characters and no control characters")),
        (-32602, &format!("`{uri}.model` must have 1 to 256 characters and no control characters")),
        (-32602, "`workspace_path` \"src\" is not absolute; give the whole path from the root"),
        (-32602, "`workspace_path` \"/does/not/exist\" does not exist; create the directory first or leave it out"),
        (-32602, &format!("`workspace_path` {file:?} is not a directory")),
        (-32602, "`params.id` is missing"),
        (-32001, "task not found: \"0197f000-0000-7000-8000-000000000000\"; use the id that the server gave it"),
        (-32602, "`params.historyLength` must be a whole number from 0 to 4294967295"),
        (-32001, "task not found: \"x\"; use the id that the server gave it"),
        (-32602, "`params.id` must be text"),
        (-32003, "push notifications are not supported here; follow the task instead"),
    ]
    .map(|(code, message)| (code, message.to_owned()))
    .into();
    assert_eq!(refusals(&client, &requests).await, expected);
    assert_eq!(roster.sessions().len(), 0);
}

#[tokio::test]
async fn a_list_is_no_object() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let (id, log) = (session.id, session.log());
    let in_0_3 = |more: Value| {
        let mut params = message(&json!({}));
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let in_1_0 = |more: Value| {
        let message = json!({"role": "ROLE_USER", "messageId": "m", "parts": [{"text": "hi"}]});
        let mut params = json!({ "message": message });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    for (version, method, params, place) in [
        ("0.3", "tasks/get", json!([id]), "params"),
        ("0.3", "tasks/cancel", json!([id]), "params"),
        ("0.3", "tasks/resubscribe", json!([id]), "params"),
        ("0.3", "agent/getAuthenticatedExtendedCard", json!([]), "params"),
        ("0.3", "commands/get", json!([]), "params"),
        ("0.3", "command/execute", json!([["help"]]), "params"),
        ("0.3", "tasks/get", json!({"id": id, "metadata": []}), "params.metadata"),
        ("0.3", "message/send", in_0_3(json!({"configuration": []})), "params.configuration"),
        (
            "0.3",
            "message/send",
            in_0_3(json!({"configuration": {"pushNotificationConfig": ["", "https://a.b/"]}})),
            "params.configuration.pushNotificationConfig",
        ),
        ("0.3", "message/send", in_0_3(json!({"metadata": []})), "params.metadata"),
        ("0.3", "message/send", message(&json!({"metadata": []})), "params.message.metadata"),
        (
            "0.3",
            "message/send",
            message(&json!({"parts": [{"kind": "text", "text": "hi", "metadata": []}]})),
            "params.message.parts[0].metadata",
        ),
        ("0.3", "message/stream", settings(&json!(["/"])), &format!("params.message.metadata[{URI:?}]")),
        ("1.0", "GetTask", json!(["", id]), "params"),
        ("1.0", "CancelTask", json!(["", id]), "params"),
        ("1.0", "ListTasks", json!(["", "ctx"]), "params"),
        ("1.0", "SubscribeToTask", json!(["", id]), "params"),
        ("1.0", "GetExtendedAgentCard", json!([""]), "params"),
        ("1.0", "SendMessage", in_1_0(json!({"configuration": []})), "params.configuration"),
        ("1.0", "SendMessage", in_1_0(json!({"message": ["m", "", "", "ROLE_USER", []]})), "params.message"),
        ("1.0", "SendStreamingMessage", in_1_0(json!({"metadata": []})), "params.metadata"),
    ] {
        let answer = client.speaking(version).rpc(method, params.clone()).await;
        let error = (&answer["error"]["code"], &answer["error"]["message"]);
        assert_eq!(error, (&json!(-32602), &json!(format!("`{place}` must be an object"))), "{method} {params}");
    }
    for (path, place) in [("/a2a/v1/message:send", "configuration"), ("/v1/message:send", "configuration")] {
        let body = if path.starts_with("/a2a") { in_1_0(json!({place: []})) } else { in_0_3(json!({place: []})) };
        let (status, answer) = client.json(Method::POST, path, &body.to_string()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(answer.to_string().contains("`configuration` must be an object"), "{answer}");
    }
    assert_eq!((session.log(), roster.sessions().len()), (log, 1));
}

#[tokio::test]
async fn bodies_that_are_no_requests() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    for (body, status, id, code) in [
        ("{", 400, json!(null), -32700),
        ("", 400, json!(null), -32700),
        ("[]", 200, json!(null), -32600),
        (r#"{"id": 7, "method": "tasks/get"}"#, 200, json!(7), -32600),
        (r#"{"jsonrpc": "2.0", "id": 7}"#, 200, json!(7), -32600),
        (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "tasks/get"}"#, 200, json!(1.5), -32602),
        (r#"{"jsonrpc": "2.0", "id": [1], "method": "tasks/get"}"#, 200, json!(null), -32600),
    ] {
        let (got, answer) = client.json(Method::POST, "/", body).await;
        assert_eq!((got.as_u16(), &answer["id"], &answer["error"]["code"]), (status, &id, &json!(code)), "{body}");
        let reason = if code == -32602 { "INVALID_PARAMS" } else { "INVALID_REQUEST" };
        assert_eq!(answer["error"]["data"][0]["reason"], reason, "{body}");
    }
    let unknown = client.rpc("nothing", json!({})).await;
    assert_eq!(unknown["error"]["data"][0]["reason"], "METHOD_NOT_FOUND");
    let (status, _) = client.json(Method::POST, "/", &"x".repeat(10_000_000)).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn the_shared_session_refuses_another_place() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let log = session.log();
    let elsewhere = tempfile::tempdir().unwrap();
    let path = elsewhere.path().to_str().unwrap();
    let requests = [
        ("message/stream", settings(&json!({"workspace_path": path}))),
        ("message/stream", message(&json!({"contextId": "other"}))),
        ("message/stream", message(&json!({"taskId": "0197f000-0000-7000-8000-000000000000"}))),
    ];
    let expected = vec![
        (-32602, format!("`workspace_path` {path:?} is not this session's workspace; it is \"/\", or leave it out")),
        (-32602, "`contextId` \"other\" is not this task's context; it is \"ctx\", or leave it out".to_owned()),
        (
            -32001,
            "task not found: \"0197f000-0000-7000-8000-000000000000\"; leave the task id out to start one".to_owned(),
        ),
    ];
    assert_eq!(refusals(&client, &requests).await, expected);
    assert_eq!(session.log(), log);

    let joined = client.rpc("message/send", {
        let mut params = settings(&json!({"workspacePath": "/", "isTrusted": true}));
        params["configuration"] = json!({"blocking": false});
        params
    });
    assert_eq!(joined.await["result"]["id"], json!(session.id));
}

#[tokio::test]
async fn who_may_only_look_opens_nothing() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), observer());
    let answer = client.rpc("message/stream", message(&json!({}))).await;
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"][1]["reason"]),
        (&json!(-32004), &json!("NOT_ALLOWED"))
    );
    let (status, _) = client.json(Method::POST, "/tasks", "{}").await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(roster.sessions().len(), 0);
}

#[tokio::test]
async fn routes_of_their_own_say_it_with_the_status_too() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(many_sessions(&roster, "/"), who("curl"));
    let log = session.log();
    let stream = format!("/tasks/{}/messages/stream", session.id);
    for (method, path, body, status, code) in [
        (Method::POST, "/tasks", "{", 400, -32700),
        (Method::POST, "/tasks", "[]", 400, -32602),
        (Method::POST, "/tasks", r#"{"agentSettings": {"workspacePath": "/does/not/exist"}}"#, 400, -32602),
        (Method::POST, "/tasks", r#"{"contextId": 5}"#, 400, -32602),
        (Method::POST, "/tasks/x/messages/stream", r#"{"text": "hi"}"#, 404, -32001),
        (Method::POST, &stream, r#"{"text": 5}"#, 400, -32602),
        (Method::POST, &stream, r#"{}"#, 400, -32602),
        (Method::POST, &stream, r#"{"jsonrpc": "2.0", "method": "tasks/get"}"#, 400, -32601),
        (Method::POST, &stream, r#"{"message": {"taskId": "y", "parts": [{"text": "hi"}]}}"#, 400, -32602),
        (Method::DELETE, "/tasks", "", 405, -32600),
        (Method::POST, "/tasks/x", "", 405, -32600),
        (Method::GET, "/", "", 405, -32600),
        (Method::POST, "/health", "", 405, -32600),
        (Method::GET, "/nowhere", "", 404, -32600),
        (Method::GET, "/ws", "", 400, -32600),
    ] {
        let (got, answer) = client.json(method, path, body).await;
        assert_eq!((got.as_u16(), &answer["error"]["code"]), (status, &json!(code)), "{path} {body}");
    }
    assert_eq!(session.log(), log);
    assert_eq!(roster.sessions().len(), 1);
}
