//! Google on loopback: models that answer from script lines, byte for byte, on the Gemini API and on Vertex AI; tokens,
//! cached contents and page reading beside them. It keeps what it was asked.

mod access_tokens;
mod answers;
mod cached_contents;

use access_tokens::IssuedTokens;
use answers::{error as refuse, read_pages};
use anyhow::Context;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use cached_contents::CachedContents;
use parking_lot::Mutex;
use pollux_model::ScriptModel;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The server. It stops when it is dropped.
pub struct FakeGemini {
    /// The value for `GOOGLE_GEMINI_BASE_URL`.
    pub base_url: String,
    state: Arc<FakeGeminiState>,
    server: JoinHandle<()>,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub struct CapturedRequest {
    /// `POST`.
    pub method: Method,
    /// Path and query.
    pub target: String,
    /// Headers, keys included: this is a test.
    pub headers: HeaderMap,
    /// The body, a form as an object; null if it was neither that nor JSON.
    pub body: Value,
}

struct FakeGeminiState {
    script: ScriptModel,
    requests: Mutex<Vec<CapturedRequest>>,
    account: Mutex<IssuedTokens>,
    caches: Mutex<CachedContents>,
}

impl FakeGemini {
    /// Serve `lines`, each one model call as [`pollux_model::script::ScriptLine`] describes it.
    pub async fn start(lines: impl IntoIterator<Item = Value>) -> anyhow::Result<FakeGemini> {
        let text: Vec<String> = lines.into_iter().map(|line| line.to_string()).collect();
        let script = ScriptModel::parse("fake", &text.join("\n"))?;
        let stage = Arc::new(FakeGeminiState {
            script,
            requests: Mutex::default(),
            account: Mutex::new(IssuedTokens::new()),
            caches: Mutex::new(CachedContents::new()),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.context("binding a loopback port")?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let router = Router::new().fallback(answer).with_state(stage.clone());
        let server = tokio::spawn(async move {
            // It ends when the test drops the server; there is nobody left to tell.
            let _ = axum::serve(listener, router).await;
        });
        Ok(FakeGemini { base_url, state: stage, server })
    }

    /// Give tokens that last so many seconds; an hour unless told.
    pub fn set_token_lifetime(&self, seconds: u64) {
        self.state.account.lock().lasts = seconds;
    }

    /// Withdraw every token that was given.
    pub fn revoke_tokens(&self) {
        self.state.account.lock().revoke();
    }

    /// Let every cached content expire.
    pub fn expire_caches(&self) {
        self.state.caches.lock().expire();
    }

    /// Refuse to cache what has fewer tokens.
    pub fn set_smallest_cache(&self, tokens: u64) {
        self.state.caches.lock().smallest = tokens;
    }

    /// Everything asked so far, oldest first.
    pub fn requests(&self) -> Vec<CapturedRequest> {
        self.state.requests.lock().clone()
    }
}

impl Drop for FakeGemini {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(
    State(stage): State<Arc<FakeGeminiState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let body = read_body(&headers, &body);
    let target = uri.to_string();
    let (method_name, asked_with, path) = (method.clone(), headers.clone(), uri.path());
    let recorded = CapturedRequest { method, target: target.clone(), headers, body: body.clone() };
    stage.requests.lock().push(recorded);
    let signing_in = {
        let mut account = stage.account.lock();
        account.answer(&method_name, path, &asked_with, &body).or_else(|| account.check_token(path, &asked_with))
    };
    let keeping = || {
        let mut caches = stage.caches.lock();
        caches.answer(&method_name, path, &body).or_else(|| caches.check_cache(&body))
    };
    let reading = || path.ends_with(":generateContent").then(|| read_pages(&body)).flatten();
    if let Some(answer) = signing_in.or_else(keeping).or_else(reading) {
        return answer;
    }
    let Some(model) = streamed_model(&method_name, &target) else {
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

fn play(line: &pollux_model::script::ScriptLine) -> Response<Body> {
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

/// JSON, or the fields of a form.
fn read_body(headers: &HeaderMap, body: &[u8]) -> Value {
    let is_form = headers.get("content-type").is_some_and(|kind| kind == "application/x-www-form-urlencoded");
    if !is_form {
        return serde_json::from_slice(body).unwrap_or_default();
    }
    let text = String::from_utf8_lossy(body);
    // The URL type knows how forms are written.
    let fields = reqwest::Url::parse(&format!("http://form.invalid/?{text}"));
    let fields = fields.map(|url| url.query_pairs().map(|(name, value)| (name.into(), value.into())).collect());
    fields.map(Value::Object).unwrap_or_default()
}
