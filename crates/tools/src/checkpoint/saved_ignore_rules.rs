//! The ignore rules of a checkpoint. A file that they list was not saved, so that it is missing there means nothing.

use super::blob_reader::GitBlobReader;
use super::error::CheckpointError;
use super::shadow_repository::GitTreeFile;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use pollux_files::GEMINI_IGNORE;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The rules, by the directory they are in.
#[derive(Default)]
pub(super) struct SavedIgnoreRules(BTreeMap<PathBuf, Gitignore>);

impl SavedIgnoreRules {
    pub(super) async fn read(
        files: &[GitTreeFile],
        blobs: &mut GitBlobReader,
    ) -> Result<SavedIgnoreRules, CheckpointError> {
        let mut builders: BTreeMap<PathBuf, GitignoreBuilder> = BTreeMap::new();
        for file in files {
            let is_rules = file.path.file_name().is_some_and(|name| name == ".gitignore" || name == GEMINI_IGNORE);
            if !is_rules || !file.mode.starts_with("100") {
                continue;
            }
            let text = blobs.read(&file.id).await?;
            let directory = file.path.parent().unwrap_or(Path::new("")).to_owned();
            let builder = builders.entry(directory).or_insert_with(|| GitignoreBuilder::new(""));
            for line in String::from_utf8_lossy(&text).lines() {
                // A line that is no rule counts for git neither.
                let _ = builder.add_line(None, line);
            }
        }
        let built = builders.into_iter().map(|(directory, rules)| Some((directory, rules.build().ok()?)));
        Ok(SavedIgnoreRules(built.flatten().collect()))
    }

    /// True if they list a file: the rules nearest to it decide.
    pub(super) fn list(&self, path: &Path) -> bool {
        for directory in path.ancestors().skip(1) {
            let Some(rules) = self.0.get(directory) else { continue };
            let Ok(below) = path.strip_prefix(directory) else { continue };
            match rules.matched_path_or_any_parents(below, false) {
                Match::None => {}
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        false
    }
}
