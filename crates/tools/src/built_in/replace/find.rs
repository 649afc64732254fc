//! Finds the text a model means: as it is, or with less and less insistence on white space. Spelling always counts: `x < 10` is
//! not `x > 10`.

mod flexible;
mod indent;
mod tokens;

use crate::file_change::with_line_ends_of;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// A piece of the text and what to put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextEdit {
    /// Where it is, in bytes.
    pub(super) span: Range<usize>,
    pub(super) with: String,
}

/// The leniency with which a text was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MatchStrategy {
    /// Equal but for line ends.
    #[default]
    Exact,
    /// Equal lines but for indentation and trailing white space.
    Flexible,
    /// Equal words and signs but for the white space between them.
    Tokens,
}

impl MatchStrategy {
    /// The note to a model whose text was not found as it is.
    pub(super) fn note(self) -> Option<&'static str> {
        match self {
            MatchStrategy::Exact => None,
            MatchStrategy::Flexible => Some("old_string was found with other indentation"),
            MatchStrategy::Tokens => Some("old_string was found with other white space"),
        }
    }
}

/// Finds a text in another, and says what to put there.
type Search = fn(&str, &str, &str) -> Vec<TextEdit>;

/// Every place in `text` that is `old` by the strictest strategy that finds any, in order and without overlaps.
pub(super) fn find(text: &str, old: &str, new: &str) -> Option<(MatchStrategy, Vec<TextEdit>)> {
    // The mark belongs to the file, not to its first line.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - body.len();
    let new = with_line_ends_of(body, new);
    let strategies: [(MatchStrategy, Search); 3] = [
        (MatchStrategy::Exact, exact),
        (MatchStrategy::Flexible, flexible::find),
        (MatchStrategy::Tokens, tokens::find),
    ];
    for (strategy, search) in strategies {
        let mut found = search(body, old, &new);
        if !found.is_empty() {
            for found in &mut found {
                found.span = found.span.start + mark..found.span.end + mark;
            }
            return Some((strategy, found));
        }
    }
    None
}

fn exact(text: &str, old: &str, new: &str) -> Vec<TextEdit> {
    let unix = old.replace("\r\n", "\n");
    let dos = unix.replace('\n', "\r\n");
    for old in [old, &unix, &dos] {
        let found = text.match_indices(old).map(|(at, _)| TextEdit { span: at..at + old.len(), with: new.to_owned() });
        let found: Vec<TextEdit> = found.collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}
