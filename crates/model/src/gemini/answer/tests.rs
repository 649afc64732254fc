use super::*;
use crate::transport::AnswerDecoder as _;
use pretty_assertions::assert_eq;
use serde_json::json;

fn after_prompt() -> Value {
    json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]})
}

fn after_results() -> Value {
    json!({"contents": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "ls"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": ""}}}]},
    ]})
}

fn run(body: &Value, frames: &[Value]) -> Result<(Vec<MessagePart>, Vec<ModelChunk>), ModelError> {
    let mut answer = Answer::to(body);
    let mut parts = Vec::new();
    for frame in frames {
        parts.extend(answer.take(frame)?);
    }
    Ok((parts, answer.end()?))
}

fn said(parts: &Value, finish: Option<&str>) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish}]})
}

fn flaw(body: &Value, frame: Value) -> Option<AnswerFlaw> {
    match run(body, &[frame]) {
        Ok(_) => None,
        Err(ModelError::Malformed { flaw }) => Some(flaw),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn calls_without_ids_get_one_each_across_frames() {
    let call = |name: &str| json!([{"functionCall": {"name": name, "args": {}}}]);
    let frames = [said(&call("a"), None), said(&call("a"), None), said(&call("b"), Some("STOP"))];
    let (parts, _) = run(&after_results(), &frames).unwrap();
    let ids: Vec<_> = parts
        .iter()
        .map(|part| match &part.data {
            PartData::FunctionCall { id, .. } => id.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(ids, [Some("made-1-1"), Some("made-1-2"), Some("made-1-3")]);
}

#[test]
fn the_last_usage_wins_and_citations_are_told_once() {
    let frames = [
        json!({"usageMetadata": {"promptTokenCount": 1}, "candidates": [{
            "content": {"parts": [{"text": "a"}]},
            "citationMetadata": {"citationSources": [{"uri": "https://a", "title": "A"}]}}]}),
        json!({"usageMetadata": {"promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 3,
            "thoughtsTokenCount": 2, "toolUsePromptTokenCount": 1}, "candidates": [{
            "finishReason": "STOP",
            "citationMetadata": {"citations": [{"uri": "https://a", "title": "A"}, {"uri": "https://b"}]}}]}),
    ];
    let (_, chunks) = run(&after_prompt(), &frames).unwrap();
    assert_eq!(
        chunks,
        [
            ModelChunk::Usage(ModelUsage { prompt: 11, cached: 4, output: 3, thoughts: 2 }),
            ModelChunk::Citations(vec!["(A) https://a".into(), "https://b".into()]),
            ModelChunk::Finish { reason: "STOP".into() },
        ]
    );
}

#[test]
fn a_blocked_prompt_fails_at_once_with_the_reason() {
    let frame = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}});
    assert_eq!(run(&after_prompt(), &[frame]), Err(ModelError::Blocked { reason: "PROHIBITED_CONTENT".into() }));
}

#[test]
fn an_error_frame_is_an_error() {
    let frame = json!({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}});
    let error = run(&after_prompt(), &[said(&json!([{"text": "a"}]), None), frame]).unwrap_err();
    assert_eq!(error.kind(), "model_server");
    let frame = json!([{"error": {"code": 429, "message": "slow down"}}]);
    assert_eq!(run(&after_prompt(), &[frame]).unwrap_err().kind(), "model_rate");
}

#[test]
fn an_array_of_frames_is_read_as_frames() {
    let array = json!([said(&json!([{"text": "a"}]), None), said(&json!([{"text": "b"}]), Some("STOP"))]);
    let (parts, _) = run(&after_prompt(), &[array]).unwrap();
    assert_eq!(parts, [MessagePart::text("a"), MessagePart::text("b")]);
}

#[test]
fn what_cannot_be_used_after_a_prompt() {
    let text = json!([{"text": "hello"}]);
    let blank = json!([{"text": " \u{200b}<!-- nothing -->\n"}]);
    let thought = json!([{"text": "hm", "thought": true}]);
    let call = json!([{"functionCall": {"name": "ls"}}]);
    let flaw = |parts: &Value, finish| flaw(&after_prompt(), said(parts, finish));
    let empty = |finish: &str| Some(AnswerFlaw::Empty { finish: finish.into() });

    assert_eq!(flaw(&text, Some("STOP")), None);
    assert_eq!(flaw(&text, Some("SAFETY")), None);
    assert_eq!(flaw(&text, Some("A_NEW_REASON")), None);
    assert_eq!(flaw(&text, None), Some(AnswerFlaw::NoFinish));
    assert_eq!(flaw(&call, None), None);
    assert_eq!(flaw(&call, Some("MALFORMED_FUNCTION_CALL")), None);
    assert_eq!(
        flaw(&text, Some("MALFORMED_FUNCTION_CALL")),
        Some(AnswerFlaw::BadCall { finish: "MALFORMED_FUNCTION_CALL".into() })
    );
    assert_eq!(
        flaw(&text, Some("UNEXPECTED_TOOL_CALL")),
        Some(AnswerFlaw::BadCall { finish: "UNEXPECTED_TOOL_CALL".into() })
    );
    assert_eq!(flaw(&json!([]), Some("STOP")), empty("STOP"));
    assert_eq!(flaw(&blank, Some("STOP")), empty("STOP"));
    assert_eq!(flaw(&blank, Some("MAX_TOKENS")), empty("MAX_TOKENS"));
    assert_eq!(flaw(&thought, Some("STOP")), Some(AnswerFlaw::OnlyThoughts { finish: "STOP".into() }));
}

#[test]
fn after_results_the_model_may_have_nothing_to_add() {
    let flaw = |parts: &Value, finish| flaw(&after_results(), said(parts, finish));
    assert_eq!(flaw(&json!([]), Some("STOP")), None);
    assert_eq!(flaw(&json!([]), None), None);
    assert_eq!(flaw(&json!([]), Some("MAX_TOKENS")), Some(AnswerFlaw::Empty { finish: "MAX_TOKENS".into() }));
    assert_eq!(
        flaw(&json!([{"text": "hm", "thought": true}]), None),
        Some(AnswerFlaw::OnlyThoughts { finish: "no finish reason".into() })
    );
    assert_eq!(
        flaw(&json!([]), Some("MALFORMED_FUNCTION_CALL")),
        Some(AnswerFlaw::BadCall { finish: "MALFORMED_FUNCTION_CALL".into() })
    );
}

#[test]
fn every_frame_names_the_answer() {
    let frame = json!({"candidates": [], "responseId": "r-1"});
    assert_eq!(Answer::response_id(&frame), Some("r-1"));
    assert_eq!(Answer::response_id(&json!([frame, {}])), Some("r-1"));
    assert_eq!(Answer::response_id(&said(&json!([]), None)), None);
}
