//! A model provider on loopback that plays the answers of a conversation in their order, in the shape of any of the
//! three providers, and keeps what it was asked.

mod answer;

use crate::gemini::CapturedRequest;
use answer::ReplayAnswer;
use anyhow::Context as _;
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
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// The server. It stops when it is dropped.
pub struct ReplayProvider {
    /// Where it is, without a path.
    pub address: String,
    state: Arc<ReplayState>,
    server: JoinHandle<()>,
}

struct ReplayState {
    /// Answers to calls that stream, and to those that do not.
    streamed: Mutex<VecDeque<ReplayAnswer>>,
    whole: Mutex<VecDeque<ReplayAnswer>>,
    requests: Mutex<Vec<CapturedRequest>>,
    /// One permit lets one answer go on that is held back.
    held: Semaphore,
}

impl ReplayProvider {
    /// Serve `lines`, each the answer to one call, as the corpus describes them.
    pub async fn start(lines: &[Value]) -> anyhow::Result<ReplayProvider> {
        let stage = Arc::new(ReplayState {
            streamed: Mutex::default(),
            whole: Mutex::default(),
            requests: Mutex::default(),
            held: Semaphore::new(0),
        });
        stage.prepare(lines)?;
        let listener = TcpListener::bind("127.0.0.1:0").await.context("binding a loopback port")?;
        let address = format!("http://{}", listener.local_addr()?);
        let router = Router::new().fallback(reply).with_state(stage.clone());
        let server = tokio::spawn(async move {
            // It ends when the test drops the server; there is nobody left to tell.
            let _ = axum::serve(listener, router).await;
        });
        Ok(ReplayProvider { address, state: stage, server })
    }

    /// Play another conversation from here on: for a server that takes long to start and so plays several.
    pub fn load_answers(&self, lines: &[Value]) -> anyhow::Result<()> {
        self.state.prepare(lines)
    }

    /// Everything asked so far, oldest first.
    pub fn requests(&self) -> Vec<CapturedRequest> {
        self.state.requests.lock().clone()
    }

    /// Let the answer go on that is held back, or the next one that will be.
    pub fn release_answer(&self) {
        self.state.held.add_permits(1);
    }

    /// The number of answers that nobody has asked for.
    pub fn unused(&self) -> usize {
        let left = |answers: &Mutex<VecDeque<ReplayAnswer>>| answers.lock().len();
        left(&self.state.streamed) + left(&self.state.whole)
    }
}

impl ReplayState {
    /// Answer with `lines`, and with nothing else that was to come.
    fn prepare(&self, lines: &[Value]) -> anyhow::Result<()> {
        let (mut streamed, mut whole) = (VecDeque::new(), VecDeque::new());
        for line in lines {
            let answer =
                ReplayAnswer::read(line).with_context(|| format!("an answer that cannot be played: {line}"))?;
            if answer.is_whole { whole.push_back(answer) } else { streamed.push_back(answer) }
        }
        *self.streamed.lock() = streamed;
        *self.whole.lock() = whole;
        self.held.forget_permits(self.held.available_permits());
        Ok(())
    }
}

impl Drop for ReplayProvider {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn reply(
    State(stage): State<Arc<ReplayState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let target = uri.to_string();
    stage.requests.lock().push(CapturedRequest { method, target: target.clone(), headers, body });
    let streams = [":streamGenerateContent", "/chat/completions", "/messages"].iter().any(|end| target.contains(end));
    let queue = if streams { &stage.streamed } else { &stage.whole };
    let next = queue.lock().pop_front();
    match next {
        Some(answer) => play(answer, stage),
        // Counting is no part of any conversation.
        None if target.contains(":countTokens") => plain(StatusCode::OK, &json!({"totalTokens": 7})),
        None => {
            let message = format!("the conversation has no answer left for {target}");
            let error = json!({"code": 400, "status": "FAILED_PRECONDITION", "type": "invalid", "message": message});
            plain(StatusCode::BAD_REQUEST, &json!({"error": error}))
        }
    }
}

fn plain(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response
}

fn play(answer: ReplayAnswer, stage: Arc<ReplayState>) -> Response<Body> {
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    let pieces = answer.pieces.into_iter().map(Ok).chain(
        // An error in the body makes the server break the connection without ending the answer.
        answer.breaks.then(|| Err(io::Error::other("the connection breaks, as the conversation has it"))),
    );
    let start = (pieces.collect::<VecDeque<io::Result<Bytes>>>(), 0, answer.hold, stage);
    let body = stream::unfold(start, |(mut rest, at, hold, stage)| async move {
        if hold == Some(at) {
            // It is only closed with the stage, and then nobody listens any more.
            if let Ok(permit) = stage.held.acquire().await {
                permit.forget();
            }
        }
        // Whatever reads gets a chance to see each piece on its own.
        tokio::task::yield_now().await;
        rest.pop_front().map(|piece| (piece, (rest, at + 1, hold, stage)))
    });
    response.body(Body::from_stream(body)).unwrap_or_else(|error| {
        plain(StatusCode::INTERNAL_SERVER_ERROR, &json!({"error": {"code": 500, "message": error.to_string()}}))
    })
}
