//! `read_file`: the text of a file, or some lines of it; an image, a document or a sound for the model to look at.

mod lines;
mod text;

pub(crate) use lines::{Lines, Shown, show};

use crate::arguments::{line_number, parse};
use crate::error::{Doing, ToolError};
use crate::media::{extension, keep, media_kind};
use crate::output::{Output, OutputKeeper};
use crate::tool::{Declaration, Preview, Ran, Tool, blocking, may_read};
use crate::workspace::{Place, ProtectedFile, Reach, Workspace};
use pollux_session::{Call, CallResult, Display, Pending};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const NAME: &str = "read_file";
/// The largest file that is read.
const MAX_BYTES: u64 = 20 * 1024 * 1024;
/// The largest picture that is read as the text it is made of.
const MAX_SVG_BYTES: u64 = 1024 * 1024;

#[derive(Clone, Deserialize, JsonSchema)]
struct Arguments {
    /// The file to read: relative to the workspace, or absolute and inside it.
    file_path: String,
    /// The first line to return, counted from 1. The first line of the file if left out.
    #[serde(default, deserialize_with = "line_number")]
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// The last line to return, itself included. If left out, as many lines as fit.
    #[serde(default, deserialize_with = "line_number")]
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
}

/// The tool for the files it may reach.
pub(crate) struct ReadFile {
    pub(crate) reach: Arc<Reach>,
    /// Keeps what is no text, for the model to look at.
    pub(crate) keeper: Arc<dyn OutputKeeper>,
    /// The most characters one call returns.
    pub(crate) told_chars: usize,
}

impl Tool for ReadFile {
    fn declaration(&self) -> Declaration {
        Declaration::of::<Arguments>(
            NAME,
            "Returns the text of a file in the workspace. A call returns at most 2000 lines of at most 2000 \
                          characters each and says when there is more; use start_line and end_line to read on or to \
                          read only the part you need. Images, PDF documents, sounds and videos are shown to you \
                          whole.",
        )
    }

    fn minds_length(&self) -> bool {
        true
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let (args, workspace) = (parse_arguments(args)?, workspace.to_owned());
            let reach = Arc::clone(&self.reach);
            blocking(move || {
                let workspace = reach.open(&workspace)?;
                let place = workspace.find(&args.file_path)?;
                workspace.check_ignored(&place)?;
                let metadata = workspace.look(&place, Doing::Read)?;
                if metadata.is_dir() {
                    return Err(ToolError::IsDirectory { path: place.name() });
                }
                let secret = workspace.secret_at(&place, &args.file_path);
                Ok(Preview::reading_secret(NAME, summary(&place), secret.as_ref()))
            })
            .await
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a Call,
        out: &'a mut dyn Output,
    ) -> Pending<'a, Result<Ran, ToolError>> {
        Box::pin(async move {
            let (args, workspace) = (parse_arguments(&call.args)?, workspace.to_owned());
            let (call, reads_secrets) = (call.clone(), out.reads_secrets());
            let (reach, keeper, told_chars) = (Arc::clone(&self.reach), Arc::clone(&self.keeper), self.told_chars);
            blocking(move || {
                let workspace = reach.open(&workspace)?;
                let place = workspace.find(&args.file_path)?;
                let (bytes, opened) = read(&workspace, &place)?;
                let secret = opened.or_else(|| workspace.secret_named(&place, &args.file_path));
                if secret.is_some_and(|secret| !may_read(&call, reads_secrets, &summary(&place), &secret)) {
                    return Ok(Ran::Stale);
                }
                if let Some(kind) = media_kind(&place.name(), &bytes) {
                    let media = keep(keeper.as_ref(), &place, kind, &bytes)?;
                    let about = format!("{} ({}, {} bytes)", media.name, kind.media_type, bytes.len());
                    return Ok(Ran::succeeded(CallResult {
                        text: format!("[{} is {}: you are shown it with this result.]", media.name, kind.what),
                        display: Some(Display::Text { text: about }),
                        media: vec![media],
                        ..CallResult::default()
                    }));
                }
                let lines = Lines { start: args.start_line, end: args.end_line, chars: told_chars };
                let Shown { text, summary } = show(&place, &bytes, lines)?;
                let display = Some(Display::Text { text: summary });
                Ok(Ran::succeeded(CallResult { text, display, ..CallResult::default() }))
            })
            .await
        })
    }
}

fn summary(place: &Place) -> String {
    format!("Read {}", place.name())
}

/// The bytes of the file at `place`, unless an ignore file lists it; and the secret they are, for the caller to ask about.
pub(crate) fn read(workspace: &Workspace, place: &Place) -> Result<(Vec<u8>, Option<ProtectedFile>), ToolError> {
    workspace.check_ignored(place)?;
    let limit = if extension(&place.name()) == "svg" { MAX_SVG_BYTES } else { MAX_BYTES };
    workspace.read_with_secret(place, limit, Doing::Read)
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
