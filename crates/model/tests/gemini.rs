//! Gemini over a real socket: what is sent, and what becomes of what comes back.

use futures_util::StreamExt;
use pollux_model::{
    GroundedAnswer, MessagePart, Model, ModelChunk, ModelError, ModelMessage, ModelRequest, OfferedModel, Provider,
    RetryClass, WebSource, choose,
};
use pollux_session::ModelUsage;
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::scripted_provider::{PreparedAnswer, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

async fn serve(lines: &[Value]) -> (FakeGemini, Arc<dyn Model>) {
    serve_with(lines, &[]).await
}

async fn serve_with(lines: &[Value], env: &[(&str, &str)]) -> (FakeGemini, Arc<dyn Model>) {
    let server = FakeGemini::start(lines.iter().cloned()).await.unwrap();
    let env = |name: &str| match name {
        "GOOGLE_GEMINI_BASE_URL" => Some(server.base_url.clone()),
        "GEMINI_API_KEY" => Some("the-key".to_owned()),
        _ => env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()),
    };
    let model = choose(Some("gemini-3.8-flash"), &env).unwrap().model;
    (server, model)
}

async fn ask(model: &dyn Model) -> Vec<Result<ModelChunk, ModelError>> {
    model.generate(ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() }).collect().await
}

fn says(text: &str) -> Value {
    json!({"method": "generateContentStream", "response": [
        {"candidates": [{"content": {"parts": [{"text": text}]}}]},
        {"candidates": [{"finishReason": "STOP"}]}]})
}

#[tokio::test]
async fn the_request_is_what_google_expects() {
    let headers = [("GEMINI_API_KEY_AUTH_MECHANISM", "bearer"), ("GEMINI_CLI_CUSTOM_HEADERS", "X-Team: a, b")];
    let (server, model) = serve_with(&[says("hello")], &headers).await;
    assert_eq!(
        ask(&*model).await,
        [Ok(ModelChunk::Parts(vec![MessagePart::text("hello")])), Ok(ModelChunk::Finish { reason: "STOP".into() })]
    );
    let requests = server.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!(request.method, "POST");
    assert_eq!(request.target, "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse");
    let header = |name: &str| request.headers.get(name).map(|value| value.to_str().unwrap());
    assert_eq!(header("x-goog-api-key"), Some("the-key"));
    assert_eq!(header("authorization"), Some("Bearer the-key"));
    assert_eq!(header("content-type"), Some("application/json"));
    assert_eq!(header("x-team"), Some("a, b"));
    assert!(header("user-agent").unwrap().starts_with("pollux/"));
    assert_eq!(request.body["contents"], json!([{"role": "user", "parts": [{"text": "hi"}]}]));
}

#[tokio::test]
async fn frames_survive_being_cut_into_bytes() {
    let mut line = says("grüße 🦀");
    line["splitBytes"] = json!(1);
    let (_server, model) = serve(&[line]).await;
    assert_eq!(
        ask(&*model).await,
        [Ok(ModelChunk::Parts(vec![MessagePart::text("grüße 🦀")])), Ok(ModelChunk::Finish { reason: "STOP".into() })]
    );
}

#[tokio::test]
async fn a_connection_that_breaks_is_a_cut() {
    let line = json!({"method": "generateContentStream", "cut": "reset", "response": [
        {"candidates": [{"content": {"parts": [{"text": "hel"}]}}]}]});
    let (_server, model) = serve(&[line]).await;
    let found = ask(&*model).await;
    let [Ok(ModelChunk::Parts(parts)), Err(error @ ModelError::Cut { .. })] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(parts, &[MessagePart::text("hel")]);
    assert_eq!(error.class(), RetryClass::Retryable { after: None });
}

#[tokio::test]
async fn a_wrong_key_is_told_as_such_and_asked_once() {
    let line = json!({"method": "generateContentStream", "http": {"status": 400}, "error": {
        "code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid. Please pass a valid API key.",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}});
    let (server, model) = serve(&[line]).await;
    let found = ask(&*model).await;
    let [Err(error)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        error.to_string(),
        "the model answered 400 INVALID_ARGUMENT: API key not valid. Please pass a valid API key; check GEMINI_API_KEY"
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_busy_server_is_announced_before_the_wait() {
    let line = json!({"method": "generateContentStream", "http": {"status": 503, "headers": {"retry-after": "7"}},
        "error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}});
    let (_server, model) = serve(&[line, says("hello")]).await;
    let mut stream =
        model.generate(ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() });
    let Some(Ok(ModelChunk::Retrying { reason, attempt: 2, wait })) = stream.next().await else { panic!("no retry") };
    assert!(reason.contains("overloaded"), "{reason}");
    assert!((7.0..8.5).contains(&wait.as_secs_f64()), "{wait:?}");
}

#[tokio::test]
async fn nobody_on_this_machine_is_said_at_once() {
    let (server, model) = serve(&[says("hello")]).await;
    // The port is free again once the server's task is gone.
    let address = server.base_url.clone();
    drop(server);
    while tokio::net::TcpStream::connect(address.trim_start_matches("http://")).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let found = ask(&*model).await;
    let place = address.trim_start_matches("http://").to_owned();
    let error = ModelError::NoServer { provider: Provider::Gemini, address: place.clone() };
    assert_eq!(found, [Err(error.clone())]);
    assert_eq!(error.class(), RetryClass::Terminal);
    assert_eq!(
        error.to_string(),
        format!("nothing listens on {place}; check GOOGLE_GEMINI_BASE_URL, or choose another model with -m or /model")
    );
}

/// A model that is answered with whole JSON bodies.
async fn serve_bodies(bodies: &[Value]) -> (ScriptedProvider, Arc<dyn Model>) {
    let server = ScriptedProvider::start(bodies.iter().map(PreparedAnswer::json)).await.unwrap();
    let env = |name: &str| (name == "GOOGLE_GEMINI_BASE_URL").then(|| server.address.clone());
    let model = choose(Some("gemini-3.8-flash"), &env).unwrap().model;
    (server, model)
}

#[tokio::test]
async fn tokens_are_counted_with_instructions_and_tools() {
    let (server, model) = serve_bodies(&[json!({"totalTokens": 31}), json!({})]).await;
    let request = ModelRequest {
        system: "Be brief.".into(),
        contents: vec![ModelMessage::user("hi")],
        ..ModelRequest::default()
    };
    assert_eq!(model.count_tokens(request).await, Ok(Some(31)));
    assert_eq!(model.count_tokens(ModelRequest::default()).await, Ok(None));
    let request = server.requests().remove(0);
    assert_eq!(request.target, "/v1beta/models/gemini-3.8-flash:countTokens");
    let whole = &request.body["generateContentRequest"];
    assert_eq!(whole["model"], "models/gemini-3.8-flash");
    assert_eq!(whole["systemInstruction"]["parts"][0]["text"], "Be brief.");
    assert_eq!(whole["contents"], json!([{"role": "user", "parts": [{"text": "hi"}]}]));
}

#[tokio::test]
async fn models_are_listed_page_by_page() {
    let model = |name: &str, method: &str| json!({"name": format!("models/{name}"), "inputTokenLimit": 1000, "supportedGenerationMethods": [method]});
    let first = json!({"models": [model("gemini-a", "generateContent"), model("embed", "embedContent")],
        "nextPageToken": "t-1"});
    let (server, engine) = serve_bodies(&[first, json!({"models": [model("gemini-b", "generateContent")]})]).await;
    let offered =
        |model: &str| OfferedModel { provider: Provider::Gemini, model: model.into(), context_window: Some(1000) };
    assert_eq!(engine.list_models().await, Ok(vec![offered("gemini-a"), offered("gemini-b")]));
    let requests = server.requests();
    let targets: Vec<_> = requests.iter().map(|request| (request.method.as_str(), request.target.as_str())).collect();
    assert_eq!(
        targets,
        [("GET", "/v1beta/models?pageSize=1000"), ("GET", "/v1beta/models?pageSize=1000&pageToken=t-1")]
    );
}

#[tokio::test]
async fn a_search_brings_text_and_sources() {
    let answer = json!({"candidates": [{"content": {"parts": [{"text": "Rust 1.95 is out."}]}, "groundingMetadata": {
        "groundingChunks": [{"web": {"uri": "https://r", "title": "Rust"}}],
        "groundingSupports": [{"segment": {"endIndex": 17}, "groundingChunkIndices": [0]}]}}]});
    let (server, model) = serve_bodies(&[answer]).await;
    let sources = vec![WebSource { title: "Rust".into(), uri: "https://r".into() }];
    let (text, unread, usage) = ("Rust 1.95 is out.[1]".into(), Vec::new(), ModelUsage::default());
    assert_eq!(model.search("rust?").await, Ok(GroundedAnswer { text, sources, unread, usage }));
    let request = server.requests().remove(0);
    assert_eq!(request.target, "/v1beta/models/gemini-3.8-flash:generateContent");
    assert_eq!(request.body["tools"], json!([{"googleSearch": {}}]));
}

#[tokio::test]
async fn pages_are_read_by_google_and_paid_for() {
    let (server, model) = serve(&[says("unused")]).await;
    let found = model.read_urls("compare https://a.example/ and https://b.example/missing").await.unwrap();
    assert_eq!(found.sources, [WebSource { title: String::new(), uri: "https://a.example/".into() }]);
    assert_eq!(found.unread, [("https://b.example/missing".into(), "URL_RETRIEVAL_STATUS_ERROR".into())]);
    assert_eq!(found.usage, ModelUsage { prompt: 312, output: 8, ..ModelUsage::default() });
    assert_eq!(server.requests()[0].body["tools"], json!([{"urlContext": {}}]));
}
