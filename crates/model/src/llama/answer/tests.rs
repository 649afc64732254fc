use super::*;
use crate::llama::form::{call, say};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

/// Read `text` in pieces of `step` bytes: what was shown, and how it ended.
fn read(manner: AnswerForm, text: &str, step: usize) -> (String, Result<Option<ParsedCall>, ModelError>) {
    let mut answer = Answer::new(manner);
    let shown = text.as_bytes().chunks(step).map(|piece| answer.take(piece)).collect();
    (shown, answer.end())
}

#[test]
fn words_are_shown_as_they_come() {
    let mut answer = Answer::new(AnswerForm::Formed);
    let pieces = ["{\"sa", "y\": \"", "one ", "two\\", "n", "\"}"];
    let shown: Vec<String> = pieces.iter().map(|piece| answer.take(piece.as_bytes())).collect();
    assert_eq!(shown, ["", "", "one ", "two", "\n", ""]);
    assert_eq!(answer.end(), Ok(None));
}

#[test]
fn a_call_is_whole_or_nothing() {
    let args = json!({"file_path": "grüße.txt", "content": "a \"b\"\n"});
    let called = ParsedCall { name: "write_file".into(), args: args.clone() };
    let text = call("write_file", &args);
    for step in 1..text.len() {
        assert_eq!(read(AnswerForm::Formed, &text, step), (String::new(), Ok(Some(called.clone()))));
    }
    let (shown, ended) = read(AnswerForm::Formed, &text[..text.len() - 4], 3);
    assert_eq!(shown, "");
    assert_eq!(ended.unwrap_err().kind(), "model_malformed");
}

#[test]
fn an_answer_of_another_form_is_a_mistake() {
    for text in ["", "{}", "{\"tool\": 1, \"args\": {}}", "{\"tool\": \"x\"}", "hello"] {
        assert!(read(AnswerForm::Formed, text, 2).1.is_err(), "{text}");
    }
}

#[test]
fn words_that_break_off_are_kept() {
    assert_eq!(read(AnswerForm::Formed, "{\"say\": \"half a sen", 4), ("half a sen".into(), Ok(None)));
}

#[test]
fn plain_text_is_text_whatever_it_looks_like() {
    let text = "{\"say\": \"x\"} 🦀";
    assert_eq!(read(AnswerForm::Plain, text, 1), (text.into(), Ok(None)));
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let mut answer = Answer::new(AnswerForm::Plain);
    assert_eq!(answer.take(b"a\xffb\xf0\x9f"), "a\u{fffd}b");
    assert_eq!(answer.take(b"\xa6\x80"), "🦀");
}

proptest! {
    #[test]
    fn any_words_survive(words in "\\PC*[\\n\\t\"\\\\\u{1}]?\\PC*", step in 1usize..9) {
        prop_assert_eq!(read(AnswerForm::Formed, &say(&words), step), (words, Ok(None)));
    }
}
