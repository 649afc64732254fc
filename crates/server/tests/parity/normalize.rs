//! The content of an event, in one form for all bindings and versions.

use crate::test_server::within_session;
use pollux_wire::devtool::URI;
use serde_json::{Value, json};

/// The content of one event: nothing that is only another view of the task, or a cursor.
pub(crate) fn normalize_event(event: &Value) -> Option<Value> {
    let (kind, body) = event_kind(event);
    match kind {
        "artifactUpdate" => {
            let artifact = &body["artifact"];
            let parts: Vec<Value> = parts_of(artifact).iter().map(part).collect();
            if artifact["artifactId"].as_str()?.starts_with("answer-") {
                // Generic clients get an answer in chunks of one artifact, which is one text to them.
                let text = parts[0]["text"].as_str()?;
                let text = text.strip_prefix("\n\n").unwrap_or(text);
                return (!text.is_empty()).then(|| json!({"text": text}));
            }
            Some(json!({"artifact": artifact["artifactId"], "parts": parts}))
        }
        "statusUpdate" => {
            let status = &body["status"];
            let said = parts_of(&status["message"]).first().map(part);
            let is_state = body["metadata"][URI]["kind"] == "STATE_CHANGE";
            match said.filter(|_| !is_state) {
                Some(said) => Some(shown(said)),
                None => Some(json!({"state": v03_state(&status["state"])})),
            }
        }
        "task" => None,
        _ => normalize_flat(body),
    }
}

/// The task an event is about.
pub(crate) fn task(event: &Value) -> String {
    let (kind, body) = event_kind(event);
    body[if kind == "task" { "id" } else { "taskId" }].as_str().expect("every event names its task").to_owned()
}

/// The tool call that an event tells of.
pub(crate) fn call(line: &Value) -> String {
    line["call"]["tool_call_id"].as_str().expect("it tells of a call").to_owned()
}

/// Text that lies side by side is one text: how it is cut depends on who was behind. In 0.3 the end of a cancelled turn and
/// that of its task are two events; they count as one.
pub(crate) fn join_lines(lines: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for line in lines {
        if line["state"] == "canceled" && joined.last() == Some(&line) {
            continue;
        }
        match (joined.last_mut().and_then(|last| last.get_mut("text")), line["text"].as_str()) {
            (Some(Value::String(text)), Some(more)) => text.push_str(more),
            _ => joined.push(line),
        }
    }
    joined
}

/// A state in the words of 0.3.
pub(crate) fn v03_state(state: &Value) -> String {
    let state = state.as_str().expect("a state");
    // The `.proto` of 0.3 spells that one with two letters l.
    state.trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-").replace("cancelled", "canceled")
}

/// The kind of an event, in the words of 1.0, and what is in it.
fn event_kind(event: &Value) -> (&str, &Value) {
    let wrapped = ["task", "statusUpdate", "artifactUpdate"].into_iter().find(|kind| event[*kind].is_object());
    match (wrapped, event["kind"].as_str()) {
        (Some(kind), _) => (kind, &event[kind]),
        (None, Some("status-update")) => ("statusUpdate", event),
        (None, Some("artifact-update")) => ("artifactUpdate", event),
        (None, kind) => (kind.expect("an event says what it is"), event),
    }
}

/// The parts of a message or an artifact; the `.proto` of 0.3 calls those of a message its content.
pub(crate) fn parts_of(holder: &Value) -> Vec<Value> {
    let parts = holder["parts"].as_array().or_else(|| holder["content"].as_array());
    parts.cloned().unwrap_or_default()
}

fn part(part: &Value) -> Value {
    if part["text"].is_string() {
        return json!({"text": part["text"]});
    }
    if let Some(data) = part["data"].as_object() {
        // The `.proto` of 0.3 has a message of its own around it.
        return json!({"data": data.get("data").unwrap_or(&part["data"])});
    }
    let file = if part["file"].is_object() { &part["file"] } else { part };
    let either = |names: &[&str]| names.iter().map(|name| file[*name].clone()).find(|value| !value.is_null());
    json!({
        "file": either(&["bytes", "raw", "fileWithBytes"]),
        "name": either(&["name", "filename"]),
        "type": either(&["mimeType", "mediaType"]),
    })
}

/// A call under its name within its session: each binding was told of another session.
fn local_call_id(call: &Value) -> Value {
    let mut call = call.clone();
    call["tool_call_id"] = json!(within_session(call["tool_call_id"].as_str().expect("a call has an id")));
    call
}

fn shown(said: Value) -> Value {
    match &said["data"] {
        data if data["tool_call_id"].is_string() => json!({"call": local_call_id(data)}),
        data if data.is_object() => json!({"thought": data}),
        _ => said,
    }
}

/// A frame of a WebSocket. It has a call's fields beside its own, and a wrapper around the details of a request.
fn normalize_flat(frame: &Value) -> Option<Value> {
    match frame["kind"].as_str()? {
        "STATE_CHANGE" => Some(json!({"state": frame["state"]})),
        "TEXT_CONTENT" => Some(json!({"text": frame["content"]["text"]})),
        "THOUGHT" => Some(json!({"thought": frame["content"]})),
        "TOOL_CALL_UPDATE" => {
            let mut call = frame.as_object()?.clone();
            for ours in ["kind", "taskId", "seq"] {
                call.remove(ours);
            }
            if let Some(Value::Object(request)) = call.get_mut("confirmation_request")
                && let Some(Value::Object(details)) = request.remove("details")
            {
                request.extend(details);
            }
            Some(json!({"call": local_call_id(&Value::Object(call))}))
        }
        other => panic!("a frame of kind {other} has no place here"),
    }
}
