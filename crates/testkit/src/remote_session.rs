//! A session elsewhere that tells a seat whatever a test wants, sensible or not.

use anyhow::Result;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;

/// The entries after a number, or no answer at all.
type Pages = Arc<dyn Fn(u64) -> Option<Vec<Value>> + Send + Sync>;

/// A server of one seat, until it is dropped.
pub struct FakeRemoteSession {
    /// `127.0.0.1:PORT`.
    pub address: String,
    _serving: JoinSet<()>,
}

impl FakeRemoteSession {
    /// Say that there are `head` entries and give what `pages` has after each number that is asked for.
    pub async fn start(
        head: u64,
        pages: impl Fn(u64) -> Option<Vec<Value>> + Send + Sync + 'static,
    ) -> Result<FakeRemoteSession> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let pages: Pages = Arc::new(pages);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut clients = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let pages = Arc::clone(&pages);
                // A client that goes is no fault of the test.
                clients.spawn(async move { drop(serve(stream, head, pages).await) });
            }
        });
        Ok(FakeRemoteSession { address, _serving: serving })
    }

    /// A note of the agent, as the log has it.
    pub fn entry(seq: u64) -> Value {
        let event = match seq {
            1 => json!({"type": "opened", "main_task": "00000000-0000-0000-0000-000000000007", "owner": "me",
                        "context": "c", "workspace": "/far", "overrides": {}, "release": "0.1.0"}),
            _ => json!({"type": "equipped", "model": "far", "tools": []}),
        };
        json!({"seq": seq, "at": 1_700_000_000_000_u64 + seq, "by": {"type": "agent"}, "event": event})
    }
}

#[expect(clippy::result_large_err, reason = "the shape of the callback is the library's")]
fn as_seat(_: &Request, mut response: Response) -> Result<Response, ErrorResponse> {
    response.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static("pollux.seat.v1"));
    Ok(response)
}

async fn serve(stream: TcpStream, head: u64, pages: Pages) -> Result<()> {
    let mut socket = accept_hdr_async(stream, as_seat).await?;
    let who = json!({"owner": "me", "principal": "local", "label": "terminal", "rights": ["observe", "prompt"]});
    let welcome = json!({"type": "welcome", "session": "0199f3a0-0000-7000-8000-000000000001", "who": who,
                         "incarnation": 1, "head": head, "workspace": "/far", "release": "0.1.0"});
    socket.send(Message::text(welcome.to_string())).await?;
    while let Some(message) = socket.next().await {
        let Message::Text(text) = message? else { continue };
        let ask: Value = serde_json::from_str(&text)?;
        let answer = match ask["type"].as_str() {
            Some("read") => pages(ask["after"].as_u64().unwrap_or_default())
                .map(|entries| json!({"type": "entries", "request": ask["request"], "entries": entries})),
            _ => Some(json!({"type": "error", "request": ask["request"], "message": "nothing else is here"})),
        };
        if let Some(answer) = answer {
            socket.send(Message::text(answer.to_string())).await?;
        }
    }
    Ok(())
}
