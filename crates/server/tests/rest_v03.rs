//! A2A 0.3 over HTTP+JSON at `/v1`, in the JSON of the `.proto` and in that of JSON-RPC.

use crate::test_server::client::{TestClient, many_sessions};
use crate::test_server::script::thinks;
use crate::test_server::{NOW_TEXT, ScriptedSession, TestRoster, who};
use axum::http::{Method, StatusCode};
use http_body_util::BodyExt;
use pollux_wire::devtool::URI;
use pollux_wire::{a2a, v03_proto};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

const UNKNOWN: &str = "0198a000-0000-7000-8000-000000000000";

/// A server with one session, labelled `mine`.
struct RestV03Server {
    client: TestClient,
    session: Arc<ScriptedSession>,
}

impl RestV03Server {
    fn new() -> RestV03Server {
        let roster = TestRoster::new();
        let session = roster.session("mine", "/");
        RestV03Server { client: TestClient::new(many_sessions(&roster, "/"), who("curl")), session }
    }

    async fn ask(&self, method: Method, path: &str, body: &str) -> (StatusCode, Value) {
        let response = self.client.raw(method, &format!("/v1/{path}"), &[], body).await;
        assert_eq!(response.headers()["content-type"], "application/json");
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap())
    }

    async fn ok(&self, method: Method, path: &str, body: &str) -> Value {
        let (status, body) = self.ask(method, path, body).await;
        assert_eq!(status, StatusCode::OK, "{path}: {body}");
        body
    }

    /// The task as JSON-RPC shows it.
    async fn task(&self, id: &Value) -> Value {
        self.client.rpc("tasks/get", json!({"id": id})).await["result"].take()
    }

    /// A task that was begun and is still at work; its id.
    async fn working(&self, id: &str) -> String {
        let mut request = proto("hello", id);
        request["configuration"] = json!({});
        let answer = self.ok(Method::POST, "message:send", &request.to_string()).await;
        answer["task"]["id"].as_str().unwrap().to_owned()
    }
}

/// A message as the SDKs send it.
fn proto(text: &str, id: &str) -> Value {
    json!({"message": {"messageId": id, "contextId": "mine", "role": "ROLE_USER", "content": [{"text": text}]}})
}

/// A message as the specification's text has it.
fn plain(text: &str, id: &str) -> Value {
    let parts = json!([{"kind": "text", "text": text}]);
    json!({"message": {"kind": "message", "messageId": id, "contextId": "mine", "role": "user", "parts": parts}})
}

/// A task in the JSON of the `.proto`.
fn in_proto(task: Value) -> Value {
    json!(v03_proto::Task::from(serde_json::from_value::<a2a::Task>(task).unwrap()))
}

/// The body of an error.
fn error(code: i64, name: &str, reason: Option<&str>, message: &str) -> Value {
    let info = reason.map(|reason| {
        json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org"})
    });
    let data: Vec<Value> = info.into_iter().collect();
    json!({"code": code, "message": message, "data": data, "type": name, "error": format!("io.a2a.spec.{name}")})
}

#[tokio::test]
async fn send_is_answered_as_it_was_asked() {
    let scene = RestV03Server::new();
    let answers = async |request: Value| {
        let request = request.to_string();
        let (answer, ()) = tokio::join!(scene.ok(Method::POST, "message:send", &request), async {
            scene.session.owes(thinks).await;
            scene.session.step_done("Hello.", &[]);
        });
        answer
    };
    let answer = answers(proto("hello", "m1")).await;
    let task = scene.task(&answer["task"]["id"]).await;
    assert_eq!(answer, json!({"task": in_proto(task)}));
    assert_eq!(answer["task"]["status"], json!({"state": "TASK_STATE_COMPLETED", "timestamp": NOW_TEXT}));

    let answer = answers(plain("hello", "m2")).await;
    let task = scene.task(&answer["task"]["id"]).await;
    assert_eq!(answer, json!({"task": task}));
    assert_eq!(answer["task"]["kind"], "task");
}

#[tokio::test]
async fn the_kit_spells_with_underscores_and_a_configuration_decides_about_waiting() {
    let wire_state = RestV03Server::new();
    let request = json!({
        "message": {"message_id": "m1", "context_id": "mine", "role": "ROLE_USER", "content": [{"text": "hello"}]},
        "configuration": {"history_length": 1},
    });
    // The `.proto` cannot tell "not said" from "do not wait".
    let answer = wire_state.ok(Method::POST, "message:send", &request.to_string()).await;
    assert_eq!(answer["task"]["history"].as_array().unwrap().len(), 1);
    assert_ne!(answer["task"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn a_stream_is_written_as_it_was_asked_for() {
    let wire_state = RestV03Server::new();
    let stream = wire_state.client.post_stream("/v1/message:stream", &proto("hello", "m1")).await;
    wire_state.session.step_done("Hello.", &[]);
    let events = stream.events().await;
    let task = events[0].1["task"]["id"].clone();
    let prompt = json!({
        "messageId": "m1", "contextId": "mine", "taskId": task, "role": "ROLE_USER",
        "content": [{"text": "hello"}],
    });
    let status = json!({"state": "TASK_STATE_SUBMITTED", "timestamp": NOW_TEXT});
    let submitted = json!({"task": {"id": task, "contextId": "mine", "status": status, "history": [prompt]}});
    assert_eq!(events[0], (Some("1z.3".into()), submitted));
    let working = json!({"statusUpdate": {
        "taskId": task, "contextId": "mine", "status": {"state": "TASK_STATE_WORKING", "timestamp": NOW_TEXT},
        "final": false, "metadata": {URI: {"kind": "STATE_CHANGE", "model": "script"}},
    }});
    assert_eq!(events[1].1, working);
    let last = &events.last().unwrap().1["statusUpdate"];
    assert_eq!((&last["final"], &last["status"]["state"]), (&json!(true), &json!("TASK_STATE_COMPLETED")));

    // Python follows by GET, JavaScript and the kit by POST without a body.
    let path = format!("/v1/tasks/{}:subscribe", task.as_str().unwrap());
    let cursor = events[1].0.as_deref().unwrap();
    let resumed = wire_state.client.sse(Method::GET, &path, &[("last-event-id", cursor)], "").await.events().await;
    assert_eq!(resumed[1..], events[2..]);
    let snapshot = wire_state.client.sse(Method::POST, &path, &[], "").await.events().await;
    assert_eq!(snapshot.len(), 1);
    assert_eq!(snapshot[0].1, json!({"task": in_proto(wire_state.task(&task).await)}));

    let stream = wire_state.client.post_stream("/v1/message:stream", &plain("hello", "m2")).await;
    wire_state.session.step_done("Hello.", &[]);
    let wrapped = stream.events().await;
    assert_eq!(wrapped[0].1["task"]["kind"], "task");
    assert_eq!(wrapped[1].1["statusUpdate"]["kind"], "status-update");
    assert_eq!(wrapped.last().unwrap().1["statusUpdate"]["status"]["state"], "completed");
    assert_eq!(wrapped.len(), events.len());
}

#[tokio::test]
async fn a_task_is_got_listed_and_cancelled() {
    let wire_state = RestV03Server::new();
    let task = wire_state.working("m1").await;
    let known = wire_state.task(&json!(task)).await;
    assert_eq!(wire_state.ok(Method::GET, &format!("tasks/{task}"), "").await, in_proto(known.clone()));
    let short = wire_state.ok(Method::GET, &format!("tasks/{task}?history_length=0"), "").await;
    assert_eq!(short["history"], Value::Null);

    // The `.proto` has no list, the text has an array of its own tasks.
    let bare = json!({"kind": "task", "id": task, "contextId": "mine", "status": known["status"]});
    assert_eq!(wire_state.ok(Method::GET, "tasks?status=working", "").await, json!([bare]));
    assert_eq!(wire_state.ok(Method::GET, "tasks?status=TASK_STATE_CANCELLED", "").await, json!([]));

    let canceled = wire_state.ok(Method::POST, &format!("tasks/{task}:cancel"), "").await;
    assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELLED");
    assert_eq!(canceled, in_proto(wire_state.task(&json!(task)).await));
    let body = json!({"name": format!("tasks/{task}")}).to_string();
    let message = format!("task {task} is over: there is nothing to cancel");
    let expected = error(-32002, "TaskNotCancelableError", Some("TASK_NOT_CANCELABLE"), &message);
    let answer = wire_state.ask(Method::POST, &format!("tasks/{task}:cancel"), &body).await;
    assert_eq!(answer, (StatusCode::CONFLICT, expected));
}

#[tokio::test]
async fn the_rest_of_a_list_is_in_its_headers() {
    let wire_state = RestV03Server::new();
    wire_state.working("m1").await;
    wire_state.session.step_done("Hello.", &[]);
    wire_state.working("m2").await;
    let first = wire_state.client.raw(Method::GET, "/v1/tasks?pageSize=1", &[], "").await;
    assert_eq!(first.headers()["x-total-count"], "2");
    let token = first.headers()["x-next-page-token"].to_str().unwrap();
    let rest = wire_state.client.raw(Method::GET, &format!("/v1/tasks?pageSize=1&pageToken={token}"), &[], "").await;
    assert_eq!(
        (rest.headers().get("x-next-page-token"), &rest.headers()["x-total-count"]),
        (None, &"2".parse().unwrap())
    );
}

#[tokio::test]
async fn errors_have_the_code_and_the_names_that_clients_go_by() {
    let wire_state = RestV03Server::new();
    let message = format!("task not found: {UNKNOWN:?}; use the id that the server gave it");
    let unknown = (StatusCode::NOT_FOUND, error(-32001, "TaskNotFoundError", Some("TASK_NOT_FOUND"), &message));
    for (method, verb) in [(Method::GET, ""), (Method::POST, ":cancel"), (Method::GET, ":subscribe")] {
        assert_eq!(wire_state.ask(method, &format!("tasks/{UNKNOWN}{verb}"), "").await, unknown, "{verb}");
    }

    let task = wire_state.working("m1").await;
    let configs = format!("tasks/{task}/pushNotificationConfigs");
    let one = format!("{configs}/c1");
    let message = "push notifications are not supported here; follow the task instead";
    let reason = Some("PUSH_NOTIFICATION_NOT_SUPPORTED");
    let refused = (StatusCode::BAD_REQUEST, error(-32003, "PushNotificationNotSupportedError", reason, message));
    let hook = json!({"url": "https://example.com/hook"});
    for body in [
        json!({"parent": format!("tasks/{task}"), "configId": "c1", "config": {"pushNotificationConfig": hook}}),
        json!({"name": format!("tasks/{task}/pushNotificationConfigs/c1"), "pushNotificationConfig": hook}),
        json!({"taskId": task, "pushNotificationConfig": hook}),
    ] {
        assert_eq!(wire_state.ask(Method::POST, &configs, &body.to_string()).await, refused, "{body}");
    }
    for (method, path) in [(Method::GET, &configs), (Method::GET, &one), (Method::DELETE, &one)] {
        assert_eq!(wire_state.ask(method, path, "").await, refused, "{path}");
    }

    let message = "A2A 1.0 is not spoken at this address, 0.3 is: see the agent card";
    let expected = error(-32009, "VersionNotSupportedError", Some("VERSION_NOT_SUPPORTED"), message);
    assert_eq!(wire_state.ask(Method::GET, "tasks?A2A-Version=1.0", "").await, (StatusCode::BAD_REQUEST, expected));
    let (status, answer) = wire_state.ask(Method::GET, "acme/tasks", "").await;
    assert_eq!((status, &answer["error"]), (StatusCode::NOT_FOUND, &json!("io.a2a.spec.MethodNotFoundError")));
}

#[tokio::test]
async fn a_message_that_does_not_fit_is_an_error_of_its_parameters() {
    let wire_state = RestV03Server::new();
    for (body, place) in [
        ("{}", "message"),
        (r#"{"message": {"content": [{"text": "x"}]}}"#, "role"),
        (r#"{"message": {"role": "ROLE_USER", "content": [{"text": "x"}]}}"#, "`message.messageId`"),
        (r#"{"message": {"messageId": "m", "role": "ROLE_USER", "content": []}}"#, "message"),
        (r#"{"message": {"messageId": "m", "role": "ROLE_USER", "content": [{}]}}"#, "part"),
        (r#"{"message": {"kind": "message", "role": "user", "parts": [{"text": "x"}]}}"#, "`message.messageId`"),
    ] {
        let (status, answer) = wire_state.ask(Method::POST, "message:send", body).await;
        assert_eq!((status, &answer["code"]), (StatusCode::BAD_REQUEST, &json!(-32602)), "{body}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(place) && !message.contains("params"), "{body}: {message}");
    }
    let file = json!({"fileWithUri": "file:///etc/passwd"});
    let body = json!({"message": {"messageId": "m", "role": "ROLE_USER", "content": [{"file": file}]}}).to_string();
    let (status, answer) = wire_state.ask(Method::POST, "message:send", &body).await;
    assert_eq!((status, &answer["code"]), (StatusCode::UNSUPPORTED_MEDIA_TYPE, &json!(-32005)));
    let (status, answer) = wire_state.ask(Method::POST, "message:send", "{").await;
    assert_eq!((status, &answer["code"]), (StatusCode::BAD_REQUEST, &json!(-32700)));
}
