#![allow(clippy::needless_pass_by_value, reason = "`json!` reads better without a reference")]

use super::*;
use crate::content::PartData;
use crate::transport::AnswerDecoder as _;
use pretty_assertions::assert_eq;
use serde_json::json;

fn run(frames: &[Value]) -> Result<(Vec<MessagePart>, Vec<ModelChunk>), ModelError> {
    let mut answer = Answer::to(Provider::OpenRouter, &[ModelMessage::user("hi")]);
    let mut parts = Vec::new();
    for frame in frames {
        parts.extend(answer.take(frame)?);
    }
    Ok((parts, answer.end()?))
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn stop() -> ModelChunk {
    ModelChunk::Finish { reason: "STOP".into() }
}

#[test]
fn a_whole_answer() {
    let frames = [
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"reasoning_content": "hm"})),
        delta(json!({"reasoning": "well", "reasoning_content": "well"})),
        delta(json!({"content": "Hel"})),
        delta(json!({"content": "lo", "annotations": [
            {"type": "url_citation", "url_citation": {"url": "https://a", "title": "A"}},
            {"type": "url_citation", "url_citation": {"url": "https://a", "title": "A"}}]})),
        delta(json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "ls", "arguments": "{}"}}]})),
        finish("tool_calls"),
        json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 30,
            "prompt_tokens_details": {"cached_tokens": 80}, "completion_tokens_details": {"reasoning_tokens": 10}}}),
    ];
    let (parts, chunks) = run(&frames).unwrap();
    assert_eq!(
        parts,
        [MessagePart::thought("hm"), MessagePart::thought("well"), MessagePart::text("Hel"), MessagePart::text("lo")]
    );
    let call = PartData::FunctionCall { id: Some("c1".into()), name: "ls".into(), args: json!({}) };
    assert_eq!(
        chunks,
        [
            ModelChunk::Parts(vec![call.into()]),
            ModelChunk::Usage(ModelUsage { prompt: 100, cached: 80, output: 20, thoughts: 10 }),
            ModelChunk::Citations(vec!["(A) https://a".into()]),
            stop(),
        ]
    );
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let whole = json!({"choices": [{"message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1, "prompt_cache_hit_tokens": 4}});
    let (parts, chunks) = run(&[whole]).unwrap();
    assert_eq!(parts, [MessagePart::text("hello")]);
    assert_eq!(chunks, [ModelChunk::Usage(ModelUsage { prompt: 5, cached: 4, output: 1, thoughts: 0 }), stop()]);
}

#[test]
fn reasons_to_stop_have_geminis_words() {
    let reason = |word: &str| match run(&[delta(json!({"content": "x"})), finish(word)]).unwrap().1.as_slice() {
        [ModelChunk::Finish { reason }] => reason.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(reason("stop"), "STOP");
    assert_eq!(reason("length"), "MAX_TOKENS");
    assert_eq!(reason("content_filter"), "SAFETY");
    assert_eq!(reason("something_new"), "SOMETHING_NEW");
}

#[test]
fn an_answer_that_stops_without_a_reason_is_not_trusted() {
    let call = delta(json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "ls", "arguments": "{}"}}]}));
    for frames in [vec![], vec![delta(json!({"content": "hel"}))], vec![call]] {
        assert_eq!(run(&frames), Err(ModelError::Malformed { flaw: AnswerFlaw::NoFinish }));
    }
}

#[test]
fn what_says_nothing_cannot_be_used() {
    let flaw = |frames: &[Value]| match run(frames) {
        Err(ModelError::Malformed { flaw }) => flaw,
        other => panic!("{other:?}"),
    };
    assert_eq!(flaw(&[finish("stop")]), AnswerFlaw::Empty { finish: "STOP".into() });
    assert_eq!(flaw(&[finish("length")]), AnswerFlaw::Empty { finish: "MAX_TOKENS".into() });
    let thought = delta(json!({"reasoning": "hm"}));
    assert_eq!(flaw(&[thought, finish("stop")]), AnswerFlaw::OnlyThoughts { finish: "STOP".into() });
    let refusal = delta(json!({"refusal": "I cannot help with that."}));
    assert_eq!(run(&[refusal, finish("stop")]).unwrap().0, [MessagePart::text("I cannot help with that.")]);
}

#[test]
fn an_error_in_the_middle_is_an_error() {
    let kind = |frame: Value| run(&[delta(json!({"content": "hel"})), frame]).unwrap_err().kind();
    assert_eq!(kind(json!({"error": {"code": 502, "message": "upstream"}, "choices": []})), "model_server");
    assert_eq!(
        kind(json!({"error": {"message": "slow", "type": "tokens", "code": "rate_limit_exceeded"}})),
        "model_rate"
    );
    assert_eq!(kind(json!({"object": "error", "message": "no", "type": "x", "code": 400})), "model_request");
    assert_eq!(
        kind(json!({"choices": [{"delta": {}, "finish_reason": "error", "error": {"code": 429, "message": "m"}}]})),
        "model_rate"
    );
    assert!(run(&[json!({"error": null, "choices": [{"delta": {"content": "x"}}]}), finish("stop")]).is_ok());
}

#[test]
fn every_chunk_names_the_answer() {
    assert_eq!(Answer::response_id(&json!({"id": "chatcmpl-1", "choices": []})), Some("chatcmpl-1"));
    assert_eq!(Answer::response_id(&finish("stop")), None);
}
