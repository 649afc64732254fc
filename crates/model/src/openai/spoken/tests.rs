use super::*;
use crate::content::ModelMessage;
use crate::model::ToolDeclaration;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

/// An answer that is the text of its frames.
struct Plain;

impl AnswerDecoder for Plain {
    fn response_id(_: &Value) -> Option<&str> {
        None
    }

    fn take(&mut self, frame: &Value) -> Result<Vec<MessagePart>, ModelError> {
        Ok(vec![MessagePart::text(frame.as_str().unwrap_or_default())])
    }

    fn end(self) -> Result<Vec<ModelChunk>, ModelError> {
        Ok(vec![ModelChunk::Finish { reason: "STOP".into() }])
    }
}

fn request() -> ModelRequest {
    let tool =
        |name: &str| ToolDeclaration { name: name.into(), description: String::new(), parameters: json!({}).into() };
    let tools = vec![tool("read_file"), tool("write_file")];
    ModelRequest {
        contents: vec![ModelMessage::user("hi"), ModelMessage::model(vec![MessagePart::text("yes")])],
        tools,
        ..ModelRequest::default()
    }
}

/// The part of `text` that is shown when it comes in pieces of `step` characters, and the calls in it.
fn heard(profile: InstructionProfile, text: &str, step: usize) -> (String, Vec<(String, Value)>) {
    let mut spoken = listen(Plain, profile, &request());
    let characters: Vec<char> = text.chars().collect();
    let mut parts = Vec::new();
    for piece in characters.chunks(step) {
        parts.extend(spoken.take(&json!(piece.iter().collect::<String>())).unwrap());
    }
    for chunk in spoken.end().unwrap() {
        if let ModelChunk::Parts(more) = chunk {
            parts.extend(more);
        }
    }
    let (mut shown, mut calls) = (String::new(), Vec::new());
    for part in parts {
        match part.data {
            PartData::Text(text) => shown.push_str(&text),
            PartData::FunctionCall { id, name, args } => {
                assert_eq!(id, Some(format!("made-1-t{}", calls.len() + 1)));
                calls.push((name, args));
            }
            other => panic!("{other:?}"),
        }
    }
    (shown, calls)
}

/// Check the text in pieces of every size.
fn check(text: &str, shown: &str, calls: &[(&str, Value)]) {
    let calls: Vec<(String, Value)> = calls.iter().map(|(name, args)| ((*name).to_owned(), args.clone())).collect();
    for step in 1..=text.chars().count().max(1) {
        assert_eq!(
            heard(InstructionProfile::Short, text, step),
            (shown.to_owned(), calls.clone()),
            "in steps of {step}"
        );
    }
}

#[test]
fn a_call_in_a_fence() {
    let args = json!({"file_path": "a.txt"});
    check(
        "I will read it.\n```json\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"a.txt\"}}\n```\nThen we see.",
        "I will read it.\n\nThen we see.",
        &[("read_file", args.clone())],
    );
    check(
        "```\n{\"tool\": \"read_file\", \"args\": {\"file_path\": \"a.txt\"}}\n```",
        "",
        &[("read_file", args.clone())],
    );
    check("```json\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"a.txt\"}}", "", &[("read_file", args)]);
}

#[test]
fn a_bare_call_and_one_between_tags() {
    let args = json!({"file_path": "a"});
    check(
        "{\"name\":\"read_file\",\"arguments\":\"{\\\"file_path\\\":\\\"a\\\"}\"}",
        "",
        &[("read_file", args.clone())],
    );
    check(
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"a\"}}\n</tool_call>",
        "",
        &[("read_file", args.clone())],
    );
    check(
        "{\"type\": \"function\", \"function\": {\"name\": \"read_file\", \"parameters\": {\"file_path\": \"a\"}}}",
        "",
        &[("read_file", args)],
    );
}

#[test]
fn several_calls_keep_their_order() {
    let one = "{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"1\"}}";
    let two = "{\"name\": \"write_file\", \"arguments\": {\"file_path\": \"2\"}}";
    let both = [("read_file", json!({"file_path": "1"})), ("write_file", json!({"file_path": "2"}))];
    check(&format!("```json\n{one}\n{two}\n```"), "", &both);
    check(&format!("[{one}, {two}]"), "", &both);
    check(&format!("```json\n{one}\n```\n```json\n{two}\n```"), "", &both);
}

#[test]
fn line_breaks_inside_a_string_are_forgiven() {
    let args = json!({"file_path": "a.py", "content": "if x:\n\tgo()\n"});
    check(
        "```json\n{\"name\": \"write_file\", \"arguments\": {\"file_path\": \"a.py\", \"content\": \"if x:\n\tgo()\n\"}}\n```",
        "",
        &[("write_file", args.clone())],
    );
    check(
        "{\"name\": \"write_file\", \"arguments\": {\"file_path\": \"a.py\", \"content\": \"if x:\n\tgo()\n\"}} done",
        " done",
        &[("write_file", args)],
    );
}

#[test]
fn what_is_no_call_stays_text() {
    for text in [
        "plain words",
        "a `{\"name\": \"read_file\", \"arguments\": {}}` in the middle",
        "```json\n{\"name\": \"rm\", \"arguments\": {}}\n```\n",
        "```json\n{\"version\": 1}\n```",
        "```python\nx = 1\n{\"name\": \"read_file\", \"arguments\": {}}\n```\nafter",
        "[link](x)\n- [ ] todo\n{curly}",
        "{\"name\": \"read_file\"}",
        "{\"name\": \"read_file\", \"arguments\": 3}",
        "{\"name\": \"read_file\", \"argum",
        "``",
        "<tool",
        "   \n",
    ] {
        check(text, text, &[]);
    }
}

#[test]
fn a_large_model_is_taken_at_its_word() {
    let text = "{\"name\": \"read_file\", \"arguments\": {}}";
    assert_eq!(heard(InstructionProfile::Full, text, 5), (text.to_owned(), Vec::new()));
}

#[test]
fn thoughts_are_not_listened_to() {
    let mut spoken = listen(Plain, InstructionProfile::Short, &request());
    let thought = MessagePart::thought("{\"name\": \"read_file\", \"arguments\": {}}");
    assert_eq!(spoken.listen(thought.clone()), Some(thought));
}

#[test]
fn text_is_not_held_for_ever() {
    let mut spoken = listen(Plain, InstructionProfile::Short, &request());
    let long = format!("{{\"a\": \"{}", "x".repeat(300 * 1024));
    assert_eq!(spoken.take(&json!(long)).unwrap(), [MessagePart::text(long)]);
}

proptest! {
    #[test]
    fn no_text_is_lost(text in "([a-z `\\[\\]{}\":,\\n]|```|<tool_call>|json){0,40}", step in 1usize..7) {
        prop_assert_eq!(heard(InstructionProfile::Short, &text, step), (text, Vec::new()));
    }
}
