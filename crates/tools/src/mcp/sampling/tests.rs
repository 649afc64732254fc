use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn read(params: Value) -> Result<McpSamplingRequest, String> {
    read_request("desk", serde_json::from_value(params).unwrap()).map_err(|error| error.message.into_owned())
}

fn text_message(text: &str) -> Value {
    json!({ "role": "user", "content": { "type": "text", "text": text } })
}

#[test]
fn a_request_is_read_and_its_length_is_capped() {
    let wanted =
        json!({ "messages": [text_message("Sum\u{1b} up.")], "systemPrompt": "Be brief.", "maxTokens": 1_000_000 });
    let message = McpSamplingMessage { role: McpSamplingRole::User, text: "Sum up.".into() };
    let (server, system) = ("desk".to_owned(), "Be brief.".to_owned());
    let expected = McpSamplingRequest { server, system, messages: vec![message], max_tokens: MAX_TOKENS, calls: 1 };
    assert_eq!(read(wanted), Ok(expected));
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let picture = json!({ "role": "user", "content": { "type": "image", "data": "", "mimeType": "image/png" } });
    let long = "x".repeat(REQUEST_BYTES / 2 + 1);
    let tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
    for (params, why) in [
        (json!({ "messages": [picture], "maxTokens": 1 }), "only text can be sampled here"),
        (json!({ "messages": [], "maxTokens": 1 }), "there is no message to answer"),
        (
            json!({ "messages": [text_message(&long), text_message(&long)], "maxTokens": 1 }),
            "the messages have 32770 bytes, and a person is shown at most 32768",
        ),
        (
            json!({ "messages": [text_message("a")], "maxTokens": 1, "tools": [tool] }),
            "tools are not offered in sampling here",
        ),
    ] {
        assert_eq!(read(params), Err(why.to_owned()));
    }
}
