//! Extensions: which are told to be active, which a message must declare, and which versions are understood.

use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::{TestRoster, who};
use axum::http::{HeaderMap, Method};
use http_body_util::BodyExt;
use pollux_server::{CardConfig, CardExtension, router};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const REQUIRED: &str = "urn:a2a:tck:required-extension";

fn client(face: CardConfig) -> TestClient {
    let session_access = many_sessions(&TestRoster::new(), "/");
    let mut client = TestClient::new(session_access.clone(), who("curl"));
    client.router = router(session_access, face, CancellationToken::new());
    client
}

fn extension(uri: &str, required: bool) -> CardExtension {
    CardExtension { uri: uri.into(), description: "for a test".into(), required }
}

/// The address of the `development-tool` extension in another version.
fn at(version: &str) -> String {
    URI.replace("/v0/", &format!("/{version}/"))
}

/// The extensions that the answer's headers name as active.
async fn told(client: &TestClient, method: Method, path: &str, headers: &[(&str, &str)]) -> (String, String) {
    let response = client.raw(method, path, headers, "{}").await;
    let all = |headers: &HeaderMap, name: &str| {
        let values: Vec<&str> = headers.get_all(name).iter().map(|value| value.to_str().unwrap()).collect();
        values.join(" | ")
    };
    (all(response.headers(), "a2a-extensions"), all(response.headers(), "x-a2a-extensions"))
}

#[tokio::test]
async fn active_extensions_are_told_under_the_name_that_asked() {
    let client = client(CardConfig { extensions: vec![extension("urn:x", false)], ..card_config() });
    let (same, next, later) = (at("v0.0.0"), at("v1"), at("v0.1"));
    let list = format!("urn:other , {URI},,urn:x, {URI}");
    for (headers, expected) in [
        (vec![], ("", String::new())),
        (vec![("a2a-extensions", URI)], (URI, String::new())),
        (vec![("x-a2a-extensions", URI)], ("", URI.to_owned())),
        (vec![("a2a-extensions", "urn:x"), ("x-a2a-extensions", URI)], ("urn:x", URI.to_owned())),
        (vec![("x-a2a-extensions", &list)], ("", format!("{URI}, urn:x"))),
        (vec![("x-a2a-extensions", URI), ("x-a2a-extensions", "urn:x")], ("", format!("{URI}, urn:x"))),
        (vec![("a2a-extensions", &same)], (&same, String::new())),
        (vec![("a2a-extensions", &next)], ("", String::new())),
        (vec![("a2a-extensions", &later)], ("", String::new())),
        (vec![("a2a-extensions", "urn:x/v1")], ("", String::new())),
    ] {
        let expected = (expected.0.to_owned(), expected.1);
        for (method, path) in
            [(Method::POST, "/"), (Method::GET, "/a2a/v1/tasks"), (Method::GET, "/.well-known/agent-card.json")]
        {
            assert_eq!(told(&client, method, path, &headers).await, expected, "{path} {headers:?}");
        }
    }
}

fn message(metadata: &Value, extensions: &Value) -> Value {
    let parts = json!([{"text": " "}]);
    json!({"messageId": "m1", "role": "user", "parts": parts, "metadata": metadata, "extensions": extensions})
}

/// The code with which a message is refused. The message says nothing, so that one that is let through ends as -32602,
/// with the reason `EMPTY_PROMPT`, and starts nothing.
async fn refused(client: &TestClient, version: &str, headers: &[(&str, &str)], message: &Value) -> (Value, String) {
    let mut message = message.clone();
    let method = match version {
        "1.0" => {
            message["role"] = "ROLE_USER".into();
            "SendMessage"
        }
        _ => "message/send",
    };
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}}).to_string();
    let headers: Vec<_> = headers.iter().copied().chain([("a2a-version", version)]).collect();
    let answer = client.raw(Method::POST, "/", &headers, &body).await.into_body().collect().await.unwrap().to_bytes();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let newest = answer["error"]["data"].as_array().and_then(|details| details.last());
    let reason = newest.and_then(|info| info["reason"].as_str()).unwrap_or_default().to_owned();
    (answer["error"]["code"].clone(), reason)
}

#[tokio::test]
async fn a_required_extension_must_be_declared() {
    let client = client(CardConfig { extensions: vec![extension(REQUIRED, true)], ..card_config() });
    let plain = message(&json!({}), &json!([]));
    let missing = |code: i64| (json!(code), "EXTENSION_SUPPORT_REQUIRED".to_owned());
    assert_eq!(refused(&client, "1.0", &[], &plain).await, missing(-32008));
    assert_eq!(refused(&client, "0.3", &[], &plain).await, missing(-32004));
    assert_eq!(refused(&client, "1.0", &[("a2a-extensions", URI)], &plain).await, missing(-32008));
    let through = (json!(-32602), "EMPTY_PROMPT".to_owned());
    let in_list = message(&json!({}), &json!([REQUIRED]));
    let in_metadata = message(&json!({ REQUIRED: {} }), &json!([]));
    for version in ["1.0", "0.3"] {
        assert_eq!(refused(&client, version, &[("a2a-extensions", REQUIRED)], &plain).await, through);
        assert_eq!(refused(&client, version, &[("x-a2a-extensions", REQUIRED)], &plain).await, through);
        assert_eq!(refused(&client, version, &[], &in_list).await, through);
        assert_eq!(refused(&client, version, &[], &in_metadata).await, through);
    }
}

#[tokio::test]
async fn a_required_extension_must_be_declared_over_http_too() {
    let client = client(CardConfig { extensions: vec![extension(REQUIRED, true)], ..card_config() });
    let body = json!({"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}}).to_string();
    let (status, answer) = client.json(Method::POST, "/a2a/v1/message:send", &body).await;
    assert_eq!(
        (status.as_u16(), &answer["error"]["details"][0]["reason"]),
        (400, &json!("EXTENSION_SUPPORT_REQUIRED"))
    );
}

#[tokio::test]
async fn what_is_not_a_message_needs_no_extension() {
    let client = client(CardConfig { extensions: vec![extension(REQUIRED, true)], ..card_config() });
    let answer = client.speaking("1.0").rpc("ListTasks", json!({})).await;
    assert_eq!(answer["result"]["totalSize"], 0);
}

#[tokio::test]
async fn a_version_that_is_not_spoken_counts_only_where_it_matters() {
    let (optional, required) =
        (client(card_config()), client(CardConfig { extension_required: true, ..card_config() }));
    let through = (json!(-32602), "EMPTY_PROMPT".to_owned());
    let plain = message(&json!({}), &json!([]));
    for version in ["v0.0.1", "v0.2", "v1", "v7.1"] {
        let asked = at(version);
        let headers = [("a2a-extensions", asked.as_str())];
        assert_eq!(refused(&optional, "1.0", &headers, &plain).await, through, "{version}");
        assert_eq!(refused(&required, "1.0", &headers, &plain).await.0, -32008, "{version}");
    }
    for (version, is_understood) in [("v0", true), ("v0.0.0", true), ("v0.2", false), ("v1", false), ("v7.1", false)] {
        let under = message(&json!({ at(version): {"workspace_path": "/"} }), &json!([]));
        let (code, reason) = refused(&optional, "0.3", &[], &under).await;
        assert_eq!((code, reason == "EMPTY_PROMPT"), (json!(-32602), is_understood), "{version}");
    }
}
