#![allow(clippy::needless_pass_by_value, reason = "`json!` reads better without a reference")]

use super::*;
use pretty_assertions::assert_eq;

/// A part comes back as it went in, whether it is understood or not.
#[track_caller]
fn check(json: Value, part: MessagePart) {
    assert_eq!(serde_json::from_value::<MessagePart>(json.clone()).unwrap(), part);
    assert_eq!(serde_json::to_value(part).unwrap(), json);
}

fn fields(json: Value) -> Map<String, Value> {
    json.as_object().cloned().unwrap()
}

#[test]
fn parts_keep_what_they_do_not_know() {
    check(json!({"text": "hi"}), MessagePart::text("hi"));
    check(json!({"text": "**Plan** look", "thought": true}), MessagePart::thought("**Plan** look"));
    check(
        json!({"text": "", "thoughtSignature": "S==", "new": {"a": [1]}}),
        MessagePart { extra: fields(json!({"thoughtSignature": "S==", "new": {"a": [1]}})), ..MessagePart::text("") },
    );
    check(
        json!({"functionCall": {"id": "c1", "name": "ls", "args": {"dir": "."}}, "thoughtSignature": "S=="}),
        MessagePart {
            extra: fields(json!({"thoughtSignature": "S=="})),
            ..PartData::FunctionCall { id: Some("c1".into()), name: "ls".into(), args: json!({"dir": "."}) }.into()
        },
    );
    check(
        json!({"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a"}}}),
        MessagePart::response("c1", "ls", json!({"output": "a"})),
    );
    check(
        json!({"inlineData": {"mimeType": "image/png", "data": "AA=="}, "thoughtSignature": "S=="}),
        MessagePart {
            extra: fields(json!({"thoughtSignature": "S=="})),
            ..PartData::Other(fields(json!({"inlineData": {"mimeType": "image/png", "data": "AA=="}}))).into()
        },
    );
}

#[test]
fn media_travel_in_the_request_as_base64() {
    check(json!({"inlineData": {"mimeType": "image/png", "data": "AP8="}}), MessagePart::media("image/png", &[0, 255]));
}

#[test]
fn a_call_may_come_without_id_and_arguments() {
    let part: MessagePart = serde_json::from_value(json!({"functionCall": {"name": "ls", "id": ""}})).unwrap();
    assert_eq!(part, PartData::FunctionCall { id: None, name: "ls".into(), args: json!({}) }.into());
}

#[test]
fn a_call_without_a_name_is_kept_as_it_is() {
    let json = json!({"functionCall": {"args": {}}});
    check(json.clone(), PartData::Other(fields(json)).into());
}
