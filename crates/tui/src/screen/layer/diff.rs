//! A change of a file in a dialog: every line of it, to the letter.

use super::sheet::{INDENT, Sheet};
use crate::screen::patch::{Row, digits, rows};
use pollux_session::FileDiff;

/// Write a change down.
pub(super) fn numbered(sheet: &mut Sheet<'_>, change: &FileDiff) {
    numbered_rows(sheet, &rows(change));
}

/// Write the lines of a change down.
pub(super) fn numbered_rows(sheet: &mut Sheet<'_>, rows: &[Row<'_>]) {
    let theme = sheet.theme();
    if rows.is_empty() {
        return sheet.words_in(INDENT, INDENT, theme.dim, "(no change)");
    }
    let digits = digits(rows);
    for row in rows {
        let (sign, style, text) = match row {
            Row::Same(_, text) => (' ', theme.text, text),
            Row::Added(_, text) => ('+', theme.added, text),
            Row::Removed(_, text) => ('-', theme.removed, text),
            Row::Place(text) => (' ', theme.accent, text),
            Row::Remark(text) => (' ', theme.dim, text),
        };
        let number = row.number().map(|number| number.to_string()).unwrap_or_default();
        let first = format!("{INDENT}{number:>digits$} {sign} ");
        let rest = format!("{INDENT}{:>digits$} ┆ ", "");
        sheet.exact_in(&first, &rest, style, text);
    }
}

#[cfg(test)]
mod tests;
