//! An id is a name and no capability: whoever knows it and is not its owner gets the answer that a made-up one gets. And which
//! right sets the mode, and where a client may have the agent work, on every wire.

use crate::test_server::client::{TestClient, many_sessions, many_sessions_in, shared_session};
use crate::test_server::{TestRoster, who};
use axum::http::{Method, StatusCode};
use pollux_session::{ApprovalMode, Event, Owner, Right, Rights, SessionSetting, Who};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use uuid::Uuid;

/// Every question that names a task, as a path or a method, asked about `id`.
async fn ask_everywhere(client: &TestClient, id: Uuid) -> Vec<String> {
    let mut answers = Vec::new();
    let message = json!({"role": "user", "messageId": "m", "taskId": id, "parts": [{"text": "hi"}]});
    let push = json!({"taskId": id, "pushNotificationConfig": {"url": "https://example.com/"}});
    for (method, params) in [
        ("tasks/get", json!({ "id": id })),
        ("tasks/cancel", json!({ "id": id })),
        ("tasks/resubscribe", json!({ "id": id })),
        ("message/send", json!({ "message": message })),
        ("message/stream", json!({ "message": message })),
        ("tasks/pushNotificationConfig/set", push),
        ("tasks/pushNotificationConfig/list", json!({ "id": id })),
    ] {
        answers.push(client.rpc(method, params).await.to_string());
    }
    let say = json!({"text": "hi"}).to_string();
    for (method, path, body) in [
        (Method::GET, format!("/tasks/{id}"), ""),
        (Method::GET, format!("/tasks/{id}/metadata"), ""),
        (Method::POST, format!("/tasks/{id}/messages/stream"), say.as_str()),
        (Method::POST, format!("/tasks/{id}/execute"), r#"{"message": "hi"}"#),
        (Method::GET, format!("/v1/tasks/{id}"), ""),
        (Method::GET, format!("/a2a/v1/tasks/{id}"), ""),
        (Method::POST, format!("/a2a/v1/tasks/{id}:cancel"), ""),
    ] {
        let (status, answer) = client.json(method, &path, body).await;
        answers.push(format!("{status} {answer}"));
    }
    answers.iter().map(|answer| answer.replace(&id.to_string(), "ID")).collect()
}

#[tokio::test]
async fn whoever_knows_an_id_and_is_not_its_owner_learns_nothing() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let owner = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let begun = json!({"role": "user", "messageId": "m", "contextId": "ctx", "parts": [{"text": "hi"}]});
    let begun = owner.rpc("message/send", json!({"message": begun, "configuration": {"blocking": false}})).await;
    let task: Uuid = begun["result"]["id"].as_str().unwrap().parse().unwrap();
    let stranger = owner.seen_by(Who { owner: Owner("somebody else".into()), ..who("zed") });
    let unknown = ask_everywhere(&stranger, Uuid::now_v7()).await;
    let log = session.log();
    for id in [session.id.0, task] {
        assert_eq!(ask_everywhere(&stranger, id).await, unknown);
        assert_eq!(id.get_version_num(), 7);
    }
    assert_eq!(session.log(), log);
    assert_eq!(owner.rpc("tasks/get", json!({ "id": task })).await["result"]["id"], json!(task));
}

#[tokio::test]
async fn no_wire_opens_a_session_that_never_asks_without_the_right_to_approve() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let prompter = client.seen_by(Who { rights: Rights::of([Right::Observe, Right::Prompt]), ..who("script") });
    let settings = json!({"autoExecute": true});
    let coder = json!({"kind": "agent-settings", "autoExecute": true});
    let parts = json!([{"text": "hi"}]);
    for metadata in [json!({ URI: settings }), json!({ "coderAgent": coder })] {
        let message = json!({"role": "user", "messageId": "m", "parts": parts, "metadata": metadata});
        for method in ["message/send", "message/stream"] {
            let answer = prompter.rpc(method, json!({ "message": message })).await;
            assert_eq!(answer["error"]["data"][1]["reason"], "NOT_ALLOWED", "{method} {metadata}: {answer}");
        }
    }
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": parts, "metadata": {URI: settings}});
    for (path, body) in [
        ("/tasks", json!({ "agentSettings": settings })),
        ("/tasks", json!({ "agentSettings": coder })),
        ("/tasks", coder.clone()),
        ("/message/stream", json!({"userMessage": "hi", "agentSettings": settings})),
        (
            "/v1/message:send",
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "content": parts, "metadata": {URI: settings}}}),
        ),
        ("/a2a/v1/message:send", json!({ "message": message })),
        ("/a2a/v1/message:stream", json!({ "message": message })),
    ] {
        let (status, answer) = prompter.json(Method::POST, path, &body.to_string()).await;
        assert!(!status.is_success(), "{path} {body}: {status} {answer}");
        assert!(answer.to_string().contains("right to approve"), "{path} {body}: {answer}");
    }
    assert_eq!(roster.sessions().len(), 0);
}

#[tokio::test]
async fn a_message_never_changes_the_mode_of_a_session_that_exists() {
    let house = TestRoster::new();
    let session = house.session("ctx", "/");
    let client = TestClient::new(shared_session(&house, session.id, "/"), who("zed"));
    let say = async |id: &str, text: &str, metadata: Value| {
        let message = json!({"role": "user", "messageId": id, "parts": [{"text": text}], "metadata": metadata});
        client.rpc("message/send", json!({"message": message, "configuration": {"blocking": false}})).await
    };
    say("m1", "hi", json!({URI: {"autoExecute": true}})).await;
    say("m2", "hi", json!({"coderAgent": {"kind": "agent-settings", "autoExecute": true}})).await;
    say("m3", "/mode yolo", json!({})).await;
    client.json(Method::POST, "/tasks", &json!({"agentSettings": {"autoExecute": true}}).to_string()).await;
    let is_mode = |event: &Event| matches!(event, Event::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) });
    assert!(!session.log().iter().any(|entry| is_mode(&entry.event)));
}

#[tokio::test]
async fn clients_work_only_within_the_roots_on_every_wire() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().canonicalize().unwrap().join(name);
    for name in ["root/project", "root-beside", "outside"] {
        std::fs::create_dir_all(path(name)).unwrap();
    }
    symlink(path("outside"), path("root/link-out")).unwrap();
    symlink(path("root/project"), path("link-in")).unwrap();
    let house = TestRoster::new();
    let root = path("root").display().to_string();
    let client = TestClient::new(many_sessions_in(&house, &root, &[&root]), who("zed"));
    let open = async |workspace: &str| {
        let body = json!({"agentSettings": {"workspacePath": workspace}}).to_string();
        client.json(Method::POST, "/tasks", &body).await
    };
    std::fs::write(path("outside/file"), "").unwrap();
    std::fs::write(path("root/file"), "").unwrap();
    // Whether something is there, and what, is told of no place outside.
    let outside = ["/", "/etc", "/etc/passwd", "/no/such", "outside", "outside/file", "outside/missing", "root-beside"];
    let around = ["root/link-out", "root/link-out/file", "root/link-out/missing", "root/missing/../../outside"];
    let dots = path("root/project/../../outside");
    for name in outside.into_iter().chain(around).chain([dots.to_str().unwrap()]) {
        let workspace = path(name).display().to_string();
        let why = format!(
            "`workspace_path` {workspace:?} is outside of what this server works in; name a directory in {root},"
        );
        let (status, answer) = open(&workspace).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{workspace}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with(&why), "{answer}");
        let parts = json!([{"text": "hi"}]);
        let message = |metadata: Value| json!({"role": "user", "messageId": "m", "parts": parts, "metadata": metadata});
        for metadata in [
            json!({URI: {"workspace_path": workspace}}),
            json!({"coderAgent": {"kind": "agent-settings", "workspacePath": workspace}}),
        ] {
            let answer = client.rpc("message/stream", json!({"message": message(metadata)})).await;
            assert!(answer["error"]["message"].as_str().unwrap().starts_with(&why), "{answer}");
        }
        let page = json!({"userMessage": "hi", "agentSettings": {"workspacePath": workspace}});
        assert_eq!(client.json(Method::POST, "/message/stream", &page.to_string()).await.0, StatusCode::BAD_REQUEST);
    }
    for (name, why) in [("root/file", "is not a directory"), ("root/missing/deep", "does not exist; create the")] {
        let answer = open(&path(name).display().to_string()).await.1;
        assert!(answer["error"]["message"].as_str().unwrap().contains(why), "{answer}");
    }
    assert_eq!(house.sessions().len(), 0);
    // A link that leads inside is followed, and what the session keeps is where it led.
    for name in ["root", "root/project", "link-in"] {
        assert_eq!(open(&path(name).display().to_string()).await.0, StatusCode::CREATED, "{name}");
        let Event::Opened(opened) = house.newest().log()[0].event.clone() else { panic!("a log begins so") };
        let led_to = if name == "link-in" { "root/project" } else { name };
        assert_eq!(opened.workspace, path(led_to).display().to_string());
    }
}

#[tokio::test]
async fn a_shared_session_says_the_same_of_every_other_workspace() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().canonicalize().unwrap().join(name).display().to_string();
    std::fs::create_dir(path("own")).unwrap();
    std::fs::write(path("file"), "").unwrap();
    let (roster, own) = (TestRoster::new(), path("own"));
    let session = roster.session("ctx", &own);
    let client = TestClient::new(shared_session(&roster, session.id, &own), who("zed"));
    for workspace in [path("file"), path("missing"), path("")] {
        let body = json!({"agentSettings": {"workspacePath": workspace}}).to_string();
        let answer = client.json(Method::POST, "/tasks", &body).await.1;
        let why =
            format!("`workspace_path` {workspace:?} is not this session's workspace; it is {own:?}, or leave it out");
        assert_eq!(answer["error"]["message"], why);
    }
}
