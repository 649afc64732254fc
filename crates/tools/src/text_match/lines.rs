//! Text as lines, with where they are.

use std::ops::Range;

/// A line without its end.
pub(crate) struct TextLine<'a> {
    pub(crate) text: &'a str,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    /// Where the next one begins.
    pub(crate) next: usize,
}

/// The lines of `text`.
pub(crate) fn lines(text: &str) -> Vec<TextLine<'_>> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|whole| {
        let start = at;
        at += whole.len();
        let text = whole.strip_suffix('\n').unwrap_or(whole);
        TextLine { text: text.strip_suffix('\r').unwrap_or(text), start, next: at }
    });
    lines.collect()
}

/// The span of whole lines, and what to put there, when a model wants `new` for `old`.
///
/// The end of the last line is part of the span only if `old` has it and `new` has not: then the line goes away.
pub(crate) fn span<'n>(window: &[TextLine<'_>], old: &str, new: &'n str) -> (Range<usize>, &'n str) {
    let (Some(first), Some(last)) = (window.first(), window.last()) else { return (0..0, new) };
    let end = last.start + last.text.len();
    match (old.ends_with('\n'), new.strip_suffix('\n')) {
        (true, Some(new)) => (first.start..end, new.strip_suffix('\r').unwrap_or(new)),
        (true, None) => (first.start..last.next, new),
        (false, _) => (first.start..end, new),
    }
}
