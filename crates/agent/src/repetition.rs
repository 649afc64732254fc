//! Hears when a streaming answer says the same passage over and over. Code, tables, lists and headings repeat themselves
//! with good reason, so they are not listened to.

use std::collections::{HashMap, HashSet, VecDeque};

/// The length of a passage, in characters.
const PASSAGE: usize = 50;
/// The number of times that it may come.
const REPEATS: usize = 10;
/// The longest way from one to the next, on average.
const NEAR: usize = 250;
/// The most text that is remembered.
const REMEMBERED: usize = PASSAGE + NEAR * REPEATS;
/// Any odd number with many digits mixes well.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Detects repetition in one answer.
#[derive(Default)]
pub(crate) struct RepetitionDetector {
    /// The text that counts, the newest of it.
    text: VecDeque<char>,
    /// The number of characters so far.
    heard: usize,
    /// A rolling hash of the newest passage.
    hash: u64,
    /// Where a passage ended, newest last; occurrences do not overlap.
    ends: HashMap<u64, VecDeque<usize>>,
    /// The beginning of the current line.
    opening: String,
    in_code: bool,
    found: bool,
}

impl RepetitionDetector {
    /// Hear the next piece of the answer.
    pub(crate) fn push(&mut self, text: &str) {
        for c in text.chars() {
            self.push_char(c);
        }
    }

    /// True if the answer goes round in circles.
    pub(crate) fn is_found(&self) -> bool {
        self.found
    }

    fn push_char(&mut self, c: char) {
        if c == '\n' {
            if is_fence(&self.opening) {
                self.in_code = !self.in_code;
            }
            self.opening.clear();
        } else if self.opening.len() < 8 && !(self.opening.is_empty() && c.is_whitespace()) {
            self.opening.push(c);
        }
        if self.in_code || is_structure(&self.opening) {
            self.forget();
        } else {
            self.count(c);
        }
    }

    fn count(&mut self, c: char) {
        self.text.push_back(c);
        self.heard += 1;
        self.hash = self.hash.wrapping_mul(MIX).wrapping_add(u64::from(c));
        if let Some(before) = self.text.len().checked_sub(PASSAGE + 1) {
            let left = u64::from(self.text[before]);
            self.hash = self.hash.wrapping_sub(left.wrapping_mul(LEAVES));
        }
        if self.text.len() >= PASSAGE {
            self.found |= self.note_passage();
        }
        if self.text.len() > REMEMBERED {
            self.text.pop_front();
        }
        if self.heard.is_multiple_of(REMEMBERED) {
            let oldest = self.heard - REMEMBERED;
            self.ends.retain(|_, ends| ends.back().is_some_and(|end| *end > oldest));
        }
    }

    /// Note that a passage ends here; whether it has come too often.
    fn note_passage(&mut self) -> bool {
        // Lines of dots or stars are no speech.
        if !self.text.range(self.text.len() - PASSAGE..).any(|c| c.is_alphanumeric()) {
            return false;
        }
        let ends = self.ends.entry(self.hash).or_default();
        if ends.back().is_some_and(|end| self.heard - end < PASSAGE) {
            return false;
        }
        ends.push_back(self.heard);
        if ends.len() > REPEATS {
            ends.pop_front();
        }
        let span = self.heard - ends.front().copied().unwrap_or(self.heard);
        if ends.len() < REPEATS || span > NEAR * (REPEATS - 1) {
            return false;
        }
        // What differs from one to the next is a list in all but its marks.
        let start = self.heard - self.text.len();
        let pairs = ends.iter().zip(ends.iter().skip(1));
        let between: HashSet<String> =
            pairs.map(|(from, to)| self.text.range(from - start..to - start).collect()).collect();
        between.len() <= REPEATS / 2
    }

    fn forget(&mut self) {
        if self.heard > 0 {
            *self = RepetitionDetector {
                opening: std::mem::take(&mut self.opening),
                in_code: self.in_code,
                found: self.found,
                ..RepetitionDetector::default()
            };
        }
    }
}

/// The factor with which a character that leaves the passage has been multiplied by then.
const LEAVES: u64 = {
    let mut power: u64 = 1;
    let mut at = 0;
    while at < PASSAGE {
        power = power.wrapping_mul(MIX);
        at += 1;
    }
    power
};

fn is_fence(opening: &str) -> bool {
    opening.starts_with("```") || opening.starts_with("~~~")
}

/// True if a line that begins like this is code, a table, a list, a heading or a quotation.
fn is_structure(opening: &str) -> bool {
    let is_numbered = opening
        .split_once(['.', ')'])
        .is_some_and(|(number, _)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
    is_numbered || opening.starts_with(['|', '#', '>', '-', '*', '+', '`', '~', '•'])
}

#[cfg(test)]
mod tests;
