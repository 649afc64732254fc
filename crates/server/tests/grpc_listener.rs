//! The gRPC listener: the gate in front of it, its bounds, and its end.

#![cfg(feature = "grpc")]

use crate::grpc::grpc_client::{GrpcTestServer, TOKEN, framed, status_of};
use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::{TestRoster, who};
use axum::Router;
use bytes::Bytes;
use http_body_util::BodyExt;
use pollux_server::gate::AuthenticationPolicy;
use pollux_server::listen::ListenerLimits;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

const V10: &str = "lf.a2a.v1";
const LIST: &str = "/lf.a2a.v1.A2AService/ListTasks";

fn router(roster: &Arc<TestRoster>) -> Router {
    TestClient::new(many_sessions(roster, "/"), who("zed")).router
}

async fn serve() -> GrpcTestServer {
    GrpcTestServer::start(router(&TestRoster::new())).await
}

#[tokio::test]
async fn only_those_whom_the_gate_knows_get_in() {
    let server =
        GrpcTestServer::with(router(&TestRoster::new()), ListenerLimits::default(), AuthenticationPolicy::TokenOnly)
            .await;
    let caller = server.caller(V10).await;
    assert_eq!(caller.call("ListTasks", json!({})).await.unwrap_err().code, 16);
    assert_eq!(caller.with("authorization", "Bearer wrong").call("ListTasks", json!({})).await.unwrap_err().code, 16);
    let known = caller.with("authorization", &format!("Bearer {TOKEN}"));
    assert!(known.call("ListTasks", json!({})).await.is_ok());
}

#[tokio::test]
async fn a_wrong_token_is_not_forgiven_for_coming_from_the_local_user() {
    let server = serve().await;
    let caller = server.caller(V10).await;
    assert!(caller.call("ListTasks", json!({})).await.is_ok());
    assert_eq!(caller.with("authorization", "Bearer wrong").call("ListTasks", json!({})).await.unwrap_err().code, 16);
}

#[tokio::test]
async fn other_hosts_and_pages_are_refused() {
    let server = serve().await;
    let caller = server.caller(V10).await;
    assert!(caller.to(&format!("localhost:{}", server.addr.port())).call("ListTasks", json!({})).await.is_ok());
    assert_eq!(caller.to("evil.example:80").call("ListTasks", json!({})).await.unwrap_err().code, 7);
    assert_eq!(caller.with("host", "evil.example").call("ListTasks", json!({})).await.unwrap_err().code, 3);
    assert_eq!(caller.with("origin", "https://evil.example").call("ListTasks", json!({})).await.unwrap_err().code, 7);
    assert_eq!(caller.with("sec-fetch-site", "cross-site").call("ListTasks", json!({})).await.unwrap_err().code, 7);
}

#[tokio::test]
async fn what_is_no_call_of_these_services_is_told_so() {
    let server = serve().await;
    let caller = server.caller(V10).await;
    let body = framed(0, &[]);
    for path in ["/", "/health", "/tasks", "/lf.a2a.v1.A2AService/Nothing", "/a2a.v1.A2AService/ListTasks", "/x.Y/Z"] {
        assert_eq!(status_of(&caller.raw(path, body.clone()).await), (200, Some("12")), "{path}");
    }
    let json = caller.with("content-type", "application/json");
    assert_eq!(status_of(&json.raw(LIST, body.clone()).await), (415, None));
    let proto = caller.with("content-type", "application/grpc+proto");
    assert_eq!(proto.raw(LIST, body).await.status(), 200);
}

#[tokio::test]
async fn bodies_that_hold_no_message_are_refused() {
    let server = serve().await;
    let caller = server.caller(V10).await;
    let bodies: [(&[u8], &str); 6] = [
        (b"", "3"),
        (&[0, 0, 0], "3"),
        (&[0, 0, 0, 0, 9, 1], "3"),
        (&[0, 0, 0, 0, 0, 1], "3"),
        (&[0, 0, 0, 0, 1, 0xff], "3"),
        (&[1, 0, 0, 0, 0], "12"),
    ];
    for (body, code) in bodies {
        let response = caller.raw(LIST, Bytes::copy_from_slice(body)).await;
        assert_eq!(status_of(&response), (200, Some(code)), "{body:?}");
    }
    // The connection goes on.
    assert!(caller.call("ListTasks", json!({})).await.is_ok());
}

#[tokio::test]
async fn a_message_beyond_the_limit_is_refused() {
    let limits = ListenerLimits { body: 1000, ..ListenerLimits::default() };
    let server = GrpcTestServer::with(router(&TestRoster::new()), limits, AuthenticationPolicy::LocalUser).await;
    let caller = server.caller(V10).await;
    let response = caller.raw(LIST, framed(0, &[b'x'; 2000])).await;
    assert_eq!(status_of(&response), (200, Some("8")));
    assert!(caller.call("ListTasks", json!({})).await.is_ok());
}

#[tokio::test]
async fn a_long_id_does_not_make_a_long_answer() {
    let server = serve().await;
    let caller = server.caller(V10).await;
    let failed = caller.call("GetTask", json!({"id": "ä".repeat(100_000)})).await.unwrap_err();
    assert_eq!(failed.code, 3);
    assert!(failed.message.len() < 8192);
}

#[tokio::test]
async fn http_1_is_not_spoken() {
    let server = serve().await;
    let mut stream = TcpStream::connect(server.addr).await.unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    // A reset is as good an end as a goodbye.
    drop(stream.read_to_end(&mut answer).await);
    assert!(!answer.starts_with(b"HTTP/1.1 2"), "{:?}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn whoever_asks_for_nothing_loses_the_connection() {
    let limits = ListenerLimits { header_timeout: Duration::from_millis(20), ..ListenerLimits::default() };
    let server = GrpcTestServer::with(router(&TestRoster::new()), limits, AuthenticationPolicy::LocalUser).await;
    let caller = server.caller(V10).await;
    assert!(caller.call("ListTasks", json!({})).await.is_ok());
    let mut silent = TcpStream::connect(server.addr).await.unwrap();
    let mut answer = Vec::new();
    drop(silent.read_to_end(&mut answer).await);
    assert!(answer.len() < 200);
    // The older connection has asked before, so it may rest.
    assert!(caller.call("ListTasks", json!({})).await.is_ok());
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed() {
    let limits = ListenerLimits { connections: 1, ..ListenerLimits::default() };
    let server = GrpcTestServer::with(router(&TestRoster::new()), limits, AuthenticationPolicy::LocalUser).await;
    let caller = server.caller(V10).await;
    assert!(caller.call("ListTasks", json!({})).await.is_ok());
    let mut second = TcpStream::connect(server.addr).await.unwrap();
    let mut answer = Vec::new();
    drop(second.read_to_end(&mut answer).await);
    assert_eq!(answer, b"");
    assert!(caller.call("ListTasks", json!({})).await.is_ok());
}

#[tokio::test]
async fn a_connection_that_makes_room_is_told_so() {
    const GOAWAY: u8 = 7;
    let limits = ListenerLimits { connections: 1, ..ListenerLimits::default() };
    let server = GrpcTestServer::with(router(&TestRoster::new()), limits, AuthenticationPolicy::LocalUser).await;
    let mut silent = TcpStream::connect(server.addr).await.unwrap();
    silent.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let caller = server.caller(V10).await;
    assert!(caller.call("ListTasks", json!({})).await.is_ok());
    let mut answer = Vec::new();
    drop(silent.read_to_end(&mut answer).await);
    let (mut kinds, mut rest) = (Vec::new(), answer.as_slice());
    while let [a, b, c, kind, ..] = rest {
        kinds.push(*kind);
        rest = &rest[9 + usize::from(*a) * 65_536 + usize::from(*b) * 256 + usize::from(*c)..];
    }
    assert!(kinds.contains(&GOAWAY), "{kinds:?}");
}

#[tokio::test]
async fn at_the_shutdown_streams_end_as_unavailable() {
    let roster = TestRoster::new();
    let shutdown = CancellationToken::new();
    let server =
        GrpcTestServer::start(pollux_server::router(many_sessions(&roster, "/"), card_config(), shutdown.clone()))
            .await;
    let caller = server.caller(V10).await;
    let message = json!({"message": {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}});
    let mut stream = caller.begin("SendStreamingMessage", &message).await;
    assert!(stream.next().await.unwrap().is_some());
    shutdown.cancel();
    let failed = loop {
        match stream.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("a stream that is cut does not end well"),
            Err(failed) => break failed,
        }
    };
    assert_eq!(failed.code, 14);
    server.shutdown.cancel();
    server.running.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_answer_is_framed_as_grpc_wants_it() {
    let server = serve().await;
    let caller = server.caller(V10).await;
    let response = caller.raw(LIST, framed(0, &[])).await;
    assert_eq!(response.headers()["content-type"], "application/grpc");
    let collected = response.into_body().collect().await.unwrap();
    assert_eq!(collected.trailers().unwrap()["grpc-status"], "0");
    let body = collected.to_bytes();
    // A page size of 50 in field 3, and nothing else.
    assert_eq!(&body[..], [0, 0, 0, 0, 2, 0x18, 50]);
}
