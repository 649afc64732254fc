//! What a call will find: files as the open calls before it in its answer will make them, and which versions of files the model has
//! seen. Every edit is shown on that, as it will happen.

use crate::text_file::FileKnowledge;
use pollux_session::SeenFiles;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes that are planned at a time: the calls of an answer are all previewed at once.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Files as they will be, by absolute path, and what the model has seen of the others. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub struct PlannedFiles {
    files: Arc<BTreeMap<PathBuf, PlannedFile>>,
    seen: Arc<SeenFiles>,
}

/// A file as a call will leave it.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    pub(crate) content: PlannedContent,
    /// What the model will know of it.
    pub(crate) knowledge: FileKnowledge,
}

/// What the file will hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlannedContent {
    /// What it would hold without the call, which only looks.
    Unchanged,
    Text(String),
    /// There will be no such file.
    Gone,
}

impl PlannedContent {
    fn len(&self) -> usize {
        match self {
            PlannedContent::Text(text) => text.len(),
            PlannedContent::Unchanged | PlannedContent::Gone => 0,
        }
    }
}

impl PlannedFiles {
    /// Nothing is planned, and the model has seen these versions of files.
    pub(crate) fn new(seen: Arc<SeenFiles>) -> PlannedFiles {
        PlannedFiles { files: Arc::default(), seen }
    }

    /// Plan a file. With more than [`MAX_BYTES`] it is left out, and what changes it then is shown again when its turn comes.
    pub(crate) fn insert(&mut self, path: PathBuf, file: PlannedFile) {
        let files = Arc::make_mut(&mut self.files);
        let before = files.remove(&path);
        let content = match (file.content, before) {
            (PlannedContent::Unchanged, Some(before)) => before.content,
            (content, _) => content,
        };
        let planned: usize = files.values().map(|file| file.content.len()).sum();
        if planned + content.len() <= MAX_BYTES {
            files.insert(path, PlannedFile { content, ..file });
        }
    }

    /// The plan for the file, if a call is going to read or change it.
    pub(crate) fn get(&self, path: &Path) -> Option<&PlannedFile> {
        self.files.get(path)
    }

    /// Whether the file will exist, if a call is going to change it.
    pub(crate) fn will_exist(&self, path: &Path) -> Option<bool> {
        match self.get(path)?.content {
            PlannedContent::Unchanged => None,
            PlannedContent::Text(_) => Some(true),
            PlannedContent::Gone => Some(false),
        }
    }

    /// What the model knows now of the file with this digest.
    pub(crate) fn knowledge_of(&self, path: &Path, sha256: &str) -> FileKnowledge {
        match self.seen.digest_of(&path.to_string_lossy()) {
            Some(seen) if seen == sha256 => FileKnowledge::Current,
            Some(seen) => FileKnowledge::Outdated(seen.to_owned()),
            None => FileKnowledge::Nothing,
        }
    }
}
