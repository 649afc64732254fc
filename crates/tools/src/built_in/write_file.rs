//! `write_file`: the whole content of one file, shown as a diff before and after.

use crate::arguments::parse;
use crate::error::ToolError;
use crate::file_change::{AppliedChange, ApprovedChange, ChangeScope, ChangeTarget, in_style_of};
use crate::output::ToolCallContext;
use crate::planned_files::{PlannedFile, PlannedFiles};
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::workspace::FileAccess;
use pollux_session::{BoxFuture, BuiltInTool, CallResult, CallState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = BuiltInTool::WriteFile.name();
/// The largest file that is written or replaced: both sides of the change are kept in the log.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The file to write: relative to the workspace, or absolute and inside it.
    file_path: String,
    /// Everything the file will hold, from its first line to its last, with nothing left out.
    content: String,
}

/// The tool for the files it may reach.
pub(crate) struct WriteFileTool(pub(crate) Arc<FileAccess>);

impl Tool for WriteFileTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Writes a file in the workspace: creates it, with the directories it needs, or replaces everything it \
             holds. A file that exists must be as you saw it last, so read it first. For a change of some lines of an existing \
             file use replace. The person may be asked first and may \
             change the content; the answer says what was really written.",
        )
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move { self.preview_after(workspace, args, &PlannedFiles::default()).await })
    }

    fn preview_after<'a>(
        &'a self,
        workspace: &'a Path,
        args: &'a Value,
        planned: &'a PlannedFiles,
    ) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (target, content) = self.parse_arguments(workspace, args)?;
            let planned = planned.clone();
            run_blocking(move || {
                target.preview(NAME, "Write", &planned, |old| Ok(in_style_of(old, &content).into_owned()))
            })
            .await
        })
    }

    fn plan_files<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        planned: &'a PlannedFiles,
    ) -> BoxFuture<'a, Vec<(PathBuf, PlannedFile)>> {
        Box::pin(async move {
            let Ok((target, content)) = self.parse_arguments(workspace, &call.args) else { return Vec::new() };
            let (planned, call) = (planned.clone(), call.clone());
            let work = move || target.plan_file(&planned, &call, |old| Ok(in_style_of(old, &content).into_owned()));
            run_blocking(work).await.ok().into_iter().collect()
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let (target, content) = self.parse_arguments(workspace, &call.args)?;
            let (change, _cancel_on_drop) = ApprovedChange::new(target, call, out.judged(), out.seen_files());
            run_blocking(move || {
                let changed = change.apply(|old| Ok(in_style_of(old, &content).into_owned()))?;
                Ok(changed.map_or(ToolRunOutcome::Stale, |changed| ToolRunOutcome::succeeded(result(changed))))
            })
            .await
        })
    }
}

impl WriteFileTool {
    fn parse_arguments(&self, workspace: &Path, args: &Value) -> Result<(ChangeTarget, String), ToolError> {
        let Arguments { file_path, content } = parse(args)?;
        let (root, access) = (workspace.to_owned(), Arc::clone(&self.0));
        let scope = ChangeScope::WholeFile;
        Ok((ChangeTarget { root, access, file_path, limit: MAX_BYTES, scope }, content))
    }
}

fn result(changed: AppliedChange) -> CallResult {
    if changed.is_secret {
        let text = changed.without_content("Replaced the content of");
        return changed.into_result(text);
    }
    let diff = &changed.diff;
    let name = &diff.name;
    let mut text = match &diff.old {
        None => format!("Created {name}."),
        Some(old) if *old == diff.new => format!("{name} already held exactly this."),
        Some(_) => format!("Replaced the content of {name}."),
    };
    if let Some(edit) = &changed.edit {
        text.push_str(" The person changed the content first, from what you proposed to what was written:\n");
        text.push_str(edit);
    }
    changed.into_result(text)
}
