//! Nearly the same lines: white space does not count, and of the rest a tenth may differ.
//!
//! A file of megabytes has as many places to compare as it has lines, so a place is measured only if its length and
//! its stock of bytes leave any hope. Both are known for the next place from the one before.

use super::TextEdit;
use super::indent::{indent, reindent};
use super::lines::{TextLine, lines, span};
use rapidfuzz::distance::levenshtein::{Args, BatchComparator};

/// Less than this, white space aside, is too little to tell one text from another.
const MIN_BYTES: usize = 10;
/// One byte in this many may differ.
const TOLERANCE: usize = 10;
/// The most work that is done, in steps of the measurement.
const BUDGET: usize = 400_000_000;

pub(super) fn find(text: &str, old: &str, new: &str) -> Vec<TextEdit> {
    let wanted = dense(old);
    let height = old.lines().count();
    let lines = lines(text);
    if wanted.len() < MIN_BYTES || lines.len() < height {
        return Vec::new();
    }
    let mut near = near_places(&lines, &wanted, height);
    // The nearest ones first; what overlaps them is out.
    near.sort_by_key(|(at, distance)| (*distance, *at));
    let mut taken: Vec<usize> = Vec::new();
    for (at, _) in near {
        if taken.iter().all(|other| at.abs_diff(*other) >= height) {
            taken.push(at);
        }
    }
    taken.sort_unstable();
    let first = old.lines().position(|line| !line.trim().is_empty()).unwrap_or(0);
    let from = indent(old.lines().nth(first).unwrap_or_default());
    let found = taken.into_iter().map(|at| {
        let window = &lines[at..at + height];
        let (span, new) = span(window, old, new);
        TextEdit { span, with: reindent(new, from, indent(window[first].text)) }
    });
    found.collect()
}

/// The windows of `height` lines that are near enough to `wanted`, and how far they are.
fn near_places(lines: &[TextLine<'_>], wanted: &[u8], height: usize) -> Vec<(usize, usize)> {
    let limit = wanted.len() / TOLERANCE;
    // All lines in a row without white space, and where each begins.
    let mut all = Vec::new();
    let mut starts = vec![0];
    for line in lines {
        all.extend(dense(line.text));
        starts.push(all.len());
    }
    let comparator = BatchComparator::new(wanted.iter().copied());
    let args = Args::default().score_cutoff(limit);
    let mut stock = ByteBalance::without(wanted);
    stock.add(&all[..starts[height]]);
    let mut near = Vec::new();
    let mut work = 0;
    for at in 0..=lines.len() - height {
        if at > 0 {
            stock.remove(&all[starts[at - 1]..starts[at]]);
            stock.add(&all[starts[at + height - 1]..starts[at + height]]);
        }
        let window = &all[starts[at]..starts[at + height]];
        if window.len().abs_diff(wanted.len()) > limit || stock.least_distance() > limit {
            continue;
        }
        work += window.len() * wanted.len().div_ceil(64);
        if work > BUDGET {
            return Vec::new();
        }
        if let Some(distance) = comparator.distance_with_args(window.iter().copied(), &args) {
            near.push((at, distance));
        }
    }
    near
}

/// The bytes that are not white space.
fn dense(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// The surplus or lack of each byte in a window, compared with the wanted text.
struct ByteBalance {
    balance: [i32; 256],
    surplus: i64,
    lack: i64,
}

impl ByteBalance {
    fn without(wanted: &[u8]) -> ByteBalance {
        let mut stock = ByteBalance { balance: [0; 256], surplus: 0, lack: 0 };
        stock.remove(wanted);
        stock
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let balance = &mut self.balance[usize::from(*byte)];
            if *balance < 0 {
                self.lack -= 1;
            } else {
                self.surplus += 1;
            }
            *balance += 1;
        }
    }

    fn remove(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let balance = &mut self.balance[usize::from(*byte)];
            if *balance > 0 {
                self.surplus -= 1;
            } else {
                self.lack += 1;
            }
            *balance -= 1;
        }
    }

    /// The two texts are at least this far apart: every change mends at most one surplus and one lack.
    fn least_distance(&self) -> usize {
        usize::try_from(self.surplus.max(self.lack)).unwrap_or(usize::MAX)
    }
}
