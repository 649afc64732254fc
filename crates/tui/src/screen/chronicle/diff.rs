//! A change of a file as numbered lines.

use super::paint::{Detail, Margin};
use crate::sanitize::clean;
use crate::screen::diff_lines::{BackgroundReach, DiffLayout, DiffLines};
use crate::screen::patch::{Row, digits, rows};
use crate::screen::theme::Theme;
use pollux_session::FileDiff;
use ratatui::text::{Line, Span};

/// How many lines of a change are shown.
const SHOWN: usize = 20;

/// `+3 -1`.
pub(super) fn counts(change: &FileDiff) -> String {
    let rows = rows(change);
    let added = rows.iter().filter(|row| matches!(row, Row::Added(..))).count();
    let removed = rows.iter().filter(|row| matches!(row, Row::Removed(..))).count();
    format!("+{added} -{removed}")
}

/// The lines of a change.
pub(super) fn draw(change: &FileDiff, detail: Detail, margin: Margin, theme: &Theme) -> Vec<Line<'static>> {
    let all = rows(change);
    if all.is_empty() {
        return margin.quoted("(no change)", theme.dim, 1, theme);
    }
    let layout = DiffLayout {
        indent: margin.blank(),
        digits: digits(&all),
        width: margin.width(),
        continued: " ",
        background: BackgroundReach::Text,
    };
    // Where the change begins, its first number says; what lies between two places is a sign.
    let rows = if matches!(all.first(), Some(Row::Place(_))) { &all[1..] } else { &all[..] };
    let between = Line::from(Span::styled(format!("{}{:>2$} ⋮", margin.blank(), "", layout.digits), theme.dim));
    let shown = rows.len().min(detail.most(SHOWN));
    let mut drawing = DiffLines::new(&change.name, layout, theme);
    let mut lines = Vec::new();
    for row in &rows[..shown] {
        let drawn = drawing.draw(row, &clean(row.text()));
        match row {
            Row::Place(_) => lines.push(between.clone()),
            Row::Same(..) | Row::Added(..) | Row::Removed(..) | Row::Remark(_) => lines.extend(drawn),
        }
    }
    lines.extend(margin.more(rows.len() - shown, "more line", theme));
    lines
}

#[cfg(test)]
mod tests;
