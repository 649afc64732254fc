//! `save_memory`: a fact for the person's memory file, which every later session reads.

use crate::arguments::parse;
use crate::error::{FileOperation, ToolError};
use crate::file_change::{ApprovedChange, ChangeScope, ChangeTarget, diff};
use crate::line_ends::with_line_ends_of;
use crate::output::ToolCallContext;
use crate::planned_files::PlannedFiles;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use pollux_session::{AskDetails, BoxFuture, BuiltInTool, CallState, FileDiff, ToolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::fs::{DirBuilder, exists};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(test)]
mod tests;

const NAME: &str = BuiltInTool::SaveMemory.name();
/// The heading facts are listed under. It is Gemini CLI's, so that its users' files go on as they are.
const HEADING: &str = "## Gemini Added Memories";
/// The longest fact, in characters: it is part of every prompt from now on.
const MAX_CHARS: usize = 2_000;
/// The largest memory file that is changed.
const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The fact, as one sentence that can be understood by itself.
    fact: String,
}

/// The tool for one memory file.
pub(crate) struct SaveMemoryTool {
    file: PathBuf,
}

impl SaveMemoryTool {
    pub(crate) fn new(file: PathBuf) -> SaveMemoryTool {
        SaveMemoryTool { file }
    }

    /// The directory the memory file is in: the file's own place, apart from any workspace.
    fn directory(&self) -> Result<PathBuf, ToolError> {
        match self.file.parent() {
            Some(directory) if self.file.is_absolute() => Ok(directory.to_owned()),
            _ => {
                let message = format!("the memory file {} must be an absolute path", self.file.display());
                Err(ToolError::failed("memory_tool_execution_error", message))
            }
        }
    }

    fn target(&self) -> Result<ChangeTarget, ToolError> {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (root, access, scope) = (self.directory()?, Arc::default(), ChangeScope::Addition);
        Ok(ChangeTarget { root, access, file_path: name, limit: MAX_BYTES, scope })
    }

    /// The change as the person knows the file: by its whole path.
    fn named(&self, change: FileDiff) -> FileDiff {
        diff(&self.file.to_string_lossy(), Path::new(&change.path), change.old, change.new)
    }
}

impl Tool for SaveMemoryTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Remembers a fact about the person or how they like to work, in their own memory file, for every later \
             session. Use it when they ask you to remember something or state a lasting preference; not for what only \
             matters in this conversation or this project.",
        )
    }

    fn changes_workspace(&self) -> bool {
        false
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let fact = parse_fact(args)?;
            let (target, file) = (self.target()?, self.file.clone());
            let change = run_blocking(move || {
                if !exists(&target.root).unwrap_or(false) {
                    return Ok(diff(&file.to_string_lossy(), &file, None, with_fact("", &fact)));
                }
                target.plan(&PlannedFiles::default(), |old| Ok(with_fact(old.unwrap_or_default(), &fact)))?.diff
            });
            let details = AskDetails::Edit(self.named(change.await?));
            // What is remembered speaks in every later session, so no standing permission covers it.
            let protected = Some(self.file.to_string_lossy().into_owned());
            Ok(CallPreview { protected, ..CallPreview::new(NAME, ToolKind::Edit, "Remember a fact", details) })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let fact = parse_fact(&call.args)?;
            let directory = self.directory()?;
            let (change, _cancel_on_drop) = ApprovedChange::new(self.target()?, call, out.judged(), out.seen_files());
            let changed = run_blocking(move || {
                let made = DirBuilder::new().recursive(true).mode(0o700).create(&directory);
                let path = directory.to_string_lossy().into_owned();
                made.map_err(|source| ToolError::Io { path, doing: FileOperation::Write, source })?;
                change.apply(|old| Ok(with_fact(old.unwrap_or_default(), &fact)))
            });
            let Some(mut changed) = changed.await? else { return Ok(ToolRunOutcome::Stale) };
            changed.diff = self.named(changed.diff);
            let mut text = format!("Remembered in {}.", self.file.display());
            match &changed.edit {
                Some(edit) if !changed.is_secret => text.push_str(&format!(
                    " The person changed the file's new content first, from what you proposed to what was written:\n{edit}"
                )),
                Some(_) => text.push_str(" The person changed the file's new content first."),
                None => {}
            }
            Ok(ToolRunOutcome::succeeded(changed.into_result(text)))
        })
    }
}

/// The fact on one line.
fn parse_fact(args: &Value) -> Result<String, ToolError> {
    let Arguments { fact } = parse(args)?;
    let bad = |problem: String| Err(ToolError::BadArguments(format!("argument `fact`: {problem}")));
    // A line break could begin a heading of its own.
    let fact = fact.split_whitespace().collect::<Vec<_>>().join(" ");
    let fact = fact.trim_start_matches(['-', ' ']);
    if fact.is_empty() {
        return bad("it is empty".into());
    }
    if fact.chars().count() > MAX_CHARS {
        return bad(format!("it has more than {MAX_CHARS} characters; remember less"));
    }
    Ok(fact.to_owned())
}

/// The memory file with one fact more, at the end of the list of facts.
fn with_fact(file: &str, fact: &str) -> String {
    let line = format!("- {fact}\n");
    let Some(heading) = file.find(HEADING) else {
        let gap = match file {
            "" => "",
            text if text.ends_with("\n\n") => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return format!("{file}{}", with_line_ends_of(file, &format!("{gap}{HEADING}\n\n{line}")));
    };
    let list = heading + HEADING.len();
    let end = file[list..].find("\n## ").map_or(file.len(), |at| list + at);
    let before = file[..end].trim_end();
    // Between the heading and the first fact there is an empty line, between facts there is none.
    let gap = if before.len() == list { "\n\n" } else { "\n" };
    format!("{before}{}{}", with_line_ends_of(file, &format!("{gap}{line}")), &file[end..])
}
