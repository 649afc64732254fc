//! `write_file`: the whole content of one file, shown as a diff before and after.

use crate::arguments::{parse, schema};
use crate::error::{Doing, ToolError};
use crate::excerpt::Excerpt;
use crate::output::Output;
use crate::patch::unified;
use crate::tool::{Declaration, Preview, Ran, Tool, blocking};
use crate::workspace::{Draft, Place, Workspace, protected};
use pollux_session::{Call, CallResult, Details, Display, Edit, FileDiff, Grant, Pending, ToolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

const NAME: &str = "write_file";
/// The largest file that is written or replaced: both sides of the change are kept in the log.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The file to write: relative to the workspace, or absolute and inside it.
    file_path: String,
    /// Everything the file will hold, from its first line to its last, with nothing left out.
    content: String,
}

pub(crate) struct WriteFile;

impl Tool for WriteFile {
    fn declaration(&self) -> Declaration {
        Declaration {
            name: NAME,
            description: "Writes a file in the workspace: creates it, with the directories it needs, or replaces \
                          everything it holds. The person may be asked first and may change the content; the answer \
                          says what was really written.",
            parameters: schema::<Arguments>(),
        }
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let (args, workspace): (Arguments, _) = (parse(args)?, workspace.to_owned());
            blocking(move || {
                let workspace = Workspace::open(&workspace)?;
                let place = workspace.find(&args.file_path)?;
                let old = current(&workspace, &place)?;
                let new = in_style_of(old.as_deref(), &args.content).into_owned();
                check_len(&place, &new)?;
                Ok(Preview {
                    kind: ToolKind::Edit,
                    summary: format!("Write {}", place.name()),
                    protected: protected(place.relative()).map(str::to_owned),
                    grant: Grant::Tool { tool: NAME.into() },
                    details: Details::Edit(diff(&place, old, new)),
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
            let Arguments { file_path, content } = parse(&call.args)?;
            let shown = call.ask.as_ref().map(|ask| ask.details.clone());
            let edit = match &call.edit {
                Some(Edit::Content { new }) => Some(new.clone()),
                Some(Edit::Answers { .. }) | None => None,
            };
            let cancelled = CancellationToken::new();
            let _cancel_on_drop = cancelled.clone().drop_guard();
            let writing = Writing { workspace: workspace.to_owned(), file_path, content, shown, edit, cancelled };
            blocking(move || writing.run()).await
        })
    }
}

/// A write on its way to the disk.
struct Writing {
    workspace: PathBuf,
    file_path: String,
    content: String,
    shown: Option<Details>,
    edit: Option<String>,
    /// Set when nobody waits for the outcome any more: then the file is left as it is.
    cancelled: CancellationToken,
}

impl Writing {
    fn run(self) -> Result<Ran, ToolError> {
        let workspace = Workspace::open(&self.workspace)?;
        let place = workspace.find(&self.file_path)?;
        let old = current(&workspace, &place)?;
        if !self.is_as_shown(&place, old.as_deref()) {
            return Ok(Ran::Stale);
        }
        let content = self.edit.as_ref().unwrap_or(&self.content);
        let new = in_style_of(old.as_deref(), content).into_owned();
        check_len(&place, &new)?;
        let draft = Draft::write(&workspace, &place, |file| file.write_all(new.as_bytes()))?;
        // Writing took a while: look again, as late as possible.
        if self.shown.is_some() && current(&workspace, &place)? != old {
            return Ok(Ran::Stale);
        }
        if self.cancelled.is_cancelled() {
            return Err(ToolError::Broken("cancelled before the file was written".into()));
        }
        draft.publish()?;
        Ok(Ran::succeeded(result(diff(&place, old, new), self.edit.is_some())))
    }

    /// Whether what was shown is still what would happen. Without an ask nothing was shown.
    fn is_as_shown(&self, place: &Place, old: Option<&str>) -> bool {
        match &self.shown {
            None => true,
            Some(Details::Edit(shown)) => shown.old.as_deref() == old && shown.path == place.absolute.to_string_lossy(),
            Some(Details::Execute { .. } | Details::Generic { .. } | Details::Mcp { .. }) => false,
        }
    }
}

/// What the file holds now; `None` when it does not exist.
fn current(workspace: &Workspace, place: &Place) -> Result<Option<String>, ToolError> {
    let bytes = match workspace.read(place, MAX_BYTES, Doing::Write) {
        Ok(bytes) => bytes,
        Err(ToolError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let path = place.name();
    if workspace.look(place, Doing::Write)?.permissions().readonly() {
        return Err(ToolError::ReadOnly { path });
    }
    // A change of bytes that are no text could not be shown, and what cannot be shown is not run.
    String::from_utf8(bytes).map(Some).map_err(|_| ToolError::NotText { path, doing: Doing::Write })
}

fn check_len(place: &Place, new: &str) -> Result<(), ToolError> {
    let len = new.len() as u64;
    if len <= MAX_BYTES {
        return Ok(());
    }
    Err(ToolError::TooLarge { path: place.name(), len, limit: MAX_BYTES, doing: Doing::Write })
}

/// `content` with the line ends and the byte order mark of the file it replaces: models and text fields know neither.
fn in_style_of<'a>(old: Option<&str>, content: &'a str) -> Cow<'a, str> {
    const MARK: char = '\u{feff}';
    let old = old.unwrap_or_default();
    let mut content = Cow::Borrowed(content);
    if 2 * old.matches("\r\n").count() > old.matches('\n').count() {
        content = Cow::Owned(content.replace("\r\n", "\n").replace('\n', "\r\n"));
    }
    if old.starts_with(MARK) && !content.starts_with(MARK) {
        content.to_mut().insert(0, MARK);
    }
    content
}

fn diff(place: &Place, old: Option<String>, new: String) -> FileDiff {
    let name = place.name();
    let patch = unified(&name, old.as_deref().unwrap_or_default(), &new);
    FileDiff { path: place.absolute.to_string_lossy().into_owned(), name, old, new, patch }
}

fn result(diff: FileDiff, edited: bool) -> CallResult {
    let name = &diff.name;
    let mut text = match &diff.old {
        None => format!("Created {name}."),
        Some(old) if *old == diff.new => format!("{name} already held exactly this."),
        Some(_) => format!("Replaced the content of {name}."),
    };
    if edited {
        text.push_str(" The person changed the content first. The file now holds:\n");
        text.push_str(&Excerpt::of(&diff.new));
    }
    CallResult { text, display: Some(Display::Diff(diff)), ..CallResult::default() }
}
