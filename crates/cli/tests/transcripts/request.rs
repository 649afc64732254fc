//! The requests of a recording, from the short form in its file to what goes over the wire.

use crate::transcripts::lines::SeenIds;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// The `method` and the `params` of a step that is a JSON-RPC request.
///
/// `{"stream" | "send": {"text", "fill", "settings", "task", "context", "answers": [{"call", "outcome", …}]}}`, `{"get":
/// TASK, "history"}`, `{"cancel": TASK}`, `{"follow": TASK}`. Tasks and calls are numbered as they were heard; `$WS` in
/// the settings is the workspace, and `fill` says how many letters more the text has.
pub(crate) fn build_request(
    step: &Value,
    number: usize,
    names: &SeenIds,
    workspace: &str,
) -> Result<(&'static str, Value)> {
    let task = |value: &Value| -> Result<Value> {
        match value.as_u64() {
            Some(index) => Ok(json!(names.tasks.get(usize::try_from(index)?).context("no such task was heard")?)),
            None => Ok(value.clone()),
        }
    };
    for (key, method) in [("stream", "message/stream"), ("send", "message/send")] {
        let Some(said) = step.get(key) else { continue };
        let mut parts = Vec::new();
        if let Some(text) = said.get("text").and_then(Value::as_str) {
            let fill = "x".repeat(usize::try_from(said["fill"].as_u64().unwrap_or(0))?);
            parts.push(json!({"kind": "text", "text": format!("{text}{fill}")}));
        }
        for answer in said["answers"].as_array().into_iter().flatten() {
            let mut data = answer.clone();
            let call = data.as_object_mut().and_then(|data| data.remove("call")).unwrap_or_default();
            data["callId"] = match call.as_u64() {
                Some(index) => json!(names.calls.get(usize::try_from(index)?).context("no such call was heard")?),
                None => call,
            };
            parts.push(json!({"kind": "data", "data": data}));
        }
        let id = format!("m{number}");
        let mut message = json!({"kind": "message", "role": "user", "messageId": id, "parts": parts});
        if let Some(metadata) = said.get("metadata") {
            message["metadata"] = metadata.clone();
        }
        if let Some(settings) = said.get("settings") {
            let settings = settings.to_string().replace("$WS", workspace);
            message["metadata"] = json!({"coderAgent": serde_json::from_str::<Value>(&settings)?});
        }
        if let Some(index) = said.get("task") {
            message["taskId"] = task(index)?;
        }
        if let Some(context) = said.get("context") {
            message["contextId"] = context.clone();
        }
        let mut params = json!({ "message": message });
        if let Some(configuration) = said.get("configuration") {
            params["configuration"] = configuration.clone();
        }
        return Ok((method, params));
    }
    for (key, method) in [("get", "tasks/get"), ("cancel", "tasks/cancel"), ("follow", "tasks/resubscribe")] {
        let Some(index) = step.get(key) else { continue };
        let mut params = json!({ "id": task(index)? });
        if let Some(length) = step.get("history") {
            params["historyLength"] = length.clone();
        }
        return Ok((method, params));
    }
    anyhow::bail!("a step that nobody knows: {step}")
}
