use super::*;
use crate::content::Part;
use crate::gemini::{self, Answer};
use crate::model::Chunk;
use crate::transport::{Backoff, Link};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// What comes of a server that says `said` and then falls silent without hanging up.
async fn hear(said: &'static str) -> Vec<Result<Chunk, ModelError>> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let _ = socket.read(&mut request).await.unwrap();
        socket.write_all(said.as_bytes()).await.unwrap();
        std::future::pending::<()>().await;
    });
    let limits = Limits { idle: Duration::from_secs(1), ..Limits::default() };
    let root = Url::parse(&address).unwrap();
    let http = Arc::new(Http::new(Provider::Gemini, &root, HeaderMap::new(), limits).unwrap());
    let backoff = Backoff { attempts: 1, ..Backoff::network() };
    let link = Link { provider: Provider::Gemini, transport: http, backoff, read_fault: gemini::read_fault };
    let heard = link.stream(Ask::post("/x", json!({})), Answer::to(&json!({}))).collect().await;
    server.abort();
    heard
}

#[tokio::test]
async fn silence_in_the_middle_of_an_answer_is_a_cut() {
    let heard = hear(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
         data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hel\"}]}}]}\r\n\r\n",
    )
    .await;
    let [Ok(said), Err(ModelError::Cut { message })] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!(*said, Chunk::Parts(vec![Part::text("hel")]));
    assert!(message.contains("timed out"), "{message}");
}

#[tokio::test]
async fn silence_before_an_answer_is_not_waited_out() {
    let heard = hear("").await;
    let [Err(ModelError::Exhausted { attempts: 1, last })] = heard.as_slice() else { panic!("{heard:?}") };
    let ModelError::Net { host, message, .. } = &**last else { panic!("{last:?}") };
    assert_eq!(host, "127.0.0.1");
    assert!(message.contains("timed out"), "{message}");
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let heard = hear("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n").await;
    assert!(matches!(heard.as_slice(), [Err(ModelError::Api { http: 302, .. })]), "{heard:?}");
}
