use super::*;
use crate::content::MessagePart;
use crate::gemini::{self, Answer};
use crate::model::ModelChunk;
use crate::transport::{BackoffPolicy, ProviderLink};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// The result of a server that says `said` and then falls silent without hanging up.
async fn hear(said: &'static str) -> Vec<Result<ModelChunk, ModelError>> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let _ = socket.read(&mut request).await.unwrap();
        socket.write_all(said.as_bytes()).await.unwrap();
        std::future::pending::<()>().await;
    });
    let limits = HttpTimeouts { idle: Duration::from_secs(1), ..HttpTimeouts::default() };
    let root = Url::parse(&address).unwrap();
    let http = Arc::new(HttpTransport::new(Provider::Gemini, &root, HeaderMap::new(), limits).unwrap());
    let backoff = BackoffPolicy { attempts: 1, ..BackoffPolicy::network() };
    let link = ProviderLink { provider: Provider::Gemini, transport: http, backoff, read_fault: gemini::read_fault };
    let heard = link.stream(ProviderRequest::post("/x", json!({})), Answer::to(&json!({}))).collect().await;
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
    assert_eq!(*said, ModelChunk::Parts(vec![MessagePart::text("hel")]));
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
