//! Rules of every request, whatever binding it comes by: ids of 1 to 128 characters, parts that hold one content,
//! addresses that can be called. One table, every method that takes such a thing, and the exact code of each binding.

#![cfg(feature = "grpc")]

use crate::grpc::grpc_client::GrpcTestServer;
use crate::push::memory_push_targets::MemoryPushTargets;
use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::{TestRoster, who};
use axum::http::{Method, StatusCode};
use pollux_server::{PushSettings, RouterOptions, router_with};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const HOOK: &str = "http://127.0.0.1:9/hook";

/// A server that pushes, and the id of a task at rest.
async fn site() -> (Arc<TestRoster>, TestClient, String) {
    let roster = TestRoster::new();
    let session = roster.session("mine", "/");
    let mut client = TestClient::new(many_sessions(&roster, "/"), who("curl"));
    let mut settings = PushSettings::new(MemoryPushTargets::new());
    settings.allowed_hosts = vec!["127.0.0.1:9".into()];
    let extras = RouterOptions { push: Some(settings), ..RouterOptions::default() };
    client.router = router_with(many_sessions(&roster, "/"), card_config(), extras, CancellationToken::new());
    let message = json!({"role": "user", "messageId": "m1", "contextId": "mine", "parts": [{"text": "hello"}]});
    let params = json!({"message": message, "configuration": {"blocking": false}});
    let task = client.rpc("message/send", params).await["result"]["id"].as_str().unwrap().to_owned();
    session.step_done("Hello.", &[]);
    (roster, client, task)
}

fn long() -> String {
    "x".repeat(129)
}

/// Ids that are none.
fn no_ids() -> [String; 2] {
    [String::new(), long()]
}

/// Targets that news cannot go to: each one breaks one rule. The members are spelt alike in both versions.
fn no_targets() -> Vec<Value> {
    vec![
        json!({"url": ""}),
        json!({"url": "ftp://example.com/"}),
        json!({"url": "https://"}),
        json!({"url": HOOK, "id": long()}),
        json!({"url": HOOK, "token": "a\nb"}),
    ]
}

/// Messages that are none, from one that is: each has one thing changed. `parts` is what the version calls them.
fn no_messages(good: &Value, parts: &str) -> Vec<Value> {
    let changes = [
        json!({"messageId": ""}),
        json!({"messageId": long()}),
        json!({"taskId": long()}),
        json!({"contextId": long()}),
        json!({ parts: [] }),
        json!({ parts: [{}] }),
    ];
    let changed = changes.into_iter().map(|change| {
        let mut message = good.clone();
        message.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        message
    });
    changed.collect()
}

/// Messages with faults that only JSON can have.
fn no_json_messages(good: &Value) -> Vec<Value> {
    let two = json!({"parts": [{"text": "a", "data": {"b": 1}}]});
    let strangers = json!({"referenceTaskIds": [long()]});
    let mut messages = no_messages(good, "parts");
    for change in [two, strangers] {
        let mut message = good.clone();
        message.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        messages.push(message);
    }
    messages
}

#[tokio::test]
async fn json_rpc_0_3() {
    let (roster, client, task) = site().await;
    let mut table: Vec<(&str, Value)> = Vec::new();
    for id in no_ids() {
        for method in ["tasks/get", "tasks/cancel", "tasks/resubscribe", "tasks/pushNotificationConfig/list"] {
            table.push((method, json!({ "id": id })));
        }
        let of = |task: &str, id: &str| json!({"id": task, "pushNotificationConfigId": id});
        for method in ["tasks/pushNotificationConfig/get", "tasks/pushNotificationConfig/delete"] {
            table.extend([(method, of(&id, "c")), (method, of(&task, &id))]);
        }
        let set = json!({"taskId": id, "pushNotificationConfig": {"url": HOOK}});
        table.push(("tasks/pushNotificationConfig/set", set));
    }
    for target in no_targets() {
        let set = json!({"taskId": task, "pushNotificationConfig": target});
        table.push(("tasks/pushNotificationConfig/set", set));
        let message = json!({"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "hi"}]});
        let send = json!({"message": message, "configuration": {"pushNotificationConfig": target}});
        table.push(("message/send", send));
    }
    let good = json!({"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "hi"}]});
    for message in no_json_messages(&good) {
        table.push(("message/send", json!({ "message": message })));
        table.push(("message/stream", json!({ "message": message })));
    }
    // In 0.3 data is an object.
    let list = json!({"role": "user", "messageId": "m", "parts": [{"kind": "data", "data": [1]}]});
    table.push(("message/send", json!({ "message": list })));
    for (method, params) in table {
        let answer = client.rpc(method, params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
    }
    assert_eq!(roster.sessions().len(), 1);
}

#[tokio::test]
async fn json_rpc_1_0() {
    let (roster, client, task) = site().await;
    let client = client.speaking("1.0");
    let mut table: Vec<(&str, Value)> = Vec::new();
    for id in no_ids() {
        for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
            table.push((method, json!({ "id": id })));
        }
        table.push(("ListTaskPushNotificationConfigs", json!({ "taskId": id })));
        table.push(("CreateTaskPushNotificationConfig", json!({"taskId": id, "url": HOOK})));
        for method in ["GetTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"] {
            table.extend([(method, json!({"taskId": id, "id": "c"})), (method, json!({"taskId": task, "id": id}))]);
        }
    }
    table.push(("ListTasks", json!({"contextId": long()})));
    table.push(("ListTasks", json!({"pageSize": 101})));
    table.push(("GetTask", json!({"id": task, "historyLength": -1})));
    for mut target in no_targets() {
        let message = json!({"role": "ROLE_USER", "messageId": "m", "parts": [{"text": "hi"}]});
        let send = json!({"message": message, "configuration": {"taskPushNotificationConfig": target}});
        table.push(("SendMessage", send));
        target["taskId"] = json!(task);
        table.push(("CreateTaskPushNotificationConfig", target));
    }
    let good = json!({"role": "ROLE_USER", "messageId": "m", "parts": [{"text": "hi"}]});
    for message in no_json_messages(&good) {
        table.push(("SendMessage", json!({ "message": message })));
        table.push(("SendStreamingMessage", json!({ "message": message })));
    }
    for (method, params) in table {
        let answer = client.rpc(method, params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
    }
    assert_eq!(roster.sessions().len(), 1);
}

/// Requests that both versions of HTTP+JSON refuse, and where a body says why.
async fn rest(prefix: &str, code: (&str, Value), good: Value, parts: &str, wrapped: impl Fn(Value) -> Value) {
    let (roster, client, task) = site().await;
    let (get, post, delete) = (Method::GET, Method::POST, Method::DELETE);
    let (bad, none) = (format!("{prefix}/tasks/{}", long()), Value::Null);
    let configs = format!("{prefix}/tasks/{task}/pushNotificationConfigs");
    let mut table = vec![
        (get.clone(), bad.clone(), none.clone()),
        (post.clone(), format!("{bad}:cancel"), none.clone()),
        (post.clone(), format!("{bad}:subscribe"), none.clone()),
        (get.clone(), format!("{bad}:subscribe"), none.clone()),
        (get.clone(), format!("{bad}/pushNotificationConfigs"), none.clone()),
        (get.clone(), format!("{bad}/pushNotificationConfigs/c"), none.clone()),
        (delete.clone(), format!("{bad}/pushNotificationConfigs/c"), none.clone()),
        (get.clone(), format!("{configs}/{}", long()), none.clone()),
        (delete, format!("{configs}/{}", long()), none.clone()),
        (get.clone(), format!("{prefix}/tasks?contextId={}", long()), none.clone()),
        (get, format!("{prefix}/tasks/{task}?historyLength=-1"), none),
        (post.clone(), format!("{bad}/pushNotificationConfigs"), json!({"url": HOOK})),
    ];
    table.extend(no_targets().into_iter().map(|target| (post.clone(), configs.clone(), target)));
    for message in no_messages(&good, parts) {
        for verb in ["send", "stream"] {
            table.push((post.clone(), format!("{prefix}/message:{verb}"), wrapped(message.clone())));
        }
    }
    for (method, path, body) in table {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = client.json(method.clone(), &path, &text).await;
        let told = (status, answer.pointer(code.0));
        assert_eq!(told, (StatusCode::BAD_REQUEST, Some(&code.1)), "{method} {path} {body}: {answer}");
    }
    assert_eq!(roster.sessions().len(), 1);
}

#[tokio::test]
async fn http_0_3() {
    let good = json!({"role": "ROLE_USER", "messageId": "m", "content": [{"text": "hi"}]});
    rest("/v1", ("/code", json!(-32602)), good, "content", |message| json!({ "message": message })).await;
    let good = json!({"kind": "message", "role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "hi"}]});
    rest("/v1", ("/code", json!(-32602)), good, "parts", |message| json!({ "message": message })).await;
}

#[tokio::test]
async fn http_1_0() {
    let good = json!({"role": "ROLE_USER", "messageId": "m", "parts": [{"text": "hi"}]});
    let code = ("/error/status", json!("INVALID_ARGUMENT"));
    rest("/a2a/v1", code, good, "parts", |message| json!({ "message": message })).await;
}

/// INVALID_ARGUMENT.
const INVALID: i32 = 3;

#[tokio::test]
async fn grpc_0_3() {
    let (roster, client, task) = site().await;
    let server = GrpcTestServer::start(client.router.clone()).await;
    let caller = server.caller("a2a.v1").await;
    let mut table: Vec<(&str, Value)> = Vec::new();
    for id in no_ids() {
        for name in [id.clone(), format!("tasks/{id}")] {
            for method in ["GetTask", "CancelTask", "TaskSubscription"] {
                table.push((method, json!({ "name": name })));
            }
            table.push(("ListTaskPushNotificationConfig", json!({ "parent": name })));
            let config = json!({"pushNotificationConfig": {"url": HOOK}});
            let create = json!({"parent": name, "configId": "c", "config": config});
            table.push(("CreateTaskPushNotificationConfig", create));
        }
        for method in ["GetTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"] {
            table.push((method, json!({"name": format!("tasks/{task}/pushNotificationConfigs/{id}")})));
            table.push((method, json!({"name": format!("tasks/{id}/pushNotificationConfigs/c")})));
        }
    }
    for target in no_targets() {
        let config = json!({ "pushNotificationConfig": target });
        let create = json!({"parent": format!("tasks/{task}"), "config": config});
        table.push(("CreateTaskPushNotificationConfig", create));
    }
    let good = json!({"role": "ROLE_USER", "messageId": "m", "content": [{"text": "hi"}]});
    for message in no_messages(&good, "content") {
        table.push(("SendMessage", json!({ "message": message })));
        table.push(("SendStreamingMessage", json!({ "message": message })));
    }
    for (method, request) in table {
        let failed = caller.call(method, request.clone()).await.expect_err(method);
        assert_eq!(failed.code, INVALID, "{method} {request}: {failed:?}");
    }
    assert_eq!(roster.sessions().len(), 1);
}

#[tokio::test]
async fn grpc_1_0() {
    let (roster, client, task) = site().await;
    let server = GrpcTestServer::start(client.router.clone()).await;
    let caller = server.caller("lf.a2a.v1").await;
    let mut table: Vec<(&str, Value)> = Vec::new();
    for id in no_ids() {
        for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
            table.push((method, json!({ "id": id })));
        }
        table.push(("ListTaskPushNotificationConfigs", json!({ "taskId": id })));
        table.push(("CreateTaskPushNotificationConfig", json!({"taskId": id, "url": HOOK})));
        for method in ["GetTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"] {
            table.extend([(method, json!({"taskId": id, "id": "c"})), (method, json!({"taskId": task, "id": id}))]);
        }
    }
    table.push(("ListTasks", json!({"contextId": long()})));
    for mut target in no_targets() {
        target["taskId"] = json!(task);
        table.push(("CreateTaskPushNotificationConfig", target));
    }
    let good = json!({"role": "ROLE_USER", "messageId": "m", "parts": [{"text": "hi"}]});
    for message in no_messages(&good, "parts") {
        table.push(("SendMessage", json!({ "message": message })));
        table.push(("SendStreamingMessage", json!({ "message": message })));
    }
    for (method, request) in table {
        let failed = caller.call(method, request.clone()).await.expect_err(method);
        assert_eq!(failed.code, INVALID, "{method} {request}: {failed:?}");
    }
    assert_eq!(roster.sessions().len(), 1);
}
