//! Where text breaks into rows and what a row looks like. Only the rows around the cursor are ever looked at.

use super::folded_pastes::{FoldedPastes, is_stand_in};
use super::motion::{left, line_end, line_start, right};
use crate::sanitize::clean;
use crate::screen::theme::Theme;
use ratatui::style::Modifier;
use ratatui::text::Span;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

const TAB: usize = 4;
/// Lines longer than this are broken here in any case, in bytes.
const MAX_STRETCH: usize = 4096;

/// A text laid out in rows of a width.
#[derive(Clone, Copy)]
pub(super) struct TextLayout<'a> {
    pub(super) text: &'a str,
    pub(super) folds: &'a FoldedPastes,
    pub(super) width: usize,
}

/// The rows that are shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct VisibleRows {
    pub(super) rows: Vec<Range<usize>>,
    /// Which of them holds the cursor.
    pub(super) cursor: usize,
    /// Whether there are rows before the first and after the last one.
    pub(super) more_above: bool,
    pub(super) more_below: bool,
}

impl TextLayout<'_> {
    /// At most `height` rows with the cursor among them, in their middle where there is enough on both sides.
    pub(super) fn rows_around(&self, cursor: usize, height: usize) -> VisibleRows {
        let height = height.max(1);
        let (line, at) = self.row_of(cursor);
        let above = self.above(&line, at, height);
        let below = self.below(&line, at, height);
        let rest = height - 1;
        let under = below.len().min(rest - rest / 2);
        let over = above.len().min(rest - under);
        let under = below.len().min(rest - over);
        let mut rows: Vec<_> = above[above.len() - over..].to_vec();
        rows.push(line[at].clone());
        rows.extend_from_slice(&below[..under]);
        VisibleRows { rows, cursor: over, more_above: over < above.len(), more_below: under < below.len() }
    }

    /// The place one row up, as near to a column as can be; `None` on the first row.
    pub(super) fn up(&self, cursor: usize, column: usize) -> Option<usize> {
        let (line, at) = self.row_of(cursor);
        self.above(&line, at, 1).last().map(|row| self.place(row, column))
    }

    /// The place one row down.
    pub(super) fn down(&self, cursor: usize, column: usize) -> Option<usize> {
        let (line, at) = self.row_of(cursor);
        self.below(&line, at, 1).first().map(|row| self.place(row, column))
    }

    /// The column of a place in its row.
    pub(super) fn column(&self, at: usize) -> usize {
        let (line, row) = self.row_of(at);
        self.columns(line[row].start..at)
    }

    /// How a row is drawn, with a mark on what is in `marked`.
    pub(super) fn spans(&self, row: Range<usize>, marked: &Range<usize>, theme: &Theme) -> Vec<Span<'static>> {
        let mut spans: Vec<Span<'static>> = Vec::new();
        let mut column = 0;
        for (at, cluster) in self.text[row.clone()].grapheme_indices(true) {
            let drawn = self.draw(cluster, column);
            column += drawn.width();
            let stands_in = cluster.starts_with(is_stand_in);
            let style = match () {
                () if marked.contains(&(row.start + at)) => theme.strong.add_modifier(Modifier::UNDERLINED),
                () if stands_in => theme.accent,
                () if drawn == cluster || cluster == "\t" => theme.text,
                () => theme.warn,
            };
            match spans.last_mut().filter(|last| last.style == style) {
                Some(last) => last.content.to_mut().push_str(&drawn),
                None => spans.push(Span::styled(drawn, style)),
            }
        }
        spans
    }

    /// The rows of the stretch that holds a place, and which of them holds it.
    fn row_of(&self, at: usize) -> (Vec<Range<usize>>, usize) {
        let rows = self.rows(self.stretch(at));
        let row = rows.iter().rposition(|row| row.start <= at).unwrap_or(0);
        (rows, row)
    }

    /// Up to `wanted` rows before a row, and at least one more if there is one.
    fn above(&self, here: &[Range<usize>], at: usize, wanted: usize) -> Vec<Range<usize>> {
        let mut rows = here[at.saturating_sub(wanted + 1)..at].to_vec();
        let mut start = here.first().map_or(0, |row| row.start);
        while rows.len() <= wanted && start > 0 {
            let stretch = self.stretch(left(self.text, start));
            start = stretch.start;
            rows.splice(0..0, self.rows(stretch));
        }
        rows
    }

    fn below(&self, here: &[Range<usize>], at: usize, wanted: usize) -> Vec<Range<usize>> {
        let mut rows: Vec<_> = here[at + 1..].iter().take(wanted + 1).cloned().collect();
        let mut end = here.last().map_or(0, |row| row.end);
        while rows.len() <= wanted && end < self.text.len() {
            let is_break = self.text[end..].starts_with('\n');
            let stretch = self.stretch(end + usize::from(is_break));
            end = stretch.end;
            rows.extend(self.rows(stretch));
        }
        rows
    }

    /// The line that holds a place, or a part of it where it is very long: only that part is ever broken into rows.
    fn stretch(&self, at: usize) -> Range<usize> {
        let line = line_start(self.text, at)..line_end(self.text, at);
        if line.len() <= MAX_STRETCH {
            return line;
        }
        let number = ((at - line.start) / MAX_STRETCH).min((line.len() - 1) / MAX_STRETCH);
        let bound = |number: usize| match line.start + number * MAX_STRETCH {
            place if number == 0 || place >= line.end => place.min(line.end),
            // The first place between two characters before which something stands.
            place => right(self.text, self.text.floor_char_boundary(place - 1)).min(line.end),
        };
        bound(number)..bound(number + 1)
    }

    /// Break a stretch: after a blank where there is one, else where the row is full.
    fn rows(&self, line: Range<usize>) -> Vec<Range<usize>> {
        let mut rows = Vec::new();
        let (mut start, mut column, mut at) = (line.start, 0, line.start);
        // Where the row can be broken, and the column there.
        let mut gap: Option<(usize, usize)> = None;
        while at < line.end {
            let (length, width) = self.measure(&self.text[at..line.end], column);
            if column + width > self.width && at > start {
                let (end, left_over) = gap.take().map_or((at, 0), |(end, then)| (end, column - then));
                rows.push(start..end);
                (start, column) = (end, left_over);
                if left_over > 0 {
                    continue;
                }
            }
            // A tab is as wide as its place makes it.
            let width = if column == 0 { self.measure(&self.text[at..line.end], 0).1 } else { width };
            column += width;
            at += length;
            if self.text[..at].ends_with([' ', '\t']) {
                gap = Some((at, column));
            }
        }
        rows.push(start..line.end);
        rows
    }

    /// How long and how wide the first character of `rest` is.
    fn measure(&self, rest: &str, column: usize) -> (usize, usize) {
        let bytes = rest.as_bytes();
        if bytes[0].is_ascii_graphic() || bytes[0] == b' ' {
            // Nothing joins two ASCII characters, so most text needs no closer look.
            if bytes.get(1).is_none_or(u8::is_ascii) {
                return (1, 1);
            }
        }
        let cluster = rest.graphemes(true).next().unwrap_or(rest);
        (cluster.len(), self.draw(cluster, column).width())
    }

    fn columns(&self, range: Range<usize>) -> usize {
        self.text[range].graphemes(true).fold(0, |column, cluster| column + self.draw(cluster, column).width())
    }

    /// The place in a row that is nearest to a column from the left.
    fn place(&self, row: &Range<usize>, column: usize) -> usize {
        let (mut at, mut reached) = (row.start, 0);
        for cluster in self.text[row.clone()].graphemes(true) {
            let next = reached + self.draw(cluster, reached).width();
            // The end of a row that goes on is the start of the next one.
            let ends_row =
                at + cluster.len() == row.end && !self.text[row.end..].starts_with('\n') && row.end < self.text.len();
            if next > column || ends_row {
                break;
            }
            (at, reached) = (at + cluster.len(), next);
        }
        at
    }

    /// A character as it is drawn: harmless, and never wider than a row.
    fn draw(&self, cluster: &str, column: usize) -> String {
        if cluster == "\t" {
            return " ".repeat(TAB - column % TAB);
        }
        let mut drawn = String::new();
        let mut rest = cluster;
        if let Some(label) = rest.chars().next().and_then(|first| self.folds.label(first)) {
            drawn.push_str(label);
            rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
        }
        drawn.push_str(&clean(rest));
        if drawn.width() == 0 {
            // A mark without a letter would stand on what is before it.
            drawn.insert(0, '◌');
        }
        if drawn.width() > self.width { cut(&drawn, self.width) } else { drawn }
    }
}

/// `text` in at most `width` columns, with a `…` where it was cut.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut kept, mut column) = (String::new(), 0);
    for cluster in text.graphemes(true) {
        column += cluster.width();
        if column + 1 > width {
            break;
        }
        kept.push_str(cluster);
    }
    if width > 0 {
        kept.push('…');
    }
    kept
}
