//! Requests outside of JSON-RPC: a status, what shape the answer has, and everything in it that has a name.

use crate::transcripts::lines::SeenIds;
use crate::transcripts::play::results;
use anyhow::{Context as _, Result};
use pollux_testkit::http::{self, HttpAnswer};
use serde_json::Value;

/// The `Accept` header of all recorded requests.
pub(crate) const ACCEPT: (&str, &str) = ("Accept", "text/event-stream, application/json");

/// Send a step's `fetch`, as `GET /tasks/#0/metadata` where `#0` is the first task that was heard, and tell what came
/// back. Its `body` is JSON and `raw` is text; `headers`, where it has them, are all but [`ACCEPT`]. `$WS` in the body is
/// the workspace, `$CHECKPOINT` the newest checkpoint that was listed.
pub(crate) async fn fetch(
    address: &str,
    step: &Value,
    workspace: &str,
    names: &mut SeenIds,
    ended: &mut Vec<HttpAnswer>,
) -> Result<Vec<String>> {
    let line = step["fetch"].as_str().context("`fetch` is text")?;
    let (method, path) = line.split_once(' ').context("a method and a path")?;
    let known = || names.tasks.iter().enumerate().map(|(number, id)| (format!("#{number}"), id));
    let path = known().fold(path.to_owned(), |path, (number, id)| path.replace(&number, id));
    let body = match step.get("raw").and_then(Value::as_str) {
        Some(raw) => raw.to_owned(),
        None => step.get("body").map(Value::to_string).unwrap_or_default(),
    };
    let body = known().fold(body, |body, (number, id)| body.replace(&number, id));
    let body = body.replace("$WS", workspace).replace("$CHECKPOINT", &names.checkpoint);
    let mut headers = vec![ACCEPT];
    match step.get("headers").and_then(Value::as_object) {
        Some(more) => headers.extend(more.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))),
        // A body that is not there is told to be one all the same: the original's clients do so.
        None if method == "POST" => headers.push(("Content-Type", "application/json")),
        None => {}
    }
    let answer = http::request(address, method, &path, &headers, body.as_bytes()).await?;
    let status = answer.status;
    if answer.headers.get("content-type").is_some_and(|kind| kind.contains("event-stream")) {
        let told = results(answer, ended).await?;
        return Ok(event_lines(status, &told, names));
    }
    let text = answer.text().await?;
    Ok(match serde_json::from_str(&text) {
        Ok(value) => json_lines(status, &value, names),
        Err(_) => vec![plain_line(status, &text)],
    })
}

/// The lines of a stream.
pub(crate) fn event_lines(status: u16, told: &[Value], names: &mut SeenIds) -> Vec<String> {
    let mut lines = vec![format!("{status} events")];
    lines.extend(names.lines(told));
    // Its name holds the time.
    if !names.checkpoint.is_empty() {
        lines.iter_mut().for_each(|line| *line = line.replace(&names.checkpoint, "$CHECKPOINT"));
    }
    lines
}

/// The lines of an answer in JSON.
pub(crate) fn json_lines(status: u16, value: &Value, names: &mut SeenIds) -> Vec<String> {
    if value.get("jsonrpc").is_some() {
        return names.lines(std::slice::from_ref(value)).iter().map(|line| format!("{status} {line}")).collect();
    }
    if let Some(checkpoint) = checkpoint_in(value) {
        names.checkpoint = checkpoint;
    }
    let mut lines = vec![format!("{status} {}", shape(value, DEPTH))];
    let mut names = Vec::new();
    named("", value, &mut names);
    // A list of names means the same in any order, and for every task.
    names.sort();
    names.dedup();
    lines.extend(names);
    lines
}

/// The line of any other answer.
pub(crate) fn plain_line(status: u16, text: &str) -> String {
    format!("{status} {}", if text.is_empty() { "nothing" } else { "no JSON" })
}

/// The newest checkpoint in a list of them.
fn checkpoint_in(answer: &Value) -> Option<String> {
    let listed: Value = serde_json::from_str(answer["data"]["content"].as_str()?).ok()?;
    Some(listed[0]["checkpoint"].as_str()?.to_owned())
}

/// Members whose value is a word of the protocol: the command that answers, a kind, a state.
const WORDS: [&str; 4] = ["messageType", "name", "taskState", "type"];

/// The depth to which a shape is told: deeper parts belong to a tool's schema, not to the route.
const DEPTH: usize = 4;

/// The names of members and what is in them, without the values but for [`WORDS`]; a list is what its first entry is,
/// whose name is not told here.
fn shape(value: &Value, depth: usize) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "text".to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.first().map(|item| shape(item, depth.saturating_sub(1))).unwrap_or_default())
        }
        Value::Object(_) if depth == 0 => "{…}".to_owned(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| match value {
                Value::String(word) if WORDS.contains(&name.as_str()) && (name != "name" || depth == DEPTH) => {
                    format!("{name}={word:?}")
                }
                Value::String(_) => name.clone(),
                value => format!("{name}:{}", shape(value, depth - 1)),
            });
            format!("{{{}}}", Vec::from_iter(members).join(","))
        }
    }
}

/// A line for each thing in a list called `list` that has a name.
fn named(list: &str, value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for item in items {
                lines.extend(item["name"].as_str().map(|name| format!("{list}: {name}")));
                named(list, item, lines);
            }
        }
        Value::Object(members) => members.iter().for_each(|(name, member)| named(name, member, lines)),
        _ => {}
    }
}
