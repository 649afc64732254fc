//! `write_background_input`: text for the standard input of a command in the background, as a person would type it.

use crate::arguments::{flag, parse, whole_number};
use crate::background::{BackgroundProcessHandle, BackgroundProcessState, BackgroundRegistry, SendInputError};
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::planned_files::PlannedFiles;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec};
use pollux_session::{AskDetails, BoxFuture, BuiltInTool, CallState, SessionId, ToolKind, cancel_choice, once_choice};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const NAME: &str = BuiltInTool::WriteBackgroundInput.name();
/// The longest text that is sent at once, in bytes: a person reads it before.
const MAX_TEXT: usize = 16 * 1024;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The process, by the number run_shell_command returned.
    #[serde(deserialize_with = "whole_number")]
    #[schemars(with = "u32")]
    pid: Option<usize>,
    /// The text, sent as it is: end it with a line break if a line is expected.
    #[serde(default)]
    text: String,
    /// Whether the input ends after it.
    #[serde(default, deserialize_with = "flag")]
    close: bool,
}

pub(crate) struct WriteBackgroundInputTool(pub(crate) Arc<BackgroundRegistry>);

impl Tool for WriteBackgroundInputTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Sends text to the standard input of a command in the background that was started with takes_input. \
             read_background_output shows its answer.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let pid = parse_arguments(args)?.pid;
            Err(unknown_process(pid))
        })
    }

    fn preview_in_session<'a>(
        &'a self,
        session: SessionId,
        _: &'a Path,
        args: &'a Value,
        _: &'a PlannedFiles,
    ) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let input = parse_arguments(args)?;
            let process = self.find(session, input.pid)?;
            let summary = format!("Send input to process {} (`{}`)", process.pid, process.command);
            let preview = CallPreview::new(NAME, ToolKind::Execute, summary, input.details(&process));
            Ok(CallPreview { options: Some(vec![once_choice(), cancel_choice()]), ..preview })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let input = parse_arguments(&call.args)?;
            let process = self.find(out.session(), input.pid)?;
            // Numbers are used again: it must still be the command that was shown.
            let details = input.details(&process);
            if call.ask.as_ref().map(|ask| &ask.details).or(out.judged()).is_some_and(|allowed| *allowed != details) {
                return Ok(ToolRunOutcome::Stale);
            }
            let pid = process.pid;
            let failed = |why: &str| Err(ToolError::failed("shell_execute_error", format!("process {pid} {why}")));
            match process.send_input(&input.text, input.close).await {
                Ok(()) => {
                    let closed = if input.close { ", and its input is closed" } else { "" };
                    Ok(ToolRunOutcome::from_text(format!(
                        "{} bytes were sent to process {pid}{closed}.",
                        input.text.len()
                    )))
                }
                Err(SendInputError::NoInput) => {
                    failed("has no input, or it was closed; start the command again with takes_input")
                }
                Err(SendInputError::Closed) => {
                    failed("reads no input any more; list_background_processes shows its state")
                }
                Err(SendInputError::NotRead) => {
                    failed("does not read its input; a part of the text may have arrived. Look at its output first")
                }
            }
        })
    }
}

impl WriteBackgroundInputTool {
    /// The newest command of `session` that runs as `pid`.
    fn find(&self, session: SessionId, pid: usize) -> Result<BackgroundProcessHandle, ToolError> {
        let mut processes = self.0.processes_of(session).into_iter().rev();
        let process = processes.find(|process| process.pid as usize == pid).ok_or_else(|| unknown_process(pid))?;
        match process.state() {
            BackgroundProcessState::Running => Ok(process),
            ended @ BackgroundProcessState::Ended(_) => {
                let message = format!("process {pid} takes no input any more: it has {ended}");
                Err(ToolError::failed("shell_execute_error", message))
            }
        }
    }
}

/// What is to be sent.
struct BackgroundInput {
    pid: usize,
    text: String,
    close: bool,
}

impl BackgroundInput {
    /// The details that a person is shown: all of the text, with signs that cannot be seen written out.
    fn details(&self, process: &BackgroundProcessHandle) -> AskDetails {
        let is_shown = |letter: char| letter == '\n' || !letter.is_control();
        let shown: String = self
            .text
            .chars()
            .map(|letter| if is_shown(letter) { letter.to_string() } else { letter.escape_default().to_string() })
            .collect();
        let closing = if self.close { "\n(and its input ends)" } else { "" };
        AskDetails::generic(format!("Send to process {} (`{}`):\n{shown}{closing}", process.pid, process.command))
    }
}

fn unknown_process(pid: usize) -> ToolError {
    ToolError::BadArguments(format!("argument `pid`: no command of this session runs as process {pid}"))
}

fn parse_arguments(args: &Value) -> Result<BackgroundInput, ToolError> {
    let Arguments { pid, text, close } = parse(args)?;
    let pid = pid.ok_or_else(|| ToolError::BadArguments("missing argument `pid`".into()))?;
    if text.len() > MAX_TEXT {
        let problem =
            format!("argument `text`: {} bytes are more than the {MAX_TEXT} that are sent at once", text.len());
        return Err(ToolError::BadArguments(problem));
    }
    if text.is_empty() && !close {
        return Err(ToolError::BadArguments("argument `text`: it is empty; set `close` to end the input".into()));
    }
    Ok(BackgroundInput { pid, text, close })
}
