//! The health route, and the document that must name every route.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod house;

use axum::http::{Method, StatusCode};
use house::client::{Client, many};
use house::{House, who};
use pollux_server::ROUTES;
use pretty_assertions::assert_eq;
use serde_json::json;

const PROTOCOL: &str = include_str!("../../../docs/PROTOCOL.md");

#[tokio::test]
async fn health_says_that_the_process_answers() {
    let client = Client::new(many(&House::new(), "/"), who("curl"));
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
