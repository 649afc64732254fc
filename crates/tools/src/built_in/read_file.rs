//! `read_file`: the text of a file, or some lines of it; an image, a document or a sound for the model to look at.

mod lines;
mod text;

pub(crate) use lines::{LineRange, ShownLines, show_lines};
pub(crate) use text::decode_file;

use crate::arguments::{flag, line_number, parse};
use crate::error::{FileOperation, ToolError};
use crate::media::{extension, media_kind, store_media};
use crate::output::{OutputStore, ToolCallContext};
use crate::planned_files::{PlannedContent, PlannedFile, PlannedFiles};
use crate::text_file::{FileKnowledge, check_draft, sha256};
use crate::tool::{CallPreview, Look, LookPermission, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::workspace::{FileAccess, ProtectedFile, Workspace, WorkspacePath};
use pollux_session::{BoxFuture, BuiltInTool, CallResult, CallState, ResultDisplay};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = BuiltInTool::ReadFile.name();
/// The largest file that is read.
const MAX_BYTES: u64 = 20 * 1024 * 1024;
/// The largest picture that is read as the text it is made of.
const MAX_SVG_BYTES: u64 = 1024 * 1024;

#[derive(Clone, Deserialize, JsonSchema)]
struct Arguments {
    /// The file to read: relative to the workspace, or absolute; also one that holds the long output of a call.
    file_path: String,
    /// The first line to return, counted from 1. The first line of the file if left out.
    #[serde(default, deserialize_with = "line_number")]
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// The last line to return, itself included. If left out, as many lines as fit.
    #[serde(default, deserialize_with = "line_number")]
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
    /// The first character of each line to return, counted from 1: to see the rest of lines that were cut.
    #[serde(default, deserialize_with = "line_number")]
    #[schemars(range(min = 1))]
    start_column: Option<usize>,
    /// Whether to put its number before each line, as in `12: text`.
    #[serde(default, deserialize_with = "flag")]
    line_numbers: bool,
}

/// The tool for the files it may reach.
pub(crate) struct ReadFileTool {
    pub(crate) access: Arc<FileAccess>,
    /// Keeps what is no text, for the model to look at.
    pub(crate) output_store: Arc<dyn OutputStore>,
    /// The most characters one call returns.
    pub(crate) max_text_chars: usize,
}

impl Tool for ReadFileTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Returns the text of a file in the workspace. A call returns at most 2000 lines of at most 2000 \
                          characters each and says when there is more; use start_line and end_line to read on or to \
                          read only the part you need. Set line_numbers to name places by file and line. Images, PDF documents, sounds and videos are shown to you \
                          whole.",
        )
    }

    fn limits_own_length(&self) -> bool {
        true
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (args, workspace) = (parse_arguments(args)?, workspace.to_owned());
            let reach = Arc::clone(&self.access);
            run_blocking(move || {
                let mut workspace = reach.open(&workspace)?;
                let place = workspace.find_to_read(&args.file_path, None)?;
                workspace.check_ignored(&place)?;
                check_draft(&place)?;
                let metadata = workspace.read_metadata(&place, FileOperation::Read)?;
                if metadata.is_dir() {
                    return Err(ToolError::IsDirectory { path: place.name() });
                }
                let secret = workspace.secret_at(&place, &args.file_path);
                Ok(CallPreview::looking(NAME, &look_at(&workspace, &place, secret)))
            })
            .await
        })
    }

    fn plan_files<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        _: &'a PlannedFiles,
    ) -> BoxFuture<'a, Vec<(PathBuf, PlannedFile)>> {
        Box::pin(async move {
            let Ok(args) = parse_arguments(&call.args) else { return Vec::new() };
            let (workspace, access) = (workspace.to_owned(), Arc::clone(&self.access));
            let work = move || {
                let place = access.open(&workspace)?.find(&args.file_path)?;
                let (content, knowledge) = (PlannedContent::Unchanged, FileKnowledge::Current);
                Ok((place.absolute, PlannedFile { content, knowledge }))
            };
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
            let (args, workspace) = (parse_arguments(&call.args)?, workspace.to_owned());
            let (permission, session) = (LookPermission::new(call, out), out.session());
            let (reach, keeper, told_chars) =
                (Arc::clone(&self.access), Arc::clone(&self.output_store), self.max_text_chars);
            run_blocking(move || {
                let mut workspace = reach.open(&workspace)?;
                let place = workspace.find_to_read(&args.file_path, Some(session))?;
                let named = look_at(&workspace, &place, workspace.secret_named(&place, &args.file_path));
                if named.outside.is_some() && !permission.covers(&named) {
                    return Ok(ToolRunOutcome::Stale);
                }
                let (bytes, opened) = read(&workspace, &place)?;
                let secret = opened.or(named.secret);
                let is_secret = secret.is_some();
                if !permission.covers(&look_at(&workspace, &place, secret)) {
                    return Ok(ToolRunOutcome::Stale);
                }
                if let Some(kind) = media_kind(&place.name(), &bytes) {
                    let media = store_media(keeper.as_ref(), &place, kind, &bytes)?;
                    let about = format!("{} ({}, {} bytes)", media.name, kind.media_type, bytes.len());
                    return Ok(ToolRunOutcome::succeeded(CallResult {
                        text: format!("[{} is {}: you are shown it with this result.]", media.name, kind.what),
                        display: Some(ResultDisplay::Text { text: about }),
                        media: vec![media],
                        ..CallResult::default()
                    }));
                }
                let lines = LineRange {
                    start: args.start_line,
                    end: args.end_line,
                    column: args.start_column,
                    numbered: args.line_numbers,
                    chars: told_chars,
                };
                let file = decode_file(&place.name(), &bytes)?;
                let ShownLines { text, summary, .. } = show_lines(&place.name(), &file, lines)?;
                let display = Some(ResultDisplay::Text { text: summary });
                // Nobody replaces the output of a call.
                let is_file = !workspace.is_output(&place);
                let seen = is_file.then(|| workspace.note_seen(&place, &sha256(&bytes), &file.text, is_secret));
                let seen = seen.into_iter().collect();
                Ok(ToolRunOutcome::succeeded(CallResult { text, display, seen, ..CallResult::default() }))
            })
            .await
        })
    }
}

fn look_at(workspace: &Workspace, place: &WorkspacePath, secret: Option<ProtectedFile>) -> Look {
    Look { summary: format!("Read {}", place.name()), outside: workspace.outside_directory(place), secret }
}

/// The bytes of the file at `place`, unless an ignore file lists it; and the secret they are, for the caller to ask about.
pub(crate) fn read(
    workspace: &Workspace,
    place: &WorkspacePath,
) -> Result<(Vec<u8>, Option<ProtectedFile>), ToolError> {
    workspace.check_ignored(place)?;
    check_draft(place)?;
    let limit = if extension(&place.name()) == "svg" { MAX_SVG_BYTES } else { MAX_BYTES };
    let limit = workspace.readable_bytes(place, limit);
    workspace.read_with_secret(place, limit, FileOperation::Read)
}

fn parse_arguments(args: &Value) -> Result<Arguments, ToolError> {
    let args: Arguments = parse(args)?;
    match (args.start_line, args.end_line) {
        (Some(start), Some(end)) if start > end => {
            Err(ToolError::BadArguments(format!("argument `start_line`: {start} is after `end_line`, which is {end}")))
        }
        _ => Ok(args),
    }
}
