//! `read_file`: the text of a file, or some lines of it.

mod lines;
mod text;

pub(crate) use lines::{MAX_BYTES, Shown, show};

use crate::arguments::{line_number, parse};
use crate::error::{Doing, ToolError};
use crate::output::Output;
use crate::tool::{Declaration, Preview, Ran, Tool, blocking};
use crate::workspace::Workspace;
use pollux_session::{Call, CallResult, Display, Pending};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

const NAME: &str = "read_file";

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

pub(crate) struct ReadFile;

impl Tool for ReadFile {
    fn declaration(&self) -> Declaration {
        Declaration::of::<Arguments>(
            NAME,
            "Returns the text of a file in the workspace. A call returns at most 2000 lines of at most 2000 \
                          characters each and says when there is more; use start_line and end_line to read on or to \
                          read only the part you need. Only text can be read: not images, PDF or sound.",
        )
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let (args, workspace) = (parse_arguments(args)?, workspace.to_owned());
            blocking(move || {
                let workspace = Workspace::open(&workspace)?;
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
            blocking(move || {
                let workspace = Workspace::open(&workspace)?;
                let place = workspace.find(&args.file_path)?;
                workspace.check_ignored(&place)?;
                let bytes = workspace.read(&place, MAX_BYTES, Doing::Read)?;
                let Shown { text, summary } = show(&place, &bytes, args.start_line, args.end_line)?;
                let display = Some(Display::Text { text: summary });
                Ok(Ran::succeeded(CallResult { text, display, ..CallResult::default() }))
            })
            .await
        })
    }
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
