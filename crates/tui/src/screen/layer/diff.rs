//! A change of a file in a dialog: every line of it, to the letter.

use super::sheet::{INDENT, Sheet, drawable};
use crate::screen::diff_lines::{BackgroundReach, DiffLayout, DiffLines};
use crate::screen::patch::{Row, digits, rows};
use pollux_session::FileDiff;

/// Write a change down.
pub(super) fn numbered(sheet: &mut Sheet<'_>, change: &FileDiff) {
    numbered_rows(sheet, &rows(change), &change.name);
}

/// Write the lines of a change of the file `name` down.
pub(super) fn numbered_rows(sheet: &mut Sheet<'_>, rows: &[Row<'_>], name: &str) {
    let theme = sheet.theme();
    if rows.is_empty() {
        return sheet.words_in(INDENT, INDENT, theme.dim, "(no change)");
    }
    let layout = DiffLayout {
        indent: INDENT.to_owned(),
        digits: digits(rows),
        width: sheet.width(),
        continued: "┆",
        background: BackgroundReach::Row,
    };
    let mut lines = DiffLines::new(name, layout, theme);
    for row in rows {
        sheet.add(lines.draw(row, &drawable(row.text())));
    }
}

#[cfg(test)]
mod tests;
