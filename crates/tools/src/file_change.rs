//! A change of one file: shown as a diff, compared again when it runs, written whole or not at all.

use crate::error::{FileOperation, ToolError};
use crate::excerpt::ExcerptBuilder;
use crate::patch::{is_same_change, unified_diff};
use crate::planned_files::PlannedFiles;
use crate::tool::{CallMisfit, CallPreview};
use crate::workspace::{FileAccess, FileDraft, PlannedPaths, ProtectedFile, Workspace, WorkspacePath, is_draft};
use pollux_session::{AnswerEdit, AskDetails, CallState, FileDiff, ResultDisplay, ToolKind};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::{CancellationToken, DropGuard};

#[cfg(test)]
mod tests;

/// Files larger than this are shown, once changed, by their diff alone.
pub(crate) const SHOWN_WHOLE: usize = 1024 * 1024;

/// The file a tool is about to change.
pub(crate) struct ChangeTarget {
    /// The directory the change must stay in.
    pub(crate) root: PathBuf,
    /// The paths that may be changed besides.
    pub(crate) access: Arc<FileAccess>,
    /// The file, as the model named it.
    pub(crate) file_path: String,
    /// The most bytes it may have, before and after.
    pub(crate) limit: u64,
}

/// How much of what was shown must still be so for a change to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShownScope {
    /// The lines that it takes out and puts in, and those that were shown around them. The rest of the file may have changed
    /// meanwhile.
    ChangedLines,
    /// The whole file.
    WholeFile,
}

/// A change that nobody has agreed to yet.
pub(crate) struct PlannedChange {
    path: WorkspacePath,
    /// What it changes, or why it does not fit the file.
    pub(crate) diff: Result<FileDiff, ToolError>,
    /// The secret it would overwrite.
    secret: Option<ProtectedFile>,
    /// The protected place it would change.
    protected: Option<&'static str>,
}

impl ChangeTarget {
    /// The preview of a change by `tool`, with `make` as for [`ChangeTarget::plan`]. `verb` says what it does to the
    /// file.
    pub(crate) fn preview(
        &self,
        tool: &str,
        verb: &str,
        planned: &PlannedFiles,
        make: impl FnOnce(Option<&str>) -> Result<String, ToolError>,
    ) -> Result<CallPreview, ToolError> {
        let PlannedChange { path: place, diff, secret, protected } = self.plan(planned, make)?;
        let summary = format!("{verb} {}", place.name());
        let secret = secret.map(|secret| secret.to_string());
        let (details, misfit) = match diff {
            Ok(diff) => (AskDetails::Edit(diff), None),
            Err(error) => (AskDetails::generic(&summary), Some(CallMisfit::new(&summary, secret.as_deref(), error))),
        };
        let preview = CallPreview::new(tool, ToolKind::Edit, summary, details);
        // Nothing is changed, so nobody is asked. Whether a secret is what the model thinks is not for it to know.
        if let AskDetails::Edit(diff) = &preview.details
            && diff.old.as_ref() == Some(&diff.new)
            && protected.is_none()
            && secret.is_none()
        {
            return Ok(CallPreview::reading(tool, format!("{} already holds this", place.name())));
        }
        Ok(CallPreview { protected: protected.map(str::to_owned), secret, misfit, ..preview })
    }

    /// The change that would come of `make` turning what the file will hold (`None`: there is no file) into its new content.
    pub(crate) fn plan(
        &self,
        planned: &PlannedFiles,
        make: impl FnOnce(Option<&str>) -> Result<String, ToolError>,
    ) -> Result<PlannedChange, ToolError> {
        let workspace = self.access.open(&self.root)?;
        let place = workspace.find(&self.file_path)?;
        let old = read_planned(&workspace, &place, planned, self.limit)?;
        let secret = existing_secret(&workspace, &place, &self.file_path, old.as_deref());
        let new = make(old.as_deref()).and_then(|new| check_len(&place, &new, self.limit).map(|()| new));
        let diff = match new {
            Ok(new) => Ok(diff(&place.name(), &place.absolute, old, new)),
            Err(error) => Err(hide_content(error, &place, secret.as_ref())),
        };
        let protected = workspace.protected_place(&place, PlannedPaths::default());
        Ok(PlannedChange { path: place, diff, secret, protected })
    }

    /// The file and all it will hold when `call` has run, with `make` as for [`ChangeTarget::plan`]. A change of a secret is not
    /// planned: what became of the calls after it would tell whether it fits.
    pub(crate) fn plan_file(
        &self,
        planned: &PlannedFiles,
        call: &CallState,
        make: impl FnOnce(Option<&str>) -> Result<String, ToolError>,
    ) -> Result<(PathBuf, Option<String>), ToolError> {
        let workspace = self.access.open(&self.root)?;
        let place = workspace.find(&self.file_path)?;
        let old = read_planned(&workspace, &place, planned, self.limit)?;
        if existing_secret(&workspace, &place, &self.file_path, old.as_deref()).is_some() {
            return Err(ToolError::Protected { path: place.name() });
        }
        let new = match edited_content(call) {
            Some(edit) => edit_in_style_of(old.as_deref(), edit).into_owned(),
            None => make(old.as_deref())?,
        };
        check_len(&place, &new, self.limit)?;
        Ok((place.absolute, Some(new)))
    }
}

/// What the file will hold when the calls before have run; `None` when it will not exist.
pub(crate) fn read_planned(
    workspace: &Workspace,
    place: &WorkspacePath,
    planned: &PlannedFiles,
    limit: u64,
) -> Result<Option<String>, ToolError> {
    // What cannot be changed now cannot be changed then, so the file is looked at all the same.
    let current = read_current(workspace, place, limit)?;
    Ok(match planned.content_of(&place.absolute) {
        Some(content) => content.cloned(),
        None => current,
    })
}

/// The secret that would be overwritten. A new file has none yet.
pub(crate) fn existing_secret(
    workspace: &Workspace,
    place: &WorkspacePath,
    asked: &str,
    old: Option<&str>,
) -> Option<ProtectedFile> {
    old.and_then(|_| workspace.secret_at(place, asked))
}

/// The content of a file that may be changed; `None` when it does not exist.
pub(crate) fn read_current(
    workspace: &Workspace,
    place: &WorkspacePath,
    limit: u64,
) -> Result<Option<String>, ToolError> {
    check_draft(place)?;
    let bytes = match workspace.read(place, limit, FileOperation::Write) {
        Ok(bytes) => bytes,
        Err(ToolError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    // What is kept from the model is not told by an edit that misses either, nor moved to where it can be read.
    workspace.check_ignored(place)?;
    let path = place.name();
    if workspace.read_metadata(place, FileOperation::Write)?.permissions().readonly() {
        return Err(ToolError::ReadOnly { path });
    }
    // A change of bytes that are no text could not be shown, and what cannot be shown is not run.
    String::from_utf8(bytes).map(Some).map_err(|_| ToolError::NotText { path, doing: FileOperation::Write })
}

/// Refuse a draft that a killed process left: it may be that of a secret, and its name does not say so.
pub(crate) fn check_draft(place: &WorkspacePath) -> Result<(), ToolError> {
    if place.absolute.file_name().and_then(OsStr::to_str).is_some_and(is_draft) {
        let message = format!("`{}` is an unfinished file of Pollux, which nobody reads or changes", place.name());
        return Err(ToolError::failed("invalid_tool_params", message));
    }
    Ok(())
}

fn check_len(place: &WorkspacePath, new: &str, limit: u64) -> Result<(), ToolError> {
    let len = new.len() as u64;
    if len <= limit {
        return Ok(());
    }
    Err(ToolError::TooLarge { path: place.name(), len, limit, doing: FileOperation::Write })
}

/// A change on its way to the disk.
pub(crate) struct ApprovedChange {
    target: ChangeTarget,
    shown: Option<AskDetails>,
    /// The file that policy allowed to change without a question, where it did.
    judged: Option<String>,
    edit: Option<String>,
    scope: ShownScope,
    /// True if it was allowed because it changes nothing.
    is_none: bool,
    /// Set when nobody waits for the outcome any more: then the file is left as it is.
    cancelled: CancellationToken,
}

/// A change that was made.
pub(crate) struct AppliedChange {
    pub(crate) diff: FileDiff,
    /// The changes that a person first made to the proposed content, as a diff that is cut where it is long.
    pub(crate) edit: Option<String>,
    /// True if the model is not to see what the file held: nobody was asked whether it may read it.
    pub(crate) is_secret: bool,
}

impl ApprovedChange {
    /// The change that `call` makes to `target`, where `judged` is what policy allowed of a call that nobody was asked about.
    /// Dropping the guard calls it off, as long as there is time.
    pub(crate) fn new(
        target: ChangeTarget,
        call: &CallState,
        judged: Option<&AskDetails>,
        scope: ShownScope,
    ) -> (ApprovedChange, DropGuard) {
        let shown = call.ask.as_ref().map(|ask| ask.details.clone());
        let judged = match judged {
            Some(AskDetails::Edit(diff)) => Some(diff.path.clone()),
            Some(
                AskDetails::Patch { .. }
                | AskDetails::Execute { .. }
                | AskDetails::Generic { .. }
                | AskDetails::Mcp { .. },
            )
            | None => None,
        };
        let edit = edited_content(call).cloned();
        let cancelled = CancellationToken::new();
        let guard = cancelled.clone().drop_guard();
        let is_none = call.kind == ToolKind::Read;
        (ApprovedChange { target, shown, judged, edit, scope, is_none, cancelled }, guard)
    }

    /// Make it, with `make` as for [`ChangeTarget::preview`]; a person's edit goes before. `None` when the file is no longer
    /// what was shown.
    pub(crate) fn apply(
        self,
        make: impl FnOnce(Option<&str>) -> Result<String, ToolError>,
    ) -> Result<Option<AppliedChange>, ToolError> {
        let workspace = self.target.access.open(&self.target.root)?;
        let place = workspace.find(&self.target.file_path)?;
        if self.judged.as_ref().is_some_and(|judged| *judged != place.absolute.to_string_lossy()) {
            return Ok(None);
        }
        let old = read_current(&workspace, &place, self.target.limit)?;
        let is_misfit_shown = matches!(self.shown, Some(AskDetails::Generic { .. }));
        let is_file_as_shown = match &self.shown {
            None => true,
            // A person was shown that the change does not fit.
            Some(AskDetails::Generic { .. }) => false,
            Some(shown) => match self.compare_with(shown, &place, old.as_deref()) {
                FileComparison::Same => true,
                FileComparison::OtherContent => false,
                FileComparison::NotComparable => return Ok(None),
            },
        };
        let secret = existing_secret(&workspace, &place, &self.target.file_path, old.as_deref());
        let new = match &self.edit {
            Some(edit) => edit_in_style_of(old.as_deref(), edit).into_owned(),
            None => match make(old.as_deref()).and_then(|new| check_len(&place, &new, self.target.limit).map(|()| new))
            {
                Ok(new) => new,
                // The next preview says what is wrong, or shows what is right.
                Err(_) if !is_file_as_shown && !is_misfit_shown => return Ok(None),
                Err(error) => return Err(hide_content(error, &place, secret.as_ref())),
            },
        };
        check_len(&place, &new, self.target.limit)?;
        if !is_file_as_shown && !self.is_shown_change(&place, old.as_deref(), &new) {
            return Ok(None);
        }
        let is_same = old.as_ref() == Some(&new);
        if self.is_none && !is_same {
            return Ok(None);
        }
        if is_same && secret.is_none() {
            let diff = diff(&place.name(), &place.absolute, old, new);
            return Ok(Some(AppliedChange { edit: self.describe_edit(&diff), diff, is_secret: false }));
        }
        let draft = FileDraft::write(&workspace, &place, |file| file.write_all(new.as_bytes()))?;
        // Writing took a while: look again, as late as possible.
        if read_current(&workspace, &place, self.target.limit)? != old {
            return Ok(None);
        }
        if self.cancelled.is_cancelled() {
            return Err(ToolError::Broken("cancelled before the file was written".into()));
        }
        draft.publish()?;
        let diff = diff(&place.name(), &place.absolute, old, new);
        Ok(Some(AppliedChange { edit: self.describe_edit(&diff), diff, is_secret: secret.is_some() }))
    }

    /// From what the model proposed to what was written. It knows the one, and a whole file is too much to tell the other.
    fn describe_edit(&self, written: &FileDiff) -> Option<String> {
        self.edit.as_ref()?;
        let proposed = match &self.shown {
            Some(AskDetails::Edit(shown)) => &shown.new,
            Some(
                AskDetails::Patch { .. }
                | AskDetails::Execute { .. }
                | AskDetails::Generic { .. }
                | AskDetails::Mcp { .. },
            )
            | None => {
                return None;
            }
        };
        Some(ExcerptBuilder::excerpt_of(&unified_diff(&written.name, proposed, &written.new)))
    }

    /// Compare the file with the one that was shown.
    fn compare_with(&self, shown: &AskDetails, place: &WorkspacePath, old: Option<&str>) -> FileComparison {
        match shown {
            AskDetails::Edit(shown) if shown.path == place.absolute.to_string_lossy() => {
                match (shown.old.as_deref() == old, self.scope, &self.edit) {
                    (true, ..) => FileComparison::Same,
                    // What a person made of the whole file was made of the one that they saw.
                    (false, ShownScope::ChangedLines, None) if shown.old.is_some() => FileComparison::OtherContent,
                    (false, ..) => FileComparison::NotComparable,
                }
            }
            AskDetails::Edit(_)
            | AskDetails::Patch { .. }
            | AskDetails::Execute { .. }
            | AskDetails::Generic { .. }
            | AskDetails::Mcp { .. } => FileComparison::NotComparable,
        }
    }

    /// Whether the lines that were shown change, and no others, in a file that holds something else now.
    fn is_shown_change(&self, place: &WorkspacePath, old: Option<&str>, new: &str) -> bool {
        let Some(AskDetails::Edit(FileDiff { old: Some(shown_old), patch, .. })) = &self.shown else { return false };
        let old = old.unwrap_or_default();
        is_same_change(shown_old, patch, old, &unified_diff(&place.name(), old, new))
    }
}

/// How a file compares with the one that was shown.
enum FileComparison {
    Same,
    /// It holds something else, and the change may still be what was shown.
    OtherContent,
    /// It is another file, or the change was shown as one of the whole file.
    NotComparable,
}

/// What a person made of the file before they allowed `call`.
fn edited_content(call: &CallState) -> Option<&String> {
    match &call.edit {
        Some(AnswerEdit::Content { new }) => Some(new),
        Some(AnswerEdit::Files { .. } | AnswerEdit::Answers { .. }) | None => None,
    }
}

impl AppliedChange {
    /// The result for the model of a change to a secret.
    pub(crate) fn without_content(&self, verb: &str) -> String {
        let edited = if self.edit.is_some() { " The person changed the result first." } else { "" };
        let name = &self.diff.name;
        format!(
            "{verb} {name}.{edited} Its content is not shown, because its name is protected; read_file asks for it."
        )
    }

    /// The change as a person is shown it.
    pub(crate) fn display(self) -> ResultDisplay {
        let whole = self.diff.new.len() + self.diff.old.as_ref().map_or(0, String::len);
        if whole <= SHOWN_WHOLE {
            ResultDisplay::Diff(self.diff)
        } else {
            ResultDisplay::Text { text: ExcerptBuilder::excerpt_of(&self.diff.patch) }
        }
    }
}

/// The failure of a change that does not fit the file: for a secret, nothing in it tells the content of the file.
/// Otherwise a model could find that out by guessing, without anybody being asked.
fn hide_content(error: ToolError, place: &WorkspacePath, secret: Option<&ProtectedFile>) -> ToolError {
    if secret.is_none() {
        return error;
    }
    let message = format!(
        "the change does not fit `{}`, and why is not said, because its name is protected; call read_file first, and \
         the person is asked",
        place.name()
    );
    ToolError::failed("edit_preparation_failure", message)
}

/// `content` with the line ends and the byte order mark of the file it replaces: models and text fields know neither.
pub(crate) fn in_style_of<'a>(old: Option<&str>, content: &'a str) -> Cow<'a, str> {
    const MARK: char = '\u{feff}';
    let old = old.unwrap_or_default();
    let mut content = with_line_ends_of(old, content);
    if old.starts_with(MARK) && !content.starts_with(MARK) {
        content.to_mut().insert(0, MARK);
    }
    content
}

/// The same for what a person made of it. Of a file whose lines end in both ways, a client that knows line ends sends them: then
/// each line stays as the person left it.
pub(crate) fn edit_in_style_of<'a>(old: Option<&str>, edit: &'a str) -> Cow<'a, str> {
    let crlf = old.map_or(0, |old| old.matches("\r\n").count());
    let is_mixed = crlf > 0 && old.is_some_and(|old| old.matches('\n').count() > crlf);
    if is_mixed && edit.contains("\r\n") { Cow::Borrowed(edit) } else { in_style_of(old, edit) }
}

/// `content` with `\r\n` where most lines of `old` end so.
pub(crate) fn with_line_ends_of<'a>(old: &str, content: &'a str) -> Cow<'a, str> {
    if 2 * old.matches("\r\n").count() > old.matches('\n').count() {
        Cow::Owned(content.replace("\r\n", "\n").replace('\n', "\r\n"))
    } else {
        Cow::Borrowed(content)
    }
}

/// The change of the file called `name` from `old` to `new`.
pub(crate) fn diff(name: &str, path: &Path, old: Option<String>, new: String) -> FileDiff {
    let patch = unified_diff(name, old.as_deref().unwrap_or_default(), &new);
    FileDiff { path: path.to_string_lossy().into_owned(), name: name.to_owned(), old, new, patch }
}
