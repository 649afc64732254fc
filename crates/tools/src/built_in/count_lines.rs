//! `count_lines`: how many lines a file has.

use crate::arguments::parse;
use crate::error::{FileOperation, ToolError};
use crate::output::ToolCallContext;
use crate::pluralize::pluralize;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::workspace::{FileAccess, Workspace, WorkspacePath};
use pollux_session::{BoxFuture, BuiltInTool, CallResult, CallState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const NAME: &str = BuiltInTool::CountLines.name();
/// The largest file that is counted.
const MAX_BYTES: u64 = 20 * 1024 * 1024;

#[derive(Clone, Deserialize, JsonSchema)]
struct Arguments {
    /// The file whose lines are counted: relative to the workspace, or absolute and inside it.
    file_path: String,
}

/// The tool for the files it may reach.
pub(crate) struct CountLinesTool(pub(crate) Arc<FileAccess>);

impl Tool for CountLinesTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(NAME, "Returns how many lines a file in the workspace has.")
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (args, workspace): (Arguments, _) = (parse(args)?, workspace.to_owned());
            let reach = Arc::clone(&self.0);
            run_blocking(move || {
                let (_, place) = find(&reach, &workspace, &args)?;
                Ok(CallPreview::reading(NAME, format!("Count the lines of {}", place.name())))
            })
            .await
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        _: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let (args, workspace): (Arguments, _) = (parse(&call.args)?, workspace.to_owned());
            let reach = Arc::clone(&self.0);
            run_blocking(move || {
                let (workspace, place) = find(&reach, &workspace, &args)?;
                let bytes = workspace.read(&place, MAX_BYTES, FileOperation::Read)?;
                let count = bytes.split_inclusive(|byte| *byte == b'\n').count();
                let text = format!("{} has {}.", place.name(), pluralize(count, "line", "lines"));
                Ok(ToolRunOutcome::succeeded(CallResult { text, ..CallResult::default() }))
            })
            .await
        })
    }
}

fn find(reach: &Arc<FileAccess>, workspace: &Path, args: &Arguments) -> Result<(Workspace, WorkspacePath), ToolError> {
    let workspace = reach.open(workspace)?;
    let place = workspace.find(&args.file_path)?;
    workspace.check_ignored(&place)?;
    if workspace.read_metadata(&place, FileOperation::Read)?.is_dir() {
        return Err(ToolError::IsDirectory { path: place.name() });
    }
    Ok((workspace, place))
}
