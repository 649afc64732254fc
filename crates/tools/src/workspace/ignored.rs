//! Files the person keeps from the model: `.geminiignore`, in the workspace and in every directory on the way.

use super::{Place, Workspace};
use crate::error::{Doing, ToolError};
use ignore::Match;
use ignore::gitignore::GitignoreBuilder;
use std::path::Path;

/// The file that lists what is not for the model, in the form of `.gitignore`.
pub(crate) const GEMINI_IGNORE: &str = ".geminiignore";
/// The longest such file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

impl Workspace {
    /// Refuse a place that an ignore file lists.
    pub(crate) fn check_ignored(&self, place: &Place) -> Result<(), ToolError> {
        if self.is_ignored(place) { Err(ToolError::Ignored { path: place.name() }) } else { Ok(()) }
    }

    /// Whether an ignore file lists `place`. The one nearest to it decides.
    fn is_ignored(&self, place: &Place) -> bool {
        let directories = place.relative.ancestors().skip(1);
        for directory in directories {
            let Some(rules) = self.ignore_file(directory) else { continue };
            let Ok(below) = place.relative.strip_prefix(directory) else { continue };
            match rules.matched_path_or_any_parents(below, false) {
                Match::None => {}
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        false
    }

    fn ignore_file(&self, directory: &Path) -> Option<ignore::gitignore::Gitignore> {
        let relative = directory.join(GEMINI_IGNORE);
        let place = Place { absolute: self.root.join(&relative), relative };
        let bytes = self.read(&place, MAX_BYTES, Doing::Read).ok()?;
        let mut rules = GitignoreBuilder::new("");
        for line in String::from_utf8_lossy(&bytes).lines() {
            // A line that is no pattern lists nothing.
            let _ = rules.add_line(None, line);
        }
        rules.build().ok()
    }
}
