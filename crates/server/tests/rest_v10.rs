//! A2A 1.0 over HTTP+JSON at `/a2a/v1`. What an operation does is tested over JSON-RPC: here it must read and write the
//! same.

use crate::test_server::client::{TestClient, many_sessions};
use crate::test_server::script::thinks;
use crate::test_server::{NOW_TEXT, ScriptedSession, TestRoster, who};
use axum::http::{Method, StatusCode};
use http_body_util::BodyExt;
use pollux_server::rest_routes;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

const UNKNOWN: &str = "0198a000-0000-7000-8000-000000000000";
const INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

/// A server with one session, labelled `mine`.
struct RestV10Server {
    client: TestClient,
    session: Arc<ScriptedSession>,
}

impl RestV10Server {
    fn new() -> RestV10Server {
        let roster = TestRoster::new();
        let session = roster.session("mine", "/");
        RestV10Server { client: TestClient::new(many_sessions(&roster, "/"), who("curl")), session }
    }

    async fn ask(&self, method: Method, path: &str, body: &str) -> (StatusCode, Value) {
        let response = self.client.raw(method, &format!("/a2a/v1/{path}"), &[], body).await;
        assert_eq!(response.headers()["content-type"], "application/a2a+json");
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask(Method::GET, path, "").await;
        assert_eq!(status, StatusCode::OK, "{path}: {body}");
        body
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.ask(Method::POST, path, &body.to_string()).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }

    /// The answer of JSON-RPC.
    async fn rpc(&self, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let response = self.client.raw(Method::POST, "/", &[("a2a-version", "1.0")], &body).await;
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let mut answer: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(answer["error"], Value::Null);
        answer["result"].take()
    }

    /// A task that was begun and is still at work; its id.
    async fn working(&self, id: &str) -> String {
        let mut request = say("hello", id);
        request["configuration"] = json!({"returnImmediately": true});
        let answer = self.post("message:send", &request).await;
        answer["task"]["id"].as_str().unwrap().to_owned()
    }

    /// A task that is done; its id.
    async fn done(&self, id: &str) -> String {
        let task = self.working(id).await;
        self.session.step_done("Hello.", &[]);
        task
    }
}

fn say(text: &str, id: &str) -> Value {
    json!({"message": {"messageId": id, "contextId": "mine", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

/// The body of an error that A2A defines.
fn error(code: u16, status: &str, reason: &str, message: &str) -> Value {
    let info = json!({"@type": INFO, "reason": reason, "domain": "a2a-protocol.org"});
    json!({"error": {"code": code, "status": status, "message": message, "details": [info]}})
}

/// The body of a mistake in what is asked.
fn invalid(message: &str) -> Value {
    error(400, "INVALID_ARGUMENT", "INVALID_PARAMS", message)
}

#[tokio::test]
async fn send_waits_for_the_turn_and_answers_with_the_task() {
    let wire_state = RestV10Server::new();
    let request = say("hello", "m1");
    let (answer, ()) = tokio::join!(wire_state.post("message:send", &request), async {
        wire_state.session.owes(thinks).await;
        wire_state.session.step_done("Hello.", &[]);
    });
    let task = &answer["task"];
    assert_eq!(task["status"], json!({"state": "TASK_STATE_COMPLETED", "timestamp": NOW_TEXT}));
    assert_eq!(task["contextId"], "mine");
    assert_eq!(answer, json!({"task": wire_state.rpc("GetTask", json!({"id": task["id"]})).await}));
}

#[tokio::test]
async fn a_stream_holds_stream_responses_and_goes_on_after_a_cut() {
    let wire_state = RestV10Server::new();
    let path = "/a2a/v1/message:stream";
    let stream = wire_state.client.post_stream(path, &say("hello", "m1")).await;
    wire_state.session.says("Hel");
    wire_state.session.step_done("lo.", &[]);
    let events = stream.events().await;
    let task = events[0].1["task"]["id"].clone();
    let prompt = json!({
        "messageId": "m1", "contextId": "mine", "taskId": task, "role": "ROLE_USER",
        "parts": [{"text": "hello"}],
    });
    let status = json!({"state": "TASK_STATE_SUBMITTED", "timestamp": NOW_TEXT});
    let submitted = json!({"task": {"id": task, "contextId": "mine", "status": status, "history": [prompt]}});
    assert_eq!(events[0], (Some("1z.3".into()), submitted));
    let kinds: Vec<&String> =
        events.iter().map(|(_, event)| event.as_object().unwrap().keys().next().unwrap()).collect();
    assert!(kinds[1..].iter().all(|kind| ["statusUpdate", "artifactUpdate"].contains(&kind.as_str())), "{kinds:?}");
    assert_eq!(events.last().unwrap().1["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");

    // What comes after the cursor is what came after it the first time, by every way to name it.
    let cut = 2;
    let cursor = events[cut].0.as_deref().unwrap();
    let path = format!("/a2a/v1/tasks/{}:subscribe", task.as_str().unwrap());
    let by_header = wire_state.client.sse(Method::GET, &path, &[("last-event-id", cursor)], "").await.events().await;
    let by_query = format!("{path}?lastEventId={cursor}");
    let by_query = wire_state.client.sse(Method::GET, &by_query, &[], "").await.events().await;
    let body = json!({"metadata": {"lastEventId": cursor}}).to_string();
    let by_body = wire_state.client.sse(Method::POST, &path, &[], &body).await.events().await;
    assert_eq!(by_header[1..], events[cut + 1..]);
    assert_eq!(by_header[0].1["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!((&by_header, &by_header), (&by_query, &by_body));
}

#[tokio::test]
async fn a_task_is_followed_by_get_and_by_post_from_a_snapshot() {
    let wire_state = RestV10Server::new();
    let task = wire_state.working("m1").await;
    let path = format!("/a2a/v1/tasks/{task}:subscribe");
    let by_get = wire_state.client.sse(Method::GET, &path, &[], "").await;
    let by_post = wire_state.client.sse(Method::POST, &path, &[], &json!({"id": task}).to_string()).await;
    let by_empty_post = wire_state.client.sse(Method::POST, &path, &[], "").await;
    let snapshot = json!({"task": wire_state.rpc("GetTask", json!({"id": task})).await});
    wire_state.session.step_done("Hello.", &[]);
    let events = by_get.events().await;
    assert_eq!(events[0].1, snapshot);
    assert_eq!(events.last().unwrap().1["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(by_post.events().await, events);
    assert_eq!(by_empty_post.events().await, events);

    // What fails before the first event is no stream.
    let closed = format!("task {task} is completed: get it instead of following it");
    for method in [Method::GET, Method::POST] {
        let answer = wire_state.ask(method.clone(), &format!("tasks/{task}:subscribe"), "").await;
        let expected = error(400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION", &closed);
        assert_eq!(answer, (StatusCode::BAD_REQUEST, expected));
        let (status, _) = wire_state.ask(method, &format!("tasks/{UNKNOWN}:subscribe"), "").await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn get_cuts_the_history_by_either_spelling() {
    let wire_state = RestV10Server::new();
    let task = wire_state.done("m1").await;
    let whole = wire_state.rpc("GetTask", json!({"id": task})).await;
    assert_eq!(wire_state.get(&format!("tasks/{task}")).await, whole);
    let newest = wire_state.rpc("GetTask", json!({"id": task, "historyLength": 1})).await;
    assert_eq!(newest["history"].as_array().unwrap().len(), 1);
    for query in ["historyLength=1", "history_length=1", "other=x&historyLength=1"] {
        assert_eq!(wire_state.get(&format!("tasks/{task}?{query}")).await, newest, "{query}");
    }
    assert_eq!(wire_state.get(&format!("tasks/{task}?historyLength=0")).await["history"], Value::Null);

    let unknown = format!("task not found: {UNKNOWN:?}; use the id that the server gave it");
    let expected = error(404, "NOT_FOUND", "TASK_NOT_FOUND", &unknown);
    assert_eq!(wire_state.ask(Method::GET, &format!("tasks/{UNKNOWN}"), "").await, (StatusCode::NOT_FOUND, expected));
    for (query, message) in [
        ("historyLength=-1", "`historyLength` must not be negative"),
        ("historyLength=many", "`historyLength` \"many\" is no whole number"),
        ("history_length=1e400", "`historyLength` \"1e400\" is no whole number"),
    ] {
        let answer = wire_state.ask(Method::GET, &format!("tasks/{task}?{query}"), "").await;
        assert_eq!(answer, (StatusCode::BAD_REQUEST, invalid(message)));
    }
}

#[tokio::test]
async fn tasks_are_listed_by_page_and_filter() {
    let wire_state = RestV10Server::new();
    let (first, second) = (wire_state.done("m1").await, wire_state.done("m2").await);
    let running = wire_state.working("m3").await;
    assert_eq!(wire_state.get("tasks").await, wire_state.rpc("ListTasks", json!({})).await);

    let ids = |page: &Value| -> Vec<String> {
        page["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
    };
    let page = wire_state.get("tasks?pageSize=2").await;
    assert_eq!((&page["pageSize"], &page["totalSize"]), (&json!(2), &json!(3)));
    let token = page["nextPageToken"].as_str().unwrap();
    let rest = wire_state.get(&format!("tasks?page_size=2&page_token={token}")).await;
    assert_eq!((ids(&rest).len(), &rest["nextPageToken"]), (1, &json!("")));
    let mut all = [ids(&page), ids(&rest)].concat();
    all.sort();
    let mut expected = [first, second.clone(), running.clone()];
    expected.sort();
    assert_eq!(all, expected);

    for query in ["status=TASK_STATE_WORKING", "status=working", "contextId=mine&status=TASK_STATE_WORKING"] {
        assert_eq!(ids(&wire_state.get(&format!("tasks?{query}")).await), std::slice::from_ref(&running), "{query}");
    }
    assert_eq!(ids(&wire_state.get("tasks?status=TASK_STATE_UNSPECIFIED").await).len(), 3);
    assert_eq!(ids(&wire_state.get("tasks?contextId=other").await), Vec::<String>::new());
    assert_eq!(ids(&wire_state.get("tasks?statusTimestampAfter=2999-01-01T00:00:00Z").await), Vec::<String>::new());
    let rich = json!({"includeArtifacts": true, "historyLength": 1});
    let answer = wire_state.get("tasks?includeArtifacts=true&historyLength=1").await;
    assert_eq!(answer, wire_state.rpc("ListTasks", rich).await);

    for (query, message) in [
        ("pageSize=0", "`pageSize` must be 1 to 100"),
        ("pageSize=101", "`pageSize` must be 1 to 100"),
        ("pageSize=ten", "`pageSize` \"ten\" is no whole number"),
        ("status=asleep", "`status` \"asleep\" is no state such as TASK_STATE_WORKING"),
        ("includeArtifacts=maybe", "`includeArtifacts` \"maybe\" is neither true nor false"),
        ("historyLength=-1", "`historyLength` must not be negative"),
        ("statusTimestampAfter=now", "`statusTimestampAfter` \"now\" is no time such as 2026-01-31T12:00:00Z"),
        ("pageToken=x", "`pageToken` is none that was given out here; leave it out to start over"),
        ("tenant=acme", "there is no tenant \"acme\": the agent card names none, leave it out"),
    ] {
        let answer = wire_state.ask(Method::GET, &format!("tasks?{query}"), "").await;
        assert_eq!(answer, (StatusCode::BAD_REQUEST, invalid(message)), "{query}");
    }
}

#[tokio::test]
async fn cancel_needs_no_body_and_refuses_another_task() {
    let wire_state = RestV10Server::new();
    let task = wire_state.working("m1").await;
    let path = format!("tasks/{task}:cancel");
    let message = format!("`id` {UNKNOWN:?} is not the task of this address");
    let answer = wire_state.ask(Method::POST, &path, &json!({"id": UNKNOWN}).to_string()).await;
    assert_eq!(answer, (StatusCode::BAD_REQUEST, invalid(&message)));

    let (status, canceled) = wire_state.ask(Method::POST, &path, "").await;
    assert_eq!((status, &canceled["status"]["state"]), (StatusCode::OK, &json!("TASK_STATE_CANCELED")));
    assert_eq!(canceled, wire_state.rpc("GetTask", json!({"id": task})).await);
    assert_eq!(wire_state.post(&path, &json!({"id": task, "metadata": {}})).await, canceled);

    let done = wire_state.done("m2").await;
    let answer = wire_state.ask(Method::POST, &format!("tasks/{done}:cancel"), "{}").await;
    let message = format!("task {done} is over: there is nothing to cancel");
    let expected = error(400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE", &message);
    assert_eq!(answer, (StatusCode::BAD_REQUEST, expected));
    let (status, _) = wire_state.ask(Method::POST, &format!("tasks/{UNKNOWN}:cancel"), "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn push_that_is_not_offered_is_refused_on_every_route() {
    let wire_state = RestV10Server::new();
    let task = wire_state.working("m1").await;
    let configs = format!("tasks/{task}/pushNotificationConfigs");
    let one = format!("{configs}/c1");
    let message = "push notifications are not supported here; follow the task instead";
    let expected = error(400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED", message);
    for (method, path, body) in [
        (Method::POST, &configs, r#"{"url": "https://example.com/hook"}"#),
        (Method::GET, &configs, ""),
        (Method::GET, &one, ""),
        (Method::DELETE, &one, ""),
    ] {
        let answer = wire_state.ask(method, path, body).await;
        assert_eq!(answer, (StatusCode::BAD_REQUEST, expected.clone()), "{path}");
    }
    let other = json!({"url": "https://example.com/hook", "taskId": UNKNOWN}).to_string();
    let message = format!("`taskId` {UNKNOWN:?} is not the task of this address");
    assert_eq!(wire_state.ask(Method::POST, &configs, &other).await, (StatusCode::BAD_REQUEST, invalid(&message)));
}

#[tokio::test]
async fn the_address_says_the_version() {
    let wire_state = RestV10Server::new();
    for named in ["", " ", "1.0", "1.0.1"] {
        let response = wire_state.client.raw(Method::GET, "/a2a/v1/tasks", &[("a2a-version", named)], "").await;
        assert_eq!(response.status(), StatusCode::OK, "{named:?}");
    }
    let refused = |message: &str| error(400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED", message);
    for (named, message) in [
        ("0.3", "A2A 0.3 is not spoken at this address, 1.0 is: see the agent card"),
        ("99.0", "A2A \"99.0\" is not spoken here; 1.0 and 0.3 are"),
    ] {
        let response = wire_state.client.raw(Method::GET, "/a2a/v1/tasks", &[("a2a-version", named)], "").await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), refused(message));
        let answer = wire_state.ask(Method::GET, &format!("tasks?A2A-Version={named}"), "").await;
        assert_eq!(answer, (StatusCode::BAD_REQUEST, refused(message)));
    }
}

#[tokio::test]
async fn a_body_that_does_not_fit_is_told_where() {
    let wire_state = RestV10Server::new();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let not_json =
        |why| error(400, "INVALID_ARGUMENT", "INVALID_REQUEST", &format!("the body is not valid JSON: {why}"));
    for (body, expected) in [
        ("", error(400, "INVALID_ARGUMENT", "INVALID_REQUEST", "the body is empty: send a JSON object")),
        ("{", not_json("EOF while parsing an object at line 1 column 1")),
        (&deep, not_json("recursion limit exceeded at line 1 column 128")),
        (r#"{"x": 1e400}"#, not_json("number out of range at line 1 column 11")),
        (r#"{"x": "\ud800"}"#, not_json("unexpected end of hex escape at line 1 column 14")),
        ("[]", invalid("the body must be an object")),
        (r#"{"tenant": "acme"}"#, invalid("there is no tenant \"acme\": the agent card names none, leave it out")),
    ] {
        for path in ["message:send", "message:stream"] {
            let answer = wire_state.ask(Method::POST, path, body).await;
            assert_eq!(answer, (StatusCode::BAD_REQUEST, expected.clone()), "{path}");
        }
    }
    // The sentences are those of JSON-RPC, but there are no `params` here.
    for (body, place) in [
        (r#"{}"#, "message"),
        (r#"{"message": 1}"#, "`message"),
        (r#"{"message": {"messageId": "m", "role": "ROLE_USER", "parts": []}}"#, "`message.parts"),
        (r#"{"message": {"messageId": "", "role": "ROLE_USER", "parts": [{"text": "x"}]}}"#, "`message.messageId"),
    ] {
        let (status, answer) = wire_state.ask(Method::POST, "message:send", body).await;
        let message = answer["error"]["message"].as_str().unwrap();
        assert_eq!((status, &answer["error"]["status"]), (StatusCode::BAD_REQUEST, &json!("INVALID_ARGUMENT")));
        assert!(message.contains(place) && !message.contains("params"), "{body}: {message}");
    }
    let file = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"raw": "AP8="}]}}).to_string();
    let (status, answer) = wire_state.ask(Method::POST, "message:send", &file).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(answer["error"]["details"][0]["reason"], "CONTENT_TYPE_NOT_SUPPORTED");

    let large = format!("{{\"text\": \"{}\"}}", "x".repeat(4 * 1024 * 1024));
    let (status, answer) = wire_state.ask(Method::POST, "message:send", &large).await;
    assert_eq!((status, &answer["error"]["code"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!(413)));
}

#[tokio::test]
async fn a_wrong_method_and_a_wrong_address_are_told_apart() {
    let wire_state = RestV10Server::new();
    let response = wire_state.client.raw(Method::PUT, "/a2a/v1/tasks/x:subscribe", &[], "{}").await;
    assert_eq!(
        (response.status(), &response.headers()["allow"]),
        (StatusCode::METHOD_NOT_ALLOWED, &"POST, GET".parse().unwrap())
    );
    let (status, answer) = wire_state.ask(Method::GET, "nothing", "").await;
    let message = "there is nothing at \"/a2a/v1/nothing\"; see the agent card";
    assert_eq!((status, answer), (StatusCode::NOT_FOUND, error(404, "NOT_FOUND", "METHOD_NOT_FOUND", message)));
    assert_eq!(wire_state.get("/tasks").await, wire_state.get("tasks").await);
}

#[test]
fn the_document_names_every_route() {
    let document = include_str!("../../../docs/PROTOCOL.md");
    let routes = rest_routes().into_iter().map(|(method, path)| format!("`{method} {path}`"));
    let missing: Vec<String> = routes.filter(|route| !document.contains(route.as_str())).collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[tokio::test]
async fn every_route_of_the_list_leads_somewhere() {
    let wire_state = RestV10Server::new();
    for (method, path) in rest_routes() {
        let method: Method = method.parse().unwrap();
        let address = path.replace("{id}", UNKNOWN).replace("{configId}", "c1");
        let response = wire_state.client.raw(method.clone(), &address, &[], "{}").await;
        assert_ne!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let text = std::str::from_utf8(&body).unwrap();
        assert!(!text.contains("there is nothing at"), "{method} {path}: {text}");
    }
}
