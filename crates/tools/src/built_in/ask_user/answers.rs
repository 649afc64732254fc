//! The answers of a person, read leniently: clients spell the same answer in several ways.

use super::questions::AskUserArguments;
use serde_json::Value;

/// The answers by the number of their question, in order. What answers no question is left out.
///
/// Taken are an object from number or header to answer, the same inside `{"answers": …}`, and for a single question
/// the bare answer.
pub(super) fn read(questions: &AskUserArguments, answers: &Value) -> Vec<(usize, String)> {
    let answers = answers.get("answers").unwrap_or(answers);
    let given = (0..questions.len()).filter_map(|at| {
        let answer = match answers {
            Value::Object(by_name) => by_name.get(&at.to_string()).or_else(|| by_name.get(questions.header(at))),
            Value::Array(in_order) => in_order.get(at),
            bare => (questions.len() == 1).then_some(bare),
        };
        Some((at, answer_text(answer?)?))
    });
    given.collect()
}

/// One answer as text; `None` when it says nothing.
fn answer_text(answer: &Value) -> Option<String> {
    let text = match answer {
        Value::Null | Value::Object(_) => return None,
        Value::Bool(true) => "Yes".to_owned(),
        Value::Bool(false) => "No".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        Value::Array(several) => several.iter().filter_map(answer_text).collect::<Vec<_>>().join(", "),
    };
    (!text.is_empty()).then_some(text)
}
