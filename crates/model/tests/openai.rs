//! OpenAI's chat format over a real socket.

use futures_util::StreamExt;
use pollux_model::{
    AnswerFlaw, LocalServer, MessagePart, Model, ModelCatalogue, ModelChunk, ModelError, ModelMessage, ModelRegistry,
    ModelRequest, OfferedModel, PartData, Provider, RetryClass,
};
use pollux_session::ModelUsage;
use pollux_testkit::openai::{self, FakeOpenAi};
use pollux_testkit::scripted_provider::PreparedAnswer;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;

async fn serve(answers: Vec<PreparedAnswer>) -> (FakeOpenAi, Arc<dyn Model>) {
    let server = FakeOpenAi::start(answers).await.unwrap();
    let address = server.base_url.clone();
    let env = move |name: &str| match name {
        "OPENAI_BASE_URL" => Some(address.clone()),
        "OPENAI_API_KEY" => Some("the-key".to_owned()),
        _ => None,
    };
    let models = ModelRegistry::new(ModelCatalogue::load(None).unwrap(), env);
    (server, models.resolve("gpt-5.4").unwrap())
}

async fn ask(model: &dyn Model) -> Vec<Result<ModelChunk, ModelError>> {
    model.generate(ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() }).collect().await
}

fn ending() -> [Result<ModelChunk, ModelError>; 2] {
    let usage = ModelUsage { prompt: 7, cached: 0, output: 3, thoughts: 0 };
    [Ok(ModelChunk::Usage(usage)), Ok(ModelChunk::Finish { reason: "STOP".into() })]
}

#[tokio::test]
async fn the_request_is_what_openai_expects() {
    let (server, model) = serve(vec![openai::text_answer("hello")]).await;
    let [usage, finish] = ending();
    assert_eq!(ask(&*model).await, [Ok(ModelChunk::Parts(vec![MessagePart::text("hello")])), usage, finish]);
    let requests = server.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/v1/chat/completions"));
    let header = |name: &str| request.headers.get(name).map(|value| value.to_str().unwrap());
    assert_eq!(header("authorization"), Some("Bearer the-key"));
    assert_eq!(header("content-type"), Some("application/json"));
    assert_eq!(
        request.body,
        json!({"model": "gpt-5.4", "messages": [{"role": "user", "content": "hi"}], "stream": true,
            "stream_options": {"include_usage": true}})
    );
}

#[tokio::test]
async fn a_call_survives_being_cut_into_bytes() {
    let args = json!({"path": "grüße 🦀", "lines": [1, 2]});
    let (_server, model) = serve(vec![openai::call_answer("call_1", "read_file", &args).split(1)]).await;
    let call = PartData::FunctionCall { id: Some("call_1".into()), name: "read_file".into(), args };
    let [usage, finish] = ending();
    assert_eq!(ask(&*model).await, [Ok(ModelChunk::Parts(vec![call.into()])), usage, finish]);
}

#[tokio::test]
async fn arguments_that_do_not_decode_may_be_asked_for_again() {
    let fragment = json!({"index": 0, "id": "c", "function": {"name": "ls", "arguments": "{\"dir\": "}});
    let [end, usage] = openai::finish("tool_calls");
    let answer = openai::stream(&[openai::delta(&json!({"tool_calls": [fragment]})), end, usage]);
    let (_server, model) = serve(vec![answer]).await;
    let found = ask(&*model).await;
    let [Err(error @ ModelError::Malformed { flaw: AnswerFlaw::BadArguments { tool, .. } })] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!((tool.as_str(), error.class()), ("ls", RetryClass::Retryable { after: None }));
}

#[tokio::test]
async fn a_connection_that_breaks_is_a_cut() {
    let frame = openai::delta(&json!({"content": "hel"}));
    let (_server, model) = serve(vec![PreparedAnswer::events(format!("data: {frame}\n\n")).broken()]).await;
    let found = ask(&*model).await;
    let [Ok(ModelChunk::Parts(parts)), Err(ModelError::Cut { .. })] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(parts, &[MessagePart::text("hel")]);
}

#[tokio::test]
async fn trouble_is_told_or_waited_out() {
    let (server, model) = serve(vec![openai::error(401, "invalid_api_key", "Incorrect API key provided.")]).await;
    let found = ask(&*model).await;
    let [Err(error)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        error.to_string(),
        "the model answered 401 invalid_api_key: Incorrect API key provided; check OPENAI_API_KEY"
    );
    assert_eq!(server.requests().len(), 1);

    let busy = openai::error(429, "rate_limit_exceeded", "slow down").header("retry-after", "7");
    let (_server, model) = serve(vec![busy, openai::text_answer("hello")]).await;
    let mut stream =
        model.generate(ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() });
    let Some(Ok(ModelChunk::Retrying { reason, attempt: 2, wait })) = stream.next().await else { panic!("no retry") };
    assert!(reason.contains("slow down"), "{reason}");
    assert!((7.0..8.5).contains(&wait.as_secs_f64()), "{wait:?}");
}

#[tokio::test]
async fn its_models_are_listed_and_what_it_cannot_do_is_said() {
    let (server, model) = serve(vec![openai::models(&["gpt-5.4", "tune"])]).await;
    let offered = model.list_models().await.unwrap();
    let names: Vec<String> = offered.iter().map(OfferedModel::name).collect();
    assert_eq!(names, ["gpt-5.4", "openai:tune"]);
    assert_eq!(server.requests()[0].target, "/v1/models");
    assert_eq!(model.count_tokens(ModelRequest::default()).await, Ok(None));
    let error = model.search("x").await.unwrap_err();
    assert_eq!(error.to_string(), "gpt-5.4 cannot search the web; choose a model that can with -m");
}

#[tokio::test]
async fn local_servers_are_offered_by_name() {
    let ollama = FakeOpenAi::start([openai::models(&["qwen3:4b", "gpt-oss:20b"])]).await.unwrap();
    let empty = FakeOpenAi::start([openai::models(&[])]).await.unwrap();
    let stranger = FakeOpenAi::start([PreparedAnswer::events("<html>")]).await.unwrap();
    let addresses = [
        ("OLLAMA_HOST", ollama.base_url.trim_end_matches("/v1").to_owned()),
        ("LMSTUDIO_BASE_URL", empty.base_url.clone()),
        ("LLAMACPP_BASE_URL", stranger.base_url.clone()),
        // Not this machine: not asked.
        ("VLLM_BASE_URL", "http://192.0.2.1:8000/v1".to_owned()),
    ];
    let env = move |name: &str| addresses.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
    let models = ModelRegistry::new(ModelCatalogue::load(None).unwrap(), env);
    let offered = |model: &str| OfferedModel { provider: Provider::Ollama, model: model.into(), context_window: None };
    assert_eq!(
        models.detect_local().await,
        [LocalServer {
            provider: Provider::Ollama,
            address: ollama.base_url.clone(),
            models: vec![offered("qwen3:4b"), offered("gpt-oss:20b")],
        }]
    );
    assert_eq!((empty.requests().len(), stranger.requests().len()), (1, 1));
}
