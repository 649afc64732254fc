//! Scripted model answers, short to write.

use serde_json::{Value, json};
use std::path::Path;

/// An answer made of `parts`.
pub fn answer(parts: &Value) -> Value {
    let content = json!({"role": "model", "parts": parts});
    let usage = json!({"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10});
    json!({"method": "generateContentStream", "response": [
        {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage},
    ]})
}

/// An answer that is one text.
pub fn text_answer(text: &str) -> Value {
    answer(&json!([{"text": text}]))
}

/// An answer that comes in pieces, so many milliseconds apart.
pub fn streamed_answer(pieces: &[String], delay_ms: u64) -> Value {
    let frame =
        |text: &String| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]});
    let mut frames: Vec<Value> = pieces.iter().map(frame).collect();
    if let Some(last) = frames.last_mut() {
        last["candidates"][0]["finishReason"] = json!("STOP");
    }
    json!({"method": "generateContentStream", "response": frames, "delaysMs": vec![delay_ms; pieces.len()]})
}

/// An answer that is one tool call.
pub fn call_answer(tool: &str, args: &Value) -> Value {
    answer(&json!([{"functionCall": {"name": tool, "args": args}}]))
}

/// The line as the answer for every call from here on.
pub fn repeat_forever(mut line: Value) -> Value {
    line["repeat"] = json!(true);
    line
}

/// Write a script to `path` and return the flag value that uses it.
pub fn write(path: &Path, lines: &[Value]) -> std::io::Result<String> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(path, text)?;
    Ok(format!("script:{}", path.display()))
}
