use super::*;
use pollux_session::ModelUsage;
use pretty_assertions::assert_eq;

fn answer(grounding: &Value) -> Value {
    json!({
        "candidates": [{
            "content": {"parts": [{"text": "Both say hello."}]},
            "finishReason": "STOP",
            "groundingMetadata": grounding,
            "urlContextMetadata": {"urlMetadata": [
                {"retrievedUrl": "https://a.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
                {"retrievedUrl": "https://b.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_PAYWALL"}]},
        }],
        "usageMetadata": {"promptTokenCount": 10, "toolUsePromptTokenCount": 90, "candidatesTokenCount": 5},
    })
}

fn source(title: &str, uri: &str) -> WebSource {
    WebSource { title: title.into(), uri: uri.into() }
}

#[test]
fn pages_are_sources_or_told_as_unread() {
    let grounded = GroundedAnswer {
        text: "Both say hello.".into(),
        sources: vec![source("", "https://a.example/")],
        unread: vec![("https://b.example/".into(), "URL_RETRIEVAL_STATUS_PAYWALL".into())],
        usage: ModelUsage { prompt: 100, output: 5, ..ModelUsage::default() },
    };
    assert_eq!(read(Provider::Gemini, &answer(&Value::Null)), Ok(grounded.clone()));
    let chunks = json!({"groundingChunks": [{"web": {"uri": "https://a.example/", "title": "A"}}]});
    let named = GroundedAnswer { sources: vec![source("A", "https://a.example/")], ..grounded };
    assert_eq!(read(Provider::Gemini, &answer(&chunks)), Ok(named));
}

#[test]
fn the_addresses_go_to_google() {
    assert_eq!(
        body("read https://a.example/"),
        json!({"contents": [{"role": "user", "parts": [{"text": "read https://a.example/"}]}],
            "tools": [{"urlContext": {}}], "generationConfig": {"temperature": 0, "topP": 1}})
    );
}
