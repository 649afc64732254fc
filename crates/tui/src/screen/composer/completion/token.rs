//! What is being named before the cursor: `@path` as the agent reads it, or `/command` at the very start.

use pollux_session::{Mention, ends_path, find_open_mention};
use std::ops::Range;

/// Something that is being named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompletionToken {
    /// A path as it is meant, the quote it is in, and where its `@` and its end are.
    File { path: String, quote: Option<char>, range: Range<usize> },
    /// The words before and the begun one, with its place. The slash belongs to the first word's place.
    Command { above: Vec<String>, word: String, range: Range<usize> },
}

impl CompletionToken {
    pub(super) fn range(&self) -> Range<usize> {
        match self {
            CompletionToken::File { range, .. } | CompletionToken::Command { range, .. } => range.clone(),
        }
    }

    pub(super) fn start(&self) -> usize {
        self.range().start
    }

    /// Whether a word could be begun but is not.
    pub(super) fn is_next_word(&self) -> bool {
        matches!(self, CompletionToken::Command { above, word, .. } if word.is_empty() && !above.is_empty())
    }
}

/// The longest name that is completed, in bytes.
const LONGEST: usize = 4096;

/// What is being named at the cursor. In the middle of a word nothing is.
pub(super) fn token_at(text: &str, cursor: usize) -> Option<CompletionToken> {
    let (before, after) = text.split_at(cursor);
    if !after.chars().next().is_none_or(ends_path) {
        return None;
    }
    file(before, after).or_else(|| command(before))
}

/// A slash only at the very start, and only in the first line.
fn command(before: &str) -> Option<CompletionToken> {
    let line = before.strip_prefix('/').filter(|_| before.len() <= LONGEST)?;
    let mut above: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let ends_blank = line.ends_with(char::is_whitespace);
    let word = if ends_blank { String::new() } else { above.pop().unwrap_or_default() };
    let first = above.first().unwrap_or(&word);
    let start = if above.is_empty() { 0 } else { before.len() - word.len() };
    let names_command = !line.contains('\n') && !first.contains('/') && !line.starts_with(char::is_whitespace);
    names_command.then_some(CompletionToken::Command { above, word, range: start..before.len() })
}

fn file(before: &str, after: &str) -> Option<CompletionToken> {
    // A name that is longer than all that are completed begins before this.
    let start = before.ceil_char_boundary(before.len().saturating_sub(LONGEST));
    let Mention { path, range, quote } = find_open_mention(&before[start..])?;
    // A quote that is closed already is replaced with the path.
    let closing = quote.filter(|quote| after.starts_with(*quote)).map_or(0, char::len_utf8);
    Some(CompletionToken::File { path, quote, range: start + range.start..before.len() + closing })
}
