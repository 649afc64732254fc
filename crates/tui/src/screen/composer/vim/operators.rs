//! What Vi's operators do to what a motion passes.

use super::vi_motion::{MotionRange, ViMotion};
use super::{ViMode, ViOperator};
use crate::screen::composer::edit_buffer::KillShape;
use crate::screen::composer::folded_pastes::LongPaste;
use crate::screen::composer::{Composer, ComposerOutcome, motion};
use std::ops::Range;

/// Where a deleted text is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PutSide {
    Before,
    After,
}

/// The largest text that repeating may make, in bytes.
const LARGEST: usize = 1 << 20;

impl Composer {
    /// `d`, `c` or `y`; twice in a row means the line.
    pub(super) fn vi_operator(&mut self, operator: ViOperator) -> ComposerOutcome {
        match self.vi.pending.operator {
            Some(begun) if begun == operator => self.vi_lines(operator),
            Some(_) => self.vi_done(),
            None => {
                self.vi.pending.operator = Some(operator);
                ComposerOutcome::Changed
            }
        }
    }

    /// A motion: go there, or do to what it passes what the operator says.
    pub(super) fn vi_motion(&mut self, motion: ViMotion) -> ComposerOutcome {
        match (self.vi.pending.operator, motion) {
            (Some(operator), motion) => self.vi_operate(operator, motion),
            (None, ViMotion::Up) => self.vi_rows(Composer::up),
            (None, ViMotion::Down) => self.vi_rows(Composer::down),
            (None, motion) => {
                let count = self.vi.pending.count();
                if let Some(reach) = motion.target(self.buffer.text(), self.buffer.cursor(), count) {
                    self.buffer.go(reach.to);
                }
                self.vi_done()
            }
        }
    }

    pub(super) fn vi_operate(&mut self, operator: ViOperator, motion: ViMotion) -> ComposerOutcome {
        let (text, at, count) = (self.buffer.text(), self.buffer.cursor(), self.vi.pending.count());
        let on_word = text[at..].chars().next().is_some_and(|ch| !ch.is_whitespace());
        let end = motion::line_end(text, at);
        // `cw` leaves the blank after the word, and `w` does not take the line break with the last word.
        let motion = match (operator, motion) {
            (ViOperator::Change, ViMotion::NextWord) if on_word => ViMotion::WordEnd,
            (_, motion) => motion,
        };
        let reach = match motion {
            // A word of one letter ends where it begins.
            ViMotion::WordEnd if operator == ViOperator::Change && count.is_none() && is_last_of_word(text, at) => {
                Some(MotionRange::Text(at..motion::right(text, at)))
            }
            motion => motion.target(text, at, count).map(|reach| reach.range),
        };
        match reach {
            None => self.vi_done(),
            Some(MotionRange::Text(range)) if motion == ViMotion::NextWord && range.end > end && at < end => {
                self.vi_text(operator, range.start..end)
            }
            Some(MotionRange::Text(range)) => self.vi_text(operator, range),
            Some(MotionRange::Lines(range)) => self.vi_span(operator, range),
        }
    }

    /// The line of the cursor, and as many more as the count says.
    pub(super) fn vi_lines(&mut self, operator: ViOperator) -> ComposerOutcome {
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

    pub(super) fn vi_put(&mut self, side: PutSide) -> ComposerOutcome {
        let killed = self.buffer.killed().clone();
        let times = self.vi.pending.times().min(LARGEST / killed.text.len().max(1)).max(1);
        let (text, at) = (self.buffer.text(), self.buffer.cursor());
        let (start, end) = (motion::line_start(text, at), motion::line_end(text, at));
        match (killed.shape, side) {
            (KillShape::Inline, _) if killed.text.is_empty() => {}
            (KillShape::Inline, side) => {
                let place = if side == PutSide::After && at < end { motion::right(text, at) } else { at };
                self.buffer.replace(place..place, &killed.text.repeat(times));
                let last = motion::left(self.buffer.text(), self.buffer.cursor());
                self.buffer.go(last);
            }
            (KillShape::Lines, PutSide::After) => {
                self.buffer.replace(end..end, &format!("\n{}", killed.text).repeat(times));
                self.buffer.go(motion::line_text(self.buffer.text(), end + 1));
            }
            (KillShape::Lines, PutSide::Before) => {
                self.buffer.replace(start..start, &format!("{}\n", killed.text).repeat(times));
                self.buffer.go(motion::line_text(self.buffer.text(), start));
            }
        }
        self.vi_done()
    }

    /// `r`: other letters in the place of as many.
    pub(super) fn vi_replace(&mut self, letter: char) -> ComposerOutcome {
        let letter = self.pastes.take(letter.to_string(), LongPaste::Shown);
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

    fn vi_rows(&mut self, step: impl Fn(&mut Composer) -> ComposerOutcome) -> ComposerOutcome {
        let times = self.vi.pending.times();
        let mut all = ComposerOutcome::Nothing;
        for _ in 0..times {
            match step(self) {
                ComposerOutcome::Nothing => break,
                typed @ ComposerOutcome::Act(_) => {
                    all = typed;
                    break;
                }
                typed => all = typed,
            }
        }
        self.vi.pending = super::PendingCommand::default();
        all
    }

    fn vi_text(&mut self, operator: ViOperator, range: Range<usize>) -> ComposerOutcome {
        match operator {
            ViOperator::Delete | ViOperator::Change => self.buffer.kill(range, KillShape::Inline),
            ViOperator::Copy => {
                self.buffer.keep(range.clone(), KillShape::Inline);
                self.buffer.go(range.start);
            }
        }
        self.vi_operated(operator)
    }

    fn vi_span(&mut self, operator: ViOperator, places: Range<usize>) -> ComposerOutcome {
        let text = self.buffer.text();
        let (start, end) = (motion::line_start(text, places.start), motion::line_end(text, places.end));
        self.buffer.keep(start..end, KillShape::Lines);
        match operator {
            ViOperator::Copy => {}
            ViOperator::Change => self.buffer.replace(start..end, ""),
            ViOperator::Delete => {
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

    fn vi_operated(&mut self, operator: ViOperator) -> ComposerOutcome {
        if operator == ViOperator::Change {
            self.vi.mode = ViMode::Insert;
        }
        self.vi_done()
    }
}

fn is_last_of_word(text: &str, at: usize) -> bool {
    let next = motion::right(text, at);
    next >= text.len() || motion::class(&text[next..]) != motion::class(&text[at..])
}
