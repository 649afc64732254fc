//! The question whether a file is kept from the model, for those who read files by themselves.

use super::{FileAccess, Workspace};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The files of a workspace that its ignore files keep from the model.
#[derive(Default)]
pub struct KeptFiles {
    access: Arc<FileAccess>,
    root: PathBuf,
    /// Opened when somebody asks: that is work for a thread of its own.
    workspace: OnceLock<Option<Workspace>>,
}

impl KeptFiles {
    pub(crate) fn new(access: Arc<FileAccess>, root: &Path) -> KeptFiles {
        KeptFiles { access, root: root.to_owned(), workspace: OnceLock::new() }
    }

    /// True if the file at `path`, an absolute one, is one of them. It reads ignore files: not for an async thread.
    pub fn contains(&self, path: &Path) -> bool {
        let workspace = self.workspace.get_or_init(|| self.access.open(&self.root).ok());
        let place = workspace.as_ref().and_then(|workspace| workspace.find_path(path).ok());
        workspace.as_ref().zip(place).is_some_and(|(workspace, place)| workspace.check_ignored(&place).is_err())
    }
}
