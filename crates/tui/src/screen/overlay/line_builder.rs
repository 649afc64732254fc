//! Text as lines of the screen. Everything that comes from elsewhere passes through here: it is made harmless, its tabs
//! become spaces, and it is broken where the screen ends.

use crate::sanitize::clean;
use crate::screen::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The margin of what a person is asked to look at: lines inside it cannot pass for ours.
pub(super) const GUTTER: &str = "  │ ";
/// The margin of a line that goes on with the gutter's line above it.
pub(super) const GUTTER_ON: &str = "  ┆ ";
/// The margin of our own sentences below a heading.
pub(super) const INDENT: &str = "  ";

const TAB: usize = 4;

/// Lines of one width, in the order they are written.
#[derive(Debug)]
pub(super) struct LineBuilder<'t> {
    width: usize,
    theme: &'t Theme,
    lines: Vec<Line<'static>>,
}

impl<'t> LineBuilder<'t> {
    pub(super) fn new(width: u16, theme: &'t Theme) -> LineBuilder<'t> {
        LineBuilder { width: usize::from(width), theme, lines: Vec::new() }
    }

    pub(super) fn theme(&self) -> &'t Theme {
        self.theme
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn into_lines(self) -> Vec<Line<'static>> {
        self.lines
    }

    pub(super) fn gap(&mut self) {
        self.lines.push(Line::default());
    }

    /// Lines that fit already.
    pub(super) fn add(&mut self, lines: impl IntoIterator<Item = Line<'static>>) {
        self.lines.extend(lines);
    }

    /// Sentences, broken between words.
    pub(super) fn words(&mut self, style: Style, text: &str) {
        self.words_in("", "", style, text);
    }

    /// Sentences that begin with `first`; the rest of each broken line begins with `rest`.
    pub(super) fn words_in(&mut self, first: &str, rest: &str, style: Style, text: &str) {
        self.push_wrapped(first, rest, style, text, break_words);
    }

    /// Text to the letter, broken where the screen ends.
    pub(super) fn exact_in(&mut self, first: &str, rest: &str, style: Style, text: &str) {
        self.push_wrapped(first, rest, style, text, break_anywhere);
    }

    /// One line; where it does not fit, it is cut and says so.
    pub(super) fn push_truncated(&mut self, spans: Vec<Span<'static>>) {
        self.lines.push(fit(spans, self.width));
    }

    fn push_wrapped(&mut self, first: &str, rest: &str, style: Style, text: &str, cut: fn(&str, usize) -> Vec<String>) {
        let room = self.width.saturating_sub(first.width().max(rest.width())).max(1);
        for line in drawable(text).split('\n') {
            for (at, piece) in cut(line, room).into_iter().enumerate() {
                let margin = if at == 0 { first } else { rest };
                let mut spans = Vec::new();
                if !margin.is_empty() {
                    spans.push(Span::styled(margin.to_owned(), self.theme.dim));
                }
                spans.push(Span::styled(piece, style));
                self.lines.push(Line::from(spans));
            }
        }
    }
}

/// `text` without anything that acts on a terminal, and with spaces for its tabs. Line breaks stay.
pub(super) fn drawable(text: &str) -> String {
    let cleaned = clean(text);
    if !cleaned.contains('\t') {
        return cleaned.into_owned();
    }
    let mut drawn = String::with_capacity(cleaned.len() + TAB);
    for (at, line) in cleaned.split('\n').enumerate() {
        if at > 0 {
            drawn.push('\n');
        }
        let mut column = 0;
        for cluster in line.graphemes(true) {
            if cluster == "\t" {
                let spaces = TAB - column % TAB;
                drawn.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            } else {
                drawn.push_str(cluster);
                column += cluster.width();
            }
        }
    }
    drawn
}

/// Hints on one line of so many columns: the first and the last stay, of those between them the last go first.
pub(super) fn keep_hints(mut hints: Vec<String>, room: usize) -> String {
    loop {
        let line = hints.join(" · ");
        if line.width() <= room || hints.len() <= 2 {
            return line;
        }
        hints.remove(hints.len() - 2);
    }
}

/// Spans on one line of `width` columns, with a `…` where they were cut.
pub(crate) fn fit(spans: Vec<Span<'static>>, width: usize) -> Line<'static> {
    if spans.iter().map(Span::width).sum::<usize>() <= width {
        return Line::from(spans);
    }
    let mut left = width.saturating_sub(1);
    let mut kept = Vec::new();
    for span in spans {
        let mut piece = String::new();
        let mut full = false;
        for cluster in span.content.graphemes(true) {
            if cluster.width() > left {
                full = true;
                break;
            }
            left -= cluster.width();
            piece.push_str(cluster);
        }
        if full {
            if width > 0 {
                piece.push('…');
            }
            kept.push(Span::styled(piece, span.style));
            break;
        }
        kept.push(Span::styled(piece, span.style));
    }
    Line::from(kept)
}

/// `line` in pieces of at most `room` columns. Nothing of it is left out.
pub(super) fn break_anywhere(line: &str, room: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut piece, mut column) = (String::new(), 0);
    for cluster in line.graphemes(true) {
        let width = cluster.width();
        if column + width > room && column > 0 {
            pieces.push(std::mem::take(&mut piece));
            column = 0;
        }
        piece.push_str(cluster);
        column += width;
    }
    pieces.push(piece);
    pieces
}

/// `line` in pieces of at most `room` columns, broken between words where that is possible. Only the spaces at a break are
/// left out.
fn break_words(line: &str, room: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut piece, mut column) = (String::new(), 0);
    for word in line.split_inclusive(' ') {
        let bare = word.trim_end_matches(' ');
        if column + bare.width() > room && column > 0 {
            pieces.push(std::mem::take(&mut piece).trim_end_matches(' ').to_owned());
            column = 0;
        }
        let mut parts = break_anywhere(bare, room);
        if let Some(last) = parts.pop() {
            for part in parts {
                pieces.push(format!("{piece}{part}"));
                piece.clear();
                column = 0;
            }
            piece.push_str(&last);
            column += last.width();
        }
        let spaces = (word.len() - bare.len()).min(room.saturating_sub(column));
        piece.extend(std::iter::repeat_n(' ', spaces));
        column += spaces;
    }
    pieces.push(piece.trim_end_matches(' ').to_owned());
    pieces
}

#[cfg(test)]
mod tests {
    use super::{break_anywhere, break_words, drawable, fit, keep_hints};
    use pretty_assertions::assert_eq;
    use ratatui::text::Span;

    #[test]
    fn prose_breaks_between_words() {
        assert_eq!(break_words("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(break_words("a  b   c", 4), ["a  b", "c"]);
        assert_eq!(break_words("  indented words", 10), ["  indented", "words"]);
        assert_eq!(break_words("abcdefghijkl mn", 5), ["abcde", "fghij", "kl mn"]);
        assert_eq!(break_words("x abcdefgh", 5), ["x", "abcde", "fgh"]);
        assert_eq!(break_words("", 5), [""]);
    }

    #[test]
    fn exact_text_loses_nothing() {
        assert_eq!(break_anywhere("ab cd  ef", 4), ["ab c", "d  e", "f"]);
        assert_eq!(break_anywhere("日本語", 5), ["日本", "語"]);
        assert_eq!(break_anywhere("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(break_anywhere("日本", 1), ["日", "本"]);
    }

    #[test]
    fn tabs_become_spaces_to_the_next_stop() {
        assert_eq!(drawable("a\tb\n\tc\u{1b}"), "a   b\n    c␛");
        assert_eq!(drawable("日\tb"), "日  b");
    }

    #[test]
    fn how_to_answer_and_how_to_leave_stay_longest() {
        let keep = |room| keep_hints(["1-3", "e edit", "E editor", "Esc no"].map(str::to_owned).to_vec(), room);
        let kept = [usize::MAX, 32, 31, 20, 5].map(keep);
        let short = "1-3 · e edit · Esc no";
        assert_eq!(
            kept,
            [
                "1-3 · e edit · E editor · Esc no",
                "1-3 · e edit · E editor · Esc no",
                short,
                "1-3 · Esc no",
                "1-3 · Esc no"
            ]
        );
        assert_eq!(keep_hints(Vec::new(), 5), "");
    }

    #[test]
    fn a_line_that_is_cut_says_so() {
        let cut = |width| fit(vec![Span::raw("日本"), Span::raw("abc")], width).to_string();
        assert_eq!([7, 6, 4, 3, 1, 0].map(cut), ["日本abc", "日本a…", "日…", "日…", "…", ""]);
    }
}
