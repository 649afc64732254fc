//! A model provider on loopback that plays prepared answers in order and keeps what it was asked. The wire formats
//! beside it ([`openai`](crate::openai), [`anthropic`](crate::anthropic)) say what answers look like.

use crate::gemini::CapturedRequest;
use anyhow::Context;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use futures_util::stream;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The server. It stops when it is dropped.
pub struct ScriptedProvider {
    /// Where it is, without a path.
    pub address: String,
    state: Arc<ScriptedProviderState>,
    server: JoinHandle<()>,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct PreparedAnswer {
    status: StatusCode,
    headers: Vec<(&'static str, String)>,
    body: String,
    piece: usize,
    broken: bool,
}

impl PreparedAnswer {
    /// A whole JSON body.
    pub fn json(body: &Value) -> PreparedAnswer {
        PreparedAnswer::bytes("application/json", body.to_string())
    }

    /// Server-sent events, as they are to be written.
    pub fn events(body: impl Into<String>) -> PreparedAnswer {
        PreparedAnswer::bytes("text/event-stream", body.into())
    }

    /// The answer with another status.
    #[must_use]
    pub fn status(self, status: u16) -> PreparedAnswer {
        PreparedAnswer { status: StatusCode::from_u16(status).unwrap_or(StatusCode::IM_A_TEAPOT), ..self }
    }

    /// The answer with one more header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> PreparedAnswer {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The answer, sent `piece` bytes at a time, wherever that cuts.
    #[must_use]
    pub fn split(self, piece: usize) -> PreparedAnswer {
        PreparedAnswer { piece: piece.max(1), ..self }
    }

    /// The answer, but the connection breaks where the body ends.
    #[must_use]
    pub fn broken(self) -> PreparedAnswer {
        PreparedAnswer { broken: true, ..self }
    }

    fn bytes(kind: &str, body: String) -> PreparedAnswer {
        let headers = vec![("content-type", kind.to_owned())];
        PreparedAnswer { status: StatusCode::OK, headers, body, piece: usize::MAX, broken: false }
    }
}

struct ScriptedProviderState {
    answers: Mutex<VecDeque<PreparedAnswer>>,
    requests: Mutex<Vec<CapturedRequest>>,
}

impl ScriptedProvider {
    /// Serve `answers`, one for each request, and an error once they are used up.
    pub async fn start(answers: impl IntoIterator<Item = PreparedAnswer>) -> anyhow::Result<ScriptedProvider> {
        let answers = Mutex::new(answers.into_iter().collect());
        let stage = Arc::new(ScriptedProviderState { answers, requests: Mutex::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.context("binding a loopback port")?;
        let address = format!("http://{}", listener.local_addr()?);
        let router = Router::new().fallback(answer).with_state(stage.clone());
        let server = tokio::spawn(async move {
            // It ends when the test drops the server; there is nobody left to tell.
            let _ = axum::serve(listener, router).await;
        });
        Ok(ScriptedProvider { address, state: stage, server })
    }

    /// Everything asked so far, oldest first.
    pub fn requests(&self) -> Vec<CapturedRequest> {
        self.state.requests.lock().clone()
    }
}

impl Drop for ScriptedProvider {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(
    State(stage): State<Arc<ScriptedProviderState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let recorded = CapturedRequest { method, target: uri.to_string(), headers, body };
    stage.requests.lock().push(recorded);
    let next = stage.answers.lock().pop_front();
    let used_up = json!({"error": {"type": "invalid_request_error", "message": "the answers are used up"}});
    play(next.unwrap_or_else(|| PreparedAnswer::json(&used_up).status(400)))
}

fn play(prepared: PreparedAnswer) -> Response<Body> {
    let body = Bytes::from(prepared.body);
    let starts: Vec<usize> = (0..body.len()).step_by(prepared.piece.min(body.len().max(1))).collect();
    let mut pieces: Vec<io::Result<Bytes>> = Vec::new();
    for start in starts {
        pieces.push(Ok(body.slice(start..body.len().min(start.saturating_add(prepared.piece)))));
    }
    if prepared.broken {
        pieces.push(Err(io::Error::other("the connection breaks, as prepared")));
    }
    // A pause between pieces lets each one leave on its own.
    let pieces = stream::unfold(pieces.into_iter(), |mut rest| async move {
        tokio::task::yield_now().await;
        rest.next().map(|piece| (piece, rest))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    *response.status_mut() = prepared.status;
    for (name, value) in prepared.headers {
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
