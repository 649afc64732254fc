//! Lines as cells: the last place where text is looked at before it goes to the terminal.

use crate::screen::rendered_lines::RenderedLines;
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// The most characters that one cell shows together. No script needs more; a heap of marks can cover its neighbours.
const CLUSTER_LIMIT: usize = 16;
/// What can be seen on a cell without text.
const SEEN_ON_BLANK: Modifier = Modifier::REVERSED.union(Modifier::UNDERLINED).union(Modifier::CROSSED_OUT);

/// Put `line` into a row of cells. Whatever does not fit is cut, and the last cell says so.
pub(super) fn lay_line(line: &Line<'_>, row: &mut [Cell]) {
    row.fill(Cell::EMPTY);
    let mut x = 0;
    for span in &line.spans {
        let style = line.style.patch(span.style);
        for symbol in harmless(&span.content).graphemes(true) {
            let symbol = if symbol.chars().nth(CLUSTER_LIMIT).is_some() || symbol.cell_width() == 0 {
                "\u{FFFD}"
            } else {
                symbol
            };
            let after = x + usize::from(symbol.cell_width());
            if after > row.len() {
                mark_cut(row, x, style);
                return;
            }
            row[x].set_symbol(symbol).set_style(style);
            x = after;
        }
    }
}

/// The part of `picture` that fits on a screen, and where its cursor is in it: the bottom, or from the cursor on where
/// that is further up.
pub(super) fn visible_rows(picture: &RenderedLines, size: Size) -> (Buffer, Option<Position>) {
    let height = picture.lines.len().clamp(1, usize::from(size.height));
    let hidden = picture.lines.len().saturating_sub(height);
    let first = picture.cursor.map_or(hidden, |cursor| hidden.min(usize::from(cursor.y)));
    let height = u16::try_from(height).unwrap_or(size.height);
    let mut rows = Buffer::empty(Rect::new(0, 0, size.width, height));
    let width = usize::from(size.width);
    for (row, line) in rows.content.chunks_mut(width).zip(&picture.lines[first..]) {
        lay_line(line, row);
    }
    let first = u16::try_from(first).unwrap_or(u16::MAX);
    let cursor = picture
        .cursor
        .map(|cursor| Position { x: cursor.x.min(size.width - 1), y: cursor.y.saturating_sub(first).min(height - 1) });
    (rows, cursor)
}

/// One row of `rows`.
pub(super) fn row_of(rows: &Buffer, y: u16) -> &[Cell] {
    let width = usize::from(rows.area.width);
    let start = usize::from(y) * width;
    &rows.content[start..start + width]
}

/// The same, to be changed.
pub(super) fn row_of_mut(rows: &mut Buffer, y: u16) -> &mut [Cell] {
    let width = usize::from(rows.area.width);
    let start = usize::from(y) * width;
    &mut rows.content[start..start + width]
}

/// How many columns of a row hold something; the rest is blank.
pub(super) fn length(row: &[Cell]) -> usize {
    let shows =
        |cell: &Cell| cell.symbol() != " " || cell.bg != Color::Reset || cell.modifier.intersects(SEEN_ON_BLANK);
    let Some(last) = row.iter().rposition(shows) else { return 0 };
    (last + usize::from(row[last].cell_width().max(1))).min(row.len())
}

/// Parts of the screen clean what they show. What one of them forgot stops here.
fn harmless(text: &str) -> Cow<'_, str> {
    let cleaned = crate::sanitize::clean(text);
    if cleaned.contains(['\n', '\t']) {
        return Cow::Owned(cleaned.replace('\n', "␊").replace('\t', "␉"));
    }
    cleaned
}

/// Say in the last cell that there was more; `x` is where the next symbol would have begun.
fn mark_cut(row: &mut [Cell], x: usize, style: Style) {
    let Some(last) = row.len().checked_sub(1) else { return };
    if x > last && last > 0 && row[last - 1].cell_width() > 1 {
        // The second half of a wide character: its first half would be left alone.
        row[last - 1].set_symbol(" ");
    }
    row[last].reset();
    row[last].set_symbol("…").set_style(style);
}
