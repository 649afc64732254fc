//! One line of a script.

use super::LoadError;
use super::expect::ScriptExpectation;
use crate::answer_tally::PartialText;
use crate::error::RetryClass;
use crate::gemini::judge;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The answer to one model call. As JSON, `method` and `response` are enough:
///
/// ```json
/// {"method": "generateContentStream", "response": [{"candidates": […]}],
///  "expect": {"model": "…", "lastUserContains": "…", "toolResults": ["id or tool name", …]},
///  "delaysMs": [0, 20], "http": {"status": 429, "headers": {}}, "error": {…}, "cut": "reset",
///  "splitBytes": 1, "repeat": true}
/// ```
///
/// Lines for other methods are skipped: only streaming calls are made. Unknown keys are refused.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptLine {
    /// Where it stands in the file, from 1.
    pub number: usize,
    pub(super) expect: ScriptExpectation,
    /// The frames, in order.
    pub response: Vec<Value>,
    /// The waits before each frame and, one further, before the end.
    pub delays_ms: Vec<u64>,
    /// The HTTP status; 200 unless told.
    pub status: u16,
    /// Headers of the answer.
    pub headers: BTreeMap<String, String>,
    /// An error: the body of an error status, or the last frame of an answer.
    pub error: Option<Map<String, Value>>,
    /// The way in which the connection breaks after the last frame.
    pub cut: Option<ConnectionCut>,
    /// The number of bytes that are sent at a time; whole frames unless told.
    pub split_bytes: Option<usize>,
    /// True if the line is used again once all are used.
    pub repeat: bool,
    pub leaves: HistoryEffect,
}

/// The way in which a connection breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionCut {
    /// It is reset.
    Reset,
    /// It ends in the middle of a frame.
    Eof,
}

/// The trace that a played line leaves in the conversation: a content of the model, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryEffect {
    /// There is: it answers, or fails for good in the middle of one.
    Content,
    /// There is not: the call fails, and may be tried again.
    Nothing,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    v: Option<u32>,
    method: String,
    #[serde(default)]
    response: Value,
    #[serde(default)]
    expect: ScriptExpectation,
    #[serde(default)]
    delays_ms: Vec<u64>,
    #[serde(default)]
    http: Http,
    error: Option<Map<String, Value>>,
    cut: Option<ConnectionCut>,
    split_bytes: Option<usize>,
    #[serde(default)]
    repeat: bool,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Http {
    status: u16,
    headers: BTreeMap<String, String>,
}

impl Default for Http {
    fn default() -> Http {
        Http { status: 200, headers: BTreeMap::new() }
    }
}

/// All streaming lines of a file.
pub(super) fn parse(text: &str) -> Result<Vec<ScriptLine>, LoadError> {
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(at, line)| read(at + 1, line).map_err(|why| LoadError::Line { line: at + 1, why });
    numbered.map(read).filter_map(Result::transpose).collect()
}

/// The trace that a line with this answer leaves.
fn leaves(
    status: u16,
    response: &[Value],
    error: Option<&Map<String, Value>>,
    cut: Option<ConnectionCut>,
) -> HistoryEffect {
    if !(200..300).contains(&status) {
        return HistoryEffect::Nothing;
    }
    let error = error.map(|error| json!({"error": error}));
    match judge(response.iter().chain(&error)) {
        Ok(()) if cut.is_none() => HistoryEffect::Content,
        Err((error, PartialText::Something)) if error.class() == RetryClass::Terminal => HistoryEffect::Content,
        Ok(()) | Err(_) => HistoryEffect::Nothing,
    }
}

fn read(number: usize, text: &str) -> Result<Option<ScriptLine>, String> {
    let raw: Raw = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match raw.method.as_str() {
        "generateContentStream" => {}
        "generateContent" | "countTokens" | "embedContent" => return Ok(None),
        other => return Err(format!("unknown method {other:?}")),
    }
    if raw.v.is_some_and(|version| version != 1) {
        return Err("only version 1 of the format is known".to_owned());
    }
    let response = match raw.response {
        Value::Array(frames) => frames,
        Value::Null if raw.error.is_some() || raw.cut.is_some() || raw.http.status >= 300 => Vec::new(),
        Value::Null => return Err("response is missing".to_owned()),
        _ => return Err("response is not an array of chunks".to_owned()),
    };
    if let Some(at) = response.iter().position(|frame| !frame.is_object()) {
        return Err(format!("chunk {} of response is not an object", at + 1));
    }
    if raw.delays_ms.len() > response.len() + 1 {
        return Err(format!("{} delays for {} chunks and the end", raw.delays_ms.len(), response.len()));
    }
    if !(200..=599).contains(&raw.http.status) {
        return Err(format!("{} is not a final HTTP status", raw.http.status));
    }
    if raw.http.status >= 300 && !response.is_empty() {
        return Err(format!("status {} has no chunks; put its body in error", raw.http.status));
    }
    if raw.split_bytes == Some(0) {
        return Err("splitBytes must be at least 1".to_owned());
    }
    Ok(Some(ScriptLine {
        leaves: leaves(raw.http.status, &response, raw.error.as_ref(), raw.cut),
        number,
        expect: raw.expect,
        response,
        delays_ms: raw.delays_ms,
        status: raw.http.status,
        headers: raw.http.headers,
        error: raw.error,
        cut: raw.cut,
        split_bytes: raw.split_bytes,
        repeat: raw.repeat,
    }))
}
