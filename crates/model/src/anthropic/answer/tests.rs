#![allow(clippy::needless_pass_by_value, reason = "`json!` reads better without a reference")]

use super::*;
use crate::content::ANTHROPIC;
use crate::transport::AnswerDecoder as _;
use pretty_assertions::assert_eq;
use serde_json::json;

fn run(frames: &[Value]) -> Result<(Vec<MessagePart>, Vec<ModelChunk>), ModelError> {
    let mut answer = Answer::to(&[ModelMessage::user("hi")]);
    let mut parts = Vec::new();
    for frame in frames {
        parts.extend(answer.take(frame)?);
    }
    Ok((parts, answer.end()?))
}

fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn ends(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 42}})
}

fn call(id: &str, args: Value, proofs: Value) -> MessagePart {
    let mut part: MessagePart = PartData::FunctionCall { id: Some(id.into()), name: "ls".into(), args }.into();
    if !proofs.is_null() {
        part.extra.insert(ANTHROPIC.into(), json!({"thinking": proofs}));
    }
    part
}

#[test]
fn a_whole_answer_and_thinking_rides_on_the_call_it_led_to() {
    let frames = [
        json!({"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 10,
            "cache_creation_input_tokens": 5, "cache_read_input_tokens": 85, "output_tokens": 1}}}),
        json!({"type": "ping"}),
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Let me "})),
        delta(0, json!({"type": "thinking_delta", "thinking": "look."})),
        delta(0, json!({"type": "signature_delta", "signature": "SIG"})),
        delta(0, json!({"type": "signature_delta", "signature": "NED"})),
        stop(0),
        start(1, json!({"type": "redacted_thinking", "data": "OPAQUE"})),
        stop(1),
        start(2, json!({"type": "text", "text": ""})),
        delta(2, json!({"type": "text_delta", "text": "Looking"})),
        stop(2),
        start(3, json!({"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}})),
        delta(3, json!({"type": "input_json_delta", "partial_json": ""})),
        delta(3, json!({"type": "input_json_delta", "partial_json": "{\"dir\": \"gr"})),
        delta(3, json!({"type": "input_json_delta", "partial_json": "üße\"}"})),
        stop(3),
        start(4, json!({"type": "tool_use", "id": "toolu_2", "name": "ls", "input": {"dir": "."}})),
        stop(4),
        ends("tool_use"),
        json!({"type": "message_stop"}),
    ];
    let (parts, chunks) = run(&frames).unwrap();
    let proofs = json!([
        {"type": "thinking", "thinking": "Let me look.", "signature": "SIGNED"},
        {"type": "redacted_thinking", "data": "OPAQUE"}]);
    assert_eq!(
        parts,
        [
            MessagePart::thought("Let me "),
            MessagePart::thought("look."),
            MessagePart::text("Looking"),
            call("toolu_1", json!({"dir": "grüße"}), proofs),
            call("toolu_2", json!({"dir": "."}), Value::Null),
        ]
    );
    assert_eq!(
        chunks,
        [
            ModelChunk::Usage(ModelUsage { prompt: 100, cached: 85, output: 42, thoughts: 0 }),
            ModelChunk::Finish { reason: "STOP".into() },
        ]
    );
}

#[test]
fn reasons_to_stop_have_geminis_words() {
    let reason = |word: &str| {
        let text = [start(0, json!({"type": "text", "text": "x"})), stop(0), ends(word)];
        match run(&text).unwrap().1.last() {
            Some(ModelChunk::Finish { reason }) => reason.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(reason("end_turn"), "STOP");
    assert_eq!(reason("stop_sequence"), "STOP");
    assert_eq!(reason("max_tokens"), "MAX_TOKENS");
    assert_eq!(reason("model_context_window_exceeded"), "MAX_TOKENS");
    assert_eq!(reason("refusal"), "SAFETY");
    assert_eq!(reason("pause_turn"), "PAUSE_TURN");
}

#[test]
fn trouble_in_the_middle_is_an_error() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let error = run(&[start(0, json!({"type": "text", "text": "hel"})), overloaded]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model answered 529 overloaded_error: Overloaded; the provider has trouble of its own; it may work in a \
         moment"
    );
    let bare = json!({"error": {"type": "rate_limit_error", "message": "slow"}});
    assert_eq!(run(&[bare]).unwrap_err().kind(), "model_rate");
}

#[test]
fn what_is_incomplete_or_empty_cannot_be_used() {
    let flaw = |frames: &[Value]| match run(frames) {
        Err(ModelError::Malformed { flaw }) => flaw,
        other => panic!("{other:?}"),
    };
    let text = start(0, json!({"type": "text", "text": "hel"}));
    assert_eq!(flaw(&[text]), AnswerFlaw::NoFinish);
    assert_eq!(flaw(&[ends("end_turn")]), AnswerFlaw::Empty { finish: "STOP".into() });
    let thinking = [
        start(0, json!({"type": "thinking", "thinking": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        stop(0),
        ends("end_turn"),
    ];
    assert_eq!(flaw(&thinking), AnswerFlaw::OnlyThoughts { finish: "STOP".into() });
    let broken = [
        start(0, json!({"type": "tool_use", "id": "a", "name": "ls", "input": {}})),
        delta(0, json!({"type": "input_json_delta", "partial_json": "{\"dir\": "})),
        stop(0),
    ];
    assert!(matches!(flaw(&broken), AnswerFlaw::BadArguments { .. }));
}

#[test]
fn thinking_without_a_signature_proves_nothing_and_a_call_without_an_id_gets_one() {
    let frames = [
        start(0, json!({"type": "thinking", "thinking": "hm", "signature": ""})),
        stop(0),
        start(1, json!({"type": "tool_use", "name": "ls", "input": {}})),
        stop(1),
        ends("tool_use"),
    ];
    assert_eq!(run(&frames).unwrap().0, [call("made-0-1", json!({}), Value::Null)]);
}

#[test]
fn events_and_blocks_that_are_new_are_passed_over() {
    let frames = [
        json!({"type": "message_weather", "sun": true}),
        start(0, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        delta(0, json!({"type": "input_json_delta", "partial_json": "{"})),
        delta(0, json!({"type": "aura_delta", "aura": "blue"})),
        stop(0),
        stop(7),
        start(1, json!({"type": "text", "text": "fine"})),
        delta(1, json!({"type": "citations_delta", "citation": {"url": "https://a", "title": "A"}})),
        ends("end_turn"),
    ];
    let (parts, chunks) = run(&frames).unwrap();
    assert_eq!(parts, [MessagePart::text("fine")]);
    assert!(chunks.contains(&ModelChunk::Citations(vec!["(A) https://a".into()])));
}

#[test]
fn the_first_event_names_the_answer() {
    let opens = json!({"type": "message_start", "message": {"id": "msg_1"}});
    assert_eq!(Answer::response_id(&opens), Some("msg_1"));
    // The id of a call is another matter.
    assert_eq!(Answer::response_id(&start(0, json!({"type": "tool_use", "id": "toolu_1"}))), None);
}
