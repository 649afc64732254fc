//! A change of a file, line by line, with the numbers the lines have in it.

use super::sheet::{INDENT, Sheet};
use pollux_session::FileDiff;
use ratatui::style::Style;

/// What a line of a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Kept,
    Added,
    Removed,
}

/// Write a change down. Without a patch the whole new content stands for it.
pub(super) fn numbered(sheet: &mut Sheet<'_>, change: &FileDiff) {
    let theme = sheet.theme();
    if change.patch.is_empty() {
        if change.old.as_ref() == Some(&change.new) {
            return sheet.words_in(INDENT, INDENT, theme.dim, "(no change)");
        }
        let lines: Vec<&str> = change.new.trim_end_matches('\n').split('\n').collect();
        let digits = digits(lines.len());
        for (at, line) in lines.into_iter().enumerate() {
            put(sheet, digits, at + 1, Kind::Added, line);
        }
        return;
    }
    // Not `lines`: a carriage return at the end of a line is part of what is shown.
    let lines: Vec<&str> = change.patch.trim_end_matches('\n').split('\n').collect();
    let digits = digits(lines.iter().filter_map(|line| hunk(line)).map(|hunk| hunk.last).max().unwrap_or(1));
    // Lines left in the hunk tell a removed `-- x` from the head of a file.
    let (mut old, mut new) = (Side::default(), Side::default());
    for line in lines {
        match (line.as_bytes().first(), hunk(line)) {
            (Some(b'+'), _) if new.left > 0 => put(sheet, digits, new.take(), Kind::Added, &line[1..]),
            (Some(b'-'), _) if old.left > 0 => put(sheet, digits, old.take(), Kind::Removed, &line[1..]),
            (Some(b' ') | None, _) if old.left > 0 && new.left > 0 => {
                old.take();
                put(sheet, digits, new.take(), Kind::Kept, line.get(1..).unwrap_or_default());
            }
            (_, Some(hunk)) => {
                (old, new) = (hunk.old, hunk.new);
                aside(sheet, digits, theme.accent, line);
            }
            // The names of the two files: the dialog has said the name.
            _ if old.left == 0 && new.left == 0 && (line.starts_with("--- ") || line.starts_with("+++ ")) => {}
            _ => aside(sheet, digits, theme.dim, line),
        }
    }
}

fn put(sheet: &mut Sheet<'_>, digits: usize, number: usize, kind: Kind, text: &str) {
    let theme = sheet.theme();
    let (sign, style) = match kind {
        Kind::Kept => (' ', theme.text),
        Kind::Added => ('+', theme.added),
        Kind::Removed => ('-', theme.removed),
    };
    let first = format!("{INDENT}{number:>digits$} {sign} ");
    let rest = format!("{INDENT}{:>digits$} ┆ ", "");
    sheet.exact_in(&first, &rest, style, text);
}

/// A line that is none of the file's.
fn aside(sheet: &mut Sheet<'_>, digits: usize, style: Style, text: &str) {
    let first = format!("{INDENT}{:>digits$}   ", "");
    let rest = format!("{INDENT}{:>digits$} ┆ ", "");
    sheet.exact_in(&first, &rest, style, text);
}

/// One side of a hunk: the number of its next line and how many are left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Side {
    next: usize,
    left: usize,
}

impl Side {
    fn take(&mut self) -> usize {
        let number = self.next;
        self.next += 1;
        self.left = self.left.saturating_sub(1);
        number
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hunk {
    old: Side,
    new: Side,
    last: usize,
}

/// Read `@@ -1,3 +1,4 @@`.
fn hunk(line: &str) -> Option<Hunk> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let side = |range: &str| {
        let (next, left) = range.split_once(',').unwrap_or((range, "1"));
        Some(Side { next: next.parse().ok()?, left: left.parse().ok()? })
    };
    let (old, new) = (side(old)?, side(new)?);
    Some(Hunk { old, new, last: old.next.saturating_add(old.left).max(new.next.saturating_add(new.left)) })
}

fn digits(number: usize) -> usize {
    number.to_string().len()
}

#[cfg(test)]
mod tests;
