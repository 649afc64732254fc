//! A change of a file as numbered lines.

use super::paint::{Detail, Margin};
use crate::sanitize::clean;
use crate::screen::markdown::flow::{hang, letters};
use crate::screen::theme::Theme;
use pollux_session::FileDiff;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// How many lines of a change are shown.
const SHOWN: usize = 20;

/// One line of a change, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row<'a> {
    Same(usize, &'a str),
    Added(usize, &'a str),
    Removed(usize, &'a str),
    /// Lines between two places that stay as they are.
    Skipped,
    /// What the diff says about itself.
    Remark(&'a str),
}

/// `+3 -1`.
pub(super) fn counts(change: &FileDiff) -> String {
    let rows = rows(change);
    let added = rows.iter().filter(|row| matches!(row, Row::Added(..))).count();
    let removed = rows.iter().filter(|row| matches!(row, Row::Removed(..))).count();
    format!("+{added} -{removed}")
}

/// The lines of a change.
pub(super) fn draw(change: &FileDiff, detail: Detail, margin: Margin, theme: &Theme) -> Vec<Line<'static>> {
    let rows = rows(change);
    if rows.is_empty() {
        return margin.quoted("(no change)", theme.dim, 1, theme);
    }
    let digits = rows.iter().filter_map(Row::number).max().unwrap_or(0).to_string().len();
    let shown = rows.len().min(detail.most(SHOWN));
    let mut lines = Vec::new();
    for row in &rows[..shown] {
        lines.extend(row.draw(digits, margin, theme));
    }
    lines.extend(margin.more(rows.len() - shown, "more line", theme));
    lines
}

fn rows(change: &FileDiff) -> Vec<Row<'_>> {
    if !change.patch.is_empty() {
        return of_patch(&change.patch);
    }
    if change.old.as_ref() == Some(&change.new) {
        return Vec::new();
    }
    // Without a patch the whole new content stands for it.
    let new = change.new.trim_end_matches('\n').split('\n').enumerate();
    new.map(|(at, text)| Row::Added(at + 1, text)).collect()
}

fn of_patch(patch: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    // The old and the new number of the next line, once the first place is found.
    let mut at: Option<(usize, usize)> = None;
    // Not `lines`: a carriage return at the end of a line is part of what is shown.
    for line in patch.trim_end_matches('\n').split('\n') {
        if let Some(place) = line.strip_prefix("@@ ").and_then(place) {
            if at.is_some() {
                rows.push(Row::Skipped);
            }
            at = Some(place);
            continue;
        }
        let Some((old, new)) = &mut at else {
            // The names of the files are in the line that names the call.
            if !line.starts_with("--- ") && !line.starts_with("+++ ") {
                rows.push(Row::Remark(line));
            }
            continue;
        };
        match line.split_at_checked(1) {
            Some(("+", text)) => {
                rows.push(Row::Added(*new, text));
                *new += 1;
            }
            Some(("-", text)) => {
                rows.push(Row::Removed(*old, text));
                *old += 1;
            }
            Some((" ", text)) => {
                rows.push(Row::Same(*new, text));
                *old += 1;
                *new += 1;
            }
            None => {
                rows.push(Row::Same(*new, ""));
                *old += 1;
                *new += 1;
            }
            Some(_) => rows.push(Row::Remark(line)),
        }
    }
    rows
}

/// `-1,3 +1,4 @@`: where a place begins, in the old and in the new file.
fn place(text: &str) -> Option<(usize, usize)> {
    let mut parts = text.split(' ');
    let mut number = |sign: char| parts.next()?.strip_prefix(sign)?.split(',').next()?.parse().ok();
    Some((number('-')?, number('+')?))
}

impl Row<'_> {
    fn number(&self) -> Option<usize> {
        match self {
            Row::Same(number, _) | Row::Added(number, _) | Row::Removed(number, _) => Some(*number),
            Row::Skipped | Row::Remark(_) => None,
        }
    }

    fn draw(&self, digits: usize, margin: Margin, theme: &Theme) -> Vec<Line<'static>> {
        let (sign, text, style): (&str, &str, Style) = match self {
            Row::Same(_, text) => (" ", text, theme.text),
            Row::Added(_, text) => ("+", text, theme.added),
            Row::Removed(_, text) => ("-", text, theme.removed),
            Row::Skipped => ("⋮", "", theme.dim),
            Row::Remark(text) => (" ", text, theme.dim),
        };
        let number = self.number().map(|number| number.to_string()).unwrap_or_default();
        if text.is_empty() {
            let bare = format!("{}{number:>digits$} {sign}", margin.blank());
            return vec![Line::from(Span::styled(bare.trim_end().to_owned(), style))];
        }
        let broken =
            letters(&[Span::styled(clean(text).into_owned(), style)], margin.room().saturating_sub(digits + 1));
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
}

#[cfg(test)]
mod tests;
