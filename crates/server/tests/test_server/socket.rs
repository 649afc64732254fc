//! A client of `/ws`.

use super::client::TestClient;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub(crate) struct TestSocket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl TestSocket {
    pub(crate) async fn join(client: &TestClient, query: &str) -> TestSocket {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = client.app();
        tokio::spawn(async move { axum::serve(listener, app).await });
        TestSocket(connect_async(format!("ws://{address}/ws{query}")).await.unwrap().0)
    }

    pub(crate) async fn send(&mut self, frame: &str) {
        self.0.send(Message::text(frame)).await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.next().await.unwrap().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// Send a request with an id.
    pub(crate) async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id: Value = id.into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
    }

    /// Send a request with an id and give its answer, which shows that the connection is up.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.request("q", method, params).await;
        self.next().await
    }
}
