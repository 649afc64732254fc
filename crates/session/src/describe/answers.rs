//! Answers of a person, as they would say them.

use crate::ask::AskDetails;
use crate::form_question::{FormQuestion, questions_from_schema};
use crate::sanitize::one_line;
use serde_json::{Map, Value};

/// Answers as lines: what was asked for, by its name, and what was answered. What was thought of a plan is a sentence.
pub fn describe_answers(asked: Option<&AskDetails>, answers: &Value) -> String {
    let schema = match asked {
        Some(AskDetails::Generic { schema: Some(schema), .. }) => schema,
        Some(
            AskDetails::Generic { schema: None, .. }
            | AskDetails::Execute { .. }
            | AskDetails::Edit(_)
            | AskDetails::Patch { .. }
            | AskDetails::Mcp { .. },
        )
        | None => &Value::Null,
    };
    let Some(answers) = answers.as_object() else { return answer_text(answers) };
    if is_plan_schema(schema) {
        return describe_verdict(schema, answers);
    }
    let asked = questions_from_schema(schema);
    let line = |(key, answer): (&String, &Value)| {
        let question = asked.iter().find(|question| question.key == *key);
        let header = question.map(|question| question.header.as_str()).filter(|header| !header.is_empty());
        let said = question.map_or_else(|| answer_text(answer), |question| describe_answer(question, answer));
        format!("{}: {said}", header.unwrap_or(key))
    };
    answers.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// True if a schema asks for an opinion on a plan: it has room for a verdict and for feedback.
pub fn is_plan_schema(schema: &Value) -> bool {
    let properties = &schema["properties"];
    properties["approved"]["type"] == "boolean" && properties.get("feedback").is_some()
}

/// The handling of file changes once a plan is approved, by the mode's name in the schema. The schema may have words of its own
/// for it.
pub fn describe_plan_mode<'a>(schema: &'a Value, mode: &str) -> Option<&'a str> {
    let modes = &schema["properties"]["approvalMode"];
    let at = modes["enum"].as_array().and_then(|names| names.iter().position(|name| name == mode));
    let named = at.and_then(|at| modes["enumNames"].get(at)?.as_str());
    named.or(match mode {
        "default" => Some("each change of a file asks"),
        "autoEdit" | "auto_edit" => Some("files are changed without asking"),
        _ => None,
    })
}

fn describe_verdict(schema: &Value, answers: &Map<String, Value>) -> String {
    let feedback = answers.get("feedback").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let approved = answers.get("approved").and_then(Value::as_bool).unwrap_or(true);
    let mode = answers.get("approvalMode").and_then(Value::as_str);
    let said = match (approved, mode.map(|mode| (mode, describe_plan_mode(schema, mode)))) {
        (false, _) => "the plan was sent back".to_owned(),
        (true, None) => "the plan is approved".to_owned(),
        (true, Some((_, Some(after)))) => format!("the plan is approved; {}", one_line(after, 200)),
        (true, Some((mode, None))) => format!("the plan is approved ({})", one_line(mode, 40)),
    };
    match feedback {
        Some(feedback) => format!("{said}: {feedback}"),
        None => said,
    }
}

/// An answer by the names that the question has for it.
fn describe_answer(question: &FormQuestion, answer: &Value) -> String {
    match answer {
        Value::Array(several) => {
            several.iter().map(|one| describe_answer(question, one)).collect::<Vec<_>>().join(", ")
        }
        one => question.label(one).map_or_else(|| answer_text(one), str::to_owned),
    }
}

fn answer_text(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "Yes".to_owned(),
        Value::Bool(false) => "No".to_owned(),
        Value::Array(several) => several.iter().map(answer_text).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Number(_) | Value::Object(_) => answer.to_string(),
    }
}

#[cfg(test)]
mod tests;
