//! Where Vi's motions lead.

use crate::screen::composer::motion;
use std::ops::Range;

/// A motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViMotion {
    Left,
    Right,
    Up,
    Down,
    NextWord,
    WordBefore,
    WordEnd,
    LineStart,
    LineText,
    LineEnd,
    FirstLine,
    LastLine,
    Find(LetterFind, char),
}

/// A search for a letter in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LetterFind {
    direction: FindDirection,
    stop: FindStop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FindDirection {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FindStop {
    On,
    Before,
}

/// Where a motion leads and what it passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MotionTarget {
    pub(super) to: usize,
    pub(super) range: MotionRange,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MotionRange {
    Text(Range<usize>),
    /// Whole lines, from one place to another.
    Lines(Range<usize>),
}

impl LetterFind {
    pub(super) fn from_letter(letter: char) -> LetterFind {
        let direction = if letter.is_uppercase() { FindDirection::Left } else { FindDirection::Right };
        let stop = if letter.eq_ignore_ascii_case(&'t') { FindStop::Before } else { FindStop::On };
        LetterFind { direction, stop }
    }

    fn find_letter(self, text: &str, at: usize, wanted: char, times: usize) -> Option<usize> {
        let (start, end) = (motion::line_start(text, at), motion::line_end(text, at));
        match self.direction {
            FindDirection::Right => {
                let from = motion::right(text, at).min(end);
                let found = from + text[from..end].match_indices(wanted).nth(times - 1)?.0;
                Some(if self.stop == FindStop::On { found } else { motion::left(text, found) })
            }
            FindDirection::Left => {
                let found = start + text[start..at].rmatch_indices(wanted).nth(times - 1)?.0;
                Some(if self.stop == FindStop::On { found } else { motion::right(text, found) })
            }
        }
    }
}

impl ViMotion {
    pub(super) fn by(letter: char) -> Option<ViMotion> {
        Some(match letter {
            'h' => ViMotion::Left,
            'l' | ' ' => ViMotion::Right,
            'k' => ViMotion::Up,
            'j' => ViMotion::Down,
            'w' => ViMotion::NextWord,
            'b' => ViMotion::WordBefore,
            'e' => ViMotion::WordEnd,
            '^' => ViMotion::LineText,
            '$' => ViMotion::LineEnd,
            'G' => ViMotion::LastLine,
            _ => return None,
        })
    }

    /// Where it leads from `at`; `None` where it leads nowhere.
    pub(super) fn target(self, text: &str, at: usize, count: Option<usize>) -> Option<MotionTarget> {
        let times = count.unwrap_or(1).max(1);
        let (start, end) = (motion::line_start(text, at), motion::line_end(text, at));
        let repeat = |step: &dyn Fn(usize) -> usize| {
            let mut place = at;
            for _ in 0..times {
                let next = step(place);
                if next == place {
                    break;
                }
                place = next;
            }
            place
        };
        let within = |to: usize| Some(MotionTarget { to, range: MotionRange::Text(at.min(to)..at.max(to)) });
        let including = |to: usize| {
            Some(MotionTarget {
                to,
                range: MotionRange::Text(at.min(to)..motion::right(text, at.max(to)).min(text.len())),
            })
        };
        let lines = |to: usize| Some(MotionTarget { to, range: MotionRange::Lines(at.min(to)..at.max(to)) });
        match self {
            ViMotion::Left => within(repeat(&|place| if place > start { motion::left(text, place) } else { place })),
            ViMotion::Right => within(repeat(&|place| if place < end { motion::right(text, place) } else { place })),
            ViMotion::Up if start == 0 => None,
            ViMotion::Up => {
                lines(repeat(&|place| motion::line_start(text, motion::line_start(text, place).saturating_sub(1))))
            }
            ViMotion::Down if end == text.len() => None,
            ViMotion::Down => lines(repeat(&|place| match motion::line_end(text, place) {
                last if last == text.len() => place,
                line_end => line_end + 1,
            })),
            ViMotion::NextWord => within(repeat(&|place| motion::next_word(text, place))),
            ViMotion::WordBefore => within(repeat(&|place| motion::word_before(text, place))),
            ViMotion::WordEnd => including(repeat(&|place| motion::word_end(text, place))),
            ViMotion::LineStart => within(start),
            ViMotion::LineText => within(motion::line_text(text, at)),
            ViMotion::LineEnd => within(end),
            ViMotion::FirstLine => lines(line(text, count.unwrap_or(1))),
            ViMotion::LastLine => lines(line(text, count.unwrap_or(usize::MAX))),
            ViMotion::Find(find, wanted) => {
                let to = find.find_letter(text, at, wanted, times)?;
                if find.direction == FindDirection::Right { including(to) } else { within(to) }
            }
        }
    }
}

/// Where the text of a line begins, counted from 1; the last one when there are not so many.
fn line(text: &str, number: usize) -> usize {
    let starts = text.match_indices('\n').map(|(at, _)| at + 1);
    let start = std::iter::once(0).chain(starts).take(number.max(1)).last().unwrap_or(0);
    motion::line_text(text, start)
}
