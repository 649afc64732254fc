//! `read_background_output`: what a command in the background has printed last.

use crate::arguments::{line_number, parse, whole_number};
use crate::background::{BackgroundProcessHandle, BackgroundRegistry};
use crate::error::{FileOperation, ToolError};
use crate::output::ToolCallContext;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use pollux_session::{BoxFuture, BuiltInTool, CallState};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = BuiltInTool::ReadBackgroundOutput.name();
/// The number of lines that are returned unless the model says otherwise.
const DEFAULT_LINES: usize = 100;
/// The most bytes that a pattern may take once it is compiled: what takes more is slow on long lines.
const MAX_PATTERN: usize = 256 * 1024;
/// The wait for a line, unless the model says otherwise.
const DEFAULT_WAIT: Duration = Duration::from_secs(60);
/// The most milliseconds a call waits.
const MAX_DELAY: usize = 600_000;

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
    /// The longest wait in milliseconds, at most 600000. It ends as soon as the command has ended. Without wait_for, 0 if left
    /// out; with it, 60000.
    #[serde(default, deserialize_with = "whole_number")]
    delay_ms: Option<usize>,
    /// A regular expression: wait until a line of the output matches it, such as `Listening on`.
    #[serde(default)]
    wait_for: Option<String>,
}

pub(crate) struct ReadBackgroundOutputTool(pub(crate) Arc<BackgroundRegistry>);

impl Tool for ReadBackgroundOutputTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Returns the last lines that a command in the background has printed, and whether it still runs. It can wait \
             first: for the command's end, or for a line.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let BackgroundRead { pid, .. } = parse_arguments(args)?;
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
            let BackgroundRead { pid, lines, delay, wait_for } = parse_arguments(&call.args)?;
            // Numbers are used again: the newest is meant.
            let process =
                self.0.processes_of(out.session()).into_iter().rev().find(|process| process.pid as usize == pid);
            let Some(mut process) = process else {
                let problem = format!("argument `pid`: no command of this session runs as process {pid}");
                return Err(ToolError::BadArguments(problem));
            };
            match wait_for {
                Some(line) => process.wait_for_line(&line, delay.unwrap_or(DEFAULT_WAIT)).await?,
                None => process.wait_for_end(delay.unwrap_or_default()).await,
            }
            run_blocking(move || Ok(ToolRunOutcome::from_text(show(&process, lines)?))).await
        })
    }
}

/// What is wanted.
struct BackgroundRead {
    pid: usize,
    lines: usize,
    delay: Option<Duration>,
    wait_for: Option<Regex>,
}

fn parse_arguments(args: &Value) -> Result<BackgroundRead, ToolError> {
    let args: Arguments = parse(args)?;
    let pid = args.pid.ok_or_else(|| ToolError::BadArguments("missing argument `pid`".into()))?;
    let compile = |pattern: String| RegexBuilder::new(&pattern).size_limit(MAX_PATTERN).build();
    let wait_for = args.wait_for.map(compile).transpose();
    let wait_for = wait_for.map_err(|error| ToolError::BadArguments(format!("argument `wait_for`: {error}")))?;
    let delay = args.delay_ms.map(|delay| Duration::from_millis(delay.min(MAX_DELAY) as u64));
    Ok(BackgroundRead { pid, lines: args.lines.unwrap_or(DEFAULT_LINES), delay, wait_for })
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
