//! Anthropic's messages over a real socket.

use futures_util::StreamExt;
use pollux_model::{
    MessagePart, MessageRole, Model, ModelCatalogue, ModelChunk, ModelError, ModelMessage, ModelRegistry, ModelRequest,
    OfferedModel, PartData, Provider, ProviderFault, RetryClass,
};
use pollux_session::ModelUsage;
use pollux_testkit::anthropic::{self, FakeAnthropic};
use pollux_testkit::scripted_provider::PreparedAnswer;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

async fn serve(answers: Vec<PreparedAnswer>) -> (FakeAnthropic, Arc<dyn Model>) {
    let server = FakeAnthropic::start(answers).await.unwrap();
    let address = server.base_url.clone();
    let env = move |name: &str| match name {
        "ANTHROPIC_BASE_URL" => Some(address.clone()),
        "ANTHROPIC_API_KEY" => Some("the-key".to_owned()),
        _ => None,
    };
    let models = ModelRegistry::new(ModelCatalogue::load(None).unwrap(), env);
    (server, models.resolve("claude-haiku-4-5").unwrap())
}

async fn ask(model: &dyn Model, contents: Vec<ModelMessage>) -> Vec<Result<ModelChunk, ModelError>> {
    model.generate(ModelRequest { contents, ..ModelRequest::default() }).collect().await
}

/// The fake's answers have this id.
fn begun() -> Result<ModelChunk, ModelError> {
    Ok(ModelChunk::Response { id: "msg_1".into() })
}

fn ending() -> [Result<ModelChunk, ModelError>; 2] {
    let usage = ModelUsage { prompt: 7, cached: 0, output: 3, thoughts: 0 };
    [Ok(ModelChunk::Usage(usage)), Ok(ModelChunk::Finish { reason: "STOP".into() })]
}

#[tokio::test]
async fn the_request_is_what_anthropic_expects() {
    let (server, model) = serve(vec![anthropic::text_answer("hello")]).await;
    let [usage, finish] = ending();
    let found = ask(&*model, vec![ModelMessage::user("hi")]).await;
    assert_eq!(found, [begun(), Ok(ModelChunk::Parts(vec![MessagePart::text("hello")])), usage, finish]);
    let requests = server.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/v1/messages"));
    let header = |name: &str| request.headers.get(name).map(|value| value.to_str().unwrap());
    assert_eq!(header("x-api-key"), Some("the-key"));
    assert_eq!(header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(header("authorization"), None);
}

/// The model's parts as the history keeps them: thoughts stay here.
fn kept(found: &[Result<ModelChunk, ModelError>]) -> Vec<MessagePart> {
    let parts = found.iter().filter_map(|chunk| match chunk {
        Ok(ModelChunk::Parts(parts)) => Some(parts.clone()),
        _ => None,
    });
    parts.flatten().filter(|part| !part.thought).collect()
}

#[tokio::test]
async fn thinking_comes_back_signed_with_the_call_it_led_to() {
    let args = json!({"path": "grüße"});
    let blocks = [
        anthropic::thinking(0, "Let me look.", "SIGNED=="),
        anthropic::text(1, "Looking."),
        anthropic::tool_use(2, "toolu_1", "read_file", &args),
    ];
    let first = anthropic::message(&blocks, "tool_use").split(1);
    let (server, model) = serve(vec![first, anthropic::text_answer("done")]).await;
    let prompt = ModelMessage::user("go");
    let found = ask(&*model, vec![prompt.clone()]).await;
    assert_eq!(found[..2], [begun(), Ok(ModelChunk::Parts(vec![MessagePart::thought("Let me look.")]))]);
    let result = MessagePart::response("toolu_1", "read_file", json!({"output": "x"}));
    ask(
        &*model,
        vec![prompt, ModelMessage::model(kept(&found)), ModelMessage { role: MessageRole::User, parts: vec![result] }],
    )
    .await;
    let body = server.requests().remove(1).body;
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Let me look.", "signature": "SIGNED=="},
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "grüße"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x",
                    "cache_control": {"type": "ephemeral"}}]}])
    );
    assert_eq!(body["thinking"]["type"], "enabled");
}

#[tokio::test]
async fn overload_in_the_middle_is_left_to_the_caller_and_before_it_is_waited_out() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let [start, delta, _stop] = anthropic::text(0, "hel").try_into().unwrap();
    let (_server, model) = serve(vec![anthropic::stream(&[start, delta, overloaded])]).await;
    let found = ask(&*model, vec![ModelMessage::user("hi")]).await;
    let expected = ModelError::Api {
        provider: Provider::Anthropic,
        http: 200,
        code: 529,
        status: "overloaded_error".into(),
        message: "Overloaded".into(),
        retry_after: None,
        fault: ProviderFault::Server,
    };
    assert_eq!(expected.class(), RetryClass::Retryable { after: None });
    assert_eq!(found, [Ok(ModelChunk::Parts(vec![MessagePart::text("hel")])), Err(expected)]);

    let (_server, model) = serve(vec![anthropic::error(529, "overloaded_error", "Overloaded")]).await;
    let mut stream =
        model.generate(ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() });
    let Some(Ok(ModelChunk::Retrying { attempt: 2, .. })) = stream.next().await else { panic!("no retry") };
}

#[tokio::test]
async fn a_stream_that_breaks_is_a_cut_and_one_that_ends_early_is_not_trusted() {
    let events = anthropic::text(0, "hel");
    let answers = vec![anthropic::stream(&events).broken(), anthropic::stream(&events)];
    let (_server, model) = serve(answers).await;
    let broken = ask(&*model, vec![ModelMessage::user("hi")]).await;
    assert!(matches!(broken.as_slice(), [Ok(_), Err(ModelError::Cut { .. })]), "{broken:?}");
    let early = ask(&*model, vec![ModelMessage::user("hi")]).await;
    assert!(matches!(early.as_slice(), [Ok(_), Err(ModelError::Malformed { .. })]), "{early:?}");
}

#[tokio::test]
async fn tokens_are_counted_and_models_listed() {
    let models = json!({"data": [{"type": "model", "id": "claude-next"}], "has_more": false});
    let answers = vec![PreparedAnswer::json(&json!({"input_tokens": 2095})), PreparedAnswer::json(&models)];
    let (server, model) = serve(answers).await;
    let request = ModelRequest {
        system: "Be brief.".into(),
        contents: vec![ModelMessage::user("hi")],
        ..ModelRequest::default()
    };
    assert_eq!(model.count_tokens(request).await, Ok(Some(2095)));
    let offered = OfferedModel { provider: Provider::Anthropic, model: "claude-next".into(), context_window: None };
    assert_eq!(model.list_models().await, Ok(vec![offered]));
    let requests = server.requests();
    let targets: Vec<&str> = requests.iter().map(|request| request.target.as_str()).collect();
    assert_eq!(targets, ["/v1/messages/count_tokens", "/v1/models?limit=1000"]);
    let keys: Vec<&str> = requests[0].body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["model", "system", "thinking", "messages"]);
}

#[tokio::test]
async fn a_call_from_elsewhere_does_not_stop_the_conversation() {
    let (server, model) = serve(vec![anthropic::text_answer("done")]).await;
    let call = PartData::FunctionCall { id: None, name: "ls".into(), args: json!({}) };
    let response = PartData::FunctionResponse { id: None, name: "ls".into(), response: json!({"output": "x"}) };
    let contents = vec![
        ModelMessage::user("go"),
        ModelMessage::model(vec![call.into()]),
        ModelMessage { role: MessageRole::User, parts: vec![response.into()] },
    ];
    ask(&*model, contents).await;
    let body = server.requests().remove(0).body;
    assert_eq!(body["thinking"], Value::Null);
    assert_eq!(body["messages"][1]["content"][0]["id"], body["messages"][2]["content"][0]["tool_use_id"]);
}
