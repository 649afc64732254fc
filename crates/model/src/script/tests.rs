#![allow(clippy::needless_pass_by_value, reason = "`json!` reads better without a reference")]

use super::*;
use crate::content::{GO_ON, MessagePart, ModelMessage};
use futures_util::StreamExt;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::time::Duration;

fn says(text: &str) -> Value {
    json!({"method": "generateContentStream", "response": [
        {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}]})
}

fn with(mut line: Value, more: Value) -> Value {
    line.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    line
}

fn fails(more: Value) -> Value {
    with(json!({"method": "generateContentStream"}), more)
}

fn script(lines: &[Value]) -> ScriptModel {
    let text: Vec<_> = lines.iter().map(Value::to_string).collect();
    ScriptModel::parse("test", &text.join("\n")).unwrap()
}

/// A conversation: what the person and the model said in turn.
fn talk(lines: &[&str]) -> ModelRequest {
    let contents = lines.iter().enumerate().map(|(at, text)| match at % 2 {
        0 => ModelMessage::user(*text),
        _ => ModelMessage::model(vec![MessagePart::text(*text)]),
    });
    ModelRequest { contents: contents.collect(), ..ModelRequest::default() }
}

async fn ask(script: &ScriptModel, conversation: &[&str]) -> Result<String, String> {
    let chunks: Vec<_> = script.generate(talk(conversation)).collect().await;
    let mut said = String::new();
    for chunk in chunks {
        match chunk.map_err(|error| error.to_string())? {
            ModelChunk::Parts(parts) => said.extend(parts.iter().map(|part| match &part.data {
                crate::PartData::Text(text) => text.as_str(),
                _ => "(not text)",
            })),
            ModelChunk::Retrying { .. } => said.push('~'),
            ModelChunk::Response { .. }
            | ModelChunk::Usage(_)
            | ModelChunk::Citations(_)
            | ModelChunk::Finish { .. } => {}
        }
    }
    Ok(said)
}

fn ok(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

#[tokio::test]
async fn the_place_is_found_from_the_conversation() {
    let script = script(&[says("one"), says("two"), says("three")]);
    assert_eq!(ask(&script, &["a", "x", "b", "y", "c"]).await, ok("three"));
    assert_eq!(ask(&script, &["a"]).await, ok("one"));
    assert_eq!(ask(&script, &["a", "x", "b"]).await, ok("two"));
    assert_eq!(ask(&script, &["another session"]).await, ok("one"));
    let message = ask(&script, &["a", "x", "b", "y", "c", "z", "d"]).await.unwrap_err();
    assert_eq!(message, "the script ran out: call 4 has no line; add one, or \"repeat\": true to the last");
}

#[tokio::test]
async fn a_line_recorded_by_gemini_cli_plays_whole() {
    let line = r#"{"method":"generateContentStream","response":[
        {"candidates":[{"content":{"parts":[{"text":"**Looking** at it","thought":true}],"role":"model"},"index":0}],
         "usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}},
        {"candidates":[{"content":{"parts":[{"functionCall":{"name":"list_directory","args":{"dir_path":"."}},
           "thoughtSignature":"SIG=="}],"role":"model"},"finishReason":"STOP","index":0}],
         "usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"thoughtsTokenCount":5,"totalTokenCount":18}}]}"#;
    let script = ScriptModel::parse("cli", &line.replace('\n', "")).unwrap();
    let chunks: Vec<_> = script.generate(talk(&["list"])).map(Result::unwrap).collect().await;
    let call = json!({"functionCall": {"id": "made-0-1", "name": "list_directory", "args": {"dir_path": "."}},
        "thoughtSignature": "SIG=="});
    assert_eq!(
        chunks,
        [
            ModelChunk::Parts(vec![MessagePart::thought("**Looking** at it")]),
            ModelChunk::Parts(vec![serde_json::from_value(call).unwrap()]),
            ModelChunk::Usage(pollux_session::ModelUsage { prompt: 9, cached: 0, output: 4, thoughts: 5 }),
            ModelChunk::Finish { reason: "STOP".into() },
        ]
    );
}

#[tokio::test]
async fn repeating_lines_go_round() {
    let repeat = |text| with(says(text), json!({"repeat": true}));
    let endless = script(&[says("first"), repeat("a"), repeat("b")]);
    assert_eq!(ask(&endless, &["1", "x", "2"]).await, ok("a"));
    assert_eq!(ask(&endless, &["1", "x", "2", "x", "3"]).await, ok("b"));
    assert_eq!(ask(&endless, &["1", "x", "2", "x", "3", "x", "4"]).await, ok("a"));
    let single = script(&[repeat("always")]);
    assert_eq!(ask(&single, &["1", "x", "2", "x", "3", "x", "4"]).await, ok("always"));
}

#[tokio::test(start_paused = true)]
async fn an_error_status_is_retried_inside_the_call() {
    let busy = fails(json!({"http": {"status": 503}, "error": {"code": 503, "message": "busy"}}));
    let script = script(&[busy.clone(), busy, says("one"), says("two")]);
    assert_eq!(ask(&script, &["a"]).await, ok("~~one"));
    assert_eq!(ask(&script, &["a", "x", "b"]).await, ok("two"));
}

#[tokio::test]
async fn a_cut_is_followed_by_the_next_line_when_the_caller_goes_on() {
    let cut = with(says("on"), json!({"cut": "reset"}));
    let script = script(&[cut, says("e"), says("two")]);
    let broken = "the connection broke in the middle of the answer: connection reset, as the script says";
    assert_eq!(ask(&script, &["a"]).await, Err(broken.to_owned()));
    assert_eq!(ask(&script, &["a", "on", GO_ON]).await, ok("e"));
    assert_eq!(ask(&script, &["a", "one", "b"]).await, ok("two"));
}

#[tokio::test]
async fn a_cut_in_the_middle_of_a_frame_does_not_decode() {
    let script = script(&[with(says("on"), json!({"cut": "eof", "splitBytes": 3}))]);
    let message = ask(&script, &["a"]).await.unwrap_err();
    assert!(message.contains("a frame of the stream does not decode"), "{message}");
    // The only line is used up.
    assert!(ask(&script, &["a", "on", GO_ON]).await.unwrap_err().contains("ran out"));
}

#[tokio::test]
async fn a_prompt_after_a_final_error_gets_the_next_line() {
    let refused = fails(json!({"http": {"status": 400}, "error": {"code": 400, "message": "too long"}}));
    let script = script(&[refused, says("one")]);
    assert!(ask(&script, &["a"]).await.unwrap_err().contains("too long"));
    let both =
        ModelRequest { contents: vec![ModelMessage::user("a"), ModelMessage::user("b")], ..ModelRequest::default() };
    let chunks: Vec<_> = script.generate(both).collect().await;
    assert_eq!(chunks.first(), Some(&Ok(ModelChunk::Parts(vec![MessagePart::text("one")]))));
}

#[tokio::test]
async fn an_error_in_the_middle_of_an_answer_ends_it_there() {
    let line = with(says("half"), json!({"error": {"code": 400, "message": "no"}}));
    let script = script(&[line, says("next")]);
    assert!(ask(&script, &["a"]).await.unwrap_err().contains("the model answered 400"));
    assert_eq!(ask(&script, &["a", "half", "b"]).await, ok("next"));
}

#[tokio::test(start_paused = true)]
async fn delays_pass_before_each_chunk_and_the_end() {
    let script = script(&[with(says("one"), json!({"delaysMs": [30, 500]}))]);
    let start = tokio::time::Instant::now();
    assert_eq!(ask(&script, &["a"]).await, ok("one"));
    assert_eq!(start.elapsed(), Duration::from_millis(530));
}

#[tokio::test]
async fn bytes_may_be_split() {
    let script = script(&[with(says("grüße 🦀"), json!({"splitBytes": 1}))]);
    assert_eq!(ask(&script, &["a"]).await, ok("grüße 🦀"));
}

#[test]
fn what_a_line_expects_must_hold() {
    let lines = [with(
        says("x"),
        json!({"expect": {"model": "m", "lastUserContains": "hello", "toolResults": ["fc_1", "ls"]}}),
    )];
    let script = script(&lines);
    let body = |text: &str, id: &str| {
        json!({"contents": [
            {"role": "user", "parts": [{"text": text}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": id, "name": "cat", "response": {}}},
                {"functionResponse": {"name": "ls", "response": {}}}]}]})
    };
    let pick = |model: Option<&str>, body| script.pick(model, &body).map(|line| line.number);
    let unmet = |why: &str| Err(ScriptMismatch::Unmet { line: 1, why: why.to_owned() });
    assert_eq!(pick(Some("m"), body("say hello", "fc_1")), Ok(1));
    assert_eq!(pick(None, body("say hello", "fc_1")), Ok(1));
    assert_eq!(pick(Some("n"), body("hello", "fc_1")), unmet("it expects model \"m\", not \"n\""));
    assert_eq!(pick(None, body("bye", "fc_1")), unmet("it expects \"hello\" in the prompt, which is \"bye\""));
    assert_eq!(
        pick(None, body("hello", "fc_2")),
        unmet("it expects the tool results [\"fc_1\", \"ls\"], not [\"fc_2\", \"ls\"]")
    );
    assert_eq!(ScriptMismatch::Unmet { line: 3, why: "no".into() }.to_string(), "script line 3 does not fit: no");
}

#[test]
fn bad_lines_are_refused_with_their_number() {
    let check = |line: &str, expected: &str| {
        let text = format!("{}\n\n{line}\n", says("fine"));
        let message = ScriptModel::parse("test", &text).err().unwrap().to_string();
        assert!(message.starts_with("line 3: "), "{message}");
        assert!(message.contains(expected), "{message}");
    };
    check("{", "EOF while parsing");
    check("[]", "invalid");
    check(r#"{"response": []}"#, "missing field `method`");
    check(r#"{"method": "generateContentStraem", "response": []}"#, "unknown method \"generateContentStraem\"");
    check(r#"{"method": "generateContentStream"}"#, "response is missing");
    check(r#"{"method": "generateContentStream", "response": {}}"#, "response is not an array of chunks");
    check(r#"{"method": "generateContentStream", "response": [{}, 1]}"#, "chunk 2 of response is not an object");
    check(r#"{"method": "generateContentStream", "response": [], "extra": 1}"#, "unknown field `extra`");
    check(r#"{"method": "generateContentStream", "response": [], "expect": {"mdoel": "x"}}"#, "unknown field `mdoel`");
    check(r#"{"method": "generateContentStream", "response": [], "cut": "half"}"#, "unknown variant `half`");
    check(r#"{"method": "generateContentStream", "response": [], "delaysMs": [1, 2]}"#, "2 delays for 0 chunks");
    check(r#"{"method": "generateContentStream", "response": [], "delaysMs": [-1]}"#, "invalid value");
    check(r#"{"method": "generateContentStream", "response": [], "http": {"status": 99}}"#, "not a final HTTP status");
    check(r#"{"method": "generateContentStream", "response": [{}], "http": {"status": 503}}"#, "put its body in error");
    check(r#"{"method": "generateContentStream", "response": [], "splitBytes": 0}"#, "at least 1");
    check(r#"{"v": 2, "method": "generateContentStream", "response": []}"#, "only version 1");
}

#[test]
fn lines_behind_repeating_ones_are_refused() {
    let text = format!("{}\n{}", with(says("a"), json!({"repeat": true})), says("b"));
    let message = ScriptModel::parse("test", &text).err().unwrap().to_string();
    assert_eq!(message, "line 2: it can never be reached: lines before it repeat");
}

#[test]
fn other_methods_are_skipped_and_nothing_else_is_empty() {
    let skipped = json!({"method": "countTokens", "response": {"totalTokens": 3}}).to_string();
    assert!(matches!(ScriptModel::parse("test", &skipped), Err(LoadError::Empty)));
    assert!(matches!(ScriptModel::parse("test", " \n"), Err(LoadError::Empty)));
    let script = ScriptModel::parse("test", &format!("{skipped}\n{}", says("one"))).unwrap();
    assert_eq!(script.pick(None, &json!({"contents": []})).map(|line| line.number), Ok(2));
}
