//! Promises of the card, kept over gRPC: the extended card, required extensions, no streaming.

#![cfg(feature = "grpc")]

use crate::grpc::grpc_client::{GrpcFailure, GrpcTestServer};
use crate::test_server::TestRoster;
use crate::test_server::client::{card_config, many_sessions};
use pollux_server::{CardConfig, ExtendedCard, SkillCatalogue, SkillListing, router};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const V10: &str = "lf.a2a.v1";
const V03: &str = "a2a.v1";

async fn serve(face: CardConfig) -> GrpcTestServer {
    GrpcTestServer::start(router(many_sessions(&TestRoster::new(), "/"), face, CancellationToken::new())).await
}

fn failed(answer: Result<Value, GrpcFailure>) -> (i32, Option<String>) {
    let failed = answer.unwrap_err();
    (failed.code, failed.reasons.into_iter().next().map(|(_, reason)| reason))
}

#[tokio::test]
async fn the_extended_card_lists_the_tools_in_both_versions() {
    let catalogue = || SkillCatalogue {
        tools: vec![SkillListing { name: "write_file".into(), description: "Writes a file.".into() }],
        servers: Vec::new(),
        commands: Vec::new(),
    };
    let extended = ExtendedCard::Listing(Arc::new(catalogue));
    let server = serve(CardConfig { extended, grpc_url: Some("localhost:1".into()), ..card_config() }).await;
    let new = server.caller(V10).await.call("GetExtendedAgentCard", json!({})).await.unwrap();
    let old = server.caller(V03).await.call("GetAgentCard", json!({})).await.unwrap();
    let tools = |card: &Value| card["skills"].as_array().unwrap().iter().any(|skill| skill["name"] == "write_file");
    assert!(tools(&new), "{new}");
    assert!(tools(&old), "{old}");
    assert_eq!(new["capabilities"]["extendedAgentCard"], true);
    assert_eq!(old["supportsAuthenticatedExtendedCard"], true);
    // The card's addresses are those of the other listener, and this one under its own binding.
    let interfaces = new["supportedInterfaces"].as_array().unwrap();
    let url =
        |binding: &str| interfaces.iter().find(|known| known["protocolBinding"] == binding).unwrap()["url"].clone();
    assert_eq!((url("JSONRPC"), url("GRPC")), (json!("http://localhost:41242/"), json!("localhost:1")));
    assert_eq!(old["url"], "http://localhost:41242/");
}

#[tokio::test]
async fn a_card_that_is_not_there_is_refused() {
    let server = serve(card_config()).await;
    let answer = server.caller(V10).await.call("GetExtendedAgentCard", json!({})).await;
    assert_eq!(failed(answer), (9, Some("UNSUPPORTED_OPERATION".into())));
    assert_eq!(failed(server.caller(V03).await.call("GetAgentCard", json!({})).await).0, 12);
    let server = serve(CardConfig { extended: ExtendedCard::NotConfigured, ..card_config() }).await;
    let answer = server.caller(V10).await.call("GetExtendedAgentCard", json!({})).await;
    assert_eq!(failed(answer), (9, Some("EXTENDED_AGENT_CARD_NOT_CONFIGURED".into())));
    let answer = server.caller(V03).await.call("GetAgentCard", json!({})).await;
    let message = answer.unwrap_err().message;
    assert!(message.starts_with("AuthenticatedExtendedCardNotConfiguredError: "), "{message}");
    assert!(message.ends_with(" (AUTHENTICATED_CARD_NOT_CONFIGURED)"), "{message}");
}

#[tokio::test]
async fn a_required_extension_is_declared_in_the_metadata_and_echoed() {
    let server = serve(CardConfig { extension_required: true, ..card_config() }).await;
    let caller = server.caller(V10).await;
    let message = json!({
        "message": {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "hi"}]},
        "configuration": {"returnImmediately": true},
    });
    let answer = caller.call("SendMessage", message.clone()).await;
    assert_eq!(failed(answer), (9, Some("EXTENSION_SUPPORT_REQUIRED".into())));
    let call = caller.with("a2a-extensions", URI).begin("SendMessage", &message).await;
    assert_eq!(call.head["a2a-extensions"], URI);
    assert_eq!(call.all().await.len(), 1);
}

#[tokio::test]
async fn where_nothing_is_streamed_both_streams_are_refused() {
    let server = serve(CardConfig { streaming: false, ..card_config() }).await;
    let caller = server.caller(V10).await;
    let message = json!({"message": {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}});
    let refused = (9, Some("UNSUPPORTED_OPERATION".to_owned()));
    assert_eq!(failed(caller.call("SendStreamingMessage", message).await), refused);
    let id = json!({"id": "01890000-0000-7000-8000-000000000000"});
    assert_eq!(failed(caller.call("SubscribeToTask", id).await), refused);
}
