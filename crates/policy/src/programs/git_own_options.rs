//! Git's own options, which stand before its command: those with which it does the same, maybe in another directory.

use pollux_session::PlannedWord;

/// Options that change nothing where nobody sees pages and nothing is locked.
const IDLE: [&str; 3] = ["--no-optional-locks", "--no-pager", "-P"];

#[derive(Debug, Default)]
pub(super) struct GitOwnOptions<'a> {
    /// How many words they are.
    pub(super) len: usize,
    /// Where git goes first: the value of `-C`.
    pub(super) directory: Option<&'a str>,
}

impl<'a> GitOwnOptions<'a> {
    /// Those at the beginning of `words`, which stand behind `git`, up to the first that is not known here.
    pub(super) fn read(words: &'a [PlannedWord]) -> GitOwnOptions<'a> {
        let mut own = GitOwnOptions::default();
        loop {
            let word = |at: usize| words.get(at).and_then(PlannedWord::literal);
            match (word(own.len), word(own.len + 1)) {
                (Some(option), _) if IDLE.contains(&option) => own.len += 1,
                // A second one would count from where the first one leads.
                (Some("-C"), Some(directory)) if own.directory.is_none() && is_plain(directory) => {
                    own.directory = Some(directory);
                    own.len += 2;
                }
                _ => return own,
            }
        }
    }
}

/// Whether a directory's name leads there as it is written. Git takes the empty one for no change.
fn is_plain(directory: &str) -> bool {
    !directory.is_empty() && !directory.starts_with('-') && directory.split('/').all(|part| part != "..")
}
