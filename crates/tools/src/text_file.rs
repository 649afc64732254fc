//! Text files as they are changed: what they hold, how that is written down, and whether the model knows it.

use crate::error::{FileOperation, ToolError};
use crate::planned_files::{PlannedContent, PlannedFiles};
use crate::text_encoding::{DecodedText, TextEncoding, decode};
use crate::workspace::{Workspace, WorkspacePath, is_draft};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;

/// A text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextFile {
    pub(crate) text: String,
    pub(crate) encoding: TextEncoding,
    /// SHA-256 of its bytes, in hex; `None` for a file that is only planned.
    pub(crate) sha256: Option<String>,
    pub(crate) knowledge: FileKnowledge,
}

/// What the model knows of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileKnowledge {
    /// It has seen the file as it is, in whole or in part, or made it so.
    Current,
    /// It has seen this version of it, by SHA-256.
    Outdated(String),
    /// It has never seen it.
    Nothing,
}

impl TextFile {
    /// Check that the model knows the file as it is, before all of it is replaced, moved or removed.
    pub(crate) fn check_known(
        &self,
        workspace: &Workspace,
        place: &WorkspacePath,
        is_secret: bool,
    ) -> Result<(), ToolError> {
        let path = place.name();
        match &self.knowledge {
            FileKnowledge::Current => Ok(()),
            FileKnowledge::Nothing => Err(ToolError::NotSeen { path }),
            FileKnowledge::Outdated(sha256) => {
                let known = if is_secret { None } else { workspace.describe_difference(place, sha256, &self.text) };
                let difference = known.map(|diff| format!(". What has changed:\n{diff}")).unwrap_or_default();
                Err(ToolError::ChangedSinceSeen { path, difference })
            }
        }
    }

    /// A sentence for the result of an edit that fitted all the same, if somebody else has changed the file.
    pub(crate) fn foreign_change_note(&self, path: &str) -> Option<String> {
        let is_outdated = matches!(self.knowledge, FileKnowledge::Outdated(_));
        is_outdated.then(|| {
            format!(
                "{path} had changed since you last saw it, by the person or by a program: read it again before you rely on \
                 the rest of it."
            )
        })
    }
}

/// The digest of a file with these bytes: SHA-256, in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of the file at `place` when it holds `text`.
pub(crate) fn encode(place: &WorkspacePath, encoding: TextEncoding, text: &str) -> Result<Vec<u8>, ToolError> {
    encoding.encode(text).map_err(|letter| {
        let line = text.lines().position(|line| line.contains(letter)).map_or(1, |at| at + 1);
        let message = format!(
            "`{}` is {encoding}, and keeps this encoding, which has no {letter:?} (line {line} of the new content); write \
             that in other characters, or ask the person whether to turn the file into UTF-8 first",
            place.name()
        );
        ToolError::failed("edit_preparation_failure", message)
    })
}

/// The file at `place` as it is when the calls before have run; `None` when it will not exist.
pub(crate) fn read_planned(
    workspace: &Workspace,
    place: &WorkspacePath,
    planned: &PlannedFiles,
    limit: u64,
) -> Result<Option<TextFile>, ToolError> {
    // What cannot be changed now cannot be changed then, so the file is looked at all the same.
    let current = read_current(workspace, place, planned, limit)?;
    let Some(plan) = planned.get(&place.absolute) else { return Ok(current) };
    let knowledge = plan.knowledge.clone();
    Ok(match &plan.content {
        PlannedContent::Gone => None,
        PlannedContent::Unchanged => current.map(|file| TextFile { knowledge, ..file }),
        PlannedContent::Text(text) => {
            let encoding = current.as_ref().map(|file| file.encoding).unwrap_or_default();
            let sha256 = current.and_then(|file| file.sha256);
            Some(TextFile { text: text.clone(), encoding, sha256, knowledge })
        }
    })
}

/// The file at `place` as it is, if it may be changed; `None` when it does not exist. `planned` knows what the model has seen.
pub(crate) fn read_current(
    workspace: &Workspace,
    place: &WorkspacePath,
    planned: &PlannedFiles,
    limit: u64,
) -> Result<Option<TextFile>, ToolError> {
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
    let Some(DecodedText { text, encoding, lossy }) = decode(&bytes) else {
        return Err(ToolError::NotText { path, doing: FileOperation::Write });
    };
    if lossy {
        let message = format!(
            "`{path}` is {encoding}, and some of its bytes are no text in it, which a change would lose; use run_shell_command \
             if you need to"
        );
        return Err(ToolError::failed("file_write_failure", message));
    }
    let sha256 = sha256(&bytes);
    let knowledge = planned.knowledge_of(&place.absolute, &sha256);
    Ok(Some(TextFile { text: text.into_owned(), encoding, sha256: Some(sha256), knowledge }))
}

/// Refuse a draft that a killed process left: it may be that of a secret, and its name does not say so.
pub(crate) fn check_draft(place: &WorkspacePath) -> Result<(), ToolError> {
    if place.absolute.file_name().and_then(OsStr::to_str).is_some_and(is_draft) {
        let message = format!("`{}` is an unfinished file of Pollux, which nobody reads or changes", place.name());
        return Err(ToolError::failed("invalid_tool_params", message));
    }
    Ok(())
}
