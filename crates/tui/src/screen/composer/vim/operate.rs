//! What Vi's operators do to what a motion passes.

use super::reach::{Motion, Passed};
use super::{Mode, Operator};
use crate::screen::composer::buffer::Shape;
use crate::screen::composer::fold::Long;
use crate::screen::composer::{Composer, Typed, motion};
use std::ops::Range;

/// Where a deleted text is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// The largest text that repeating may make, in bytes.
const LARGEST: usize = 1 << 20;

impl Composer {
    /// `d`, `c` or `y`; twice in a row means the line.
    pub(super) fn vi_operator(&mut self, operator: Operator) -> Typed {
        match self.vi.pending.operator {
            Some(begun) if begun == operator => self.vi_lines(operator),
            Some(_) => self.vi_done(),
            None => {
                self.vi.pending.operator = Some(operator);
                Typed::Changed
            }
        }
    }

    /// A motion: go there, or do to what it passes what the operator says.
    pub(super) fn vi_motion(&mut self, motion: Motion) -> Typed {
        match (self.vi.pending.operator, motion) {
            (Some(operator), motion) => self.vi_on(operator, motion),
            (None, Motion::Up) => self.vi_rows(Composer::up),
            (None, Motion::Down) => self.vi_rows(Composer::down),
            (None, motion) => {
                let count = self.vi.pending.count();
                if let Some(reach) = motion.reach(self.buffer.text(), self.buffer.cursor(), count) {
                    self.buffer.go(reach.to);
                }
                self.vi_done()
            }
        }
    }

    pub(super) fn vi_on(&mut self, operator: Operator, motion: Motion) -> Typed {
        let (text, at, count) = (self.buffer.text(), self.buffer.cursor(), self.vi.pending.count());
        let on_word = text[at..].chars().next().is_some_and(|ch| !ch.is_whitespace());
        let end = motion::line_end(text, at);
        // `cw` leaves the blank after the word, and `w` does not take the line break with the last word.
        let motion = match (operator, motion) {
            (Operator::Change, Motion::NextWord) if on_word => Motion::WordEnd,
            (_, motion) => motion,
        };
        let reach = match motion {
            // A word of one letter ends where it begins.
            Motion::WordEnd if operator == Operator::Change && count.is_none() && is_last_of_word(text, at) => {
                Some(Passed::Text(at..motion::right(text, at)))
            }
            motion => motion.reach(text, at, count).map(|reach| reach.passed),
        };
        match reach {
            None => self.vi_done(),
            Some(Passed::Text(range)) if motion == Motion::NextWord && range.end > end && at < end => {
                self.vi_text(operator, range.start..end)
            }
            Some(Passed::Text(range)) => self.vi_text(operator, range),
            Some(Passed::Lines(range)) => self.vi_span(operator, range),
        }
    }

    /// The line of the cursor, and as many more as the count says.
    pub(super) fn vi_lines(&mut self, operator: Operator) -> Typed {
        let (text, at) = (self.buffer.text(), self.buffer.cursor());
        let mut last = at;
        for _ in 1..self.vi.pending.times() {
            match motion::line_end(text, last) {
                end if end == text.len() => break,
                end => last = end + 1,
            }
        }
        self.vi_span(operator, at..last)
    }

    pub(super) fn vi_put(&mut self, side: Side) -> Typed {
        let killed = self.buffer.killed().clone();
        let times = self.vi.pending.times().min(LARGEST / killed.text.len().max(1)).max(1);
        let (text, at) = (self.buffer.text(), self.buffer.cursor());
        let (start, end) = (motion::line_start(text, at), motion::line_end(text, at));
        match (killed.shape, side) {
            (Shape::Inline, _) if killed.text.is_empty() => {}
            (Shape::Inline, side) => {
                let place = if side == Side::After && at < end { motion::right(text, at) } else { at };
                self.buffer.replace(place..place, &killed.text.repeat(times));
                let last = motion::left(self.buffer.text(), self.buffer.cursor());
                self.buffer.go(last);
            }
            (Shape::Lines, Side::After) => {
                self.buffer.replace(end..end, &format!("\n{}", killed.text).repeat(times));
                self.buffer.go(motion::line_text(self.buffer.text(), end + 1));
            }
            (Shape::Lines, Side::Before) => {
                self.buffer.replace(start..start, &format!("{}\n", killed.text).repeat(times));
                self.buffer.go(motion::line_text(self.buffer.text(), start));
            }
        }
        self.vi_done()
    }

    /// `r`: other letters in the place of as many.
    pub(super) fn vi_replace(&mut self, letter: char) -> Typed {
        let letter = self.folds.take(letter.to_string(), Long::Shown);
        let (text, at, times) = (self.buffer.text(), self.buffer.cursor(), self.vi.pending.times());
        let line_end = motion::line_end(text, at);
        let mut end = at;
        let fits = (0..times).all(|_| {
            let more = end < line_end;
            end = if more { motion::right(text, end) } else { end };
            more
        });
        if fits {
            let letters = letter.repeat(times);
            self.buffer.replace(at..end, &letters);
            self.buffer.go(at + letters.len() - letter.len());
        }
        self.vi_done()
    }

    fn vi_rows(&mut self, step: impl Fn(&mut Composer) -> Typed) -> Typed {
        let times = self.vi.pending.times();
        let mut all = Typed::Nothing;
        for _ in 0..times {
            match step(self) {
                Typed::Nothing => break,
                typed @ Typed::Act(_) => {
                    all = typed;
                    break;
                }
                typed => all = typed,
            }
        }
        self.vi.pending = super::Pending::default();
        all
    }

    fn vi_text(&mut self, operator: Operator, range: Range<usize>) -> Typed {
        match operator {
            Operator::Delete | Operator::Change => self.buffer.kill(range, Shape::Inline),
            Operator::Copy => {
                self.buffer.keep(range.clone(), Shape::Inline);
                self.buffer.go(range.start);
            }
        }
        self.vi_operated(operator)
    }

    fn vi_span(&mut self, operator: Operator, places: Range<usize>) -> Typed {
        let text = self.buffer.text();
        let (start, end) = (motion::line_start(text, places.start), motion::line_end(text, places.end));
        self.buffer.keep(start..end, Shape::Lines);
        match operator {
            Operator::Copy => {}
            Operator::Change => self.buffer.replace(start..end, ""),
            Operator::Delete => {
                let text = self.buffer.text();
                let with_break = match (start, end) {
                    (start, end) if end < text.len() => start..end + 1,
                    (start, end) => start.saturating_sub(1)..end,
                };
                self.buffer.replace(with_break, "");
                self.buffer.go(motion::line_text(self.buffer.text(), start.min(self.buffer.text().len())));
            }
        }
        self.vi_operated(operator)
    }

    fn vi_operated(&mut self, operator: Operator) -> Typed {
        if operator == Operator::Change {
            self.vi.mode = Mode::Insert;
        }
        self.vi_done()
    }
}

fn is_last_of_word(text: &str, at: usize) -> bool {
    let next = motion::right(text, at);
    next >= text.len() || motion::class(&text[next..]) != motion::class(&text[at..])
}
