//! The answers of the scripted model, as `answers.toml` has them. They are given in order; one with a condition is passed over
//! when the newest tool results do not meet it, so a script can go on differently after an error.

use anyhow::{Result, bail};
use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswersFile {
    #[serde(default)]
    answer: Vec<TaskAnswer>,
}

/// One answer of the model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TaskAnswer {
    pub(super) text: String,
    /// The tool calls, all of them in this one answer.
    #[serde(rename = "call")]
    pub(super) calls: Vec<ScriptedCall>,
    /// Given only if a tool result since the last answer contains this.
    pub(super) when_result_contains: Option<String>,
    /// Given only if no tool result since the last answer contains this.
    pub(super) unless_result_contains: Option<String>,
    /// Names for what groups of regular expressions match in the tool results: `{{name}}` stands for it from here on.
    pub(super) capture: BTreeMap<String, String>,
    /// A shell command that a person runs in the project before the answer is given.
    pub(super) meanwhile: Option<String>,
    /// An HTTP status with which the API fails instead of answering.
    pub(super) status: Option<u16>,
}

/// A tool call of an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedCall {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) args: Map<String, Value>,
}

impl TaskAnswer {
    /// True if it ends the turn.
    pub(super) fn is_last(&self) -> bool {
        self.calls.is_empty() && self.status.is_none()
    }

    /// True if it may follow these tool results.
    pub(super) fn follows(&self, results: &str) -> bool {
        self.when_result_contains.as_ref().is_none_or(|text| results.contains(text))
            && self.unless_result_contains.as_ref().is_none_or(|text| !results.contains(text))
    }

    fn is_conditional(&self) -> bool {
        self.when_result_contains.is_some() || self.unless_result_contains.is_some()
    }
}

/// Read and check a whole script.
pub(super) fn read_answers(text: &str) -> Result<Vec<TaskAnswer>> {
    let AnswersFile { answer: answers } = toml_edit::de::from_str(text)?;
    match answers.last() {
        None => bail!("there is no [[answer]]"),
        Some(last) if !last.is_last() => bail!("the last [[answer]] has tool calls, so the turn would not end"),
        Some(last) if last.is_conditional() => bail!("the last [[answer]] has a condition, so the turn may not end"),
        Some(_) => {}
    }
    let mut known = BTreeSet::new();
    for (index, answer) in answers.iter().enumerate() {
        let number = index + 1;
        if answer.text.is_empty() && answer.calls.is_empty() && answer.status.is_none() {
            bail!("[[answer]] {number} says nothing: it needs a `text`, a [[answer.call]] or a `status`");
        }
        for (name, pattern) in &answer.capture {
            match Regex::new(pattern) {
                Err(error) => bail!("[[answer]] {number}, capture.{name}: {error}"),
                Ok(pattern) if pattern.captures_len() != 2 => {
                    bail!("[[answer]] {number}, capture.{name}: the pattern needs exactly one group in parentheses")
                }
                Ok(_) => known.insert(name.as_str()),
            };
        }
        let said =
            std::iter::once(answer.text.as_str()).chain(answer.calls.iter().flat_map(|call| strings(&call.args)));
        if let Some(unknown) = said.flat_map(placeholders).find(|name| !known.contains(name)) {
            bail!("[[answer]] {number}: nothing captured `{{{{{unknown}}}}}` before");
        }
    }
    Ok(answers)
}

/// All texts of arguments, however deep.
fn strings(args: &Map<String, Value>) -> Vec<&str> {
    fn collect<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Object(members) => members.values().for_each(|member| collect(member, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    args.values().for_each(|value| collect(value, &mut found));
    found
}

/// The names in `{{name}}`. Other braces are text: scripts write code.
fn placeholders(text: &str) -> Vec<&str> {
    let inside = text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    inside.map(|(name, _)| name).filter(is_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read() {
        let answers = read_answers(
            "[[answer]]\ntext = 'Looking.'\n[[answer.call]]\ntool = 'read_file'\nargs.file_path = 'a'\nargs.start_line = 2\n\
             [[answer.call]]\ntool = 'list'\n\
             [[answer]]\nwhen_result_contains = 'error'\nstatus = 503\n\
             [[answer]]\ncapture.port = 'port (\\d+)'\ntext = 'It is {{port}} in {{ x }}.'\n",
        )
        .unwrap();
        assert_eq!(answers.len(), 3);
        assert_eq!(
            Value::Object(answers[0].calls[0].args.clone()),
            serde_json::json!({ "file_path": "a", "start_line": 2 })
        );
        assert!(answers[0].calls[1].args.is_empty());
        assert!(answers[1].follows("an error") && !answers[1].follows("fine"));
        assert!(answers[2].is_last() && !answers[1].is_last() && answers[2].follows(""));
    }

    #[test]
    fn a_script_that_cannot_work_is_refused() {
        let fault = |text: &str| format!("{:#}", read_answers(text).err().unwrap());
        assert_eq!(fault(""), "there is no [[answer]]");
        assert_eq!(
            fault("[[answer]]\n[[answer.call]]\ntool = 'x'\n"),
            "the last [[answer]] has tool calls, so the turn would not end"
        );
        assert_eq!(
            fault("[[answer]]\ntext = 'a'\nwhen_result_contains = 'b'\n"),
            "the last [[answer]] has a condition, so the turn may not end"
        );
        assert_eq!(
            fault("[[answer]]\n[[answer]]\ntext = 'a'\n"),
            "[[answer]] 1 says nothing: it needs a `text`, a [[answer.call]] or a `status`"
        );
        assert_eq!(fault("[[answer]]\ntext = '{{pid}}'\n"), "[[answer]] 1: nothing captured `{{pid}}` before");
        assert_eq!(
            fault("[[answer]]\ntext = 'a'\ncapture.pid = 'x'\n"),
            "[[answer]] 1, capture.pid: the pattern needs exactly one group in parentheses"
        );
        assert!(fault("[[answer]]\ntxt = 'a'\n").contains("unknown field `txt`"));
    }
}
