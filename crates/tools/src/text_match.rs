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
    let (new, is_mixed) = (with_line_ends_of(text, new), has_mixed_line_ends(text));
    let strategies: [(MatchStrategy, Search); 3] = [
        (MatchStrategy::Exact, exact),
        (MatchStrategy::Flexible, flexible::find),
        (MatchStrategy::Tokens, tokens::find),
    ];
    for (strategy, search) in strategies {
        let mut found = search(text, old, &new);
        if !found.is_empty() {
            for found in found.iter_mut().filter(|_| is_mixed) {
                found.with = keep_line_ends_of_piece(text, &text[found.span.clone()], &found.with);
            }
            return Some((strategy, found));
        }
    }
    None
}

fn exact(text: &str, old: &str, new: &str) -> Vec<TextEdit> {
    let edit = |span| TextEdit { span, with: new.to_owned() };
    let find = |old: &str| text.match_indices(old).map(|(at, _)| edit(at..at + old.len())).collect::<Vec<TextEdit>>();
    let unix = old.replace("\r\n", "\n");
    let dos = unix.replace('\n', "\r\n");
    let found = [old, &unix, &dos].into_iter().map(find).find(|found| !found.is_empty());
    found.unwrap_or_else(|| find_despite_line_ends(text, &unix).into_iter().map(edit).collect())
}

/// The places of `old` in a text whose lines end in both ways.
fn find_despite_line_ends(text: &str, old: &str) -> Vec<Range<usize>> {
    if !has_mixed_line_ends(text) || !old.contains('\n') {
        return Vec::new();
    }
    let unix = text.replace("\r\n", "\n");
    // Where a carriage return is missing: before these bytes of `unix`.
    let missing: Vec<usize> = text.match_indices("\r\n").enumerate().map(|(nth, (at, _))| at - nth).collect();
    let in_text = |at: usize| at + missing.partition_point(|missing| *missing < at);
    unix.match_indices(old).map(|(at, _)| in_text(at)..in_text(at + old.len())).collect()
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
