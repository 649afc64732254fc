//! What the open calls of an answer will make of files. The calls after them are previewed on that, so that every edit is shown
//! as it will happen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes that are planned at a time: the calls of an answer are all previewed at once.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Files as they will be, by absolute path; `None` for one that will be gone. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub struct PlannedFiles(Arc<BTreeMap<PathBuf, Option<String>>>);

impl PlannedFiles {
    /// Plan `content` for a file. With more than [`MAX_BYTES`] the file is left out, and what changes it then is shown again when
    /// its turn comes.
    pub(crate) fn insert(&mut self, path: PathBuf, content: Option<String>) {
        let files = Arc::make_mut(&mut self.0);
        files.remove(&path);
        let planned: usize = files.values().flatten().map(String::len).sum();
        if planned + content.as_ref().map_or(0, String::len) <= MAX_BYTES {
            files.insert(path, content);
        }
    }

    /// What the file will hold, if a call is going to change it; `Some(None)` if one is going to remove it.
    pub(crate) fn content_of(&self, path: &Path) -> Option<Option<&String>> {
        self.0.get(path).map(Option::as_ref)
    }
}
