//! Changes of one file, as a unified diff.

use pollux_session::one_line;
use similar::{Algorithm, DiffOp, TextDiff, TextDiffConfig};
use std::ops::Range;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// After this long the diff gets coarser instead of better.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);
/// The lines shown around a change.
const CONTEXT: usize = 3;
/// The bytes that are compared at once while the ends of two texts are the same.
const STRIDE: usize = 4096;

/// The change from `old` to `new` for display. Empty when nothing changes.
pub(crate) fn unified_diff(name: &str, old: &str, new: &str) -> String {
    if old == new { String::new() } else { format!("{}{}", diff_header(name, name), diff_hunks(old, new)) }
}

/// The lines of a unified diff that name the file before and after. A name with line breaks must not pass for lines of the diff.
pub(crate) fn diff_header(old_name: &str, new_name: &str) -> String {
    format!("--- {}\n+++ {}\n", one_line(old_name, usize::MAX), one_line(new_name, usize::MAX))
}

/// The hunks of a unified diff, without the names of the files.
pub(crate) fn diff_hunks(old: &str, new: &str) -> String {
    // In a large file nearly everything stays: only what is around the change is compared line by line.
    let start = before_change(old, new);
    let end = after_change(&old[start..], &new[start..]);
    let skipped = old[..start].matches('\n').count();
    let (old, new) = (lines_of(&old[start..old.len() - end]), lines_of(&new[start..new.len() - end]));
    let diff = diff_config().diff_slices(&old, &new);
    let mut text = String::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        let (Some(first), Some(last)) = (hunk.ops().first(), hunk.ops().last()) else { continue };
        let old = range(first.old_range().start + skipped, last.old_range().end + skipped);
        let new = range(first.new_range().start + skipped, last.new_range().end + skipped);
        let hunk = hunk.to_string();
        let (_, lines) = hunk.split_once('\n').unwrap_or_default();
        text.push_str(&format!("@@ -{old} +{new} @@\n{lines}"));
    }
    text
}

fn diff_config() -> TextDiffConfig {
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Myers).timeout(DIFF_TIMEOUT).newline_terminated(true);
    config
}

/// The lines of a text, each with its end. Only a line feed ends one, here and wherever lines are counted.
fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Whether `patch` of `old` changes what `shown_patch` changes of `shown_old`, another version of the file: the same lines with
/// the same lines around them, at the place where these were. What looks the same at another place is another change.
pub(crate) fn is_same_change(shown_old: &str, shown_patch: &str, old: &str, patch: &str) -> bool {
    let (shown, now) = (hunks(shown_patch), hunks(patch));
    let kept = kept_lines(shown_old, old);
    let is_at_its_place = |shown: &Hunk<'_>, now: &Hunk<'_>| {
        kept.iter().any(|kept| {
            let holds = kept.before.start <= shown.old.start && shown.old.end <= kept.before.end;
            holds && kept.now + (shown.old.start - kept.before.start) == now.old.start
        })
    };
    shown.len() == now.len()
        && shown.iter().zip(&now).all(|(shown, now)| shown.lines == now.lines && is_at_its_place(shown, now))
}

/// A hunk of a unified diff.
struct Hunk<'a> {
    /// The lines of the old text that it shows, counted from 0.
    old: Range<usize>,
    /// All that it shows, with the signs.
    lines: &'a str,
}

fn hunks(patch: &str) -> Vec<Hunk<'_>> {
    // Every line of a hunk begins with a sign, so only a head begins like this.
    patch.split("\n@@ -").skip(1).filter_map(read_hunk).collect()
}

/// The hunk of a text that begins behind `@@ -`.
fn read_hunk(text: &str) -> Option<Hunk<'_>> {
    let (head, lines) = text.split_once('\n')?;
    let (old, _) = head.split_once(" +")?;
    let (start, len) = old.split_once(',').unwrap_or((old, "1"));
    let (start, len): (usize, usize) = (start.parse().ok()?, len.parse().ok()?);
    let start = if len == 0 { start } else { start.checked_sub(1)? };
    Some(Hunk { old: start..start + len, lines: lines.trim_end_matches('\n') })
}

/// Lines that two versions of a text share.
#[derive(Debug, PartialEq, Eq)]
struct KeptLines {
    /// In the older version, counted from 0.
    before: Range<usize>,
    /// Where they begin now.
    now: usize,
}

/// The lines of `old` that `new` still has, in their order, each run as long as it is.
fn kept_lines(old: &str, new: &str) -> Vec<KeptLines> {
    let start = before_change(old, new);
    let end = after_change(&old[start..], &new[start..]);
    let (middle_old, middle_new) = (lines_of(&old[start..old.len() - end]), lines_of(&new[start..new.len() - end]));
    let skipped = lines_of(&old[..start]).len();
    let (after_old, after_new) = (skipped + middle_old.len(), skipped + middle_new.len());
    let mut kept = vec![KeptLines { before: 0..skipped, now: 0 }];
    let mut push = |before: Range<usize>, now: usize| match kept.last_mut() {
        Some(last) if last.before.end == before.start && last.now + last.before.len() == now => {
            last.before.end = before.end;
        }
        Some(_) | None => kept.push(KeptLines { before, now }),
    };
    for op in diff_config().diff_slices(&middle_old, &middle_new).ops() {
        if let DiffOp::Equal { old_index, new_index, len } = *op {
            push(skipped + old_index..skipped + old_index + len, skipped + new_index);
        }
    }
    push(after_old..after_old + lines_of(&old[old.len() - end..]).len(), after_new);
    kept
}

/// Lines `start..end`, counted from 0, as a hunk's head names them.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        len => format!("{},{len}", start + 1),
    }
}

/// The bytes of whole lines with which both texts begin, short of the context.
fn before_change(old: &str, new: &str) -> usize {
    let chunks = old.as_bytes().chunks(STRIDE).zip(new.as_bytes().chunks(STRIDE));
    let strides = chunks.take_while(|(old, new)| old == new && old.len() == STRIDE).count() * STRIDE;
    let rest = old.bytes().skip(strides).zip(new.bytes().skip(strides));
    let same = strides + rest.take_while(|(old, new)| old == new).count();
    let newlines = old.as_bytes()[..same].iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    newlines.map(|(at, _)| at + 1).nth(CONTEXT).unwrap_or(0)
}

/// The bytes of whole lines with which both texts end, short of the context.
fn after_change(old: &str, new: &str) -> usize {
    let chunks = old.as_bytes().rchunks(STRIDE).zip(new.as_bytes().rchunks(STRIDE));
    let strides = chunks.take_while(|(old, new)| old == new && old.len() == STRIDE).count() * STRIDE;
    let rest = old.bytes().rev().skip(strides).zip(new.bytes().rev().skip(strides));
    let same = strides + rest.take_while(|(old, new)| old == new).count();
    let from = old.len() - same;
    let newlines = old.as_bytes()[from..].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    newlines.map(|(at, _)| same - at - 1).nth(CONTEXT).unwrap_or(0)
}
