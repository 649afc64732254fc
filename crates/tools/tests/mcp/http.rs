//! Servers reached over HTTP, good and bad, on this machine.

use crate::mcp::mcp_client::{failure_reason, names, run, start, status, text, wait_until};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use futures_util::StreamExt;
use pollux_session::{CallError, CallOutcome};
use pollux_tools::{McpLimits, McpOptions, McpServerConfig, McpStatus};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio_util::task::AbortOnDropHandle;

/// A router that listens until this is dropped.
pub(crate) struct LocalHttpServer {
    pub(crate) origin: String,
    _listening: AbortOnDropHandle<()>,
}

pub(crate) async fn listen(router: Router) -> LocalHttpServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    LocalHttpServer { origin, _listening: AbortOnDropHandle::new(serving) }
}

fn config_for_url(url: String) -> McpServerConfig {
    McpServerConfig { http_url: Some(url), ..McpServerConfig::default() }
}

/// The answer of a server with the tool `say` to a message; `None` where no answer is due.
pub(crate) fn answer(message: &Value, said: &str) -> Option<Value> {
    let schema = json!({ "type": "object", "properties": {} });
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "site", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{ "name": "say", "inputSchema": schema }] }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": said }] }),
        _ => return None,
    };
    Some(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
}

/// Answers in plain JSON; `say` returns the token it was sent.
async fn answer_in_json(headers: HeaderMap, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    let token = headers.get("x-token").map_or("none", |token| token.to_str().unwrap());
    match answer(&message, token) {
        Some(answer) => ([("content-type", "application/json")], answer.to_string()).into_response(),
        None => StatusCode::ACCEPTED.into_response(),
    }
}

#[tokio::test]
async fn plain_answers_are_enough() {
    let site = listen(Router::new().route("/mcp", post(answer_in_json))).await;
    let mut config = config_for_url(format!("{}/mcp", site.origin));
    config.headers = BTreeMap::from([("X-Token".into(), "mine".into())]);
    let servers = start(config, McpOptions::default()).await;
    assert_eq!(names(&servers), ["mcp_peer_say"]);
    assert_eq!(text(&servers, "mcp_peer_say", json!({})).await, "mine");
}

#[tokio::test]
async fn a_refusal_says_what_to_do() {
    let cases = [
        (403, "it refuses us (HTTP 403); check the token in the `headers` of its entry"),
        (404, "it answered with HTTP 404; check its address"),
        (500, "it answered with HTTP 500; check its address"),
    ];
    for (code, message) in cases {
        let status = StatusCode::from_u16(code).unwrap();
        let site = listen(Router::new().fallback(any(move || async move { status }))).await;
        assert_eq!(failure_reason(&start(config_for_url(site.origin.clone()), McpOptions::default()).await), message);
        // The same through `url`, where the older protocol may be tried as well.
        let config = McpServerConfig { url: Some(site.origin.clone()), ..McpServerConfig::default() };
        assert_eq!(failure_reason(&start(config, McpOptions::default()).await), message);
    }
}

#[tokio::test]
async fn a_token_of_the_entry_that_is_refused_is_named() {
    let site = listen(Router::new().fallback(any(|| async { StatusCode::UNAUTHORIZED }))).await;
    let mut config = config_for_url(site.origin.clone());
    let wanted = McpStatus::NeedsSignIn { how: "run: pollux mcp login peer".into() };
    assert_eq!(status(&start(config.clone(), McpOptions::default()).await), wanted);
    config.headers = BTreeMap::from([("authorization".into(), "Bearer stale".into())]);
    let message = "it does not take the `Authorization` header of its entry (HTTP 401); check the token there";
    assert_eq!(failure_reason(&start(config, McpOptions::default()).await), message);
}

#[tokio::test]
async fn a_server_that_does_not_run_is_said_not_to() {
    // Nobody listens any more where somebody just did.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let servers = start(config_for_url(format!("http://{gone}/mcp")), McpOptions::default()).await;
    let message = "it cannot be reached: Connection refused (os error 111); check its address and whether it runs";
    assert_eq!(failure_reason(&servers), message);
}

#[tokio::test]
async fn what_is_no_address_is_named() {
    let servers = start(config_for_url("ftp://127.0.0.1/".into()), McpOptions::default()).await;
    assert_eq!(
        failure_reason(&servers),
        "`ftp://127.0.0.1/` is not an http or https address: its scheme is another one"
    );
    let mut config = config_for_url("http://127.0.0.1:1/".into());
    config.headers = BTreeMap::from([("X-Token".into(), "a\nb".into())]);
    let message = "its header `X-Token` cannot be sent; check the name and the value for characters that headers do \
                   not allow";
    assert_eq!(failure_reason(&start(config, McpOptions::default()).await), message);
}

#[tokio::test]
async fn a_redirect_elsewhere_is_not_followed() {
    let (sender, mut reached) = mpsc::unbounded_channel();
    let elsewhere = listen(Router::new().fallback(any(move |headers: HeaderMap| async move {
        sender.send(headers).unwrap();
    })))
    .await;
    let target = elsewhere.origin.clone();
    let site = listen(
        Router::new().fallback(any(move || async move { (StatusCode::TEMPORARY_REDIRECT, [("location", target)]) })),
    )
    .await;
    let mut config = config_for_url(site.origin.clone());
    config.headers = BTreeMap::from([("X-Token".into(), "mine".into())]);
    assert_eq!(
        failure_reason(&start(config, McpOptions::default()).await),
        "it answered with HTTP 307; check its address"
    );
    assert!(reached.try_recv().is_err());
}

#[tokio::test]
async fn a_redirect_on_the_site_is_followed() {
    let moved = || async { (StatusCode::TEMPORARY_REDIRECT, [("location", "/mcp")]) };
    let site = listen(Router::new().route("/mcp", post(answer_in_json)).route("/", post(moved))).await;
    let servers = start(config_for_url(site.origin.clone()), McpOptions::default()).await;
    assert_eq!(names(&servers), ["mcp_peer_say"]);
}

/// Answers a call without end, as `media`.
fn endless_router(media: &'static str, piece: &'static str) -> Router {
    Router::new().fallback(post(move |body: String| async move {
        let message: Value = serde_json::from_str(&body).unwrap();
        if message["method"] != "tools/call" {
            return match answer(&message, "") {
                Some(answer) => ([("content-type", "application/json")], answer.to_string()).into_response(),
                None => StatusCode::ACCEPTED.into_response(),
            };
        }
        let pieces = futures_util::stream::repeat(piece).map(Ok::<_, std::io::Error>);
        ([("content-type", media)], Body::from_stream(pieces)).into_response()
    }))
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let limits = McpLimits { message: 100_000, messages: 1_000, ..McpLimits::default() };
    let cases = [
        ("application/json", "[1, ", "it sent a message of more than 100000 bytes"),
        ("text/event-stream", "data: x\n", "it sent a message of more than 100000 bytes"),
        ("text/event-stream", "data: {}\n\n", "it sent more than 1000 messages in ten seconds"),
    ];
    for (media, piece, flood) in cases {
        let site = listen(endless_router(media, piece)).await;
        let servers = start(config_for_url(site.origin.clone()), McpOptions { limits, ..McpOptions::default() }).await;
        let outcome = run(&servers, "mcp_peer_say", json!({})).await;
        let CallOutcome::Failed { error: CallError { kind, .. }, result: None } = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(kind, "mcp_tool_error");
        let why = format!("{flood}, and was stopped; it is started again in 1 seconds");
        wait_until(&servers, |status| *status == McpStatus::Failed { why: why.clone() }).await;
    }
}

/// A server of the older protocol: events to read at `/sse`, messages to post at `/post`.
fn sse_router(endpoint: &'static str) -> Router {
    type Events = Arc<Mutex<Option<mpsc::UnboundedSender<String>>>>;
    let read = move |State(events): State<Events>| async move {
        let (sender, receiver) = mpsc::unbounded_channel();
        sender.send(format!("event: endpoint\ndata: {endpoint}\n\n")).unwrap();
        *events.lock().await = Some(sender);
        let pieces = futures_util::stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|event| (Ok::<_, std::io::Error>(event), receiver))
        });
        ([("content-type", "text/event-stream")], Body::from_stream(pieces))
    };
    let write = |State(events): State<Events>, body: String| async move {
        if let Some(answer) = answer(&serde_json::from_str(&body).unwrap(), "the old way") {
            let event = format!("event: message\ndata: {answer}\n\n");
            events.lock().await.as_ref().unwrap().send(event).unwrap();
        }
        StatusCode::ACCEPTED
    };
    Router::new().route("/sse", get(read)).route("/post", post(write)).with_state(Events::default())
}

#[tokio::test]
async fn a_server_of_the_older_protocol_is_understood() {
    let site = listen(sse_router("/post?session=1")).await;
    let url = Some(format!("{}/sse", site.origin));
    let servers = start(McpServerConfig { url, ..McpServerConfig::default() }, McpOptions::default()).await;
    assert_eq!(status(&servers), McpStatus::Ready { tools: 1, prompts: 0, resources: 0, left_out: vec![] });
    assert_eq!(text(&servers, "mcp_peer_say", json!({})).await, "the old way");
}

#[tokio::test]
async fn an_older_server_cannot_send_us_elsewhere() {
    let site = listen(sse_router("http://127.0.0.1:9/post")).await;
    let url = Some(format!("{}/sse", site.origin));
    let servers = start(McpServerConfig { url, ..McpServerConfig::default() }, McpOptions::default()).await;
    let message = "it could not be agreed with how to talk: the server did not say where to send messages";
    assert_eq!(failure_reason(&servers), message);
}
