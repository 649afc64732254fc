//! One answer of a conversation, from the short form a person writes to the bytes a provider sends.

use anyhow::{Context as _, Result, bail, ensure};
use axum::body::Bytes;
use serde_json::{Map, Value, json};

/// The keys of a line. Anything else is a slip of the pen.
const KEYS: [&str; 15] = [
    "as",
    "id",
    "says",
    "thinks",
    "signature",
    "calls",
    "parts",
    "frames",
    "json",
    "finish",
    "usage",
    "status",
    "headers",
    "error",
    "cut",
];

/// An answer, ready to be sent.
pub(super) struct ReplayAnswer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) pieces: Vec<Bytes>,
    /// Before which piece it waits to be let go.
    pub(super) hold: Option<usize>,
    /// True if the connection breaks where the pieces end.
    pub(super) breaks: bool,
    /// True if it answers a call that does not stream.
    pub(super) is_whole: bool,
}

impl ReplayAnswer {
    pub(super) fn read(line: &Value) -> Result<ReplayAnswer> {
        let line = line.as_object().context("it must be an object")?;
        if let Some(key) = line.keys().find(|key| !KEYS.contains(&key.as_str()) && key.as_str() != "hold") {
            bail!("`{key}` means nothing; one of {}, hold does", KEYS.join(", "));
        }
        let status = line.get("status").and_then(Value::as_u64).map_or(Ok(200), u16::try_from)?;
        let mut headers = Vec::new();
        for (name, value) in line.get("headers").and_then(Value::as_object).into_iter().flatten() {
            headers.push((name.clone(), value.as_str().context("a header is text")?.to_owned()));
        }
        let whole = line.get("json").cloned().or_else(|| {
            let error = line.get("error").filter(|_| status >= 300)?;
            Some(json!({"type": "error", "error": error}))
        });
        let hold = line.get("hold").and_then(Value::as_u64).map(usize::try_from).transpose()?;
        let breaks = line.get("cut") == Some(&Value::Bool(true));
        if let Some(body) = whole {
            headers.push(("content-type".into(), "application/json".into()));
            let is_whole = line.contains_key("json");
            return Ok(ReplayAnswer { status, headers, pieces: vec![body.to_string().into()], hold, breaks, is_whole });
        }
        headers.push(("content-type".into(), "text/event-stream".into()));
        let mut pieces = match line.get("as").and_then(Value::as_str) {
            None | Some("gemini") => data(&with_answer_id(gemini(line)?, "responseId", line)),
            Some("openai") => {
                let mut pieces = data(&with_answer_id(openai(line)?, "id", line));
                pieces.push("data: [DONE]\n\n".into());
                pieces
            }
            Some("anthropic") => {
                let name = |event: &Value| event["type"].as_str().unwrap_or("message").to_owned();
                let events = anthropic(line)?;
                events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event)).into()).collect()
            }
            Some(other) => bail!("there is no provider {other:?}"),
        };
        if let Some(error) = line.get("error") {
            pieces.push(format!("data: {}\n\n", json!({"error": error})).into());
        }
        ensure!(hold.is_none_or(|at| at <= pieces.len()), "it has {} pieces to hold back before", pieces.len());
        Ok(ReplayAnswer { status, headers, pieces, hold, breaks, is_whole: false })
    }
}

fn data(frames: &[Value]) -> Vec<Bytes> {
    frames.iter().map(|frame| format!("data: {frame}\n\n").into()).collect()
}

/// The frames with the answer's own id, where the line gives it one, under `key`.
fn with_answer_id(mut frames: Vec<Value>, key: &str, line: &Map<String, Value>) -> Vec<Value> {
    if let Some(id) = line.get("id") {
        frames.iter_mut().for_each(|frame| frame[key] = id.clone());
    }
    frames
}

/// The pieces of text: one, several in an array, or one that is said many times over, with `{n}` for its number.
fn text_pieces(line: &Map<String, Value>, key: &str) -> Vec<String> {
    match line.get(key) {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(pieces)) => pieces.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::Object(again)) => {
            let text = again.get("text").and_then(Value::as_str).unwrap_or_default();
            let times = again.get("times").and_then(Value::as_u64).and_then(|times| usize::try_from(times).ok());
            vec![(1..=times.unwrap_or(1)).map(|n| text.replace("{n}", &n.to_string())).collect()]
        }
        _ => Vec::new(),
    }
}

fn calls(line: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    line.get("calls").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect()
}

/// Raw frames, if the line gives them.
fn raw(line: &Map<String, Value>) -> Option<Vec<Value>> {
    line.get("frames").and_then(Value::as_array).cloned()
}

fn gemini(line: &Map<String, Value>) -> Result<Vec<Value>> {
    if let Some(frames) = raw(line) {
        return Ok(frames);
    }
    let signed = |mut part: Value, from: &Map<String, Value>| {
        if let Some(signature) = from.get("signature") {
            part["thoughtSignature"] = signature.clone();
        }
        part
    };
    let mut chunks: Vec<Value> = Vec::new();
    chunks.extend(text_pieces(line, "thinks").iter().map(|text| json!([{"text": text, "thought": true}])));
    chunks.extend(line.get("parts").and_then(Value::as_array).into_iter().flatten().cloned());
    chunks.extend(text_pieces(line, "says").iter().map(|text| json!([signed(json!({"text": text}), line)])));
    let call = |call: &&Map<String, Value>| {
        let mut function = json!({"name": call.get("name"), "args": call.get("args").cloned().unwrap_or(json!({}))});
        if let Some(id) = call.get("id") {
            function["id"] = id.clone();
        }
        signed(json!({"functionCall": function}), call)
    };
    let called: Vec<Value> = calls(line).iter().map(call).collect();
    if !called.is_empty() {
        chunks.push(Value::Array(called));
    }
    let chunk = |parts| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]});
    let mut frames: Vec<Value> = chunks.into_iter().map(chunk).collect();
    if frames.is_empty() {
        frames.push(json!({"candidates": [{"index": 0}]}));
    }
    let last = frames.last_mut().context("there is a frame")?;
    let finish = line.get("finish").cloned().unwrap_or(json!("STOP"));
    if !finish.is_null() {
        last["candidates"][0]["finishReason"] = finish;
        let usual = json!({"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10});
        last["usageMetadata"] = line.get("usage").cloned().unwrap_or(usual);
    }
    Ok(frames)
}

fn openai(line: &Map<String, Value>) -> Result<Vec<Value>> {
    if let Some(frames) = raw(line) {
        return Ok(frames);
    }
    let chunk = |delta: Value, reason: Value| json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let mut frames = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    let reasoned = text_pieces(line, "thinks").into_iter().map(|text| json!({"reasoning_content": text}));
    let content = text_pieces(line, "says").into_iter().map(|text| json!({"content": text}));
    frames.extend(reasoned.chain(content).map(|delta| chunk(delta, Value::Null)));
    for (index, call) in calls(line).into_iter().enumerate() {
        let id = call.get("id").cloned().unwrap_or_else(|| json!(format!("call_{index}")));
        let args = call.get("args").cloned().unwrap_or(json!({})).to_string();
        let function = json!({"name": call.get("name"), "arguments": args});
        let call = json!({"index": index, "id": id, "type": "function", "function": function});
        frames.push(chunk(json!({"tool_calls": [call]}), Value::Null));
    }
    let usual = if line.contains_key("calls") { json!("tool_calls") } else { json!("stop") };
    let finish = line.get("finish").cloned().unwrap_or(usual);
    if !finish.is_null() {
        frames.push(chunk(json!({}), finish));
        let usual = json!({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10});
        let usage = line.get("usage").cloned().unwrap_or(usual);
        frames.push(json!({"object": "chat.completion.chunk", "choices": [], "usage": usage}));
    }
    Ok(frames)
}

fn anthropic(line: &Map<String, Value>) -> Result<Vec<Value>> {
    if let Some(frames) = raw(line) {
        return Ok(frames);
    }
    let usage = line.get("usage").cloned().unwrap_or(json!({"input_tokens": 7, "output_tokens": 1}));
    let mut blocks: Vec<(Value, Vec<Value>)> = Vec::new();
    for text in text_pieces(line, "thinks") {
        let mut deltas = vec![json!({"type": "thinking_delta", "thinking": text})];
        deltas.extend(line.get("signature").map(|it| json!({"type": "signature_delta", "signature": it})));
        blocks.push((json!({"type": "thinking", "thinking": "", "signature": ""}), deltas));
    }
    let pieces: Vec<Value> =
        text_pieces(line, "says").iter().map(|text| json!({"type": "text_delta", "text": text})).collect();
    if !pieces.is_empty() {
        blocks.push((json!({"type": "text", "text": ""}), pieces));
    }
    for (index, call) in calls(line).into_iter().enumerate() {
        let id = call.get("id").cloned().unwrap_or_else(|| json!(format!("toolu_{index}")));
        let args = call.get("args").cloned().unwrap_or(json!({})).to_string();
        let start = json!({"type": "tool_use", "id": id, "name": call.get("name"), "input": {}});
        blocks.push((start, vec![json!({"type": "input_json_delta", "partial_json": args})]));
    }
    let id = line.get("id").cloned().unwrap_or_else(|| json!("msg_1"));
    let start = json!({"id": id, "role": "assistant", "usage": usage});
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (index, (start, deltas)) in blocks.into_iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        let delta = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let usual = if line.contains_key("calls") { json!("tool_use") } else { json!("end_turn") };
    let finish = line.get("finish").cloned().unwrap_or(usual);
    if !finish.is_null() {
        let delta = json!({"stop_reason": finish, "stop_sequence": null});
        events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 3}}));
        events.push(json!({"type": "message_stop"}));
    }
    Ok(events)
}
