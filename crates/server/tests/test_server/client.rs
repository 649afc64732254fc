//! A client of the router: plain requests, and streams read event by event.

use super::TestRoster;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use axum::{Extension, Router};
use http_body_util::BodyExt;
use pollux_server::{CardConfig, RouterOptions, SessionAccess, WorkspaceRoots, router, router_with};
use pollux_session::{SessionId, Who};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// The agent's card in tests.
pub(crate) fn card_config() -> CardConfig {
    CardConfig {
        name: "Gemini CLI Agent".into(),
        model: "script".into(),
        url: "http://localhost:41242/".into(),
        version: "0.1.0".into(),
        ..CardConfig::default()
    }
}

/// The rooms of `serve`.
pub(crate) fn many_sessions(roster: &Arc<TestRoster>, workspace: &str) -> SessionAccess {
    many_sessions_in(roster, workspace, &["/"])
}

/// Many sessions, where clients may name workspaces in `roots` only.
pub(crate) fn many_sessions_in(roster: &Arc<TestRoster>, workspace: &str, roots: &[&str]) -> SessionAccess {
    let roots = WorkspaceRoots::new(roots.iter().map(PathBuf::from));
    SessionAccess::Many { roster: Arc::clone(roster) as _, workspace: workspace.into(), roots }
}

/// The rooms of `--a2a-port`.
pub(crate) fn shared_session(roster: &Arc<TestRoster>, session: SessionId, workspace: &str) -> SessionAccess {
    SessionAccess::Shared { roster: Arc::clone(roster) as _, session, workspace: workspace.into() }
}

/// The router as somebody behind the gate sees it.
#[derive(Clone)]
pub(crate) struct TestClient {
    pub(crate) router: Router,
    who: Who,
    version: Option<&'static str>,
    extensions: Option<&'static str>,
}

/// One event of a stream: its cursor and its JSON.
pub(crate) type SseEvent = (Option<String>, Value);

/// A stream being read.
pub(crate) struct SseReader {
    body: Body,
    text: String,
}

impl TestClient {
    pub(crate) fn new(session_access: SessionAccess, who: Who) -> TestClient {
        TestClient {
            router: router(session_access, card_config(), CancellationToken::new()),
            who,
            version: None,
            extensions: None,
        }
    }

    /// A server that offers more.
    pub(crate) fn offering(session_access: SessionAccess, extras: RouterOptions, who: Who) -> TestClient {
        TestClient {
            router: router_with(session_access, card_config(), extras, CancellationToken::new()),
            who,
            version: None,
            extensions: None,
        }
    }

    /// The server, seen by somebody else.
    pub(crate) fn seen_by(&self, who: Who) -> TestClient {
        TestClient { who, ..self.clone() }
    }

    /// The server, spoken to in a version of A2A.
    pub(crate) fn speaking(&self, version: &'static str) -> TestClient {
        TestClient { version: Some(version), ..self.clone() }
    }

    /// The server, spoken to by somebody who knows the `development-tool` extension.
    pub(crate) fn declaring(&self) -> TestClient {
        TestClient { extensions: Some(pollux_wire::devtool::URI), ..self.clone() }
    }

    /// The router as somebody's, for a socket.
    pub(crate) fn app(&self) -> Router {
        self.router.clone().layer(Extension(self.who.clone()))
    }

    pub(crate) async fn raw(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> axum::response::Response {
        let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let version = self.version.map(|version| ("a2a-version", version));
        let extensions = self.extensions.map(|uri| ("a2a-extensions", uri));
        for (name, value) in headers.iter().copied().chain(version).chain(extensions) {
            request = request.header(name, value);
        }
        self.app().oneshot(request.body(Body::from(body.to_owned())).unwrap()).await.unwrap()
    }

    /// The status and the JSON of a plain request.
    pub(crate) async fn json(&self, method: Method, path: &str, body: &str) -> (StatusCode, Value) {
        let response = self.raw(method, path, &[], body).await;
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).expect("every body is JSON"))
    }

    /// The answer to a JSON-RPC request.
    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let (status, answer) = self.json(Method::POST, "/", &body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }

    /// A JSON-RPC request that streams.
    pub(crate) async fn stream(&self, method: &str, params: Value) -> SseReader {
        self.stream_after(method, params, None).await
    }

    /// A JSON-RPC request that streams, with a cursor.
    pub(crate) async fn stream_after(&self, method: &str, params: Value, cursor: Option<&str>) -> SseReader {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let headers: Vec<_> = cursor.map(|cursor| ("last-event-id", cursor)).into_iter().collect();
        SseReader::from_response(self.raw(Method::POST, "/", &headers, &body).await)
    }

    /// A request of any kind that streams.
    pub(crate) async fn sse(&self, method: Method, path: &str, headers: &[(&str, &str)], body: &str) -> SseReader {
        SseReader::from_response(self.raw(method, path, headers, body).await)
    }

    /// A request of the endpoint guide that streams.
    pub(crate) async fn post_stream(&self, path: &str, body: &Value) -> SseReader {
        SseReader::from_response(self.raw(Method::POST, path, &[], &body.to_string()).await)
    }
}

impl SseReader {
    fn from_response(response: axum::response::Response) -> SseReader {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        SseReader { body: response.into_body(), text: String::new() }
    }

    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                let Some(data) = field("data: ") else { continue };
                return Some((field("id: "), serde_json::from_str(&data).unwrap()));
            }
            let frame = self.body.frame().await?.unwrap();
            self.text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
        }
    }

    /// The next line, which is a comment and no event's.
    pub(crate) async fn comment(&mut self) -> String {
        loop {
            if let Some((comment, rest)) = self.text.split_once('\n') {
                let (comment, rest) = (comment.to_owned(), rest.to_owned());
                self.text = rest;
                return comment;
            }
            let frame = self.body.frame().await.expect("the stream goes on").unwrap();
            self.text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
        }
    }

    /// The result inside the next JSON-RPC event.
    pub(crate) async fn result(&mut self) -> Value {
        let (_, mut event) = self.next().await.expect("the stream goes on");
        assert_eq!(event["id"], 1);
        event["result"].take()
    }

    /// The next results of a stream that goes on.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<Value> {
        let mut results = Vec::new();
        for _ in 0..count {
            results.push(self.result().await);
        }
        results
    }

    /// All results up to the end.
    pub(crate) async fn results(mut self) -> Vec<Value> {
        let mut results = Vec::new();
        while let Some((_, mut event)) = self.next().await {
            results.push(event["result"].take());
        }
        results
    }

    /// All events up to the end.
    pub(crate) async fn events(mut self) -> Vec<SseEvent> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}
