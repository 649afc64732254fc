use super::*;
use crate::content::{MessagePart, ModelMessage};
use crate::gemini::{self, body};
use crate::model::ModelRequest;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, stream};
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// Plays answers in order, the last one for ever.
struct Fake {
    answers: Mutex<VecDeque<Canned>>,
    posts: Mutex<Vec<Instant>>,
}

#[derive(Clone)]
enum Canned {
    Unreachable,
    Status(u16, Value),
    Body(Vec<Result<&'static str, &'static str>>),
    Silence,
}

impl Fake {
    fn new(answers: impl IntoIterator<Item = Canned>) -> Arc<Fake> {
        Arc::new(Fake { answers: Mutex::new(answers.into_iter().collect()), posts: Mutex::default() })
    }

    /// Seconds between the posts.
    fn gaps(&self) -> Vec<f64> {
        let posts = self.posts.lock();
        posts.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64().round()).collect()
    }
}

impl ModelTransport for Fake {
    fn send(&self, _: &ProviderRequest) -> BoxFuture<'static, Result<ProviderResponse, ModelError>> {
        self.posts.lock().push(Instant::now());
        let mut answers = self.answers.lock();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }.unwrap();
        let reply = |status, body| Ok(ProviderResponse { status, retry_after: None, body });
        let answer = match answer {
            Canned::Unreachable => Err(unreachable_host()),
            Canned::Status(status, body) => reply(status, stream::iter([Ok(body.to_string().into())]).boxed()),
            Canned::Body(pieces) => {
                let pieces = pieces.into_iter().map(|piece| piece.map(Bytes::from).map_err(str::to_owned));
                reply(200, stream::iter(pieces).boxed())
            }
            Canned::Silence => return std::future::pending().boxed(),
        };
        std::future::ready(answer).boxed()
    }
}

fn unreachable_host() -> ModelError {
    ModelError::Net { provider: Provider::Gemini, host: "nowhere".into(), message: "connection refused".into() }
}

/// Google's rules with dice that always fall in the middle.
fn rules() -> BackoffPolicy {
    BackoffPolicy { dice: || 0.5, ..BackoffPolicy::network() }
}

fn link(fake: &Arc<Fake>) -> ProviderLink {
    ProviderLink {
        provider: Provider::Gemini,
        transport: fake.clone(),
        backoff: rules(),
        read_fault: gemini::read_fault,
    }
}

async fn run(fake: &Arc<Fake>) -> Vec<Result<ModelChunk, ModelError>> {
    let request = ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() };
    let body = body("gemini-3.8-flash", None, request);
    let answer = gemini::Answer::to(&body);
    link(fake).stream(ProviderRequest::post("", body), answer).collect().await
}

fn good() -> Canned {
    Canned::Body(vec![Ok(
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hello\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n",
    )])
}

fn hello() -> Vec<Result<ModelChunk, ModelError>> {
    vec![Ok(ModelChunk::Parts(vec![MessagePart::text("hello")])), Ok(ModelChunk::Finish { reason: "STOP".into() })]
}

fn retrying(error: &ModelError, attempt: u32, millis: u64) -> Result<ModelChunk, ModelError> {
    Ok(ModelChunk::Retrying { reason: error.to_string(), attempt, wait: Duration::from_millis(millis) })
}

#[tokio::test(start_paused = true)]
async fn a_good_answer_comes_through() {
    let fake = Fake::new([good()]);
    assert_eq!(run(&fake).await, hello());
    assert_eq!(fake.gaps(), Vec::<f64>::new());
}

#[tokio::test(start_paused = true)]
async fn retries_are_announced_and_wait_as_they_say() {
    let fake = Fake::new([Canned::Unreachable, Canned::Unreachable, good()]);
    let mut expected = vec![retrying(&unreachable_host(), 2, 5_000), retrying(&unreachable_host(), 3, 10_000)];
    expected.extend(hello());
    assert_eq!(run(&fake).await, expected);
    assert_eq!(fake.gaps(), [5.0, 10.0]);
}

#[tokio::test(start_paused = true)]
async fn ten_attempts_and_no_wait_of_ours_above_thirty_seconds() {
    let fake = Fake::new([Canned::Status(503, json!({"error": {"code": 503, "message": "busy"}}))]);
    let found = run(&fake).await;
    assert_eq!(fake.gaps(), [5.0, 10.0, 20.0, 30.0, 30.0, 30.0, 30.0, 30.0, 30.0]);
    let Some(Err(error @ ModelError::Exhausted { attempts: 10, .. })) = found.last() else { panic!("{found:?}") };
    assert_eq!((error.class(), error.kind()), (RetryClass::Terminal, "model_server"));
    assert_eq!(found.len(), 10);
}

#[tokio::test(start_paused = true)]
async fn the_delay_a_provider_asks_for_is_kept() {
    let busy = |delay: &str| {
        let info = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay});
        Canned::Status(429, json!({"error": {"code": 429, "message": "slow", "details": [info]}}))
    };
    let fake = Fake::new([busy("40s"), busy("1s"), good()]);
    run(&fake).await;
    assert_eq!(fake.gaps(), [44.0, 11.0]);
}

#[tokio::test(start_paused = true)]
async fn what_will_not_change_is_asked_once() {
    for status in [400, 401, 403, 404] {
        let fake = Fake::new([Canned::Status(status, json!({"error": {"code": status, "message": "no"}}))]);
        let found = run(&fake).await;
        assert!(matches!(found.as_slice(), [Err(ModelError::Api { .. })]), "{found:?}");
        assert_eq!(fake.posts.lock().len(), 1, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn trouble_after_the_first_byte_is_left_to_the_caller() {
    let text = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hel\"}]}}]}\n\n";
    let said = Ok(ModelChunk::Parts(vec![MessagePart::text("hel")]));
    let check = async |pieces, error: ModelError| {
        let fake = Fake::new([Canned::Body(pieces), good()]);
        assert_eq!(run(&fake).await, [said.clone(), Err(error.clone())]);
        assert_eq!(fake.gaps(), Vec::<f64>::new());
        assert_eq!(error.class(), RetryClass::Retryable { after: None });
    };
    check(vec![Ok(text), Err("reset")], ModelError::Cut { message: "reset".into() }).await;
    check(vec![Ok(text)], ModelError::Malformed { flaw: AnswerFlaw::NoFinish }).await;
    let status = ModelError::Api {
        provider: Provider::Gemini,
        http: 200,
        code: 503,
        status: "UNAVAILABLE".into(),
        message: "busy".into(),
        retry_after: None,
        fault: crate::ProviderFault::Server,
    };
    let error = r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}"#;
    check(vec![Ok(text), Ok("data: "), Ok(error), Ok("\n\n")], status.clone()).await;
    check(vec![Ok(text), Ok(error)], status).await;
}

#[tokio::test(start_paused = true)]
async fn dropping_the_stream_drops_the_call() {
    let fake = Fake::new([Canned::Silence]);
    let mut stream = link(&fake).stream(ProviderRequest::post("", json!({})), gemini::Answer::to(&json!({})));
    assert_eq!(stream.next().now_or_never(), None);
    assert_eq!(Arc::strong_count(&fake), 2);
    drop(stream);
    assert_eq!(Arc::strong_count(&fake), 1);
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_is_slow_loses_nothing() {
    let frame = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]}}]}\n\n";
    let mut pieces = vec![Ok(frame); 500];
    pieces.push(Ok("data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n"));
    let found = run(&Fake::new([Canned::Body(pieces)])).await;
    assert_eq!(found.len(), 501);
    assert_eq!(found.last(), Some(&Ok(ModelChunk::Finish { reason: "STOP".into() })));
}

#[tokio::test(start_paused = true)]
async fn a_small_question_is_asked_three_times_at_most() {
    let busy = Canned::Status(503, json!({"error": {"code": 503, "message": "busy"}}));
    let good = Canned::Body(vec![Ok("{\"total"), Ok("Tokens\": 31}")]);
    let fake = Fake::new([busy.clone(), busy.clone(), good]);
    assert_eq!(link(&fake).fetch(ProviderRequest::get("/x")).await, Ok(json!({"totalTokens": 31})));
    assert_eq!(fake.gaps(), [1.0, 2.0]);
    let fake = Fake::new([busy]);
    let found = link(&fake).fetch(ProviderRequest::get("/x")).await;
    assert!(matches!(found, Err(ModelError::Exhausted { attempts: 3, .. })), "{found:?}");
}

#[tokio::test(start_paused = true)]
async fn a_small_answer_that_is_none_is_an_error() {
    let fetch = async |pieces| link(&Fake::new([Canned::Body(pieces)])).fetch(ProviderRequest::get("/x")).await;
    assert_eq!(fetch(vec![Ok("{"), Err("reset")]).await, Err(ModelError::Cut { message: "reset".into() }));
    let found = fetch(vec![Ok("<html>")]).await;
    assert!(matches!(found, Err(ModelError::Malformed { flaw: AnswerFlaw::BadFrame { .. } })), "{found:?}");
    let megabyte: &'static str = Box::leak("x".repeat(1024 * 1024).into_boxed_str());
    let found = fetch(vec![Ok(megabyte); 17]).await;
    assert!(matches!(found, Err(ModelError::Malformed { flaw: AnswerFlaw::BadFrame { .. } })), "{found:?}");
}

#[tokio::test]
async fn the_id_of_an_answer_comes_once_and_before_its_parts() {
    let named =
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hello\"}]}}],\"responseId\":\"r-1\"}\r\n\r\n";
    let last = "data: {\"candidates\":[{\"finishReason\":\"STOP\"}],\"responseId\":\"r-1\"}\r\n\r\n";
    let found = run(&Fake::new([Canned::Body(vec![Ok(named), Ok(last)])])).await;
    let id = Ok(ModelChunk::Response { id: "r-1".into() });
    assert_eq!(found, [vec![id], hello()].concat());
}

#[tokio::test]
async fn an_id_that_is_empty_or_endless_is_none() {
    for id in ["".to_owned(), "x".repeat(LONGEST_ID + 1)] {
        let frame = json!({"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}],
            "responseId": id});
        let frame: &'static str = format!("data: {frame}\r\n\r\n").leak();
        assert_eq!(run(&Fake::new([Canned::Body(vec![Ok(frame)])])).await, hello());
    }
}
