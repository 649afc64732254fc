//! A change of a file in a dialog: every line of it, to the letter.

use super::line_builder::{INDENT, LineBuilder, drawable};
use crate::screen::diff_lines::{BackgroundReach, DiffLayout, DiffLines};
use crate::screen::patch::{DiffRow, diff_rows, number_width};
use pollux_session::FileDiff;

/// Write a change down.
pub(super) fn write_diff(line_builder: &mut LineBuilder<'_>, change: &FileDiff) {
    write_diff_rows(line_builder, &diff_rows(change), &change.name);
}

/// Write the lines of a change of the file `name` down.
pub(super) fn write_diff_rows(line_builder: &mut LineBuilder<'_>, rows: &[DiffRow<'_>], name: &str) {
    let theme = line_builder.theme();
    if rows.is_empty() {
        return line_builder.words_in(INDENT, INDENT, theme.dim, "(no change)");
    }
    let layout = DiffLayout {
        indent: INDENT.to_owned(),
        digits: number_width(rows),
        width: line_builder.width(),
        continued: "┆",
        background: BackgroundReach::Row,
    };
    let mut lines = DiffLines::new(name, layout, theme);
    for row in rows {
        line_builder.add(lines.draw(row, &drawable(row.text())));
    }
}

#[cfg(test)]
mod tests;
