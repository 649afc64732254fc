//! Finds the text a model means: as it is, or with less and less insistence on white space. Spelling always counts: `x < 10` is
//! not `x > 10`.

mod flexible;
mod indent;
mod lines;
mod nearest;
mod tokens;

pub(crate) use indent::{IndentStyle, IndentTranslation, indent};
pub(crate) use lines::{TextLine, lines};
pub(crate) use nearest::{nearest_lines, places};
pub(crate) use tokens::find as find_tokens;

use crate::line_ends::{has_mixed_line_ends, keep_line_ends_of_piece, with_line_ends_of};
use std::ops::Range;

#[cfg(test)]
mod tests;

/// A piece of the text and what to put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextEdit {
    /// Where it is, in bytes.
    pub(crate) span: Range<usize>,
    pub(crate) with: String,
}

/// The leniency with which a text was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MatchStrategy {
    /// Equal but for line ends.
    #[default]
    Exact,
    /// Equal lines but for indentation and trailing white space.
    Flexible,
    /// Equal words and signs but for the white space between them.
    Tokens,
}

impl MatchStrategy {
    /// The note to a model whose text, in words (`old_string was`), was not found as it is.
    pub(crate) fn note(self, text: &str) -> Option<String> {
        match self {
            MatchStrategy::Exact => None,
            MatchStrategy::Flexible => Some(format!("{text} found with other indentation")),
            MatchStrategy::Tokens => Some(format!("{text} found with other white space")),
        }
    }
}

/// Finds a text in another, and says what to put there.
type Search = fn(&str, &str, &str) -> Vec<TextEdit>;

/// Every place in `text` that is `old` by the strictest strategy that finds any, in order and without overlaps.
pub(crate) fn find(text: &str, old: &str, new: &str) -> Option<(MatchStrategy, Vec<TextEdit>)> {
    // The mark belongs to the file, not to its first line.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - body.len();
    let (new, is_mixed) = (with_line_ends_of(body, new), has_mixed_line_ends(body));
    let strategies: [(MatchStrategy, Search); 3] = [
        (MatchStrategy::Exact, exact),
        (MatchStrategy::Flexible, flexible::find),
        (MatchStrategy::Tokens, tokens::find),
    ];
    for (strategy, search) in strategies {
        let mut found = search(body, old, &new);
        if !found.is_empty() {
            for found in &mut found {
                if is_mixed {
                    found.with = keep_line_ends_of_piece(body, &body[found.span.clone()], &found.with);
                }
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

/// The text with the pieces replaced, and the lines they begin on in it. A newline at the end of the file stays.
pub(crate) fn apply_edits(text: &str, found: &[TextEdit]) -> (String, Vec<usize>) {
    let mut new = String::with_capacity(text.len() + found.iter().map(|found| found.with.len()).sum::<usize>());
    let mut lines = Vec::with_capacity(found.len());
    let (mut done, mut line) = (0, 1);
    for found in found {
        let before = &text[done..found.span.start];
        line += before.matches('\n').count();
        lines.push(line);
        line += found.with.matches('\n').count();
        new.push_str(before);
        new.push_str(&found.with);
        done = found.span.end;
    }
    new.push_str(&text[done..]);
    if text.ends_with('\n') && !new.is_empty() && !new.ends_with('\n') {
        new.push_str(if text.ends_with("\r\n") { "\r\n" } else { "\n" });
    }
    (new, lines)
}
