//! Whose changes a restore takes back. A checkpoint knows what files were like, not who changed them since; what each
//! call may have changed tells the files apart that only the person can have changed.

use super::error::CheckpointError;
use super::shadow_repository::ShadowRepository;
use super::tree_change::parse;
use pollux_session::SessionId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Which files go back.
#[derive(Clone, Copy, Debug)]
pub enum RestoreScope<'a> {
    /// Every file, whoever changed it.
    Everything,
    /// Only files that one of these calls may have changed. They are all of the session's since the checkpoint that is gone
    /// back to, and the first is the one it was made for.
    ChangedBy(&'a [CheckpointedCall<'a>]),
}

/// A call that a checkpoint was made for.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointedCall<'a> {
    /// What the workspace was like before it, if that was saved.
    pub saved: Option<&'a str>,
    /// The only file it may have changed; `None` if it may have changed any.
    pub file: Option<&'a str>,
}

/// The files that go back.
pub(super) enum FilesInScope {
    All,
    Only(BTreeSet<PathBuf>),
}

impl FilesInScope {
    /// Those of `scope`, where the workspace is the tree `now`.
    pub(super) async fn find(
        shadow: &ShadowRepository,
        session: SessionId,
        scope: RestoreScope<'_>,
        now: &str,
    ) -> Result<FilesInScope, CheckpointError> {
        let RestoreScope::ChangedBy(calls) = scope else { return Ok(FilesInScope::All) };
        let mut files: BTreeSet<PathBuf> = calls.iter().filter_map(|call| call.file.map(PathBuf::from)).collect();
        // Where nothing limits what a call changes, all that is different after it may be its doing. Calls of that kind
        // that follow each other are one such stretch.
        let mut before: Option<String> = None;
        for call in calls {
            let saved = call.saved.and_then(|saved| shadow.find(session, saved).ok());
            match (call.file, saved) {
                (None, Some(tree)) => {
                    before.get_or_insert(tree);
                }
                (None, None) if before.is_none() => return Ok(FilesInScope::All),
                (Some(_), Some(tree)) => {
                    if let Some(before) = before.take() {
                        files.extend(changed_files(shadow, &before, &tree).await?);
                    }
                }
                (None | Some(_), None) => {}
            }
        }
        if let Some(before) = before {
            files.extend(changed_files(shadow, &before, now).await?);
        }
        Ok(FilesInScope::Only(files))
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        match self {
            FilesInScope::All => true,
            FilesInScope::Only(files) => files.contains(path),
        }
    }
}

async fn changed_files(shadow: &ShadowRepository, before: &str, after: &str) -> Result<Vec<PathBuf>, CheckpointError> {
    let compare = &["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after];
    let changes = parse(&shadow.run(("compare checkpoints", compare), Vec::new()).await?);
    Ok(changes.into_iter().map(|change| change.path).collect())
}
