//! The response of a call that is over.

use super::super::call::file_name;
use super::diff_stat::{self, DiffSize};
use pollux_session::{CallOutcome, CallResult, FileDiff, describe_call_error, describe_patch, plain, plural};
use pollux_wire::coder::{Display, DisplayResult, FunctionResponse, Response, ResponsePart, ToolFileDiff};
use serde_json::{Value, json};

/// A call that is over.
pub(super) struct EndedCall<'a> {
    pub(super) id: String,
    pub(super) tool: &'a str,
    pub(super) outcome: &'a CallOutcome,
    /// The call in words.
    pub(super) display: &'a Display,
    /// The change that a person was shown.
    pub(super) shown: Option<&'a FileDiff>,
    /// Its output until it was stopped.
    pub(super) printed: Option<String>,
}

impl EndedCall<'_> {
    /// The response to the model and to people.
    pub(super) fn response(self) -> Response {
        let error = describe_call_error(self.outcome);
        let (kind, message) = error.map(|error| (error.kind, error.message)).unwrap_or_default();
        match self.outcome {
            CallOutcome::Succeeded { result } => self.done(result),
            CallOutcome::Failed { .. } | CallOutcome::Interrupted => self.failed(&message, &kind),
            CallOutcome::Denied { .. } => self.failed(&message, "policy_violation"),
            CallOutcome::Superseded | CallOutcome::Declined | CallOutcome::Cancelled => self.stopped(&message),
        }
    }

    fn done(&self, result: &CallResult) -> Response {
        let (shown, result_display, summary) = match &result.display {
            Some(pollux_session::ResultDisplay::Diff(change)) => {
                let happened =
                    ToolFileDiff { is_new_file: Some(change.old.is_none()), ..tool_file_diff(change, self.shown) };
                (file_display(change), json!(happened), Some(describe_line_counts(&change.patch)))
            }
            Some(pollux_session::ResultDisplay::Patch { files }) => {
                let text = describe_patch(files);
                let summary = format!("{} changed", plural(files.len(), "file"));
                (DisplayResult::Text { text: text.clone() }, text.into(), Some(summary))
            }
            Some(pollux_session::ResultDisplay::Text { text }) => {
                let text = readable(text);
                // What a person is shown instead of the result is mostly one line about it.
                let summary = (!text.contains('\n')).then(|| text.clone());
                (DisplayResult::Text { text: text.clone() }, text.into(), summary)
            }
            None => {
                let text = readable(&result.text);
                (DisplayResult::Text { text: text.clone() }, text.into(), None)
            }
        };
        let failed = result.exit_code.filter(|code| *code != 0);
        let summary = failed.map(|code| format!("exit code {code}")).or(summary);
        let display = Display { result_summary: summary, result: Some(shown), ..self.display.clone() };
        Response {
            display: Some(display),
            result_display: Some(result_display),
            data: failed.map(|code| json!({ "exitCode": code, "isError": true })),
            ..self.answered(json!({ "output": result.text }), &result.text)
        }
    }

    fn failed(&self, why: &str, kind: &str) -> Response {
        Response {
            error: Some(json!({})),
            result_display: Some(why.into()),
            error_type: Some(kind.to_owned()),
            ..self.answered(json!({ "error": why }), why)
        }
    }

    fn stopped(&self, why: &str) -> Response {
        let change = self.shown.map(|change| json!(tool_file_diff(change, None)));
        let result_display = change.or_else(|| self.printed.clone().map(Value::from));
        Response { result_display, ..self.answered(json!({ "error": why }), why) }
    }

    fn answered(&self, response: Value, told: &str) -> Response {
        let (id, name) = (self.id.clone(), self.tool.to_owned());
        Response {
            call_id: self.id.clone(),
            error: None,
            response_parts: vec![ResponsePart { function_response: FunctionResponse { id, name, response } }],
            display: None,
            result_display: None,
            error_type: None,
            content_length: told.chars().count(),
            data: None,
        }
    }
}

fn readable(text: &str) -> String {
    plain(text).trim_end().to_owned()
}

fn file_display(change: &FileDiff) -> DisplayResult {
    DisplayResult::Diff {
        path: change.path.clone(),
        before_text: change.old.clone().unwrap_or_default(),
        after_text: change.new.clone(),
    }
}

/// A change, of which the model may have `wanted` another.
fn tool_file_diff(change: &FileDiff, wanted: Option<&FileDiff>) -> ToolFileDiff {
    ToolFileDiff {
        file_diff: change.patch.clone(),
        file_name: file_name(change).to_owned(),
        file_path: change.path.clone(),
        original_content: change.old.clone().unwrap_or_default(),
        new_content: change.new.clone(),
        diff_stat: diff_stat::measure_diff(change, wanted),
        is_new_file: None,
    }
}

/// The number of lines that a patch adds and removes.
fn describe_line_counts(patch: &str) -> String {
    let difference = DiffSize::of_patch(patch);
    format!("{} lines added, {} removed", difference.added.lines, difference.removed.lines)
}
