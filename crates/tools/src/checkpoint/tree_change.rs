//! The difference between two trees, file by file.

use super::shadow_repository::{LEFT_OUT, path, records};
use std::path::PathBuf;

/// The mode of a link.
pub(super) const LINK: &str = "120000";
/// The mode of a file that may be run.
pub(super) const PROGRAM: &str = "100755";
/// The mode of nothing.
const ABSENT: &str = "000000";

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeChange {
    /// Relative to the workspace.
    pub(super) path: PathBuf,
    /// The version that is there now.
    pub(super) now: Option<FileVersion>,
    /// The version that will be there.
    pub(super) then: Option<FileVersion>,
}

/// A file's mode and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileVersion {
    pub(super) mode: String,
    pub(super) id: String,
}

impl TreeChange {
    /// True if the file was too large to be saved, now or then: then it stays as it is.
    pub(super) fn is_left_out(&self) -> bool {
        [&self.now, &self.then].into_iter().flatten().any(|version| version.mode == LEFT_OUT)
    }
}

/// The changes in an answer of `git diff-tree -r -z`: `:MODE MODE ID ID LETTER`, then the path.
pub(super) fn parse(answer: &[u8]) -> Vec<TreeChange> {
    let mut parts = records(answer);
    let mut changes = Vec::new();
    while let (Some(head), Some(name)) = (parts.next(), parts.next()) {
        let head = String::from_utf8_lossy(head);
        let mut words = head.trim_start_matches(':').split(' ');
        let (Some(old_mode), Some(new_mode), Some(old), Some(new)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let version =
            |mode: &str, id: &str| (mode != ABSENT).then(|| FileVersion { mode: mode.to_owned(), id: id.to_owned() });
        changes.push(TreeChange { path: path(name), now: version(old_mode, old), then: version(new_mode, new) });
    }
    changes
}
