//! A scripted agent: each request gets the next answer, and is remembered.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::{StreamExt, stream};
use pollux_remote::AgentAddress;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// One answer.
pub(crate) struct ScriptedAgentReply {
    events: Option<Vec<Value>>,
    value: Value,
    end: ScriptedStreamEnd,
    wrapped: bool,
}

/// The end of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptedStreamEnd {
    Properly,
    Broken,
    Never,
}

impl ScriptedAgentReply {
    fn events(events: &[Value], end: ScriptedStreamEnd, wrapped: bool) -> ScriptedAgentReply {
        ScriptedAgentReply { events: Some(events.to_vec()), value: Value::Null, end, wrapped }
    }

    pub(crate) fn stream(events: &[Value]) -> ScriptedAgentReply {
        ScriptedAgentReply::events(events, ScriptedStreamEnd::Properly, true)
    }

    pub(crate) fn cut_stream(events: &[Value]) -> ScriptedAgentReply {
        ScriptedAgentReply::events(events, ScriptedStreamEnd::Broken, true)
    }

    pub(crate) fn open_stream(events: &[Value]) -> ScriptedAgentReply {
        ScriptedAgentReply::events(events, ScriptedStreamEnd::Never, true)
    }

    pub(crate) fn bare_stream(events: &[Value]) -> ScriptedAgentReply {
        ScriptedAgentReply::events(events, ScriptedStreamEnd::Properly, false)
    }

    pub(crate) fn value(result: &Value) -> ScriptedAgentReply {
        ScriptedAgentReply {
            events: None,
            value: json!({ "result": result }),
            end: ScriptedStreamEnd::Properly,
            wrapped: true,
        }
    }

    pub(crate) fn error(code: i64, message: &str) -> ScriptedAgentReply {
        ScriptedAgentReply {
            events: None,
            value: json!({"error": {"code": code, "message": message}}),
            end: ScriptedStreamEnd::Properly,
            wrapped: true,
        }
    }
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct AgentRequestRecord {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Value,
    headers: HeaderMap,
}

impl AgentRequestRecord {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

struct AgentScript {
    card: Value,
    answers: Mutex<VecDeque<ScriptedAgentReply>>,
    heard: watch::Sender<Vec<AgentRequestRecord>>,
    cards: Mutex<usize>,
    redirect: Option<String>,
}

/// A running agent. It ends with the test's runtime.
pub(crate) struct ScriptedAgent {
    script: Arc<AgentScript>,
    port: u16,
}

impl ScriptedAgent {
    /// An agent whose card is `card`, with `PORT` replaced by its port.
    pub(crate) async fn start(card: Value) -> ScriptedAgent {
        ScriptedAgent::serve(card, None).await
    }

    /// An agent whose card has moved.
    pub(crate) async fn redirecting(to: &str) -> ScriptedAgent {
        ScriptedAgent::serve(Value::Null, Some(to.to_owned())).await
    }

    async fn serve(card: Value, redirect: Option<String>) -> ScriptedAgent {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let card = serde_json::from_str(&card.to_string().replace("PORT", &port.to_string())).unwrap();
        let script = Arc::new(AgentScript {
            card,
            answers: Mutex::default(),
            heard: watch::Sender::new(Vec::new()),
            cards: Mutex::default(),
            redirect,
        });
        let router = Router::new()
            .route("/.well-known/agent-card.json", get(show_card))
            .fallback(answer)
            .with_state(script.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        ScriptedAgent { script, port }
    }

    pub(crate) fn root(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn address(&self) -> AgentAddress {
        AgentAddress::new(&self.root(), None).ok().unwrap()
    }

    /// Queue its next answers.
    pub(crate) fn enqueue_answers(&self, answers: impl IntoIterator<Item = ScriptedAgentReply>) {
        self.script.answers.lock().unwrap().extend(answers);
    }

    /// Every request so far, cards aside.
    pub(crate) fn requests(&self) -> Vec<AgentRequestRecord> {
        self.script.heard.borrow().clone()
    }

    /// The places that were asked for.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.requests().into_iter().map(|heard| heard.path).collect()
    }

    /// The request number `at`, once it has come.
    pub(crate) async fn call(&self, at: usize) -> AgentRequestRecord {
        let mut heard = self.script.heard.subscribe();
        heard.wait_for(|heard| heard.len() > at).await.unwrap()[at].clone()
    }

    pub(crate) fn cards_shown(&self) -> usize {
        *self.script.cards.lock().unwrap()
    }
}

async fn show_card(State(script): State<Arc<AgentScript>>) -> Response {
    *script.cards.lock().unwrap() += 1;
    match &script.redirect {
        Some(to) => (StatusCode::FOUND, [(header::LOCATION, to.clone())]).into_response(),
        None => axum::Json(script.card.clone()).into_response(),
    }
}

async fn answer(
    State(script): State<Arc<AgentScript>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let called = body["method"].as_str().map_or_else(|| method.to_string(), str::to_owned);
    let id = body["id"].clone();
    script.heard.send_modify(|heard| {
        heard.push(AgentRequestRecord { method: called, path: uri.path().to_owned(), body, headers });
    });
    let Some(says) = script.answers.lock().unwrap().pop_front() else {
        return (StatusCode::NOT_FOUND, "the script is at its end").into_response();
    };
    let wrap = |value: Value| if says.wrapped { json!({"jsonrpc": "2.0", "id": id, "result": value}) } else { value };
    let Some(events) = says.events else {
        let mut value = says.value;
        if says.wrapped {
            value["jsonrpc"] = "2.0".into();
            value["id"] = id;
        }
        return axum::Json(value).into_response();
    };
    let frames: Vec<String> =
        events.into_iter().enumerate().map(|(at, event)| format!("id: {at}\ndata: {}\n\n", wrap(event))).collect();
    let frames = stream::iter(frames.into_iter().map(Ok::<_, std::io::Error>));
    let body = match says.end {
        ScriptedStreamEnd::Properly => Body::from_stream(frames),
        ScriptedStreamEnd::Broken => Body::from_stream(frames.chain(stream::once(cut()))),
        ScriptedStreamEnd::Never => Body::from_stream(frames.chain(stream::pending())),
    };
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// The connection breaks, once what was said before is on its way.
async fn cut() -> Result<String, std::io::Error> {
    tokio::task::yield_now().await;
    Err(std::io::Error::other("cut"))
}

pub(crate) fn card_0(streaming: bool) -> Value {
    json!({"name": "scripted", "description": "says its lines", "protocolVersion": "0.3.0", "url": "http://localhost:PORT/a2a",
        "capabilities": {"streaming": streaming}})
}

pub(crate) fn card_1(binding: &str, streaming: bool) -> Value {
    json!({"name": "scripted", "description": "says its lines", "capabilities": {"streaming": streaming},
        "supportedInterfaces": [{"url": "http://localhost:PORT/a2a", "protocolBinding": binding, "protocolVersion": "1.0"}]})
}

pub(crate) fn task_0(state: &str) -> Value {
    json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": state}})
}

pub(crate) fn status_0(state: &str, text: &str, last: bool) -> Value {
    json!({"kind": "status-update", "taskId": "t", "contextId": "c", "final": last, "status": {"state": state, "message":
        {"kind": "message", "role": "agent", "messageId": "m", "parts": [{"kind": "text", "text": text}]}}})
}

pub(crate) fn task_1(state: &str) -> Value {
    json!({"task": {"id": "t", "contextId": "c", "status": {"state": state}}})
}

pub(crate) fn status_1(state: &str, text: &str) -> Value {
    json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": state, "message":
        {"role": "ROLE_AGENT", "messageId": "m", "parts": [{"text": text}]}}}})
}

pub(crate) fn artifact_1(text: &str) -> Value {
    json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "append": true, "artifact":
        {"artifactId": "a", "parts": [{"text": text}]}}})
}
