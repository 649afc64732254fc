//! A receiver on this machine: it hands what it gets to the test and answers as it is told.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// One request.
#[derive(Debug)]
pub(crate) struct ReceivedPush {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl ReceivedPush {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        Some(self.headers.get(name)?.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// The reply to a request.
#[derive(Clone)]
pub(crate) enum ReceiverReply {
    Status(u16),
    With(u16, &'static str, String),
    /// Not at all.
    Never,
}

pub(crate) struct PushReceiver {
    pub(crate) url: String,
    got: mpsc::UnboundedReceiver<ReceivedPush>,
    shared: Arc<ReceiverState>,
}

struct ReceiverState {
    got: mpsc::UnboundedSender<ReceivedPush>,
    replies: Mutex<VecDeque<ReceiverReply>>,
    default: Mutex<ReceiverReply>,
}

impl PushReceiver {
    /// A receiver that takes everything.
    pub(crate) async fn new() -> PushReceiver {
        let (sender, got) = mpsc::unbounded_channel();
        let shared = Arc::new(ReceiverState {
            got: sender,
            replies: Mutex::default(),
            default: Mutex::new(ReceiverReply::Status(204)),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let app = Router::new().fallback(take).with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        PushReceiver { url, got, shared }
    }

    /// Answer the next requests so.
    pub(crate) fn answers(&self, replies: impl IntoIterator<Item = ReceiverReply>) {
        self.shared.replies.lock().extend(replies);
    }

    /// Answer all others so.
    pub(crate) fn answers_always(&self, reply: ReceiverReply) {
        *self.shared.default.lock() = reply;
    }

    /// The next request.
    pub(crate) async fn next(&mut self) -> ReceivedPush {
        let got = tokio::time::timeout(super::TEST_TIMEOUT, self.got.recv()).await;
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
    pub(crate) fn rest(&mut self) -> Vec<ReceivedPush> {
        std::iter::from_fn(|| self.got.try_recv().ok()).collect()
    }
}

async fn take(State(shared): State<Arc<ReceiverState>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let reply = shared.replies.lock().pop_front();
    let reply = reply.unwrap_or_else(|| shared.default.lock().clone());
    shared.got.send(ReceivedPush { path: uri.path().to_owned(), headers, body }).unwrap();
    match reply {
        ReceiverReply::Status(status) => StatusCode::from_u16(status).unwrap().into_response(),
        ReceiverReply::With(status, name, value) => {
            (StatusCode::from_u16(status).unwrap(), [(name, value)]).into_response()
        }
        ReceiverReply::Never => std::future::pending().await,
    }
}
