use super::*;
use pollux_session::ModelUsage;
use pretty_assertions::assert_eq;

fn answer(text: &str, grounding: &Value) -> Value {
    json!({"candidates": [{
        "content": {"parts": [{"text": "hm", "thought": true}, {"text": text}]},
        "finishReason": "STOP",
        "groundingMetadata": grounding,
    }], "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 4}})
}

#[test]
fn passages_carry_the_numbers_of_their_sources() {
    let grounding = json!({
        "groundingChunks": [
            {"web": {"uri": "https://a", "title": "A"}}, {"web": {"uri": "https://b"}}, {"retrievedContext": {}}],
        "groundingSupports": [
            {"segment": {"startIndex": 0, "endIndex": 7}, "groundingChunkIndices": [0]},
            {"segment": {"endIndex": 17}, "groundingChunkIndices": [1, 0, 9]},
            {"segment": {"endIndex": 999}, "groundingChunkIndices": [0]},
            {"segment": {}, "groundingChunkIndices": [0]}],
    });
    // Seven bytes, six characters: positions are bytes.
    let found = read(Provider::Gemini, &answer("Grüße. And more.", &grounding)).unwrap();
    let source = |title: &str, uri: &str| WebSource { title: title.into(), uri: uri.into() };
    assert_eq!(
        found,
        GroundedAnswer {
            text: "Grüße[1]. And more[2][1].".into(),
            sources: vec![source("A", "https://a"), source("", "https://b"), source("", "")],
            unread: Vec::new(),
            usage: ModelUsage { prompt: 7, output: 4, ..ModelUsage::default() },
        }
    );
}

#[test]
fn an_answer_without_sources_is_an_answer() {
    let found = read(Provider::Gemini, &answer("plain", &Value::Null)).unwrap();
    assert_eq!((found.text.as_str(), found.sources), ("plain", Vec::new()));
}

#[test]
fn what_is_no_answer_is_an_error() {
    let empty = read(Provider::Gemini, &json!({"candidates": [{"finishReason": "SAFETY"}]})).unwrap_err();
    assert_eq!(empty, ModelError::Malformed { flaw: AnswerFlaw::Empty { finish: "SAFETY".into() } });
    let blocked = read(Provider::Gemini, &json!({"promptFeedback": {"blockReason": "OTHER"}})).unwrap_err();
    assert_eq!(blocked, ModelError::Blocked { reason: "OTHER".into() });
    let error = read(Provider::Gemini, &json!({"error": {"code": 503, "message": "busy"}})).unwrap_err();
    assert_eq!(error.kind(), "model_server");
}

#[test]
fn the_question_goes_to_google_search() {
    assert_eq!(
        body("who?"),
        json!({"contents": [{"role": "user", "parts": [{"text": "who?"}]}], "tools": [{"googleSearch": {}}],
            "generationConfig": {"temperature": 0, "topP": 1}})
    );
}
