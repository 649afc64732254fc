//! Files the person keeps from the model: `.geminiignore`, in a root and in every directory on the way, and the ignore
//! files their settings name.

use super::obeyed_places::follow_links;
use super::{Workspace, WorkspacePath, WorkspaceRoot};
use crate::error::{FileOperation, ToolError};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::{Path, PathBuf};

/// The file that lists what is not for the model, in the form of `.gitignore`.
pub(crate) const GEMINI_IGNORE: &str = ".geminiignore";
/// The longest such file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

impl Workspace {
    /// Refuse a place that an ignore file lists, unless the person's settings say that none counts.
    pub(crate) fn check_ignored(&self, place: &WorkspacePath) -> Result<(), ToolError> {
        if self.access.filtering.respect_gemini_ignore && self.is_ignored(place) {
            Err(ToolError::Ignored { path: place.name() })
        } else {
            Ok(())
        }
    }

    /// True if the workspace itself says that some files are not for the model.
    pub(crate) fn keeps_files_from_model(&self) -> bool {
        let custom = !self.access.filtering.custom_ignore_files.is_empty();
        let own = || self.roots.iter().any(|root| root.path.join(GEMINI_IGNORE).symlink_metadata().is_ok());
        self.access.filtering.respect_gemini_ignore && (custom || own())
    }

    /// True if the file at `path`, an absolute one, says what is not for the model, or leads to one that does: whoever changes it
    /// decides what the model sees.
    pub(super) fn is_ignore_file(&self, path: &Path) -> bool {
        let filtering = &self.access.filtering;
        let is_same = |file: &PathBuf| path.as_os_str().eq_ignore_ascii_case(file.as_os_str());
        let leads_to = |file: PathBuf| {
            let (links, end) = follow_links(&file);
            links.iter().chain([&end, &file]).any(is_same)
        };
        let is_in = |root: &WorkspaceRoot| {
            let named = filtering.custom_ignore_files.iter().map(|file| root.path.join(file));
            named.chain([root.path.join(GEMINI_IGNORE)]).any(leads_to)
        };
        let has_its_name = || path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(GEMINI_IGNORE));
        filtering.respect_gemini_ignore && (has_its_name() || self.roots.iter().any(is_in))
    }

    /// The length of all ignore files that decide about `place`: each is read anew for each place.
    pub(crate) fn ignore_bytes(&self, place: &WorkspacePath) -> u64 {
        let root = self.root_of(place);
        let custom = self.access.filtering.custom_ignore_files.iter().map(|file| root.join(file));
        let directories = place.relative.ancestors().skip(1);
        let files = custom.chain(directories.map(|directory| root.join(directory).join(GEMINI_IGNORE)));
        files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len().min(MAX_BYTES)).sum()
    }

    /// True if an ignore file lists `place`. One that settings name decides first, then the one nearest to it.
    fn is_ignored(&self, place: &WorkspacePath) -> bool {
        match self.custom_rules(place).matched_path_or_any_parents(place.relative(), false) {
            Match::None => {}
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
        }
        let directories = place.relative.ancestors().skip(1);
        for directory in directories {
            let Some(rules) = self.ignore_file(place, directory) else { continue };
            let Ok(below) = place.relative.strip_prefix(directory) else { continue };
            match rules.matched_path_or_any_parents(below, false) {
                Match::None => {}
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        false
    }

    fn ignore_file(&self, place: &WorkspacePath, directory: &Path) -> Option<Gitignore> {
        let relative = directory.join(GEMINI_IGNORE);
        let file = WorkspacePath { root: place.root, absolute: self.root_of(place).join(&relative), relative };
        let bytes = self.read(&file, MAX_BYTES, FileOperation::Read).ok()?;
        let mut rules = GitignoreBuilder::new("");
        add_lines(&mut rules, &bytes);
        rules.build().ok()
    }

    /// The rules of the ignore files that settings name, for paths relative to the root that `place` is in.
    pub(crate) fn custom_rules(&self, place: &WorkspacePath) -> Gitignore {
        let mut rules = GitignoreBuilder::new("");
        // Of two rules the later one counts, and of two files the one named first.
        for file in self.access.filtering.custom_ignore_files.iter().rev() {
            match pollux_files::read_beginning(&self.root_of(place).join(file), MAX_BYTES) {
                Ok(bytes) => add_lines(&mut rules, &bytes),
                Err(error) => tracing::debug!(file = %file.display(), %error, "an ignore file cannot be read"),
            }
        }
        rules.build().unwrap_or_else(|_| Gitignore::empty())
    }
}

fn add_lines(rules: &mut GitignoreBuilder, bytes: &[u8]) {
    for line in String::from_utf8_lossy(bytes).lines() {
        // A line that is no pattern lists nothing.
        let _ = rules.add_line(None, line);
    }
}
