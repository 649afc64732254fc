//! Instructions and tools that Google keeps: made once, used, made again when they are gone, never in the way.

use futures_util::StreamExt;
use pollux_model::{
    MessagePart, Model, ModelCatalogue, ModelChunk, ModelError, ModelMessage, ModelRegistry, ModelRequest, ToolChoice,
    ToolDeclaration,
};
use pollux_testkit::gemini::FakeGemini;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A model whose beginnings are kept for ten minutes.
async fn scene() -> (FakeGemini, Arc<dyn Model>) {
    let answer = json!({"method": "generateContentStream", "repeat": true, "response": [
        {"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]}]});
    let google = FakeGemini::start([answer]).await.unwrap();
    let base = google.base_url.clone();
    let env = move |name: &str| (name == "GOOGLE_GEMINI_BASE_URL").then(|| base.clone());
    let models = ModelRegistry::new(ModelCatalogue::load(None).unwrap(), env).with_attempts(1);
    let model = models.with_caching(Duration::from_secs(600)).resolve("flash").unwrap();
    (google, model)
}

fn request(system: &str) -> ModelRequest {
    let tool = ToolDeclaration { name: "ls".into(), description: "Lists.".into(), parameters: json!({}).into() };
    ModelRequest {
        system: system.into(),
        contents: vec![ModelMessage::user("hi")],
        tools: vec![tool],
        ..ModelRequest::default()
    }
}

async fn ask(model: &dyn Model, system: &str) {
    let answer: Vec<Result<ModelChunk, ModelError>> = model.generate(request(system)).collect().await;
    assert_eq!(
        answer,
        [Ok(ModelChunk::Parts(vec![MessagePart::text("hello")])), Ok(ModelChunk::Finish { reason: "STOP".into() })]
    );
}

/// The requests: `keep` for a beginning to be kept, else the name that stood for one, or `whole`.
fn asked(google: &FakeGemini) -> Vec<String> {
    let told = google.requests().into_iter().map(|request| {
        let is_whole = request.body.get("systemInstruction").is_some();
        match request.body["cachedContent"].as_str() {
            _ if request.target == "/v1beta/cachedContents" => "keep".to_owned(),
            Some(name) if !is_whole => name.to_owned(),
            None if is_whole => "whole".to_owned(),
            other => panic!("{other:?} beside the instructions"),
        }
    });
    told.collect()
}

#[tokio::test]
async fn a_beginning_is_kept_once_and_named_from_then_on() {
    let (google, model) = scene().await;
    ask(&*model, "one").await;
    ask(&*model, "one").await;
    ask(&*model, "two").await;
    ask(&*model, "one").await;
    let (one, two) = ("cachedContents/kept-1", "cachedContents/kept-2");
    assert_eq!(asked(&google), ["keep", one, one, "keep", two, one]);
    let kept = google.requests().remove(0).body;
    assert_eq!((&kept["model"], &kept["ttl"]), (&json!("models/gemini-3.8-flash"), &json!("600s")));
    assert_eq!(kept["systemInstruction"]["parts"][0]["text"], "one");
    assert_eq!(kept["tools"][0]["functionDeclarations"][0]["name"], "ls");
    assert!(google.requests()[1].body["generationConfig"].is_object());
}

#[tokio::test]
async fn one_that_is_gone_is_kept_again_and_nobody_notices() {
    let (google, model) = scene().await;
    ask(&*model, "one").await;
    google.expire_caches();
    ask(&*model, "one").await;
    let (first, second) = ("cachedContents/kept-1", "cachedContents/kept-2");
    assert_eq!(asked(&google), ["keep", first, first, "keep", second]);
}

#[tokio::test]
async fn what_is_too_small_goes_whole_and_is_not_tried_again() {
    let (google, model) = scene().await;
    google.set_smallest_cache(1_000_000);
    ask(&*model, "one").await;
    ask(&*model, "one").await;
    assert_eq!(asked(&google), ["keep", "whole", "whole"]);
}

#[tokio::test]
async fn nothing_is_kept_unless_it_is_asked_for() {
    let google = FakeGemini::start([json!({"method": "generateContentStream", "repeat": true, "response": [
        {"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]}]})])
    .await
    .unwrap();
    let base = google.base_url.clone();
    let mut catalogue = ModelCatalogue::load(None).unwrap();
    catalogue.extend("mine", "[[model]]\nid = \"gemini-2.5-pro\"\nprovider = \"gemini\"\ncache_minutes = 5\n").unwrap();
    let models = ModelRegistry::new(catalogue, move |name| (name == "GOOGLE_GEMINI_BASE_URL").then(|| base.clone()));
    ask(&*models.resolve("flash").unwrap(), "one").await;
    ask(&*models.resolve("gemini-2.5-pro").unwrap(), "one").await;
    assert_eq!(asked(&google), ["whole", "keep", "cachedContents/kept-1"]);
    assert_eq!(google.requests()[1].body["ttl"], "300s");
}

/// A summary is asked for without calls. The beginning is the same, and what forbids calls is refused beside its name.
#[tokio::test]
async fn a_request_without_calls_uses_the_same_beginning() {
    let (google, model) = scene().await;
    ask(&*model, "one").await;
    let quiet = ModelRequest { tool_choice: ToolChoice::None, ..request("one") };
    let _: Vec<_> = model.generate(quiet).collect().await;
    let one = "cachedContents/kept-1";
    assert_eq!(asked(&google), ["keep", one, one]);
    assert_eq!(google.requests()[2].body.get("toolConfig"), None);
}
