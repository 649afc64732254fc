//! A change of one file: shown as a diff, compared again when it runs, written whole or not at all.

use crate::error::{FileOperation, ToolError};
use crate::excerpt::ExcerptBuilder;
use crate::line_ends::{has_mixed_line_ends, keep_line_ends};
use crate::patch::{is_same_change, unified_diff};
use crate::planned_files::{PlannedContent, PlannedFile, PlannedFiles};
use crate::text_encoding::TextEncoding;
use crate::text_file::{FileKnowledge, TextFile, encode, read_current, read_planned, sha256};
use crate::tool::{CallMisfit, CallPreview};
use crate::workspace::{FileAccess, FileDraft, PlannedPaths, ProtectedFile, Workspace, WorkspacePath};
use pollux_session::{
    AnswerEdit, AskDetails, CallResult, CallState, FileDiff, ResultDisplay, SeenFile, SeenFiles, ToolKind,
};
use std::borrow::Cow;
use std::io::{self, Write};
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
    pub(crate) scope: ChangeScope,
}

/// How much of a file a change is about, and with that how much of it must be as it was shown, and as the model knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeScope {
    /// Lines that are found by their text. They must be as they were shown, with those around them; the rest of the file may have
    /// changed meanwhile, and need not be known.
    FoundLines,
    /// Something comes to it. All of it must be as it was shown; it need not be known.
    Addition,
    /// All of it. It must be as it was shown, and as the model knows it.
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
        let secret = existing_secret(&workspace, &place, &self.file_path, old.as_ref());
        let hide = |error| hide_content(error, &place, secret.as_ref());
        let new = make(text_of(old.as_ref())).map_err(hide).and_then(|new| {
            self.check_known(&workspace, &place, old.as_ref(), Some(&new), secret.is_some())?;
            self.encode(&place, old.as_ref(), &new).map_err(hide)?;
            Ok(new)
        });
        let diff = new.map(|new| diff(&place.name(), &place.absolute, old.map(|old| old.text), new));
        let protected = workspace.protected_place(&place, PlannedPaths::default());
        Ok(PlannedChange { path: place, diff, secret, protected })
    }

    /// The file as `call` will leave it, with `make` as for [`ChangeTarget::plan`]. A change of a secret is not planned: what became
    /// of the calls after it would tell whether it fits.
    pub(crate) fn plan_file(
        &self,
        planned: &PlannedFiles,
        call: &CallState,
        make: impl FnOnce(Option<&str>) -> Result<String, ToolError>,
    ) -> Result<(PathBuf, PlannedFile), ToolError> {
        let workspace = self.access.open(&self.root)?;
        let place = workspace.find(&self.file_path)?;
        let old = read_planned(&workspace, &place, planned, self.limit)?;
        if existing_secret(&workspace, &place, &self.file_path, old.as_ref()).is_some() {
            return Err(ToolError::Protected { path: place.name() });
        }
        let new = match edited_content(call) {
            Some(edit) => edit_in_style_of(text_of(old.as_ref()), edit).into_owned(),
            None => make(text_of(old.as_ref()))?,
        };
        self.check_known(&workspace, &place, old.as_ref(), Some(&new), false)?;
        self.encode(&place, old.as_ref(), &new)?;
        let knowledge = self.knowledge_afterwards(old.as_ref());
        Ok((place.absolute, PlannedFile { content: PlannedContent::Text(new), knowledge }))
    }

    /// Check that the model knows what it is about to replace. A file that holds the `new` content already loses nothing; but whether a
    /// secret is what the model thinks is not for it to know.
    fn check_known(
        &self,
        workspace: &Workspace,
        place: &WorkspacePath,
        old: Option<&TextFile>,
        new: Option<&String>,
        is_secret: bool,
    ) -> Result<(), ToolError> {
        match old {
            Some(old) if self.scope == ChangeScope::WholeFile && (is_secret || Some(&old.text) != new) => {
                old.check_known(workspace, place, is_secret)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The bytes of the file when it holds `new`.
    fn encode(&self, place: &WorkspacePath, old: Option<&TextFile>, new: &str) -> Result<Vec<u8>, ToolError> {
        let bytes = encode(place, old.map_or(TextEncoding::Utf8, |old| old.encoding), new)?;
        let (len, limit) = (bytes.len() as u64, self.limit);
        if len <= limit {
            return Ok(bytes);
        }
        Err(ToolError::TooLarge { path: place.name(), len, limit, doing: FileOperation::Write })
    }

    /// What the model knows of the file after the change: an edit of some lines tells nothing about the others.
    fn knowledge_afterwards(&self, old: Option<&TextFile>) -> FileKnowledge {
        match old {
            Some(old) if self.scope != ChangeScope::WholeFile => old.knowledge.clone(),
            Some(_) | None => FileKnowledge::Current,
        }
    }
}

fn text_of(file: Option<&TextFile>) -> Option<&str> {
    file.map(|file| file.text.as_str())
}

/// The secret that would be overwritten. A new file has none yet.
pub(crate) fn existing_secret(
    workspace: &Workspace,
    place: &WorkspacePath,
    asked: &str,
    old: Option<&TextFile>,
) -> Option<ProtectedFile> {
    old.and_then(|_| workspace.secret_at(place, asked))
}

/// A change on its way to the disk.
pub(crate) struct ApprovedChange {
    target: ChangeTarget,
    shown: Option<AskDetails>,
    /// The file that policy allowed to change without a question, where it did.
    judged: Option<String>,
    edit: Option<String>,
    /// What the model has seen.
    seen: PlannedFiles,
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
    /// The file as it is now, if the model knows what it holds.
    seen: Option<SeenFile>,
    /// What the model has to know if somebody else had changed the file.
    pub(crate) foreign_change: Option<String>,
}

impl ApprovedChange {
    /// The change that `call` makes to `target`, where `judged` is what policy allowed of a call that nobody was asked about, and
    /// `seen` what the model has seen. Dropping the guard calls it off, as long as there is time.
    pub(crate) fn new(
        target: ChangeTarget,
        call: &CallState,
        judged: Option<&AskDetails>,
        seen: Arc<SeenFiles>,
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
        let seen = PlannedFiles::new(seen);
        (ApprovedChange { target, shown, judged, edit, seen, is_none, cancelled }, guard)
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
        let old = read_current(&workspace, &place, &self.seen, self.target.limit)?;
        let old_text = text_of(old.as_ref());
        let secret = existing_secret(&workspace, &place, &self.target.file_path, old.as_ref());
        let made = match &self.edit {
            Some(edit) => Ok(edit_in_style_of(old_text, edit).into_owned()),
            None => make(old_text),
        };
        // A person was shown that the change does not fit.
        let is_misfit_shown = matches!(self.shown, Some(AskDetails::Generic { .. }));
        let is_shown_path = is_misfit_shown || self.shown.as_ref().is_none_or(|shown| is_about(shown, &place));
        if is_shown_path && !self.is_none {
            self.target.check_known(&workspace, &place, old.as_ref(), made.as_ref().ok(), secret.is_some())?;
        }
        let is_file_as_shown = match &self.shown {
            None => true,
            Some(_) if is_misfit_shown => false,
            Some(shown) => match self.compare_with(shown, &place, old_text) {
                FileComparison::Same => true,
                FileComparison::OtherContent => false,
                FileComparison::NotComparable => return Ok(None),
            },
        };
        let encoded = made.and_then(|new| Ok((self.target.encode(&place, old.as_ref(), &new)?, new)));
        let (bytes, new) = match encoded {
            Ok(encoded) => encoded,
            // The next preview says what is wrong, or shows what is right.
            Err(_) if !is_file_as_shown && !is_misfit_shown => return Ok(None),
            Err(error) => return Err(hide_content(error, &place, secret.as_ref())),
        };
        if !is_file_as_shown && !self.is_shown_change(&place, old_text, &new) {
            return Ok(None);
        }
        let is_same = old_text == Some(new.as_str());
        if self.is_none && !is_same {
            return Ok(None);
        }
        if is_same && secret.is_none() {
            return Ok(Some(self.describe(&workspace, &place, old, new, &bytes, false)));
        }
        let draft = FileDraft::write(&workspace, &place, |file| file.write_all(&bytes))?;
        // Writing took a while: look again, as late as possible.
        if read_current(&workspace, &place, &self.seen, self.target.limit)? != old {
            return Ok(None);
        }
        if self.cancelled.is_cancelled() {
            return Err(ToolError::Broken("cancelled before the file was written".into()));
        }
        let published = if old.is_some() { draft.publish() } else { draft.publish_new() };
        match published {
            // Somebody else has made it just now.
            Err(ToolError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            published => published?,
        }
        Ok(Some(self.describe(&workspace, &place, old, new, &bytes, secret.is_some())))
    }

    /// What was done to a file that held `old` and holds `new` now, which are these bytes.
    fn describe(
        &self,
        workspace: &Workspace,
        place: &WorkspacePath,
        old: Option<TextFile>,
        new: String,
        bytes: &[u8],
        is_secret: bool,
    ) -> AppliedChange {
        let knowledge = self.target.knowledge_afterwards(old.as_ref());
        let foreign_change = old.as_ref().and_then(|old| old.foreign_change_note(&place.name()));
        let diff = diff(&place.name(), &place.absolute, old.map(|old| old.text), new);
        let edit = self.describe_edit(&diff);
        // What the person made of it is known as far as it is told.
        let is_told = edit.as_ref().is_none_or(|edit| !is_secret && !edit.is_cut);
        let is_known = is_told && knowledge == FileKnowledge::Current;
        let seen = is_known.then(|| workspace.note_seen(place, &sha256(bytes), &diff.new, is_secret));
        AppliedChange { diff, edit: edit.map(|edit| edit.text), is_secret, seen, foreign_change }
    }

    /// From what the model proposed to what was written. It knows the one, and a whole file is too much to tell the other.
    fn describe_edit(&self, written: &FileDiff) -> Option<EditDescription> {
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
        Some(EditDescription::new(&unified_diff(&written.name, proposed, &written.new)))
    }

    /// Compare the file with the one that was shown.
    fn compare_with(&self, shown: &AskDetails, place: &WorkspacePath, old: Option<&str>) -> FileComparison {
        match shown {
            AskDetails::Edit(shown) if shown.path == place.absolute.to_string_lossy() => {
                match (shown.old.as_deref() == old, self.target.scope, &self.edit) {
                    (true, ..) => FileComparison::Same,
                    // What a person made of the whole file was made of the one that they saw.
                    (false, ChangeScope::FoundLines, None) if shown.old.is_some() => FileComparison::OtherContent,
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

/// Whether the file at `place` is the one that was `shown`.
fn is_about(shown: &AskDetails, place: &WorkspacePath) -> bool {
    matches!(shown, AskDetails::Edit(shown) if shown.path == place.absolute.to_string_lossy())
}

/// What a person made of a proposed content, as a diff that is cut where it is long.
pub(crate) struct EditDescription {
    pub(crate) text: String,
    pub(crate) is_cut: bool,
}

impl EditDescription {
    pub(crate) fn new(diff: &str) -> EditDescription {
        let mut excerpt = ExcerptBuilder::default();
        excerpt.push(diff);
        EditDescription { is_cut: excerpt.is_cut(), text: excerpt.finish() }
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

    /// The result of a call that made it, with `text` for the model.
    pub(crate) fn into_result(self, mut text: String) -> CallResult {
        if let Some(note) = self.foreign_change {
            text = format!("{}\n\n{note}", text.trim_end());
        }
        let whole = self.diff.new.len() + self.diff.old.as_ref().map_or(0, String::len);
        let display = if whole <= SHOWN_WHOLE {
            ResultDisplay::Diff(self.diff)
        } else {
            ResultDisplay::Text { text: ExcerptBuilder::excerpt_of(&self.diff.patch) }
        };
        CallResult { text, display: Some(display), seen: self.seen.into_iter().collect(), ..CallResult::default() }
    }
}

/// The failure of a change that does not fit the file: for a secret, nothing in it tells the content of the file.
/// Otherwise a model could find that out by guessing, without anybody being asked.
pub(crate) fn hide_content(error: ToolError, place: &WorkspacePath, secret: Option<&ProtectedFile>) -> ToolError {
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

/// `content` with the line ends of the file it replaces, and without a byte order mark: the file keeps its own.
pub(crate) fn in_style_of<'a>(old: Option<&str>, content: &'a str) -> Cow<'a, str> {
    match old {
        Some(old) => keep_line_ends(old, content.strip_prefix('\u{feff}').unwrap_or(content)),
        None => Cow::Borrowed(content),
    }
}

/// The same for what a person made of it. Of a file whose lines end in both ways, a client that knows line ends sends them: then
/// each line stays as the person left it.
pub(crate) fn edit_in_style_of<'a>(old: Option<&str>, edit: &'a str) -> Cow<'a, str> {
    let is_mixed = old.is_some_and(has_mixed_line_ends);
    if is_mixed && edit.contains("\r\n") { Cow::Borrowed(edit) } else { in_style_of(old, edit) }
}

/// The change of the file called `name` from `old` to `new`.
pub(crate) fn diff(name: &str, path: &Path, old: Option<String>, new: String) -> FileDiff {
    let patch = unified_diff(name, old.as_deref().unwrap_or_default(), &new);
    FileDiff { path: path.to_string_lossy().into_owned(), name: name.to_owned(), old, new, patch }
}
