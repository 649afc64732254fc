//! A change of a file as numbered lines.

use super::margin::{DetailLevel, Margin};
use crate::sanitize::clean;
use crate::screen::diff_lines::{BackgroundReach, DiffLayout, DiffLines};
use crate::screen::patch::{DiffRow, diff_rows, number_width};
use crate::screen::theme::Theme;
use pollux_session::FileDiff;
use ratatui::text::{Line, Span};

/// How many lines of a change are shown.
const MAX_DIFF_LINES: usize = 20;

/// `+3 -1`.
pub(super) fn diff_counts(change: &FileDiff) -> String {
    let rows = diff_rows(change);
    let added = rows.iter().filter(|row| matches!(row, DiffRow::Added(..))).count();
    let removed = rows.iter().filter(|row| matches!(row, DiffRow::Removed(..))).count();
    format!("+{added} -{removed}")
}

/// The lines of a change.
pub(super) fn draw_diff(change: &FileDiff, detail: DetailLevel, margin: Margin, theme: &Theme) -> Vec<Line<'static>> {
    let all = diff_rows(change);
    if all.is_empty() {
        return margin.quoted("(no change)", theme.dim, 1, theme);
    }
    let layout = DiffLayout {
        indent: margin.blank(),
        digits: number_width(&all),
        width: margin.width(),
        continued: " ",
        background: BackgroundReach::Text,
    };
    // Where the change begins, its first number says; what lies between two places is a sign.
    let rows = if matches!(all.first(), Some(DiffRow::HunkHeader(_))) { &all[1..] } else { &all[..] };
    let between = Line::from(Span::styled(format!("{}{:>2$} ⋮", margin.blank(), "", layout.digits), theme.dim));
    let shown = rows.len().min(detail.limit(MAX_DIFF_LINES));
    let mut drawing = DiffLines::new(&change.name, layout, theme);
    let mut lines = Vec::new();
    for row in &rows[..shown] {
        let drawn = drawing.draw(row, &clean(row.text()));
        match row {
            DiffRow::HunkHeader(_) => lines.push(between.clone()),
            DiffRow::Same(..) | DiffRow::Added(..) | DiffRow::Removed(..) | DiffRow::Remark(_) => lines.extend(drawn),
        }
    }
    lines.extend(margin.more(rows.len() - shown, "more line", theme));
    lines
}

#[cfg(test)]
mod tests;
