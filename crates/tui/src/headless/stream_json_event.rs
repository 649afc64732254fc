//! The lines of `--output-format stream-json`. Types and field names are Gemini CLI's where it has them; `thought`,
//! `retry`, `fallback` and `compacted` are ours.

use super::formatter::HeadlessEnding;
use crate::sanitize::escape_json;
use pollux_session::{CallError, CallOutcome, UnixMillis, describe_call_error};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// One line, without its timestamp.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum StreamJsonEvent<'a> {
    Init {
        session_id: String,
        model: &'a str,
    },
    Message {
        role: StreamJsonRole,
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        delta: bool,
    },
    Thought {
        content: &'a str,
        delta: bool,
    },
    ToolUse {
        tool_name: &'a str,
        tool_id: String,
        /// The call that had it made.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_tool_id: Option<String>,
        parameters: &'a Value,
    },
    ToolResult {
        tool_id: String,
        status: StreamJsonStatus,
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<ErrorBody<'a>>,
    },
    Retry {
        attempt: u32,
        wait_ms: u64,
        reason: &'a str,
    },
    Fallback {
        from: &'a str,
        to: &'a str,
        reason: &'a str,
    },
    Compacted {
        summary: &'a str,
    },
    Error {
        severity: StreamJsonSeverity,
        message: &'a str,
    },
    Result {
        status: StreamJsonStatus,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<ErrorBody<'a>>,
        stats: Value,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        citations: &'a [String],
    },
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StreamJsonRole {
    User,
    Assistant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StreamJsonStatus {
    Success,
    Error,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StreamJsonSeverity {
    Warning,
}

#[derive(Serialize)]
pub(super) struct ErrorBody<'a> {
    r#type: Cow<'a, str>,
    message: Cow<'a, str>,
    /// The exit code of the process, when it is about to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u8>,
}

impl<'a> ErrorBody<'a> {
    /// Why it did not end well.
    pub(super) fn from_ending(ending: &'a HeadlessEnding) -> Option<ErrorBody<'a>> {
        let failure = ending.failure.as_ref()?;
        Some(ErrorBody {
            r#type: failure.kind.as_str().into(),
            message: failure.message.as_str().into(),
            code: Some(ending.exit_code),
        })
    }
}

impl<'a> StreamJsonEvent<'a> {
    /// The end of a call, with what the model is told of it.
    pub(super) fn tool_result(tool_id: String, outcome: &'a CallOutcome) -> StreamJsonEvent<'a> {
        let error = describe_call_error(outcome).map(|CallError { kind, message }| ErrorBody {
            r#type: kind.into(),
            message: message.into(),
            code: None,
        });
        let result = outcome.result();
        StreamJsonEvent::ToolResult {
            tool_id,
            status: if error.is_none() { StreamJsonStatus::Success } else { StreamJsonStatus::Error },
            output: result.map(|result| result.text.as_str()),
            exit_code: result.and_then(|result| result.exit_code),
            error,
        }
    }

    /// The frame as a line of its own. Nothing in it can act on a terminal, and nothing is lost.
    pub(super) fn to_line(&self, at: UnixMillis) -> String {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Value::Object(fields) = &mut value {
            fields.shift_insert(1, "timestamp".into(), timestamp(at).into());
        }
        escape_json(&value.to_string()) + "\n"
    }
}

/// `2026-11-15T10:45:08.123Z`
fn timestamp(at: UnixMillis) -> String {
    let ms = i64::try_from(at.0).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX);
    format!("{time:.3}")
}
