//! Changes of one file, as a unified diff.

use similar::{Algorithm, TextDiff};
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
    if old == new {
        return String::new();
    }
    // In a large file nearly everything stays: only what is around the change is compared line by line.
    let start = before_change(old, new);
    let end = after_change(&old[start..], &new[start..]);
    let skipped = old[..start].matches('\n').count();
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Myers).timeout(DIFF_TIMEOUT);
    let diff = config.diff_lines(&old[start..old.len() - end], &new[start..new.len() - end]);
    let mut text = format!("--- {name}\n+++ {name}\n");
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

/// The lines that a unified diff takes out and puts in, each with its sign, in their order.
pub(crate) fn changed_lines(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().skip(2).filter(|line| line.starts_with(['-', '+']))
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
