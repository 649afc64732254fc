//! What the open calls of an answer will make of files. The calls after them are previewed on that, so that every edit is shown
//! as it will happen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files as they will be, by absolute path. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub struct PlannedFiles(Arc<BTreeMap<PathBuf, String>>);

impl PlannedFiles {
    pub(crate) fn insert(&mut self, path: PathBuf, content: String) {
        Arc::make_mut(&mut self.0).insert(path, content);
    }

    /// What the file will hold, if a call is going to change it.
    pub(crate) fn content_of(&self, path: &Path) -> Option<&String> {
        self.0.get(path)
    }
}
