//! Answers that need no task, and streams that only say what was wrong.

use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::{TestRoster, who};
use axum::http::Method;
use pollux_server::{DirectResponder, RouterOptions, router_with};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

struct EchoResponder;

impl DirectResponder for EchoResponder {
    fn answer(&self, message_id: &str, text: &str) -> Option<String> {
        message_id.starts_with("echo").then(|| text.to_owned())
    }
}

fn serve() -> (Arc<TestRoster>, TestClient) {
    let roster = TestRoster::new();
    let mut client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let extras = RouterOptions { direct: Some(Arc::new(EchoResponder)), ..RouterOptions::default() };
    client.router = router_with(many_sessions(&roster, "/"), card_config(), extras, CancellationToken::new());
    (roster, client)
}

/// The part of a message that is the same every time.
fn told(mut message: Value) -> Value {
    assert!(message["messageId"].take().is_string());
    assert!(message["contextId"].take().is_string());
    message
}

#[tokio::test]
async fn a_message_that_needs_no_task_begins_none() {
    let (roster, client) = serve();
    let old = json!({"message": {"role": "user", "messageId": "echo-1", "parts": [{"kind": "text", "text": "hi"}]}});
    let new = json!({"message": {"role": "ROLE_USER", "messageId": "echo-1", "parts": [{"text": "hi"}]}});
    let in_old = json!({
        "kind": "message", "role": "agent", "parts": [{"kind": "text", "text": "hi"}], "messageId": null, "contextId": null
    });
    let in_new = json!({"role": "ROLE_AGENT", "parts": [{"text": "hi"}], "messageId": null, "contextId": null});

    let sent = client.rpc("message/send", old.clone()).await["result"].take();
    assert_eq!(told(sent), in_old);
    let mut streamed = client.stream("message/stream", old.clone()).await.results().await;
    assert_eq!(streamed.len(), 1);
    assert_eq!(told(streamed.remove(0)), in_old);
    let (_, mut rest) = client.json(Method::POST, "/v1/message:send", &old.to_string()).await;
    assert_eq!(told(rest["message"].take()), in_old);

    let client = client.speaking("1.0");
    let sent = client.rpc("SendMessage", new.clone()).await["result"]["message"].take();
    assert_eq!(told(sent), in_new);
    let (_, mut rest) = client.json(Method::POST, "/a2a/v1/message:send", &new.to_string()).await;
    assert_eq!(told(rest["message"].take()), in_new);
    assert_eq!(roster.sessions().len(), 0);
}

#[tokio::test]
async fn what_may_not_be_sent_is_refused_all_the_same() {
    let (_, client) = serve();
    let client = client.speaking("1.0");
    let message = json!({"role": "ROLE_USER", "messageId": "echo-1", "parts": [{"text": "hi"}]});
    let configuration = json!({"acceptedOutputModes": ["image/png"]});
    let refused = client.rpc("SendMessage", json!({"message": message, "configuration": configuration})).await;
    assert_eq!(refused["error"]["code"], json!(-32005));
    // A message for a task is the task's.
    let mut message = message;
    message["taskId"] = json!("0198c0de-0000-7000-8000-000000000000");
    let refused = client.rpc("SendMessage", json!({ "message": message })).await;
    assert_eq!(refused["error"]["code"], json!(-32001));
}

#[tokio::test]
async fn a_client_of_0_3_that_takes_only_streams_reads_there_what_was_wrong() {
    let (_, client) = serve();
    let ask =
        |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"id": "nobody"}}).to_string();
    let only_streams = [("accept", "text/event-stream")];
    let mut stream = client.sse(Method::POST, "/", &only_streams, &ask("tasks/resubscribe")).await;
    let (cursor, event) = stream.next().await.unwrap();
    assert_eq!((cursor, &event["id"], &event["error"]["code"]), (None, &json!(1), &json!(-32001)));
    assert_eq!(stream.next().await, None);

    // Whoever can read JSON gets JSON, and so does every other method and version.
    let plain = |accept: &'static str, method: &'static str, client: TestClient| async move {
        let response = client.raw(Method::POST, "/", &[("accept", accept)], &ask(method)).await;
        response.headers()["content-type"].clone()
    };
    for both in ["application/json, text/event-stream", "text/event-stream, application/json"] {
        assert_eq!(plain(both, "tasks/resubscribe", client.clone()).await, "application/json");
    }
    assert_eq!(plain("text/event-stream", "tasks/get", client.clone()).await, "application/json");
    let new = client.speaking("1.0");
    assert_eq!(plain("text/event-stream", "SubscribeToTask", new).await, "application/json");
}
