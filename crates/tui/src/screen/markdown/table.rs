//! Tables fitted to the width: columns shrink and their cells wrap; where even that has no room, each cell is a line of
//! its own with the name of its column.

use super::word_wrap::{clean_span, hang_lines, width_of, wrap_words};
use crate::screen::theme::Theme;
use pulldown_cmark::Alignment;
use ratatui::text::{Line, Span};

/// What is in one cell.
pub(super) type TableCell = Vec<Span<'static>>;

/// Between two columns.
const GAP: usize = 2;
/// No column gets narrower than this, unless all it holds is.
const NARROWEST: usize = 8;

/// The lines of a table.
pub(super) fn table_lines(
    head: &[TableCell],
    rows: &[Vec<TableCell>],
    alignments: &[Alignment],
    width: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let count = rows.iter().map(Vec::len).chain([head.len()]).max().unwrap_or(0);
    let wanted: Vec<usize> = (0..count)
        .map(|at| rows.iter().chain([&head.to_vec()]).filter_map(|row| row.get(at)).map(|cell| width_of(cell)).max())
        .map(|widest| widest.unwrap_or(0).max(1))
        .collect();
    let Some(widths) = fit_columns(&wanted, width) else { return records(head, rows, width, theme) };
    let head: Vec<TableCell> = head.iter().map(|cell| in_bold(cell, theme)).collect();
    let mut lines = row_lines(&head, &widths, alignments);
    let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join(&" ".repeat(GAP));
    lines.push(Line::from(Span::styled(rule, theme.dim)));
    lines.extend(rows.iter().flat_map(|row| row_lines(row, &widths, alignments)));
    lines
}

/// The width of each column; `None` when they do not fit side by side.
fn fit_columns(wanted: &[usize], width: usize) -> Option<Vec<usize>> {
    let room = width.checked_sub(GAP * wanted.len().saturating_sub(1))?;
    let least: usize = wanted.iter().map(|wanted| (*wanted).min(NARROWEST)).sum();
    if least > room {
        return None;
    }
    // The widest column a table with this room may have: every narrower one keeps what it wants.
    let total = |limit: usize| wanted.iter().map(|wanted| (*wanted).min(limit)).sum::<usize>();
    let widest = wanted.iter().copied().max().unwrap_or(0);
    let (mut low, mut high) = (NARROWEST.min(widest), widest.max(NARROWEST));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if total(middle) <= room {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(wanted.iter().map(|wanted| (*wanted).min(low)).collect())
}

/// One row, as many lines as its tallest cell has.
fn row_lines(row: &[TableCell], widths: &[usize], alignments: &[Alignment]) -> Vec<Line<'static>> {
    let wrapped: Vec<Vec<TableCell>> = widths
        .iter()
        .enumerate()
        .map(|(at, width)| row.get(at).map_or_else(Vec::new, |cell| wrap_words(cell, *width)))
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    (0..height)
        .map(|line| {
            let mut spans: TableCell = Vec::new();
            let mut column = 0;
            let mut start = 0;
            for (at, width) in widths.iter().enumerate() {
                let cell = wrapped[at].get(line).cloned().unwrap_or_default();
                let free = width.saturating_sub(width_of(&cell));
                let before = match alignments.get(at) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    Some(Alignment::Left | Alignment::None) | None => 0,
                };
                // Spaces only where something follows them.
                if !cell.is_empty() {
                    let indent = start + before - column;
                    if indent > 0 {
                        spans.push(Span::raw(" ".repeat(indent)));
                    }
                    column = start + before + width_of(&cell);
                    spans.extend(cell);
                }
                start += width + GAP;
            }
            Line::from(spans)
        })
        .collect()
}

/// A table without columns: `name: value`, and an empty line between rows.
fn records(head: &[TableCell], rows: &[Vec<TableCell>], width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for row in rows {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        for (at, cell) in row.iter().enumerate() {
            let mut spans = head.get(at).map_or_else(Vec::new, |name| in_bold(name, theme));
            spans.push(clean_span(": ", theme.strong));
            spans.extend(cell.iter().cloned());
            lines.extend(hang_lines(wrap_words(&spans, width.saturating_sub(2)), &Span::raw(""), &Span::raw("  ")));
        }
    }
    if rows.is_empty() {
        let names = head.iter().map(|name| in_bold(name, theme));
        lines.extend(names.flat_map(|name| wrap_words(&name, width)).map(Line::from));
    }
    lines
}

fn in_bold(cell: &[Span<'static>], theme: &Theme) -> TableCell {
    cell.iter().map(|span| span.clone().patch_style(theme.strong)).collect()
}
