//! A change of a file as numbered lines.

use super::paint::{Detail, Margin};
use crate::sanitize::clean;
use crate::screen::markdown::flow::{hang, letters};
use crate::screen::patch::{Row, digits, rows};
use crate::screen::theme::Theme;
use pollux_session::FileDiff;
use ratatui::style::Style;
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
    let digits = digits(&all);
    // Where the change begins, its first number says.
    let rows = if matches!(all.first(), Some(Row::Place(_))) { &all[1..] } else { &all[..] };
    let shown = rows.len().min(detail.most(SHOWN));
    let mut lines = Vec::new();
    for row in &rows[..shown] {
        lines.extend(draw_row(row, digits, margin, theme));
    }
    lines.extend(margin.more(rows.len() - shown, "more line", theme));
    lines
}

/// One row. What lies between two places is a sign; where the first one is, the numbers say.
fn draw_row(row: &Row<'_>, digits: usize, margin: Margin, theme: &Theme) -> Vec<Line<'static>> {
    let (sign, text, style): (&str, &str, Style) = match row {
        Row::Same(_, text) => (" ", text, theme.text),
        Row::Added(_, text) => ("+", text, theme.added),
        Row::Removed(_, text) => ("-", text, theme.removed),
        Row::Place(_) => ("⋮", "", theme.dim),
        Row::Remark(text) => (" ", text, theme.dim),
    };
    let number = row.number().map(|number| number.to_string()).unwrap_or_default();
    if text.is_empty() {
        let bare = format!("{}{number:>digits$} {sign}", margin.blank());
        return vec![Line::from(Span::styled(bare.trim_end().to_owned(), style))];
    }
    let broken = letters(&[Span::styled(clean(text).into_owned(), style)], margin.room().saturating_sub(digits + 1));
    let hung = hang(broken, &Span::styled(format!("{sign} "), style), &Span::raw("  "));
    let rest = " ".repeat(digits);
    let numbered = hung.into_iter().enumerate().map(|(at, mut line)| {
        let number = if at == 0 { format!("{number:>digits$} ") } else { format!("{rest} ") };
        line.spans.insert(0, Span::styled(number, theme.dim));
        line.spans.insert(0, Span::raw(margin.blank()));
        line
    });
    numbered.collect()
}

#[cfg(test)]
mod tests;
