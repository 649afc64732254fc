//! Requests outside of JSON-RPC: a status, what shape the answer has, and everything in it that has a name.

use crate::lines::Names;
use crate::play::results;
use anyhow::{Context as _, Result};
use pollux_testkit::http::{self, Answer};
use serde_json::Value;

/// Send a step's `fetch`, as `GET /tasks/#0/metadata` where `#0` is the first task that was heard, and tell what came
/// back. Its `body` is JSON and `raw` is text; `headers`, where it has them, are all there are. `$WS` in the body is
/// the workspace, `$CHECKPOINT` the newest checkpoint that was listed.
pub(crate) async fn fetch(
    address: &str,
    step: &Value,
    workspace: &str,
    names: &mut Names,
    ended: &mut Vec<Answer>,
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
    let headers = step.get("headers").and_then(Value::as_object);
    let headers: Vec<(&str, &str)> = match headers {
        Some(headers) => headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect(),
        // A body that is not there is told to be one all the same: the original's clients do so.
        None if path == "/executeCommand" => {
            vec![("Content-Type", "application/json"), ("Accept", "text/event-stream, application/json")]
        }
        None if method == "POST" => vec![("Content-Type", "application/json")],
        None => Vec::new(),
    };
    let answer = http::request(address, method, &path, &headers, body.as_bytes()).await?;
    let status = answer.status;
    let kind = answer.headers.get("content-type").cloned().unwrap_or_default();
    if kind.contains("event-stream") {
        let mut lines = vec![format!("{status} events")];
        let told = results(answer, ended).await?;
        lines.extend(names.lines(&told));
        // Its name holds the time.
        if !names.checkpoint.is_empty() {
            lines.iter_mut().for_each(|line| *line = line.replace(&names.checkpoint, "$CHECKPOINT"));
        }
        return Ok(lines);
    }
    let text = answer.text().await?;
    let Ok(value) = serde_json::from_str::<Value>(&text) else {
        return Ok(vec![format!("{status} {}", if text.is_empty() { "nothing" } else { "no JSON" })]);
    };
    if value.get("jsonrpc").is_some() {
        return Ok(names.lines(&[value]).iter().map(|line| format!("{status} {line}")).collect());
    }
    if let Some(checkpoint) = checkpoint_in(&value) {
        names.checkpoint = checkpoint;
    }
    let mut lines = vec![format!("{status} {}", shape(&value, DEPTH))];
    let mut names = Vec::new();
    named("", &value, &mut names);
    // A list of names means the same in any order, and for every task.
    names.sort();
    names.dedup();
    lines.extend(names);
    Ok(lines)
}

/// The newest checkpoint in a list of them.
fn checkpoint_in(answer: &Value) -> Option<String> {
    let listed: Value = serde_json::from_str(answer["data"]["content"].as_str()?).ok()?;
    Some(listed[0]["checkpoint"].as_str()?.to_owned())
}

/// How deep a shape is told: what is below belongs to a tool's schema, not to the route.
const DEPTH: usize = 4;

/// The names of members and what is in them, without the values; a list is what its first entry is.
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
