//! Writes a planned patch: all of it or nothing.
//!
//! Every new content is complete on disk beside its place, and every file is looked at once more, before the first one changes.
//! What goes wrong after that is undone. A process that is killed between the first file and the last leaves some of them changed;
//! the checkpoint from before the call has them all.

use super::patch_plan::PlannedPatchFile;
use crate::error::{FileOperation, ToolError};
use crate::file_exchange::{
    ExchangeDraft, ExpectedFile, FileExchangeOutcome, FileOwnership, remove_expected, write_new,
};
use crate::workspace::{FileDraft, Workspace, WorkspacePath};
use cap_std::fs::{File, MetadataExt};
use pollux_session::PatchedFileChange;
use rustix::fs::{Mode, OFlags, openat};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatchWriting {
    Done,
    /// A file is no longer what the patch was made for; nothing was changed.
    Stale,
}

/// A change that was made, as it is undone.
enum UndoStep<'a> {
    /// It holds what the patch says, and held this.
    Rewrite { place: &'a WorkspacePath, new: &'a [u8], old: &'a [u8], ownership: FileOwnership },
    /// It is gone, and held this.
    Bring { place: &'a WorkspacePath, old: &'a [u8], ownership: FileOwnership },
    /// It is new, and holds what the patch says.
    Remove { place: &'a WorkspacePath, new: &'a [u8] },
}

/// A file that the patch changes, with what it holds before and after, in its encoding.
struct EncodedPatchFile<'a> {
    file: &'a PlannedPatchFile,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// New content on its way to its place.
enum PatchDraft<'a> {
    /// In the place of the old one.
    Over(ExchangeDraft, FileOwnership),
    /// Where nothing is.
    New(FileDraft<'a>),
}

/// Write all of `files`, unless `cancelled` is set in time.
pub(super) fn publish(
    workspace: &Workspace,
    files: &[PlannedPatchFile],
    cancelled: &CancellationToken,
) -> Result<PatchWriting, ToolError> {
    publish_with(workspace, files, cancelled, |_| Ok(()))
}

/// The same, with something to do before each change.
fn publish_with(
    workspace: &Workspace,
    files: &[PlannedPatchFile],
    cancelled: &CancellationToken,
    mut before_each: impl FnMut(&WorkspacePath) -> Result<(), ToolError>,
) -> Result<PatchWriting, ToolError> {
    let files = files.iter().filter(|file| !file.changes_nothing()).map(EncodedPatchFile::new);
    let files: Vec<EncodedPatchFile<'_>> = files.collect::<Result<_, ToolError>>()?;
    let missing: Vec<_> = files.iter().flat_map(|file| workspace.missing_directories(&file.file.place)).collect();
    let mut undo: Vec<UndoStep<'_>> = Vec::new();
    let result = write_all(workspace, &files, cancelled, &mut before_each, &mut undo);
    if matches!(result, Ok(PatchWriting::Done)) {
        return result;
    }
    let mut failures = Vec::new();
    for step in undo.into_iter().rev() {
        let place = step.place();
        if let Err(why) = undo_change(workspace, &step) {
            failures.push(format!("`{}`: {why}", place.name()));
        }
    }
    workspace.remove_empty_directories(&missing);
    if failures.is_empty() {
        return result;
    }
    let why = match result {
        Err(error) => error.to_string(),
        Ok(_) => "a file was changed while the patch was written".to_owned(),
    };
    let message = format!(
        "{why}; what had been changed already could not be put back everywhere: {}; /restore goes back to the checkpoint from \
         before this call",
        failures.join("; ")
    );
    Err(ToolError::Failed { kind: "file_write_failure", message })
}

fn write_all<'a>(
    workspace: &'a Workspace,
    files: &'a [EncodedPatchFile<'a>],
    cancelled: &CancellationToken,
    before_each: &mut impl FnMut(&WorkspacePath) -> Result<(), ToolError>,
    undo: &mut Vec<UndoStep<'a>>,
) -> Result<PatchWriting, ToolError> {
    let mut drafts: Vec<(&EncodedPatchFile<'a>, PatchDraft<'a>)> = Vec::new();
    for encoded in files.iter().filter(|encoded| encoded.file.file.change != PatchedFileChange::Delete) {
        let EncodedPatchFile { file, new, .. } = encoded;
        let draft = match file.file.change {
            PatchedFileChange::Edit => {
                let ownership = ownership(workspace, &file.place)?;
                PatchDraft::Over(write_over(workspace, &file.place, ownership, new)?, ownership)
            }
            PatchedFileChange::Add | PatchedFileChange::Move { .. } | PatchedFileChange::Delete => {
                let ownership = file.from.as_ref().map(|from| ownership(workspace, from)).transpose()?;
                PatchDraft::New(FileDraft::write(workspace, &file.place, |draft| fill(draft, ownership, new))?)
            }
        };
        drafts.push((encoded, draft));
    }
    // Writing took a while: look again, as late as possible.
    for EncodedPatchFile { file, .. } in files {
        if !file.is_current(workspace)? {
            return Ok(PatchWriting::Stale);
        }
    }
    if cancelled.is_cancelled() {
        return Err(ToolError::Broken("cancelled before the files were written".into()));
    }
    for (EncodedPatchFile { file, old, new }, draft) in drafts {
        let place = &file.place;
        before_each(place)?;
        match draft {
            PatchDraft::Over(draft, ownership) => {
                if !is_done(place, draft.replace(ExpectedFile::Content(old)))? {
                    return Ok(PatchWriting::Stale);
                }
                undo.push(UndoStep::Rewrite { place, new, old, ownership });
            }
            PatchDraft::New(draft) => {
                draft.publish_new()?;
                undo.push(UndoStep::Remove { place, new });
            }
        }
    }
    for EncodedPatchFile { file, old, .. } in files {
        let gone = match file.file.change {
            PatchedFileChange::Delete => Some(&file.place),
            PatchedFileChange::Move { .. } => file.from.as_ref(),
            PatchedFileChange::Add | PatchedFileChange::Edit => None,
        };
        if let Some(place) = gone {
            before_each(place)?;
            let ownership = ownership(workspace, place)?;
            if !remove(workspace, place, old)? {
                return Ok(PatchWriting::Stale);
            }
            undo.push(UndoStep::Bring { place, old, ownership });
        }
    }
    Ok(PatchWriting::Done)
}

impl<'a> EncodedPatchFile<'a> {
    fn new(file: &'a PlannedPatchFile) -> Result<EncodedPatchFile<'a>, ToolError> {
        Ok(EncodedPatchFile { file, old: file.old_bytes()?, new: file.new_bytes()? })
    }
}

impl<'a> UndoStep<'a> {
    fn place(&self) -> &'a WorkspacePath {
        match self {
            UndoStep::Rewrite { place, .. } | UndoStep::Bring { place, .. } | UndoStep::Remove { place, .. } => place,
        }
    }
}

/// Undo a change, unless somebody has saved the file since.
fn undo_change(workspace: &Workspace, step: &UndoStep<'_>) -> Result<(), ToolError> {
    let is_undone = match *step {
        UndoStep::Remove { place, new } => remove(workspace, place, new)?,
        UndoStep::Rewrite { place, new, old, ownership } => {
            let draft = write_over(workspace, place, ownership, old)?;
            is_done(place, draft.replace(ExpectedFile::Content(new)))?
        }
        UndoStep::Bring { place, old, ownership } => {
            let draft = write_over(workspace, place, ownership, old)?;
            is_done(place, draft.place_new())?
        }
    };
    let saved = || ToolError::failed("file_write_failure", "it was saved meanwhile, so it stays as it is now");
    is_undone.then_some(()).ok_or_else(saved)
}

/// Remove the file at `place`, if it holds `content`.
fn remove(workspace: &Workspace, place: &WorkspacePath, content: &[u8]) -> Result<bool, ToolError> {
    let name = place.relative().file_name().unwrap_or_default();
    let parent = open_parent(workspace, place)?;
    is_done(place, remove_expected(&parent, name, ExpectedFile::Content(content)))
}

/// New content for the file at `place`, complete on disk beside it.
fn write_over(
    workspace: &Workspace,
    place: &WorkspacePath,
    ownership: FileOwnership,
    content: &[u8],
) -> Result<ExchangeDraft, ToolError> {
    let name = place.relative().file_name().unwrap_or_default();
    let draft = ExchangeDraft::make(open_parent(workspace, place)?, name, |parent, draft| {
        write_new(parent, draft, Mode::empty(), Some(ownership), content)
    });
    draft.map_err(|error| write_error(place, error))
}

/// The directory that `place` is in. The path was real when it was found, so a link in it now is somebody's change.
fn open_parent(workspace: &Workspace, place: &WorkspacePath) -> Result<OwnedFd, ToolError> {
    let root = workspace.place_of(place, workspace.root_of(place)).unwrap_or_else(|| place.clone());
    let mut parent: OwnedFd = workspace.directory(&root, FileOperation::Write)?.into_std_file().into();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for part in place.relative().parent().into_iter().flat_map(Path::components) {
        let opened = openat(&parent, part.as_os_str(), flags, Mode::empty());
        parent = opened.map_err(|error| write_error(place, error.into()))?;
    }
    Ok(parent)
}

/// Whether the file was as expected. One that was saved at the same moment and could not go back to its place is named.
fn is_done(place: &WorkspacePath, outcome: io::Result<FileExchangeOutcome>) -> Result<bool, ToolError> {
    match outcome.map_err(|error| write_error(place, error))? {
        FileExchangeOutcome::Done => Ok(true),
        FileExchangeOutcome::Changed { kept: None } => Ok(false),
        FileExchangeOutcome::Changed { kept: Some(kept) } => {
            let message = format!(
                "`{}` was saved several times at this moment; an older save is kept beside it as `{kept}`",
                place.name()
            );
            Err(ToolError::failed("file_write_failure", message))
        }
    }
}

fn write_error(place: &WorkspacePath, source: io::Error) -> ToolError {
    ToolError::Io { path: place.name(), doing: FileOperation::Write, source }
}

fn ownership(workspace: &Workspace, place: &WorkspacePath) -> Result<FileOwnership, ToolError> {
    let now = workspace.read_metadata(place, FileOperation::Write)?;
    Ok(FileOwnership { user: now.uid(), group: now.gid(), mode: now.mode() })
}

fn fill(draft: &mut File, ownership: Option<FileOwnership>, content: &[u8]) -> io::Result<()> {
    ownership.map_or(Ok(()), |ownership| ownership.apply(draft))?;
    draft.write_all(content)
}
