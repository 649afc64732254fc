//! The rules of ignore files for a walk through a directory. The walker of the `ignore` crate would open these files by
//! itself, and wait for ever where one is a pipe. So it is told to look for none, and asks here about each entry.

use crate::regular_files::{read_beginning, read_text, read_whole};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The file that lists what is not for the model, in the form of `.gitignore`.
pub const GEMINI_IGNORE: &str = ".geminiignore";
/// The longest ignore file; what is beyond it does not count.
const MAX_BYTES: u64 = 1024 * 1024;
/// The longest path in a file of git's own.
const MAX_PATH_BYTES: u64 = 64 * 1024;
/// The number of kinds of files that have rules for the directory they are in.
const KINDS: usize = 4;

/// Which ignore files count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IgnoreFiles {
    /// `.geminiignore`, before all others.
    pub gemini: bool,
    /// `.ignore`, which search tools share.
    pub ignore: bool,
    /// `.gitignore`.
    pub git: bool,
    /// `.git/info/exclude`.
    pub git_exclude: bool,
    /// The person's own file for all repositories.
    pub git_global: bool,
    /// Those above the directory that is walked.
    pub parents: bool,
}

/// The rules of ignore files for the content of a directory. Each is read once, when a walk first comes by.
pub struct IgnoreRules {
    root: PathBuf,
    files: IgnoreFiles,
    global: Gitignore,
    directories: RwLock<HashMap<PathBuf, Option<Arc<DirectoryRules>>>>,
}

/// The rules of one directory that has some, and of the nearest above it that does.
struct DirectoryRules {
    /// By precedence: a kind that says anything about an entry, in whichever directory, decides before the next.
    by_kind: [Gitignore; KINDS],
    above: Option<Arc<DirectoryRules>>,
}

impl IgnoreRules {
    /// The rules for a walk through `root`.
    pub fn new(root: &Path, files: IgnoreFiles) -> IgnoreRules {
        let global = if files.git_global { read_global_rules(root) } else { Gitignore::empty() };
        IgnoreRules { root: root.to_owned(), files, global, directories: RwLock::default() }
    }

    /// True if an entry of the walk is left out. What lies in a directory that is left out is not asked about.
    pub fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        let nearest = path.parent().filter(|_| path != self.root).and_then(|parent| self.rules_in(parent));
        for kind in 0..KINDS {
            let mut at = nearest.as_deref();
            while let Some(rules) = at {
                match rules.by_kind[kind].matched(path, is_directory) {
                    Match::None => at = rules.above.as_deref(),
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                }
            }
        }
        path != self.root && self.global.matched(path, is_directory).is_ignore()
    }

    /// The rules that count for the entries of `directory`.
    fn rules_in(&self, directory: &Path) -> Option<Arc<DirectoryRules>> {
        let known = self.directories.read().get(directory).cloned();
        if let Some(known) = known {
            return known;
        }
        let is_within = directory != self.root || self.files.parents;
        let above = directory.parent().filter(|_| is_within).and_then(|parent| self.rules_in(parent));
        let rules = self.read_rules(directory, above);
        let mut directories = self.directories.write();
        directories.insert(directory.to_owned(), rules.clone());
        rules
    }

    fn read_rules(&self, directory: &Path, above: Option<Arc<DirectoryRules>>) -> Option<Arc<DirectoryRules>> {
        let IgnoreFiles { gemini, ignore, git, git_exclude, .. } = self.files;
        let read =
            |counts: bool, name: &str| counts.then(|| read_ignore_file(directory, &directory.join(name))).flatten();
        let exclude = || read_ignore_file(directory, &find_git_directory(directory)?.join("info/exclude"));
        let kept = || read_private_list(directory, &directory.join(GEMINI_IGNORE));
        let by_kind = [
            gemini.then(kept).flatten(),
            read(ignore, ".ignore"),
            read(git, ".gitignore"),
            git_exclude.then(exclude).flatten(),
        ];
        if by_kind.iter().all(Option::is_none) {
            return above;
        }
        let by_kind = by_kind.map(|rules| rules.unwrap_or_else(Gitignore::empty));
        Some(Arc::new(DirectoryRules { by_kind, above }))
    }
}

/// The rules of `file` for what is in `directory`; none when it cannot be read.
fn read_ignore_file(directory: &Path, file: &Path) -> Option<Gitignore> {
    parse_rules(directory, &read_beginning(file, MAX_BYTES).ok()?)
}

/// The rules of `file`, which keeps files below `directory` from the model; `None` if there is no such file. One that is there and
/// cannot be read to its end keeps everything: what it would have said is not known.
pub fn read_private_list(directory: &Path, file: &Path) -> Option<Gitignore> {
    if file.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return None;
    }
    match read_whole(file, MAX_BYTES) {
        Ok(bytes) => parse_rules(directory, &bytes),
        Err(_) if file.symlink_metadata().is_err() => None,
        Err(_) => parse_rules(directory, b"*"),
    }
}

fn parse_rules(directory: &Path, bytes: &[u8]) -> Option<Gitignore> {
    let text = String::from_utf8_lossy(bytes);
    let mut rules = GitignoreBuilder::new(directory);
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        // A line that is no pattern lists nothing.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok()
}

/// Where git keeps what belongs to the repository at `directory`: in `.git`, or where that file of a work tree leads.
fn find_git_directory(directory: &Path) -> Option<PathBuf> {
    let git = directory.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let first_line = |path: &Path| Some(read_text(path, MAX_PATH_BYTES).ok()?.lines().next()?.to_owned());
    let own = git.parent()?.join(first_line(&git)?.strip_prefix("gitdir: ")?);
    let shared = first_line(&own.join("commondir"))?;
    Some(own.join(shared))
}

/// The person's own rules for all repositories.
fn read_global_rules(root: &Path) -> Gitignore {
    // Where they are is in git's own settings, in the person's home, which are read on the way.
    let rules = gitconfig_excludes_path().and_then(|file| read_ignore_file(root, &file));
    rules.unwrap_or_else(Gitignore::empty)
}
