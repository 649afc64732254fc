//! A model that answers from a script, over Gemini's API, and counts what it is asked. It knows what it was sent and nothing
//! else: an agent that keeps a tool result from it gets another answer, or none.

use super::answer_script::{ScriptedCall, TaskAnswer};
use crate::fake_gemini::{FakeGeminiRequest, error_answer};
use crate::process;
use parking_lot::Mutex;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

/// A token is counted as so many bytes, whoever asks.
const BYTES_PER_TOKEN: usize = 4;

/// The model behind one run of one task.
pub(super) struct ScriptedModel {
    answers: Vec<TaskAnswer>,
    /// Where the person works who does something meanwhile.
    project: PathBuf,
    state: Mutex<ScriptState>,
}

#[derive(Default)]
struct ScriptState {
    /// The first answer that was neither given nor passed over.
    next: usize,
    captured: BTreeMap<String, String>,
    usage: ScriptUsage,
    requests: Vec<u8>,
    fault: Option<String>,
}

/// What a model was asked for in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ScriptUsage {
    /// Requests of the conversation.
    pub(super) calls: u64,
    /// Other requests: summaries, corrections of edits, choices of a model. The script has no answers for them.
    pub(super) side_calls: u64,
    pub(super) tool_calls: u64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
}

/// What is left of a model after a run.
pub(super) struct ModelRecord {
    pub(super) usage: ScriptUsage,
    /// The bodies of all requests, one a line.
    pub(super) requests: Vec<u8>,
    /// Why the script could not go on, or that it was not allowed to come to its end.
    pub(super) fault: Option<String>,
}

impl ScriptedModel {
    pub(super) fn new(answers: Vec<TaskAnswer>, project: PathBuf) -> ScriptedModel {
        ScriptedModel { answers, project, state: Mutex::default() }
    }

    /// Answer a request, as JSON in the API's form.
    pub(super) fn answer(&self, asked: &FakeGeminiRequest) -> Value {
        let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
        let mut state = self.state.lock();
        state.requests.extend_from_slice(body.to_string().as_bytes());
        state.requests.push(b'\n');
        let tokens_in = asked.body.len().div_ceil(BYTES_PER_TOKEN) as u64;
        state.usage.tokens_in += tokens_in;
        if !is_conversation(&body) {
            state.usage.side_calls += 1;
            return error_answer(400, "the script has no answer for this request");
        }
        state.usage.calls += 1;
        let (answer, parts) = match self.next_answer(&mut state, &newest_results(&body)) {
            Ok(next) => next,
            Err(fault) => {
                let text = format!("The script cannot go on: {fault}.");
                state.fault.get_or_insert(fault);
                (TaskAnswer::default(), vec![json!({ "text": text })])
            }
        };
        if let Some(status) = answer.status {
            return error_answer(status, "the script says that this call fails");
        }
        let content = json!({ "role": "model", "parts": parts });
        let tokens_out = content.to_string().len().div_ceil(BYTES_PER_TOKEN) as u64;
        state.usage.tool_calls += answer.calls.len() as u64;
        state.usage.tokens_out += tokens_out;
        let usage = json!({
            "promptTokenCount": tokens_in,
            "candidatesTokenCount": tokens_out,
            "totalTokenCount": tokens_in + tokens_out,
        });
        json!({ "candidates": [{ "content": content, "finishReason": "STOP", "index": 0 }], "usageMetadata": usage })
    }

    /// The next answer whose condition holds, and its parts.
    fn next_answer(&self, state: &mut ScriptState, results: &str) -> Result<(TaskAnswer, Vec<Value>), String> {
        let rest = self.answers.iter().enumerate().skip(state.next);
        let found = rest.into_iter().find(|(_, answer)| answer.follows(results));
        let (index, answer) = found.ok_or("it has no answer left for this request")?;
        state.next = index + 1;
        for (name, pattern) in &answer.capture {
            let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
            let group = pattern.captures(results).and_then(|found| found.get(1));
            let Some(group) = group else {
                return Err(format!("no tool result before answer {} matches `{pattern}`", index + 1));
            };
            state.captured.insert(name.clone(), group.as_str().to_owned());
        }
        if let Some(meanwhile) = &answer.meanwhile {
            let mut person = process::command("sh", &self.project);
            let ended = person.args(["-c", meanwhile]).stdin(Stdio::null()).stdout(Stdio::null()).status();
            if !ended.is_ok_and(|status| status.success()) {
                return Err(format!("`{meanwhile}` failed"));
            }
        }
        let mut parts = Vec::new();
        if !answer.text.is_empty() {
            parts.push(json!({ "text": fill(&answer.text, &state.captured) }));
        }
        parts.extend(answer.calls.iter().map(|call| call_part(call, &state.captured)));
        Ok((answer.clone(), parts))
    }

    /// Take what was counted, after the run.
    pub(super) fn take_record(&self) -> ModelRecord {
        let mut state = self.state.lock();
        let given = self.answers.get(..state.next).unwrap_or_default();
        let has_ended = given.last().is_some_and(TaskAnswer::is_last);
        let fault = state.fault.take().map(|fault| format!("the script could not go on: {fault}"));
        let fault = fault.or_else(|| (!has_ended).then(|| "the agent stopped before the model was done".to_owned()));
        ModelRecord { usage: state.usage, requests: std::mem::take(&mut state.requests), fault }
    }
}

/// True if tools are offered: a request of the conversation, and not one that an agent makes on the side.
fn is_conversation(body: &Value) -> bool {
    let offers = |tool: &Value| tool["functionDeclarations"].as_array().is_some_and(|declared| !declared.is_empty());
    body["tools"].as_array().is_some_and(|tools| tools.iter().any(offers))
}

/// The texts of all tool results since the model's last answer.
fn newest_results(body: &Value) -> String {
    let contents = body["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
    let newest = contents.iter().rev().take_while(|content| content["role"] != "model").collect::<Vec<_>>();
    let mut texts = Vec::new();
    for content in newest.into_iter().rev() {
        for part in content["parts"].as_array().map(Vec::as_slice).unwrap_or_default() {
            collect_texts(&part["functionResponse"]["response"], &mut texts);
        }
    }
    texts.join("\n")
}

fn collect_texts<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => members.values().for_each(|member| collect_texts(member, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn call_part(call: &ScriptedCall, captured: &BTreeMap<String, String>) -> Value {
    let args = call.args.iter().map(|(name, value)| (name.clone(), fill_value(value, captured)));
    json!({ "functionCall": { "name": call.tool, "args": Map::from_iter(args) } })
}

/// Put what was captured into arguments. A text that is nothing but the name of a number becomes that number.
fn fill_value(value: &Value, captured: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => {
            let filled = fill(text, captured);
            let is_name_alone = text.starts_with("{{") && text.ends_with("}}");
            match filled.parse::<i64>() {
                Ok(number) if is_name_alone => json!(number),
                _ => Value::String(filled),
            }
        }
        Value::Array(items) => items.iter().map(|item| fill_value(item, captured)).collect(),
        Value::Object(members) => {
            let filled = members.iter().map(|(name, member)| (name.clone(), fill_value(member, captured)));
            Value::Object(filled.collect())
        }
        other => other.clone(),
    }
}

fn fill(text: &str, captured: &BTreeMap<String, String>) -> String {
    captured.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), value))
}

#[cfg(test)]
mod tests;
