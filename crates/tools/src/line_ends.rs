//! Line ends. A file keeps those that it has: a model and a text field may know one kind only, and a line that nobody touched must
//! end as before.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::borrow::Cow;

#[cfg(test)]
mod tests;

/// The most pairs of lines that are compared to find those that stay. Beyond that they are taken in their order.
const MAX_PAIRS: usize = 25_000_000;

/// `content` with `\r\n` where most lines of `old` end so.
pub(crate) fn with_line_ends_of<'a>(old: &str, content: &'a str) -> Cow<'a, str> {
    match usual_end(old) {
        "\r\n" => Cow::Owned(content.replace("\r\n", "\n").replace('\n', "\r\n")),
        _ => Cow::Borrowed(content),
    }
}

/// `new`, which is to stand in the place of `old`, with the line ends of `old`. Where those differ from line to line, a line that stays
/// keeps its own, and a line that changes has that of the line in its place.
pub(crate) fn keep_line_ends<'a>(old: &str, new: &'a str) -> Cow<'a, str> {
    if has_mixed_line_ends(old) { Cow::Owned(align(old, new, usual_end(old))) } else { with_line_ends_of(old, new) }
}

/// The same for a piece of the text `whole`.
pub(crate) fn keep_line_ends_of_piece(whole: &str, old: &str, new: &str) -> String {
    align(old, new, usual_end(whole))
}

/// Whether some lines of `text` end in `\r\n` and others in `\n`.
pub(crate) fn has_mixed_line_ends(text: &str) -> bool {
    let (dos, all) = count_ends(text);
    0 < dos && dos < all
}

/// How most lines of `text` end.
pub(crate) fn usual_end(text: &str) -> &'static str {
    let (dos, all) = count_ends(text);
    if 2 * dos > all { "\r\n" } else { "\n" }
}

/// How many lines end in `\r\n`, and how many in either way.
fn count_ends(text: &str) -> (usize, usize) {
    (text.matches("\r\n").count(), text.matches('\n').count())
}

/// A line, and whether it has an end.
fn content_of(line: &str) -> (&str, bool) {
    match line.strip_suffix('\n') {
        Some(text) => (text.strip_suffix('\r').unwrap_or(text), true),
        None => (line, false),
    }
}

/// How a line ends, if it has an end.
fn end_of(line: &str) -> Option<&'static str> {
    match (line.ends_with("\r\n"), line.ends_with('\n')) {
        (true, _) => Some("\r\n"),
        (false, true) => Some("\n"),
        (false, false) => None,
    }
}

fn align(old: &str, new: &str, usual: &'static str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let contents = |lines: &[&'_ str]| lines.iter().map(|line| content_of(line).0.to_owned()).collect::<Vec<String>>();
    let (before, after) = (contents(&old), contents(&new));
    let mut text = String::new();
    for op in compare(&before, &after) {
        let (old_lines, new_lines) = (op.old_range(), op.new_range());
        for (nth, line) in new[new_lines].iter().enumerate() {
            let (content, has_end) = content_of(line);
            text.push_str(content);
            if has_end {
                // An added line ends like the line before it.
                let beside = match old_lines.len() {
                    0 => old_lines.start.checked_sub(1),
                    count => Some(old_lines.start + nth.min(count - 1)),
                };
                let end = beside.and_then(|at| end_of(old.get(at)?));
                text.push_str(end.unwrap_or(usual));
            }
        }
    }
    text
}

/// Which lines stay.
fn compare(old: &[String], new: &[String]) -> Vec<DiffOp> {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let (old_middle, new_middle) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let mut ops = vec![DiffOp::Equal { old_index: 0, new_index: 0, len: start }];
    if old_middle.len().saturating_mul(new_middle.len()) <= MAX_PAIRS {
        let shifted = |op: DiffOp| match op {
            DiffOp::Equal { old_index, new_index, len } => {
                DiffOp::Equal { old_index: old_index + start, new_index: new_index + start, len }
            }
            DiffOp::Delete { old_index, old_len, new_index } => {
                DiffOp::Delete { old_index: old_index + start, old_len, new_index: new_index + start }
            }
            DiffOp::Insert { old_index, new_index, new_len } => {
                DiffOp::Insert { old_index: old_index + start, new_index: new_index + start, new_len }
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                DiffOp::Replace { old_index: old_index + start, old_len, new_index: new_index + start, new_len }
            }
        };
        ops.extend(capture_diff_slices(Algorithm::Myers, old_middle, new_middle).into_iter().map(shifted));
    } else {
        let (old_len, new_len) = (old_middle.len(), new_middle.len());
        ops.push(DiffOp::Replace { old_index: start, old_len, new_index: start, new_len });
    }
    ops.push(DiffOp::Equal { old_index: old.len() - end, new_index: new.len() - end, len: end });
    ops
}
