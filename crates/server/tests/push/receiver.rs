//! A receiver on this machine: it hands what it gets to the test and answers as it is told.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// One request.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        Some(self.headers.get(name)?.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// How a request is answered.
#[derive(Clone)]
pub(crate) enum Reply {
    Status(u16),
    With(u16, &'static str, String),
    /// Not at all.
    Never,
}

pub(crate) struct Receiver {
    pub(crate) url: String,
    got: mpsc::UnboundedReceiver<Got>,
    shared: Arc<Shared>,
}

struct Shared {
    got: mpsc::UnboundedSender<Got>,
    replies: Mutex<VecDeque<Reply>>,
    default: Mutex<Reply>,
}

impl Receiver {
    /// A receiver that takes everything.
    pub(crate) async fn new() -> Receiver {
        let (sender, got) = mpsc::unbounded_channel();
        let shared =
            Arc::new(Shared { got: sender, replies: Mutex::default(), default: Mutex::new(Reply::Status(204)) });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let app = Router::new().fallback(take).with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Receiver { url, got, shared }
    }

    /// Answer the next requests so.
    pub(crate) fn answers(&self, replies: impl IntoIterator<Item = Reply>) {
        self.shared.replies.lock().unwrap().extend(replies);
    }

    /// Answer all others so.
    pub(crate) fn answers_always(&self, reply: Reply) {
        *self.shared.default.lock().unwrap() = reply;
    }

    /// The next request.
    pub(crate) async fn next(&mut self) -> Got {
        let got = tokio::time::timeout(super::PATIENT, self.got.recv()).await;
        got.expect("a request comes").expect("the receiver lives")
    }

    /// The next requests' bodies.
    pub(crate) async fn bodies<const N: usize>(&mut self) -> [Value; N] {
        let mut bodies = [const { Value::Null }; N];
        for body in &mut bodies {
            *body = self.next().await.json();
        }
        bodies
    }

    /// Everything that came and was not looked at.
    pub(crate) fn rest(&mut self) -> Vec<Got> {
        std::iter::from_fn(|| self.got.try_recv().ok()).collect()
    }
}

async fn take(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let reply = shared.replies.lock().unwrap().pop_front();
    let reply = reply.unwrap_or_else(|| shared.default.lock().unwrap().clone());
    shared.got.send(Got { path: uri.path().to_owned(), headers, body }).unwrap();
    match reply {
        Reply::Status(status) => StatusCode::from_u16(status).unwrap().into_response(),
        Reply::With(status, name, value) => (StatusCode::from_u16(status).unwrap(), [(name, value)]).into_response(),
        Reply::Never => std::future::pending().await,
    }
}
