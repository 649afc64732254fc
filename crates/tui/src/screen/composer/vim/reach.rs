//! Where Vi's motions lead.

use crate::screen::composer::motion;
use std::ops::Range;

/// A motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
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
    Find(Find, char),
}

/// A search for a letter in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Find {
    toward: Toward,
    stop: Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Toward {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    On,
    Before,
}

/// Where a motion leads and what it passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) to: usize,
    pub(super) passed: Passed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    Text(Range<usize>),
    /// Whole lines, from one place to another.
    Lines(Range<usize>),
}

impl Find {
    pub(super) fn by(letter: char) -> Find {
        let toward = if letter.is_uppercase() { Toward::Left } else { Toward::Right };
        let stop = if letter.eq_ignore_ascii_case(&'t') { Stop::Before } else { Stop::On };
        Find { toward, stop }
    }

    fn place(self, text: &str, at: usize, wanted: char, times: usize) -> Option<usize> {
        let (start, end) = (motion::line_start(text, at), motion::line_end(text, at));
        match self.toward {
            Toward::Right => {
                let from = motion::right(text, at).min(end);
                let found = from + text[from..end].match_indices(wanted).nth(times - 1)?.0;
                Some(if self.stop == Stop::On { found } else { motion::left(text, found) })
            }
            Toward::Left => {
                let found = start + text[start..at].rmatch_indices(wanted).nth(times - 1)?.0;
                Some(if self.stop == Stop::On { found } else { motion::right(text, found) })
            }
        }
    }
}

impl Motion {
    pub(super) fn by(letter: char) -> Option<Motion> {
        Some(match letter {
            'h' => Motion::Left,
            'l' | ' ' => Motion::Right,
            'k' => Motion::Up,
            'j' => Motion::Down,
            'w' => Motion::NextWord,
            'b' => Motion::WordBefore,
            'e' => Motion::WordEnd,
            '^' => Motion::LineText,
            '$' => Motion::LineEnd,
            'G' => Motion::LastLine,
            _ => return None,
        })
    }

    /// Where it leads from `at`; `None` where it leads nowhere.
    pub(super) fn reach(self, text: &str, at: usize, count: Option<usize>) -> Option<Reach> {
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
        let within = |to: usize| Some(Reach { to, passed: Passed::Text(at.min(to)..at.max(to)) });
        let including = |to: usize| {
            Some(Reach { to, passed: Passed::Text(at.min(to)..motion::right(text, at.max(to)).min(text.len())) })
        };
        let lines = |to: usize| Some(Reach { to, passed: Passed::Lines(at.min(to)..at.max(to)) });
        match self {
            Motion::Left => within(repeat(&|place| if place > start { motion::left(text, place) } else { place })),
            Motion::Right => within(repeat(&|place| if place < end { motion::right(text, place) } else { place })),
            Motion::Up if start == 0 => None,
            Motion::Up => {
                lines(repeat(&|place| motion::line_start(text, motion::line_start(text, place).saturating_sub(1))))
            }
            Motion::Down if end == text.len() => None,
            Motion::Down => lines(repeat(&|place| match motion::line_end(text, place) {
                last if last == text.len() => place,
                line_end => line_end + 1,
            })),
            Motion::NextWord => within(repeat(&|place| motion::next_word(text, place))),
            Motion::WordBefore => within(repeat(&|place| motion::word_before(text, place))),
            Motion::WordEnd => including(repeat(&|place| motion::word_end(text, place))),
            Motion::LineStart => within(start),
            Motion::LineText => within(motion::line_text(text, at)),
            Motion::LineEnd => within(end),
            Motion::FirstLine => lines(line(text, count.unwrap_or(1))),
            Motion::LastLine => lines(line(text, count.unwrap_or(usize::MAX))),
            Motion::Find(find, wanted) => {
                let to = find.place(text, at, wanted, times)?;
                if find.toward == Toward::Right { including(to) } else { within(to) }
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
