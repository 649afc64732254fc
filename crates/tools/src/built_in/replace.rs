//! `replace`: some lines of one file, found by their text, shown as a diff before and after.

use crate::arguments::{flag, parse};
use crate::error::ToolError;
use crate::file_change::{AppliedChange, ApprovedChange, ChangeScope, ChangeTarget};
use crate::output::ToolCallContext;
use crate::planned_files::{PlannedFile, PlannedFiles};
use crate::pluralize::pluralize;
use crate::text_match::{MatchStrategy, apply_edits, find, nearest_lines, places};
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::workspace::FileAccess;
use pollux_session::{BoxFuture, BuiltInTool, CallResult, CallState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = BuiltInTool::Replace.name();
/// The largest file that is changed: both sides of the change are kept in the log.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Clone, Deserialize, JsonSchema)]
struct Arguments {
    /// The file to change: relative to the workspace, or absolute and inside it.
    file_path: String,
    /// What the change is for, in a sentence that can be understood by itself.
    #[serde(default)]
    #[expect(dead_code, reason = "for the person who reads the call")]
    instruction: Option<String>,
    /// The text to replace, copied from the file as it is, with enough lines around it to be found only once. Empty
    /// to create a file that does not exist.
    old_string: String,
    /// The text to put in its place, complete and as it shall be.
    new_string: String,
    /// Whether to replace every occurrence. Otherwise there must be exactly one.
    #[serde(default, deserialize_with = "flag")]
    allow_multiple: bool,
}

/// The tool for the files it may reach.
pub(crate) struct ReplaceTool(pub(crate) Arc<FileAccess>);

impl Tool for ReplaceTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Replaces a piece of text in a file of the workspace. The piece must occur exactly once, or \
             allow_multiple must be set, so give several lines of context; read the file first if you are not sure \
             what it holds. Differences in white space are forgiven, and the answer says so; spelling must be \
             the file's. The person may be asked first and may change the result.",
        )
    }

    fn remarks(&self) -> &'static [&'static str] {
        &["instruction"]
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
            let args: Arguments = parse(args)?;
            let target = args.target(workspace, &self.0);
            let planned = planned.clone();
            run_blocking(move || target.preview(NAME, "Change", &planned, |old| Ok(args.replacement(old)?.text))).await
        })
    }

    fn plan_files<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        planned: &'a PlannedFiles,
    ) -> BoxFuture<'a, Vec<(PathBuf, PlannedFile)>> {
        Box::pin(async move {
            let Ok(args) = parse::<Arguments>(&call.args) else { return Vec::new() };
            let target = args.target(workspace, &self.0);
            let (planned, call) = (planned.clone(), call.clone());
            let work = move || target.plan_file(&planned, &call, |old| Ok(args.replacement(old)?.text));
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
            let args: Arguments = parse(&call.args)?;
            let (change, _cancel_on_drop) =
                ApprovedChange::new(args.target(workspace, &self.0), call, out.judged(), out.seen_files());
            run_blocking(move || {
                let mut how = MatchSummary::default();
                let changed = change.apply(|old| {
                    let replacement = args.replacement(old)?;
                    how = replacement.summary;
                    Ok(replacement.text)
                })?;
                Ok(changed.map_or(ToolRunOutcome::Stale, |changed| ToolRunOutcome::succeeded(result(changed, &how))))
            })
            .await
        })
    }
}

/// The new content of the file, and how it was made.
struct Replacement {
    text: String,
    summary: MatchSummary,
}

/// The way in which the pieces were found.
#[derive(Default)]
struct MatchSummary {
    strategy: MatchStrategy,
    /// The lines they begin on, as they are now.
    lines: Vec<usize>,
}

impl Arguments {
    fn target(&self, workspace: &Path, reach: &Arc<FileAccess>) -> ChangeTarget {
        let (root, access) = (workspace.to_owned(), Arc::clone(reach));
        let scope = ChangeScope::FoundLines;
        ChangeTarget { root, access, file_path: self.file_path.clone(), limit: MAX_BYTES, scope }
    }

    fn replacement(&self, current: Option<&str>) -> Result<Replacement, ToolError> {
        let path = &self.file_path;
        let Some(current) = current else {
            if self.old_string.is_empty() {
                return Ok(Replacement { text: self.new_string.clone(), summary: MatchSummary::default() });
            }
            let message = format!("`{path}` does not exist; to create it, call {NAME} with an empty old_string");
            return Err(ToolError::failed("file_not_found", message));
        };
        if self.old_string.is_empty() {
            let message = format!("`{path}` exists already; say in old_string which text of it to replace");
            return Err(ToolError::failed("attempt_to_create_existing_file", message));
        }
        if self.old_string == self.new_string {
            let message = format!("old_string and new_string are the same, so `{path}` would not change");
            return Err(ToolError::failed("edit_no_change", message));
        }
        let Some((strategy, found)) = find(current, &self.old_string, &self.new_string) else {
            let near = match nearest_lines(current, &self.old_string) {
                Some(lines) => format!("these lines of the file are most like it:\n{lines}"),
                None => "no line of the file is like it; look at the file with read_file".to_owned(),
            };
            let message = format!("old_string does not occur in `{path}` (0 found); {near}");
            return Err(ToolError::failed("edit_no_occurrence_found", message));
        };
        if found.len() > 1 && !self.allow_multiple {
            let message = format!(
                "old_string occurs {} times in `{path}`, and 1 was expected; give more of the lines around the right \
                 one, or set allow_multiple to replace them all. It occurs here:\n{}",
                found.len(),
                places(current, &found.iter().map(|edit| edit.span.start).collect::<Vec<_>>()),
            );
            return Err(ToolError::failed("edit_expected_occurrence_mismatch", message));
        }
        let (text, lines) = apply_edits(current, &found);
        if text == current {
            let message = format!("`{path}` already holds what new_string says, so it would not change");
            return Err(ToolError::failed("edit_no_change", message));
        }
        Ok(Replacement { text, summary: MatchSummary { strategy, lines } })
    }
}

fn result(changed: AppliedChange, how: &MatchSummary) -> CallResult {
    let diff = &changed.diff;
    let name = &diff.name;
    let text = if changed.is_secret {
        changed.without_content("Changed")
    } else if let Some(edit) = &changed.edit {
        format!(
            "Changed {name}. The person changed the result first, from what you proposed to what was written:\n{edit}"
        )
    } else if diff.old.is_none() {
        format!("Created {name}.")
    } else {
        let times = pluralize(how.lines.len(), "place", "places");
        let mut text = format!("Changed {name} in {times}.");
        if let Some(note) = how.strategy.note("old_string was") {
            let lines: Vec<String> = how.lines.iter().take(20).map(usize::to_string).collect();
            text.push_str(&format!(" {note} (line {}): check that it is what you meant.", lines.join(", ")));
        }
        text.push('\n');
        text.push_str(&diff.patch);
        text
    };
    changed.into_result(text)
}
