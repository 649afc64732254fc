//! The places of a file that a model may have meant: told when its text is not found, or found more than once.

use super::lines::{TextLine, lines};
use rapidfuzz::distance::levenshtein::{Args, BatchComparator};
use std::collections::HashMap;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// Lines that are shown of one place.
const MAX_LINES: usize = 12;
/// Places that are shown of a text that occurs more than once.
const MAX_PLACES: usize = 5;
/// Characters that are shown of a line.
const MAX_CHARS: usize = 200;
/// A line that stands this often in the wanted text tells nothing about where it is.
const MAX_REPEATS: usize = 16;
/// The most work that is done to find a similar line, in steps of the measurement.
const BUDGET: usize = 100_000_000;

/// The lines of `text` that are most like `old`, with their numbers; `None` if none is like it.
pub(crate) fn nearest_lines(text: &str, old: &str) -> Option<String> {
    let lines = lines(text);
    let wanted: Vec<&str> = old.lines().map(str::trim).collect();
    let first = most_equal_lines(&lines, &wanted).or_else(|| most_similar_line(&lines, &wanted))?;
    let last = (first + wanted.len().min(MAX_LINES)).min(lines.len());
    Some(numbered(&lines, first..last))
}

/// The lines at `starts`, in bytes, with the line before and after each of them.
pub(crate) fn places(text: &str, starts: &[usize]) -> String {
    let lines = lines(text);
    let mut hits: Vec<usize> = starts.iter().map(|start| lines.partition_point(|line| line.next <= *start)).collect();
    hits.dedup();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for at in hits.iter().take(MAX_PLACES) {
        let around = at.saturating_sub(1)..(at + 2).min(lines.len());
        match ranges.last_mut() {
            Some(before) if around.start <= before.end => before.end = around.end,
            Some(_) | None => ranges.push(around),
        }
    }
    let mut shown: Vec<String> = ranges.into_iter().map(|range| numbered(&lines, range)).collect();
    if hits.len() > MAX_PLACES {
        shown.push(format!("... and {} more", hits.len() - MAX_PLACES));
    }
    shown.join("\n--\n")
}

/// The first line of the window in which most lines are the wanted ones, white space aside.
fn most_equal_lines(lines: &[TextLine<'_>], wanted: &[&str]) -> Option<usize> {
    let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().enumerate().filter(|(_, line)| line.chars().any(char::is_alphanumeric)) {
        positions.entry(line).or_default().push(at);
    }
    positions.retain(|_, at| at.len() <= MAX_REPEATS);
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for offset in positions.get(line.text.trim()).into_iter().flatten() {
            *votes.entry(at.saturating_sub(*offset)).or_default() += 1;
        }
    }
    let most = votes.values().copied().max()?;
    votes.into_iter().filter(|(_, count)| *count == most).map(|(at, _)| at).min()
}

/// The first line of the window around the line that is most like the longest of the wanted ones, if half of it is equal.
fn most_similar_line(lines: &[TextLine<'_>], wanted: &[&str]) -> Option<usize> {
    let (offset, probe) = wanted.iter().enumerate().max_by_key(|(_, line)| line.len())?;
    let limit = probe.len() / 2;
    let comparator = BatchComparator::new(probe.bytes());
    let mut nearest: Option<(usize, usize)> = None;
    let mut work = 0;
    for (at, line) in lines.iter().enumerate() {
        let line = line.text.trim();
        if line.len().abs_diff(probe.len()) > limit {
            continue;
        }
        work += line.len() * probe.len().div_ceil(64);
        if work > BUDGET {
            break;
        }
        let cutoff = nearest.map_or(limit, |(_, distance)| distance.saturating_sub(1));
        if let Some(distance) = comparator.distance_with_args(line.bytes(), &Args::default().score_cutoff(cutoff))
            && nearest.is_none_or(|(_, before)| distance < before)
        {
            nearest = Some((at, distance));
        }
    }
    nearest.map(|(at, _)| at.saturating_sub(offset))
}

fn numbered(lines: &[TextLine<'_>], range: Range<usize>) -> String {
    let shown = lines[range.clone()].iter().zip(range).map(|(line, at)| {
        let end = line.text.char_indices().nth(MAX_CHARS).map_or(line.text.len(), |(end, _)| end);
        let cut = if end < line.text.len() { " [cut]" } else { "" };
        format!("{}: {}{cut}", at + 1, &line.text[..end])
    });
    shown.collect::<Vec<_>>().join("\n")
}
