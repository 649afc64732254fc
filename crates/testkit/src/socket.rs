//! A WebSocket client that talks JSON.

use crate::program::TIMEOUT;
use anyhow::{Context as _, Result};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

/// An open socket.
pub struct WebSocketClient {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl WebSocketClient {
    /// Connect to `ws://ADDRESS/PATH`.
    pub async fn connect(address: &str, path: &str) -> Result<WebSocketClient> {
        let (stream, _) = connect_async(format!("ws://{address}{path}")).await?;
        Ok(WebSocketClient { stream })
    }

    /// Connect as a client that calls itself `name`.
    pub async fn connect_as(address: &str, path: &str, name: &str) -> Result<WebSocketClient> {
        let mut request = format!("ws://{address}{path}").into_client_request()?;
        request.headers_mut().insert("X-Client-Name", HeaderValue::from_bytes(name.as_bytes())?);
        let (stream, _) = timeout(TIMEOUT, connect_async(request)).await.context("no answer comes")??;
        Ok(WebSocketClient { stream })
    }

    /// Talk over `stream`, whose buffers the caller has chosen.
    pub async fn connect_over(stream: TcpStream, path: &str) -> Result<WebSocketClient> {
        let url = format!("ws://{}{path}", stream.peer_addr()?);
        let (stream, _) = timeout(TIMEOUT, client_async(url, MaybeTlsStream::Plain(stream))).await??;
        Ok(WebSocketClient { stream })
    }

    /// Send a frame.
    pub async fn send(&mut self, frame: &Value) -> Result<()> {
        self.send_text(&frame.to_string()).await
    }

    /// Send text as it is, JSON or not.
    pub async fn send_text(&mut self, text: &str) -> Result<()> {
        Ok(self.stream.send(Message::text(text)).await?)
    }

    /// Send bytes, as a binary frame.
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.send(Message::binary(bytes.to_vec())).await?)
    }

    /// The next frame; `None` when the socket is closed.
    pub async fn next(&mut self) -> Result<Option<Value>> {
        while let Some(message) = timeout(TIMEOUT, self.stream.next()).await.context("no frame comes")? {
            match message? {
                Message::Text(text) => return Ok(Some(serde_json::from_str(&text)?)),
                Message::Close(_) => return Ok(None),
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
        Ok(None)
    }

    /// Frames up to and including the first one that `matches`.
    pub async fn read_until(&mut self, matches: impl Fn(&Value) -> bool) -> Result<Vec<Value>> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await?.with_context(|| format!("the socket closed after {frames:#?}"))?;
            let found = matches(&frame);
            frames.push(frame);
            if found {
                return Ok(frames);
            }
        }
    }
}
