//! `read_background_output`: what a command in the background has printed last.

use crate::arguments::{line_number, parse, whole_number};
use crate::background::{BackgroundProcessHandle, BackgroundRegistry};
use crate::error::{FileOperation, ToolError};
use crate::output::ToolCallContext;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use pollux_session::{BoxFuture, BuiltInTool, CallState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = BuiltInTool::ReadBackgroundOutput.name();
/// The number of lines that are returned unless the model says otherwise.
const DEFAULT_LINES: usize = 100;
/// The most milliseconds a call waits.
const MAX_DELAY: usize = 60_000;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The process, by the number run_shell_command returned.
    #[serde(deserialize_with = "whole_number")]
    #[schemars(with = "u32")]
    pid: Option<usize>,
    /// How many of the last lines to return, 100 if left out.
    #[serde(default, deserialize_with = "line_number")]
    #[schemars(range(min = 1))]
    lines: Option<usize>,
    /// How many milliseconds to wait first, for output that is about to come.
    #[serde(default, deserialize_with = "whole_number")]
    delay_ms: Option<usize>,
}

pub(crate) struct ReadBackgroundOutputTool(pub(crate) Arc<BackgroundRegistry>);

impl Tool for ReadBackgroundOutputTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Returns the last lines that a command in the background has printed, and whether it still runs.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (pid, _) = parse_arguments(args)?;
            Ok(CallPreview::reading(NAME, format!("Read the output of process {pid}")))
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let (pid, args) = parse_arguments(&call.args)?;
            // Numbers are used again: the newest is meant.
            let process =
                self.0.processes_of(out.session()).into_iter().rev().find(|process| process.pid as usize == pid);
            let Some(mut process) = process else {
                let problem = format!("argument `pid`: no command of this session runs as process {pid}");
                return Err(ToolError::BadArguments(problem));
            };
            if let Some(delay) = args.delay_ms {
                process.wait_for_end(Duration::from_millis(delay.min(MAX_DELAY) as u64)).await;
            }
            let lines = args.lines.unwrap_or(DEFAULT_LINES);
            run_blocking(move || Ok(ToolRunOutcome::from_text(show(&process, lines)?))).await
        })
    }
}

fn parse_arguments(args: &Value) -> Result<(usize, Arguments), ToolError> {
    let args: Arguments = parse(args)?;
    let pid = args.pid.ok_or_else(|| ToolError::BadArguments("missing argument `pid`".into()))?;
    Ok((pid, args))
}

fn show(process: &BackgroundProcessHandle, lines: usize) -> Result<String, ToolError> {
    let state = process.state();
    let unread =
        |source| ToolError::Io { path: process.path.display().to_string(), doing: FileOperation::Read, source };
    let (output, more) = process.tail(lines).map_err(unread)?;
    let head = format!("Process {} (`{}`): {state}.", process.pid, process.command);
    Ok(match (output.is_empty(), more) {
        (true, _) => format!("{head} It has printed nothing."),
        (false, false) => format!("{head} It has printed:\n{output}"),
        (false, true) => format!("{head} The last it has printed (ask for more lines to see more):\n{output}"),
    })
}
