//! `read_file`: the text of a file, or some lines of it.

use crate::arguments::{line_number, parse, schema};
use crate::counted::counted;
use crate::error::{Doing, ToolError};
use crate::excerpt::split_at_char;
use crate::output::Output;
use crate::tool::{Declaration, Preview, Ran, Tool, blocking};
use crate::workspace::{Place, Workspace};
use pollux_session::{Call, CallResult, Details, Display, Grant, Pending, ToolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

const NAME: &str = "read_file";
/// The most lines one call returns.
const MAX_LINES: usize = 2000;
/// The most characters of one line.
const MAX_LINE_CHARS: usize = 2000;
/// The largest file that is read.
const MAX_BYTES: u64 = 20 * 1024 * 1024;

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
        Declaration {
            name: NAME,
            description: "Returns the text of a file in the workspace. A call returns at most 2000 lines of at most 2000 \
                          characters each and says when there is more; use start_line and end_line to read on or to \
                          read only the part you need. Only text can be read.",
            parameters: schema::<Arguments>(),
        }
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let (args, workspace) = (parse_arguments(args)?, workspace.to_owned());
            blocking(move || {
                let workspace = Workspace::open(&workspace)?;
                let place = workspace.find(&args.file_path)?;
                let path = place.name();
                let metadata = workspace.look(&place, Doing::Read)?;
                if metadata.is_dir() {
                    return Err(ToolError::IsDirectory { path });
                }
                let summary = format!("Read {path}");
                Ok(Preview {
                    kind: ToolKind::Read,
                    details: Details::generic(&summary),
                    grant: Grant::Tool { tool: NAME.into() },
                    summary,
                    protected: None,
                })
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
                let bytes = workspace.read(&place, MAX_BYTES, Doing::Read)?;
                Ok(Ran::succeeded(show(&place, &bytes, args.start_line, args.end_line)?))
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

/// The lines asked for, with a notice in front when they are not all of the file.
fn show(place: &Place, bytes: &[u8], start: Option<usize>, end: Option<usize>) -> Result<CallResult, ToolError> {
    let name = place.name();
    if bytes.contains(&0) {
        return Err(ToolError::NotText { path: name, doing: Doing::Read });
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let total = text.lines().count();
    let first = start.unwrap_or(1);
    if total == 0 {
        return Ok(result(format!("[{name} is empty.]"), format!("{name} is empty")));
    }
    if first > total {
        let problem = format!("argument `start_line`: {name} ends at line {total}");
        return Err(ToolError::BadArguments(problem));
    }
    let last = end.unwrap_or(total).min(total).min(first + MAX_LINES - 1);
    let lines: Vec<&str> = text.split_inclusive('\n').skip(first - 1).take(last + 1 - first).collect();
    let cut_lines = lines.iter().filter(|line| is_long(line)).count();

    let mut notices = Vec::new();
    if (first, last) != (1, total) {
        notices.push(format!("[Lines {first}-{last} of {total}.]"));
    }
    if last < total && end.is_none_or(|end| end > last) {
        notices.push(format!("[To read on, call {NAME} with start_line {}.]", last + 1));
    }
    if cut_lines > 0 {
        notices.push(format!("[Lines cut after {MAX_LINE_CHARS} characters: {cut_lines}.]"));
    }
    if std::str::from_utf8(bytes).is_err() {
        notices.push("[Bytes that are not UTF-8 are shown as \u{fffd}.]".to_owned());
    }
    let mut shown = if notices.is_empty() { String::new() } else { notices.join("\n") + "\n\n" };
    for line in lines {
        if is_long(line) {
            shown.push_str(split_at_char(line, MAX_LINE_CHARS).0);
            shown.push_str(" [cut]\n");
        } else {
            shown.push_str(line);
        }
    }
    let display = if (first, last) == (1, total) {
        format!("{} of {name}", counted(total, "line", "lines"))
    } else {
        format!("lines {first}-{last} of {total} of {name}")
    };
    Ok(result(shown, display))
}

fn is_long(line: &str) -> bool {
    // Cheap first: a line of few bytes has few characters.
    line.len() > MAX_LINE_CHARS && !split_at_char(line.trim_end_matches(['\r', '\n']), MAX_LINE_CHARS).1.is_empty()
}

fn result(text: String, display: String) -> CallResult {
    CallResult { text, display: Some(Display::Text { text: display }), ..CallResult::default() }
}
