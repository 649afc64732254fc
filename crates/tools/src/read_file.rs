//! `read_file`: the text of a file, or some lines of it; an image, a document or a sound for the model to look at.

mod lines;
mod text;

pub(crate) use lines::{Lines, Shown, show};

use crate::arguments::{line_number, parse};
use crate::error::{Doing, ToolError};
use crate::media::{extension, keep, media_kind};
use crate::output::{Output, OutputKeeper};
use crate::tool::{Declaration, Preview, Ran, Tool, blocking};
use crate::workspace::{Place, Reach, Workspace};
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
                let path = place.name();
                let metadata = workspace.look(&place, Doing::Read)?;
                if metadata.is_dir() {
                    return Err(ToolError::IsDirectory { path });
                }
                Ok(Preview::reading(NAME, format!("Read {path}")))
            })
            .await
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a Call,
        _: &'a mut dyn Output,
    ) -> Pending<'a, Result<Ran, ToolError>> {
        Box::pin(async move {
            let (args, workspace) = (parse_arguments(&call.args)?, workspace.to_owned());
            let (reach, keeper, told_chars) = (Arc::clone(&self.reach), Arc::clone(&self.keeper), self.told_chars);
            blocking(move || {
                let workspace = reach.open(&workspace)?;
                let place = workspace.find(&args.file_path)?;
                let bytes = read(&workspace, &place)?;
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

/// The bytes of the file at `place`, if the model may have them.
pub(crate) fn read(workspace: &Workspace, place: &Place) -> Result<Vec<u8>, ToolError> {
    workspace.check_ignored(place)?;
    let limit = if extension(&place.name()) == "svg" { MAX_SVG_BYTES } else { MAX_BYTES };
    workspace.read(place, limit, Doing::Read)
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
