//! A2A over gRPC, in both versions: every call, and the same as the other bindings say.

#![cfg(feature = "grpc")]

pub(crate) mod grpc_client;

use crate::push::memory_push_targets::MemoryPushTargets;
use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::memory_file_store::{MemoryFileStore, PNG};
use crate::test_server::script::thinks;
use crate::test_server::{NOW_TEXT, TestRoster, who};
use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use grpc_client::{GrpcFailure, GrpcTestClient, GrpcTestServer};
use pollux_server::{PushSettings, RouterOptions, router_with};
use pretty_assertions::assert_eq;
use prost_reflect::DescriptorPool;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const V10: &str = "lf.a2a.v1";
const V03: &str = "a2a.v1";
const NO_TASK: &str = "01890000-0000-7000-8000-000000000000";

/// A server on both listeners: `rpc` is JSON-RPC on the same router.
struct GrpcSite {
    roster: Arc<TestRoster>,
    rpc: TestClient,
    server: GrpcTestServer,
}

impl GrpcSite {
    async fn new() -> GrpcSite {
        let roster = TestRoster::new();
        let rpc = TestClient::new(many_sessions(&roster, "/"), who("zed"));
        let server = GrpcTestServer::start(rpc.router.clone()).await;
        GrpcSite { roster, rpc, server }
    }

    /// One that pushes.
    async fn pushing() -> (GrpcSite, Arc<MemoryPushTargets>) {
        let (roster, book) = (TestRoster::new(), MemoryPushTargets::new());
        let mut push = PushSettings::new(Arc::clone(&book) as _);
        push.allowed_hosts = vec!["127.0.0.1".into()];
        let mut rpc = TestClient::new(many_sessions(&roster, "/"), who("zed"));
        rpc.router = router_with(
            many_sessions(&roster, "/"),
            card_config(),
            RouterOptions { push: Some(push), ..RouterOptions::default() },
            CancellationToken::new(),
        );
        let server = GrpcTestServer::start(rpc.router.clone()).await;
        (GrpcSite { roster, rpc, server }, book)
    }

    /// Begin a task that rests at once when `ends`.
    async fn task(&self, ends: bool) -> Value {
        let request = json!({
            "message": {"messageId": "first", "role": "ROLE_USER", "parts": [{"text": "hi"}]},
            "configuration": {"returnImmediately": true},
        });
        let task = self.caller(V10).await.call("SendMessage", request).await.unwrap();
        if ends {
            self.roster.newest().step_done("done", &[]);
        }
        task["task"]["id"].clone()
    }

    async fn caller(&self, package: &'static str) -> GrpcTestClient {
        self.server.caller(package).await
    }
}

fn say(text: &str, id: &str) -> Value {
    json!({"message": {"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]}})
}

fn say03(text: &str, id: &str) -> Value {
    json!({
        "message": {"messageId": id, "role": "ROLE_USER", "content": [{"text": text}]},
        "configuration": {"blocking": true},
    })
}

/// An event without its cursor, and the cursor.
fn split(mut event: Value) -> (Value, Option<String>) {
    let inner = event.as_object_mut().unwrap().values_mut().next().unwrap().as_object_mut().unwrap();
    let Some(Value::Object(metadata)) = inner.get_mut("metadata") else { return (event, None) };
    let cursor = metadata.remove("pollux/cursor").map(|cursor| cursor.as_str().unwrap().to_owned());
    if metadata.is_empty() {
        inner.remove("metadata");
    }
    (event, cursor)
}

/// JSON-RPC's answer with its times as protobuf writes them: without fractions that say nothing.
fn short_times(value: Value) -> Value {
    match value {
        Value::String(text) if text == NOW_TEXT => json!(text.replace(".000Z", "Z")),
        Value::Array(values) => values.into_iter().map(short_times).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, short_times(value))).collect(),
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => value,
    }
}

fn refused(failed: Result<Value, GrpcFailure>) -> (i32, Vec<String>) {
    let failed = failed.unwrap_err();
    assert!(!failed.message.is_empty(), "{failed:?}");
    (failed.code, failed.reasons.into_iter().map(|(_, reason)| reason).collect())
}

#[tokio::test]
async fn every_call_of_the_services_is_answered_and_documented() {
    let document = include_str!("../../../docs/PROTOCOL.md");
    let pool = DescriptorPool::decode(pollux_wire::descriptors::DESCRIPTORS).unwrap();
    // What is not offered is UNIMPLEMENTED in 0.3, so everything is.
    let (site, _book) = GrpcSite::pushing().await;
    for package in [V03, V10] {
        let service = pool.get_service_by_name(&format!("{package}.A2AService")).unwrap();
        assert!(service.methods().count() >= 10);
        for method in service.methods() {
            let name = format!("`{}/{}`", service.full_name(), method.name());
            assert!(document.contains(&name), "docs/PROTOCOL.md does not name {name}");
            let example = format!("{{\"{}\": {{", method.name());
            assert!(document.contains(&example), "docs/PROTOCOL.md has no example of {name}");
            let card = method.name().ends_with("AgentCard");
            match site.caller(package).await.call(method.name(), json!({})).await {
                Err(failed) => assert!(failed.code != 12 || card, "{name}: {failed:?}"),
                Ok(answer) => assert!(method.name() == "ListTasks" || card, "{name}: {answer}"),
            }
        }
    }
}

#[tokio::test]
async fn a_sent_message_becomes_a_task_that_is_looked_at_alike_everywhere() {
    let site = GrpcSite::new().await;
    let grpc = site.caller(V10).await;
    let sending = tokio::spawn({
        let grpc = grpc.clone();
        async move { grpc.call("SendMessage", say("hi", "1")).await }
    });
    let session = site.roster.opened().await;
    session.owes(thinks).await;
    session.step_done("hello", &[]);
    let sent = sending.await.unwrap().unwrap();
    let id = sent["task"]["id"].clone();
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(sent["task"]["artifacts"][0]["parts"], json!([{"text": "hello"}]));
    let rpc = site.rpc.speaking("1.0");
    let got = grpc.call("GetTask", json!({ "id": id })).await.unwrap();
    assert_eq!(got, sent["task"]);
    assert_eq!(got, short_times(rpc.rpc("GetTask", json!({ "id": id })).await["result"].take()));
    let short = grpc.call("GetTask", json!({ "id": id, "historyLength": 0 })).await.unwrap();
    assert_eq!(short.get("history"), None);
    let listed = grpc.call("ListTasks", json!({"pageSize": 5, "includeArtifacts": true})).await.unwrap();
    let mut same = rpc.rpc("ListTasks", json!({"pageSize": 5, "includeArtifacts": true})).await["result"].take();
    // Protobuf has no way to write an empty text.
    assert_eq!(same.as_object_mut().unwrap().remove("nextPageToken"), Some(json!("")));
    assert_eq!(listed, short_times(same));
}

#[tokio::test]
async fn a_stream_is_that_of_the_other_bindings_with_its_cursors_inside() {
    let site = GrpcSite::new().await;
    let grpc = site.caller(V10).await;
    let streaming = grpc.begin("SendStreamingMessage", &say("hi", "1")).await;
    let session = site.roster.opened().await;
    let task = session.log();
    assert!(!task.is_empty());
    session.asks_to_write();
    let events = streaming.all().await;
    let (first, cursor) = split(events[0].clone());
    let id = first["task"]["id"].clone();
    assert_eq!(first["task"]["status"]["state"], "TASK_STATE_SUBMITTED");

    // What follows the first event, over SSE and over gRPC.
    let rpc = site.rpc.speaking("1.0");
    let cursor = cursor.expect("the task has a cursor");
    let mut sse = rpc.stream_after("SubscribeToTask", json!({ "id": id }), Some(&cursor)).await;
    let mut same = grpc.with("last-event-id", &cursor).begin("SubscribeToTask", &json!({ "id": id })).await;
    let mut seen = Vec::new();
    for _ in 0..events.len() {
        let (id, mut event) = sse.next().await.unwrap();
        let (followed, cursor) = split(same.next().await.unwrap().unwrap());
        assert_eq!((followed.clone(), cursor), (short_times(event["result"].take()), id));
        seen.push(followed);
    }
    // The bare task comes first where the stream had the whole one.
    let streamed: Vec<Value> = events.into_iter().map(|event| split(event).0).collect();
    assert_eq!(seen[1..], streamed[1..]);
    assert_eq!(seen.last().unwrap()["statusUpdate"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
}

#[tokio::test]
async fn a_cursor_of_nowhere_gets_a_gap_and_the_whole_task() {
    let site = GrpcSite::new().await;
    let id = site.task(false).await;
    let grpc = site.caller(V10).await.with("last-event-id", "zz.1");
    let mut stream = grpc.begin("SubscribeToTask", &json!({ "id": id })).await;
    let gap = stream.next().await.unwrap().unwrap();
    assert_eq!(gap["statusUpdate"]["metadata"]["pollux/gap"], true);
    assert_eq!(stream.next().await.unwrap().unwrap()["task"]["id"], id);
}

#[tokio::test]
async fn a_call_that_is_cancelled_stops_nothing() {
    let site = GrpcSite::new().await;
    let grpc = site.caller(V10).await;
    let mut stream = grpc.begin("SendStreamingMessage", &say("hi", "1")).await;
    let id = stream.next().await.unwrap().unwrap()["task"]["id"].clone();
    drop(stream);
    let session = site.roster.opened().await;
    session.owes(thinks).await;
    session.step_done("still here", &[]);
    let task = grpc.call("GetTask", json!({ "id": id })).await.unwrap();
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn an_ask_is_answered_over_grpc() {
    let site = GrpcSite::new().await;
    let id = site.task(false).await;
    let session = site.roster.newest();
    session.asks_to_write();
    let grpc = site.caller(V10).await;
    let task = grpc.call("GetTask", json!({ "id": id })).await.unwrap();
    let call = task["status"]["message"]["parts"][0]["data"]["tool_call_id"].clone();
    let data = json!({"tool_call_id": call, "selected_option_id": "proceed_once"});
    let answer = json!({
        "message": {"messageId": "a", "role": "ROLE_USER", "taskId": id, "parts": [{ "data": data }]},
        "configuration": {"returnImmediately": true},
    });
    grpc.call("SendMessage", answer).await.unwrap();
    session.starts();
    session.has_written();
    session.step_done("written", &[]);
    let task = grpc.call("GetTask", json!({ "id": id })).await.unwrap();
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(task["artifacts"][0]["parts"][0]["raw"], "aGVsbG8K");
}

#[tokio::test]
async fn files_come_over_grpc_in_both_versions() {
    let roster = TestRoster::new();
    let extras = RouterOptions { files: Some(MemoryFileStore::new() as _), ..RouterOptions::default() };
    let rpc = TestClient::offering(many_sessions(&roster, "/"), extras, who("zed"));
    let server = GrpcTestServer::start(rpc.router.clone()).await;
    let bytes = STANDARD.encode(PNG);
    let new = json!({"raw": bytes, "filename": "a.png", "mediaType": "image/png"});
    let old = json!({"file": {"fileWithBytes": bytes, "mimeType": "image/png", "name": "a.png"}});
    let mut sent = Vec::new();
    for (package, field, part) in [(V10, "parts", &new), (V03, "content", &old)] {
        let message = json!({"messageId": package, "role": "ROLE_USER", field: [part]});
        let configuration = json!({"returnImmediately": true, "blocking": false});
        let only = if package == V10 { "returnImmediately" } else { "blocking" };
        let request = json!({"message": message, "configuration": {only: configuration[only]}});
        let method = "SendMessage";
        let task = server.caller(package).await.call(method, request).await.unwrap()["task"].clone();
        assert_eq!(task["history"][0][field], json!([part]), "{task}");
        sent.push(task["history"][0]["messageId"].clone());
    }
    assert_eq!(sent, [V10, V03]);
    let wrong = json!({"raw": STANDARD.encode("\0"), "mediaType": "image/png"});
    let request = json!({"message": {"messageId": "w", "role": "ROLE_USER", "parts": [wrong]}});
    let refused = refused(server.caller(V10).await.call("SendMessage", request).await);
    assert_eq!(refused, (3, vec!["CONTENT_TYPE_NOT_SUPPORTED".to_owned()]));
}

#[tokio::test]
async fn every_refusal_of_1_0_has_its_number_and_its_reason() {
    let site = GrpcSite::new().await;
    let grpc = site.caller(V10).await;
    let done = site.task(true).await;
    let with_task = |id: &Value| {
        let mut request = say("more", "2");
        request["message"]["taskId"] = id.clone();
        request
    };
    let twice = json!({"message": {"messageId": "x", "role": "ROLE_USER"}});
    let empty = json!({});
    let table = [
        ("SendMessage", empty.clone(), 3, "INVALID_PARAMS"),
        ("SendMessage", twice, 3, "INVALID_PARAMS"),
        ("SendMessage", json!({"message": {"role": "ROLE_USER", "parts": [{"text": "a"}]}}), 3, "INVALID_PARAMS"),
        ("SendMessage", json!({"tenant": "acme", "message": say("a", "b")["message"]}), 3, "INVALID_PARAMS"),
        ("SendMessage", with_task(&json!(NO_TASK)), 5, "TASK_NOT_FOUND"),
        ("SendMessage", with_task(&done), 9, "UNSUPPORTED_OPERATION"),
        ("SendStreamingMessage", with_task(&done), 9, "UNSUPPORTED_OPERATION"),
        ("SendStreamingMessage", empty.clone(), 3, "INVALID_PARAMS"),
        ("GetTask", empty.clone(), 3, "INVALID_PARAMS"),
        ("GetTask", json!({"id": NO_TASK}), 5, "TASK_NOT_FOUND"),
        ("GetTask", json!({"id": "ä%"}), 5, "TASK_NOT_FOUND"),
        ("GetTask", json!({"id": done, "historyLength": -1}), 3, "INVALID_PARAMS"),
        ("ListTasks", json!({"pageSize": 101}), 3, "INVALID_PARAMS"),
        ("ListTasks", json!({"pageSize": 0}), 3, "INVALID_PARAMS"),
        ("ListTasks", json!({"pageToken": "none"}), 3, "INVALID_PARAMS"),
        ("CancelTask", json!({"id": NO_TASK}), 5, "TASK_NOT_FOUND"),
        ("CancelTask", json!({ "id": done }), 9, "TASK_NOT_CANCELABLE"),
        ("SubscribeToTask", json!({"id": NO_TASK}), 5, "TASK_NOT_FOUND"),
        ("SubscribeToTask", json!({ "id": done }), 9, "UNSUPPORTED_OPERATION"),
        ("SubscribeToTask", empty.clone(), 3, "INVALID_PARAMS"),
        (
            "CreateTaskPushNotificationConfig",
            json!({"taskId": done, "url": "https://example.com/"}),
            9,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        ("GetTaskPushNotificationConfig", json!({"taskId": done, "id": "1"}), 9, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        ("ListTaskPushNotificationConfigs", json!({ "taskId": done }), 9, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        ("DeleteTaskPushNotificationConfig", json!({"taskId": done, "id": "1"}), 9, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        ("GetTaskPushNotificationConfig", json!({ "taskId": done }), 3, "INVALID_PARAMS"),
        ("ListTaskPushNotificationConfigs", empty.clone(), 3, "INVALID_PARAMS"),
    ];
    for (method, request, code, reason) in table {
        let (got, reasons) = refused(grpc.call(method, request.clone()).await);
        assert_eq!((got, reasons.first().map_or("", String::as_str)), (code, reason), "{method} {request}");
    }
}

#[tokio::test]
async fn a_task_is_stopped() {
    let site = GrpcSite::new().await;
    let id = site.task(false).await;
    let task = site.caller(V10).await.call("CancelTask", json!({ "id": id })).await.unwrap();
    assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED");
}

/// Every way to list push configurations a page at a time.
#[derive(Clone, Copy, Debug)]
enum PushListing {
    Rpc10,
    Rest10,
    Rest03,
    Grpc10,
    Grpc03,
}

impl GrpcSite {
    /// A page of a task's push configurations.
    async fn page(&self, lists: PushListing, task: &str, size: i32, token: &str) -> Value {
        let params = json!({"taskId": task, "pageSize": size, "pageToken": token});
        let query = format!("pageSize={size}&pageToken={token}");
        match lists {
            PushListing::Rpc10 => {
                self.rpc.speaking("1.0").rpc("ListTaskPushNotificationConfigs", params).await["result"].take()
            }
            PushListing::Rest10 | PushListing::Rest03 => {
                let root = if matches!(lists, PushListing::Rest10) { "/a2a/v1" } else { "/v1" };
                let path = format!("{root}/tasks/{task}/pushNotificationConfigs?{query}");
                self.rpc.json(Method::GET, &path, "").await.1
            }
            PushListing::Grpc10 => {
                self.caller(V10).await.call("ListTaskPushNotificationConfigs", params).await.unwrap()
            }
            PushListing::Grpc03 => {
                let params = json!({"parent": format!("tasks/{task}"), "pageSize": size, "pageToken": token});
                self.caller(V03).await.call("ListTaskPushNotificationConfig", params).await.unwrap()
            }
        }
    }
}

#[tokio::test]
async fn push_configurations_are_listed_a_page_at_a_time_on_every_binding() {
    let (site, _book) = GrpcSite::pushing().await;
    let id = site.task(false).await;
    let id = id.as_str().unwrap();
    let grpc = site.caller(V10).await;
    for name in ["c", "a", "\u{e4}/b"] {
        let config = json!({"taskId": id, "id": name, "url": "http://127.0.0.1:9/hook"});
        grpc.call("CreateTaskPushNotificationConfig", config).await.unwrap();
    }
    let ids = |page: &Value| -> Vec<String> {
        let configs = page["configs"].as_array().unwrap().iter();
        let id = |config: &Value| match config["id"].as_str() {
            Some(id) => id.to_owned(),
            None => config["pushNotificationConfig"]["id"].as_str().unwrap().to_owned(),
        };
        configs.map(id).collect()
    };
    for lists in
        [PushListing::Rpc10, PushListing::Rest10, PushListing::Rest03, PushListing::Grpc10, PushListing::Grpc03]
    {
        let first = site.page(lists, id, 2, "").await;
        let token = first["nextPageToken"].as_str().unwrap();
        assert_eq!((ids(&first), token.is_empty()), (vec!["a".into(), "c".into()], false), "{lists:?}");
        let rest = site.page(lists, id, 2, token).await;
        let end = rest["nextPageToken"].as_str().unwrap_or_default();
        assert_eq!((ids(&rest), end), (vec!["\u{e4}/b".into()], ""), "{lists:?}");
        for size in [0, 3, 100] {
            let whole = site.page(lists, id, size, "").await;
            assert_eq!((ids(&whole).len(), whole["nextPageToken"].as_str().unwrap_or_default()), (3, ""), "{lists:?}");
        }
    }
    for wrong in [json!({"taskId": id, "pageSize": -1}), json!({"taskId": id, "pageToken": "?"})] {
        let (code, reasons) = refused(grpc.call("ListTaskPushNotificationConfigs", wrong).await);
        assert_eq!((code, reasons), (3, vec!["INVALID_PARAMS".to_owned()]));
    }
}

#[tokio::test]
async fn push_configurations_are_kept_listed_and_forgotten_in_both_versions() {
    let (site, book) = GrpcSite::pushing().await;
    let id = site.task(false).await;
    let id = id.as_str().unwrap();
    let grpc = site.caller(V10).await;
    let config = json!({
        "taskId": id, "id": "mine", "url": "http://127.0.0.1:9/hook", "token": "t",
        "authentication": {"scheme": "Bearer", "credentials": "secret"},
    });
    let made = grpc.call("CreateTaskPushNotificationConfig", config.clone()).await.unwrap();
    assert_eq!((made["id"].clone(), made["url"].clone()), (json!("mine"), config["url"].clone()));
    let named = json!({"taskId": id, "id": "mine"});
    assert_eq!(grpc.call("GetTaskPushNotificationConfig", named.clone()).await.unwrap()["id"], "mine");

    let old = site.caller(V03).await;
    let created = old
        .call(
            "CreateTaskPushNotificationConfig",
            json!({
                "parent": format!("tasks/{id}"), "configId": "old",
                "config": {"pushNotificationConfig": {"url": "http://127.0.0.1:9/old"}},
            }),
        )
        .await
        .unwrap();
    let name = format!("tasks/{id}/pushNotificationConfigs/old");
    assert_eq!(created["name"], name);
    assert_eq!(old.call("GetTaskPushNotificationConfig", json!({ "name": name })).await.unwrap(), created);
    let parent = json!({"parent": format!("tasks/{id}")});
    let listed = old.call("ListTaskPushNotificationConfig", parent).await.unwrap();
    assert_eq!(listed["configs"].as_array().unwrap().len(), 2);
    assert_eq!(old.call("DeleteTaskPushNotificationConfig", json!({ "name": name })).await, Ok(json!({})));

    assert_eq!(grpc.call("DeleteTaskPushNotificationConfig", named.clone()).await, Ok(json!({})));
    assert_eq!(refused(grpc.call("GetTaskPushNotificationConfig", named).await).0, 5);
    let listed = grpc.call("ListTaskPushNotificationConfigs", json!({ "taskId": id })).await.unwrap();
    assert_eq!(listed, json!({}));
    assert_eq!(book.cursors(), []);
}

#[tokio::test]
async fn the_version_is_that_of_the_service() {
    let site = GrpcSite::new().await;
    let id = site.task(true).await;
    let (new, old) = (site.caller(V10).await, site.caller(V03).await);
    for version in ["1.0", "1.0.1", ""] {
        assert!(new.with("a2a-version", version).call("GetTask", json!({ "id": id })).await.is_ok(), "{version}");
    }
    let named = json!({"name": format!("tasks/{}", id.as_str().unwrap())});
    for version in ["0.3", "0.3.0", ""] {
        assert!(old.with("a2a-version", version).call("GetTask", named.clone()).await.is_ok(), "{version}");
    }
    let wrong = (9, vec!["VERSION_NOT_SUPPORTED".to_owned()]);
    for version in ["0.3", "99.0", "x"] {
        assert_eq!(refused(new.with("a2a-version", version).call("GetTask", json!({ "id": id })).await), wrong);
    }
    assert_eq!(refused(old.with("a2a-version", "1.0").call("GetTask", named).await), wrong);
}

#[tokio::test]
async fn a_turn_of_0_3_is_sent_streamed_and_followed() {
    let site = GrpcSite::new().await;
    let grpc = site.caller(V03).await;
    let streaming = grpc.begin("SendStreamingMessage", &say03("hi", "1")).await;
    let session = site.roster.opened().await;
    session.owes(thinks).await;
    session.says("hel");
    session.step_done("lo", &[]);
    let events: Vec<(Value, Option<String>)> = streaming.all().await.into_iter().map(split).collect();
    let task = events[0].0["task"].clone();
    let last = &events.last().unwrap().0["statusUpdate"];
    assert_eq!(last["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(last["final"], true);
    let name = format!("tasks/{}", task["id"].as_str().unwrap());

    // From the first cursor on the same follows again.
    let cursor = events[0].1.clone().expect("the task has a cursor");
    let again = grpc.with("last-event-id", &cursor).begin("TaskSubscription", &json!({ "name": name })).await;
    let again: Vec<Value> = again.all().await.into_iter().map(|event| split(event).0).collect();
    let artifacts = |events: &[Value]| -> Vec<Value> {
        events.iter().filter(|event| event.get("artifactUpdate").is_some()).cloned().collect()
    };
    let first: Vec<Value> = events.into_iter().map(|(event, _)| event).collect();
    assert_eq!(artifacts(&again), artifacts(&first));
    assert_eq!(again.last(), first.last());

    let got = grpc.call("GetTask", json!({ "name": name })).await.unwrap();
    assert_eq!(got["artifacts"][0]["parts"], json!([{"text": "hello"}]));
    let short = grpc.call("GetTask", json!({ "name": name, "historyLength": 1 })).await.unwrap();
    assert_eq!(short["history"].as_array().unwrap().len(), 1);

    // It rests, and takes another message.
    let mut more = say03("more", "2");
    more["message"]["taskId"] = task["id"].clone();
    let sending = tokio::spawn({
        let grpc = grpc.clone();
        async move { grpc.call("SendMessage", more).await }
    });
    session.owes(thinks).await;
    session.step_done("again", &[]);
    let sent = sending.await.unwrap().unwrap();
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn every_refusal_of_0_3_has_its_number_and_its_name() {
    let site = GrpcSite::new().await;
    let grpc = site.caller(V03).await;
    let done = site.task(true).await;
    let done = format!("tasks/{}", done.as_str().unwrap());
    let unknown = format!("tasks/{NO_TASK}");
    let config = format!("{done}/pushNotificationConfigs/1");
    let empty = json!({});
    // The SDKs go by the name at the beginning, the test kit by the word at the end.
    const INVALID: [&str; 2] = ["InvalidParamsError: ", ""];
    const UNKNOWN: [&str; 2] = ["TaskNotFoundError: ", ""];
    const NO_PUSH: [&str; 2] = ["PushNotificationNotSupportedError: ", "(PUSH_NOTIFICATIONS_NOT_SUPPORTED)"];
    let table = [
        ("SendMessage", empty.clone(), 3, INVALID),
        ("SendMessage", json!({"message": {"messageId": "1", "role": "ROLE_USER"}}), 3, INVALID),
        ("SendStreamingMessage", empty.clone(), 3, INVALID),
        ("GetTask", json!({ "name": unknown }), 5, UNKNOWN),
        ("GetTask", json!({"name": "things/1"}), 3, INVALID),
        ("CancelTask", json!({ "name": unknown }), 5, UNKNOWN),
        ("CancelTask", json!({ "name": done }), 9, ["TaskNotCancelableError: ", "(TASK_NOT_CANCELABLE)"]),
        ("CancelTask", empty.clone(), 3, INVALID),
        ("TaskSubscription", json!({ "name": unknown }), 5, UNKNOWN),
        ("TaskSubscription", empty.clone(), 3, INVALID),
        ("CreateTaskPushNotificationConfig", json!({"parent": done, "config": {}}), 12, NO_PUSH),
        ("CreateTaskPushNotificationConfig", empty.clone(), 3, INVALID),
        ("GetTaskPushNotificationConfig", json!({ "name": config }), 12, NO_PUSH),
        ("GetTaskPushNotificationConfig", json!({ "name": done }), 3, INVALID),
        ("ListTaskPushNotificationConfig", json!({ "parent": done }), 12, NO_PUSH),
        ("DeleteTaskPushNotificationConfig", json!({ "name": config }), 12, NO_PUSH),
    ];
    for (method, request, code, [name, word]) in table {
        let failed = grpc.call(method, request.clone()).await.unwrap_err();
        assert_eq!(failed.code, code, "{method} {request}: {failed:?}");
        assert!(failed.message.starts_with(name), "{method} {request}: {failed:?}");
        assert!(failed.message.ends_with(word), "{method} {request}: {failed:?}");
    }
}
