//! The health route, and the document that must name every route.

use crate::test_server::client::{TestClient, many_sessions};
use crate::test_server::{TestRoster, who};
use axum::http::{Method, StatusCode};
use pollux_server::ROUTES;
use pretty_assertions::assert_eq;
use serde_json::json;

const PROTOCOL: &str = include_str!("../../../docs/PROTOCOL.md");

#[tokio::test]
async fn health_says_that_the_process_answers() {
    let client = TestClient::new(many_sessions(&TestRoster::new(), "/"), who("curl"));
    let (status, health) = client.json(Method::GET, "/health", "").await;
    assert_eq!((status, &health["status"], &health["uptime"]), (StatusCode::OK, &json!("healthy"), &json!(0)));
}

#[test]
fn the_document_names_every_route_method_and_kind() {
    let methods = ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"];
    let kinds =
        ["TEXT_CONTENT", "THOUGHT", "TOOL_CALL_UPDATE", "USER_MESSAGE", "STATE_CHANGE", "CONSOLE_LOG", "ERROR", "GAP"];
    let routes = ROUTES.iter().map(|(method, path)| format!("`{method} {path}`"));
    let named = methods.iter().chain(&kinds).map(|name| format!("`{name}`"));
    let missing: Vec<_> = routes.chain(named).filter(|name| !PROTOCOL.contains(name.as_str())).collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[tokio::test]
async fn options_say_which_methods_an_address_takes() {
    let client = TestClient::new(many_sessions(&TestRoster::new(), "/"), who("zed"));
    let allowed = async |method: Method, path: &str| {
        let answer = client.raw(method, path, &[], "").await;
        (answer.status().as_u16(), answer.headers()["allow"].to_str().unwrap().to_owned())
    };
    for (path, methods) in [
        ("/", "POST"),
        ("/.well-known/agent-card.json", "GET, HEAD"),
        ("/.well-known/agent-card.json/", "GET, HEAD"),
        ("/health", "GET, HEAD"),
        ("/ws", "GET, HEAD"),
        ("/tasks", "POST, GET, HEAD"),
        ("/tasks/metadata", "GET, HEAD"),
        ("/tasks/x", "GET, HEAD"),
        ("/tasks/x/metadata", "GET, HEAD"),
        ("/tasks/x/execute", "POST"),
        ("/tasks/x/messages/stream", "POST"),
        ("/message/stream", "POST"),
        ("/listCommands", "GET, HEAD"),
        ("/executeCommand", "POST"),
        ("/v1/tasks", "GET"),
        ("/v1/message:send", "POST"),
        ("/a2a/v1/tasks/x", "GET"),
        ("/a2a/v1/tasks/x/pushNotificationConfigs", "POST, GET"),
        ("/lf.a2a.v1.A2AService/GetTask", "POST"),
    ] {
        assert_eq!(allowed(Method::OPTIONS, path).await, (204, format!("{methods}, OPTIONS")), "{path}");
        assert_eq!(allowed(Method::PUT, path).await, (405, methods.to_owned()), "{path}");
    }
    let nowhere = client.raw(Method::OPTIONS, "/nowhere", &[], "").await;
    assert_eq!(nowhere.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_card_is_there_with_a_slash_behind_it() {
    let client = TestClient::new(many_sessions(&TestRoster::new(), "/"), who("zed"));
    let card = client.json(Method::GET, "/.well-known/agent-card.json", "").await;
    assert_eq!(card.0, StatusCode::OK);
    assert_eq!(client.json(Method::GET, "/.well-known/agent-card.json/", "").await, card);
}
