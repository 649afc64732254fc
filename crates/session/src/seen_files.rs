//! Which version of each file the model was shown last. Whoever replaces, moves or removes a whole file compares the file with that,
//! so that nobody else's change is lost. What a model can no longer see in its conversation still counts: a file that is as it was
//! then holds no change of anybody else.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The most files that are remembered.
const MAX_FILES: usize = 1024;

/// A version of a file that the model was shown, in whole or in part, or that its own call left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// The absolute path.
    pub path: String,
    /// SHA-256 of all its bytes, in hex.
    pub sha256: String,
}

/// The newest version of each file that the model was shown. Those that were shown longest ago are forgotten first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenFiles(VecDeque<SeenFile>);

impl SeenFiles {
    /// Remember that the model was shown `file`.
    pub fn add(&mut self, file: SeenFile) {
        self.0.retain(|known| known.path != file.path);
        self.0.push_back(file);
        while self.0.len() > MAX_FILES {
            self.0.pop_front();
        }
    }

    /// The digest of the version of the file at `path` that the model was shown last.
    pub fn digest_of(&self, path: &str) -> Option<&str> {
        self.0.iter().find(|known| known.path == path).map(|known| known.sha256.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_newest_version_counts_and_what_was_shown_longest_ago_is_forgotten() {
        let seen = |number: usize, sha256: &str| SeenFile { path: format!("/w/{number}"), sha256: sha256.to_owned() };
        let mut files = SeenFiles::default();
        for number in 0..MAX_FILES {
            files.add(seen(number, "old"));
        }
        files.add(seen(0, "new"));
        assert_eq!((files.digest_of("/w/0"), files.digest_of("/w/1")), (Some("new"), Some("old")));
        files.add(seen(MAX_FILES, "new"));
        assert_eq!((files.digest_of("/w/0"), files.digest_of("/w/1")), (Some("new"), None));
        assert_eq!(files.0.len(), MAX_FILES);
    }
}
