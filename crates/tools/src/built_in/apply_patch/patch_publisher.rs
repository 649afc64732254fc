//! Writes a planned patch: all of it or nothing.
//!
//! Every new content is complete on disk beside its place, and every file is looked at once more, before the first one changes.
//! What goes wrong after that is undone. A process that is killed between the first file and the last leaves some of them changed;
//! the checkpoint from before the call has them all.

use super::patch_plan::PlannedPatchFile;
use crate::error::{FileOperation, ToolError};
use crate::workspace::{FileDraft, Workspace, WorkspacePath};
use cap_std::fs::{File, Permissions};
use pollux_session::PatchedFileChange;
use std::io::{self, Write};
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
    Rewrite(&'a WorkspacePath, Vec<u8>, Permissions),
    Remove(&'a WorkspacePath),
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
    let files: Vec<&PlannedPatchFile> = files.iter().filter(|file| !file.changes_nothing()).collect();
    let missing: Vec<_> = files.iter().flat_map(|file| workspace.missing_directories(&file.place)).collect();
    let mut undo: Vec<UndoStep<'_>> = Vec::new();
    let result = write_all(workspace, &files, cancelled, &mut before_each, &mut undo);
    if matches!(result, Ok(PatchWriting::Done)) {
        return result;
    }
    let failures: Vec<String> = undo.into_iter().rev().filter_map(|step| undo_change(workspace, step).err()).collect();
    workspace.remove_empty_directories(&missing);
    match (result, failures.is_empty()) {
        (Err(error), false) => {
            let message = format!(
                "{error}; what had been changed already could not be put back everywhere: {}; /restore goes back to the \
                 checkpoint from before this call",
                failures.join("; ")
            );
            Err(ToolError::Failed { kind: "file_write_failure", message })
        }
        (result, _) => result,
    }
}

fn write_all<'a>(
    workspace: &'a Workspace,
    files: &[&'a PlannedPatchFile],
    cancelled: &CancellationToken,
    before_each: &mut impl FnMut(&WorkspacePath) -> Result<(), ToolError>,
    undo: &mut Vec<UndoStep<'a>>,
) -> Result<PatchWriting, ToolError> {
    let mut drafts: Vec<(&PlannedPatchFile, FileDraft<'a>)> = Vec::new();
    for file in files.iter().filter(|file| file.file.change != PatchedFileChange::Delete) {
        let mode = file.from.as_ref().map(|from| permissions(workspace, from)).transpose()?;
        let new = file.new_bytes()?;
        drafts.push((file, FileDraft::write(workspace, &file.place, |draft| fill(draft, mode, &new))?));
    }
    // Writing took a while: look again, as late as possible.
    for file in files {
        if !file.is_current(workspace)? {
            return Ok(PatchWriting::Stale);
        }
    }
    if cancelled.is_cancelled() {
        return Err(ToolError::Broken("cancelled before the files were written".into()));
    }
    for (file, draft) in drafts {
        before_each(&file.place)?;
        match file.file.change {
            PatchedFileChange::Edit => {
                let (mode, old) = (permissions(workspace, &file.place)?, file.old_bytes()?);
                draft.publish()?;
                undo.push(UndoStep::Rewrite(&file.place, old, mode));
            }
            PatchedFileChange::Add | PatchedFileChange::Move { .. } | PatchedFileChange::Delete => {
                draft.publish_new()?;
                undo.push(UndoStep::Remove(&file.place));
            }
        }
    }
    for file in files {
        let gone = match file.file.change {
            PatchedFileChange::Delete => Some(&file.place),
            PatchedFileChange::Move { .. } => file.from.as_ref(),
            PatchedFileChange::Add | PatchedFileChange::Edit => None,
        };
        if let Some(gone) = gone {
            before_each(gone)?;
            let (mode, old) = (permissions(workspace, gone)?, file.old_bytes()?);
            workspace.remove_file(gone)?;
            undo.push(UndoStep::Rewrite(gone, old, mode));
        }
    }
    Ok(PatchWriting::Done)
}

fn permissions(workspace: &Workspace, place: &WorkspacePath) -> Result<Permissions, ToolError> {
    Ok(workspace.read_metadata(place, FileOperation::Write)?.permissions())
}

fn fill(draft: &mut File, mode: Option<Permissions>, content: &[u8]) -> io::Result<()> {
    mode.map_or(Ok(()), |mode| draft.set_permissions(mode))?;
    draft.write_all(content)
}

/// Undo a change; the error says what was not undone.
fn undo_change(workspace: &Workspace, step: UndoStep<'_>) -> Result<(), String> {
    let (place, undone) = match step {
        UndoStep::Remove(place) => (place, workspace.remove_file(place)),
        UndoStep::Rewrite(place, old, mode) => {
            let draft = FileDraft::write(workspace, place, |draft| fill(draft, Some(mode), &old));
            (place, draft.and_then(FileDraft::publish))
        }
    };
    undone.map_err(|error| format!("`{}`: {error}", place.name()))
}
