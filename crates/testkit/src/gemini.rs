//! A Gemini server on loopback that answers from script lines, byte for byte, and keeps what it was asked.

use anyhow::Context;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use pollux_model::Script;
use serde_json::{Value, json};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The server. It stops when it is dropped.
pub struct FakeGemini {
    /// What `GOOGLE_GEMINI_BASE_URL` is set to.
    pub base_url: String,
    stage: Arc<Stage>,
    server: JoinHandle<()>,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// `POST`.
    pub method: Method,
    /// Path and query.
    pub target: String,
    /// Headers, keys included: this is a test.
    pub headers: HeaderMap,
    /// The body; null if it was not JSON.
    pub body: Value,
}

struct Stage {
    script: Script,
    requests: Mutex<Vec<Recorded>>,
}

impl FakeGemini {
    /// Serve `lines`, each one model call as [`pollux_model::script::Line`] describes it.
    pub async fn start(lines: impl IntoIterator<Item = Value>) -> anyhow::Result<FakeGemini> {
        let text: Vec<String> = lines.into_iter().map(|line| line.to_string()).collect();
        let script = Script::parse("fake", &text.join("\n"))?;
        let stage = Arc::new(Stage { script, requests: Mutex::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.context("binding a loopback port")?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let router = Router::new().fallback(answer).with_state(stage.clone());
        let server = tokio::spawn(async move {
            // It ends when the test drops the server; there is nobody left to tell.
            let _ = axum::serve(listener, router).await;
        });
        Ok(FakeGemini { base_url, stage, server })
    }

    /// Everything asked so far, oldest first.
    pub fn requests(&self) -> Vec<Recorded> {
        self.stage.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for FakeGemini {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(
    State(stage): State<Arc<Stage>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let target = uri.to_string();
    let model = streamed_model(&method, &target);
    let recorded = Recorded { method, target: target.clone(), headers, body: body.clone() };
    stage.requests.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
    let Some(model) = model else {
        return refuse(StatusCode::NOT_FOUND, "NOT_FOUND", &format!("no such method: {target}"));
    };
    match stage.script.pick(Some(&model), &body) {
        Ok(line) => play(line),
        Err(misfit) => refuse(StatusCode::BAD_REQUEST, "FAILED_PRECONDITION", &misfit.to_string()),
    }
}

/// The model whose answer a request wants streamed.
fn streamed_model(method: &Method, target: &str) -> Option<String> {
    let (_, model) = target.strip_suffix(":streamGenerateContent?alt=sse")?.split_once("/models/")?;
    (method == Method::POST).then(|| model.to_owned())
}

fn play(line: &pollux_model::script::Line) -> Response<Body> {
    use futures_util::TryStreamExt;
    let playback = line.playback();
    let mut response = Response::builder().status(playback.status);
    for (name, value) in &playback.headers {
        response = response.header(name, value);
    }
    // An error in the body makes the server break the connection without ending the answer.
    let body = Body::from_stream(playback.into_bytes().map_err(io::Error::other));
    response.body(body).unwrap_or_else(|error| {
        refuse(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL", &format!("script line {}: {error}", line.number))
    })
}

fn refuse(code: StatusCode, status: &str, message: &str) -> Response<Body> {
    let error = json!({"error": {"code": code.as_u16(), "status": status, "message": message}});
    let mut response = Response::new(Body::from(error.to_string()));
    *response.status_mut() = code;
    response
}
