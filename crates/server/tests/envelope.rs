//! The JSON-RPC envelope at `/`: notifications, batches, bodies that are no requests.

use crate::test_server::client::{TestClient, many_sessions};
use crate::test_server::script::thinks;
use crate::test_server::{TestRoster, who};
use axum::http::{Method, StatusCode};
use http_body_util::BodyExt;
use pollux_server::{METHODS_V03, METHODS_V10};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

const PROTOCOL: &str = include_str!("../../../docs/PROTOCOL.md");

fn serve() -> (Arc<TestRoster>, TestClient) {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    (roster, client)
}

fn request(id: &Value, method: &str, params: &Value) -> Value {
    let mut request = json!({"jsonrpc": "2.0", "method": method, "params": params});
    if !id.is_null() {
        request["id"] = id.clone();
    }
    request
}

fn say(text: &str, id: &str) -> Value {
    json!({"message": {"role": "user", "messageId": id, "parts": [{"kind": "text", "text": text}]}})
}

/// The status and the body, which may be nothing.
async fn post(client: &TestClient, body: &str) -> (u16, String) {
    let response = client.raw(Method::POST, "/", &[], body).await;
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn a_notification_is_done_and_not_answered() {
    let (roster, client) = serve();
    for (method, id) in [("message/send", "m1"), ("message/stream", "m2")] {
        let notification = request(&Value::Null, method, &say("hi", id)).to_string();
        assert_eq!(post(&client, &notification).await, (204, String::new()), "{method}");
        roster.newest().owes(thinks).await;
    }
    assert_eq!(roster.sessions().len(), 2);
    let asked = json!({"jsonrpc": "2.0", "id": null, "method": "tasks/get", "params": {"id": roster.newest().id}});
    let (status, answer) = client.json(Method::POST, "/", &asked.to_string()).await;
    assert_eq!((status, &answer["result"]["id"]), (StatusCode::OK, &json!(roster.newest().id)), "null is an id");

    // A refusal is told all the same, unless it is one of several.
    for (method, code) in [("nothing", -32601), ("message/send", -32602), ("tasks/get", -32602)] {
        let wrong = request(&Value::Null, method, &json!({})).to_string();
        let (status, answer) = client.json(Method::POST, "/", &wrong).await;
        assert_eq!((status, &answer["error"]["code"], &answer["id"]), (StatusCode::OK, &json!(code), &Value::Null));
        assert_eq!(post(&client, &format!("[{wrong}]")).await, (204, String::new()), "{method}");
    }
    let unspoken = client.speaking("9.9");
    // What is no request may have lost its id.
    for broken in [json!({"method": "tasks/get"}), json!({"jsonrpc": "2.0"}), json!([])] {
        let (status, answer) = client.json(Method::POST, "/", &broken.to_string()).await;
        assert_eq!((status, &answer["error"]["code"], &answer["id"]), (StatusCode::OK, &json!(-32600), &Value::Null));
    }
    let (_, answer) = unspoken.json(Method::POST, "/", r#"{"method": "tasks/get"}"#).await;
    assert_eq!(answer["error"]["code"], -32009);
}

#[tokio::test]
async fn an_id_is_echoed_as_it_was_written() {
    let (_house, client) = serve();
    for id in ["7", "-7", "99999999999999999999", "18446744073709551615", "1.50", "1e2", "\"7\"", "null"] {
        let ask = |method: &str| format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "{method}", "params": {{}}}}"#);
        let written = format!(r#""id":{id},"#);
        for body in [ask("tasks/get"), ask(""), format!("[{}]", ask("tasks/get"))] {
            let (status, answer) = post(&client, &body).await;
            assert!(status == 200 && answer.contains(&written), "{body}: {answer}");
        }
        let (_, answer) = post(&client.speaking("9.9"), &ask("tasks/get")).await;
        assert!(answer.contains(&written), "{answer}");
    }
    for id in ["true", "[]", "{}"] {
        let body = format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "tasks/get", "params": {{"id": "x"}}}}"#);
        let (_, answer) = client.json(Method::POST, "/", &body).await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{id}");
    }
}

#[tokio::test]
async fn a_batch_is_answered_in_one() {
    let (roster, client) = serve();
    let mut send = say("hi", "m1");
    send["configuration"] = json!({"blocking": false});
    let batch = json!([
        request(&json!("a"), "message/send", &send),
        request(&Value::Null, "message/send", &say("unheard", "m2")),
        request(&Value::Null, "nothing", &json!({})),
        request(&json!(2), "tasks/get", &json!({"id": "x"})),
        request(&json!(3), "message/stream", &say("hi", "m3")),
        5,
        {"jsonrpc": "2.0", "id": {"bad": 1}, "method": "tasks/get"},
    ]);
    let (status, answers) = client.json(Method::POST, "/", &batch.to_string()).await;
    assert_eq!(status, StatusCode::OK);
    let short: Vec<(&Value, &Value)> =
        answers.as_array().unwrap().iter().map(|answer| (&answer["id"], &answer["error"]["code"])).collect();
    assert_eq!(
        short,
        [
            (&json!("a"), &Value::Null),
            (&json!(2), &json!(-32001)),
            (&json!(3), &json!(-32600)),
            (&Value::Null, &json!(-32600)),
            (&Value::Null, &json!(-32600)),
        ]
    );
    assert_eq!(answers[0]["result"]["status"]["state"], "working");
    assert!(answers[2]["error"]["message"].as_str().unwrap().contains("by itself"));
    assert_eq!(roster.sessions().len(), 2, "the stream was not begun");

    let unheard = json!([request(&Value::Null, "message/send", &say("unheard too", "m4"))]).to_string();
    assert_eq!(post(&client, &unheard).await, (204, String::new()));
    assert_eq!(roster.sessions().len(), 3);
}

#[tokio::test]
async fn a_batch_has_a_size() {
    let (roster, client) = serve();
    let get = request(&json!(1), "tasks/get", &json!({"id": "x"}));
    for (size, status) in [(0, -32600), (64, -32001), (65, -32600)] {
        let (_, answer) = client.json(Method::POST, "/", &Value::Array(vec![get.clone(); size]).to_string()).await;
        let error = if size == 64 { &answer[63]["error"]["code"] } else { &answer["error"]["code"] };
        assert_eq!(error, &json!(status), "{size}");
    }
    let unspoken = client.speaking("7.0").json(Method::POST, "/", &json!([get]).to_string()).await.1;
    assert_eq!((&unspoken["id"], &unspoken["error"]["code"]), (&Value::Null, &json!(-32009)));
    assert_eq!(roster.sessions().len(), 0);
}

#[tokio::test]
async fn bodies_that_no_reader_should_choke_on() {
    let (roster, client) = serve();
    let with_text = |text: &str| {
        format!(
            r#"{{"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {{"message": {{"role": "user", "messageId": "m", "parts": [{{"text": {text}}}]}}}}}}"#
        )
    };
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    for (name, body, status, code) in [
        ("depth", with_text(&deep), 400, -32700),
        ("a deep batch", deep.clone(), 400, -32700),
        ("half a surrogate pair", with_text(r#""\ud800""#), 400, -32700),
        ("surrogates the wrong way round", with_text(r#""\udc00\ud800""#), 400, -32700),
        ("a number beyond all numbers", with_text("1e400"), 400, -32700),
        ("a raw NUL", with_text("\"a\0b\""), 400, -32700),
        ("an escaped NUL", with_text(r#""a\u0000b""#), 200, -32602),
        ("a NUL in an unknown member", with_text(r#""a", "metadata": {"x": ["\u0000"]}"#), 200, -32602),
        ("two bodies", "{}{}".into(), 400, -32700),
        ("nothing", String::new(), 400, -32700),
    ] {
        let (got, answer) = client.json(Method::POST, "/", &body).await;
        assert_eq!((got.as_u16(), &answer["error"]["code"]), (status, &json!(code)), "{name}: {answer}");
        let (got, _) = client.speaking("1.0").json(Method::POST, "/", &body).await;
        assert!(got.as_u16() < 500, "{name}");
    }
    let (status, _) = client.json(Method::POST, "/", &with_text(&format!("{:?}", "x".repeat(10_000_000)))).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(roster.sessions().len(), 0);
}

#[tokio::test]
async fn every_method_that_is_named_is_answered() {
    let (_house, client) = serve();
    for (version, methods) in [("0.3", &METHODS_V03[..]), ("1.0", &METHODS_V10[..])] {
        for method in methods {
            let answer = client.speaking(version).rpc(method, json!({})).await;
            assert_ne!(answer["error"]["code"], -32601, "{method}");
            assert!(PROTOCOL.contains(&format!("`{method}`")), "docs/PROTOCOL.md does not name {method}");
        }
    }
}
