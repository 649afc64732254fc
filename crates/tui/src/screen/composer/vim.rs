//! Typing as in Vi: a mode for text and one in which letters are commands.

mod operate;
mod reach;

use super::buffer::Buffer;
use super::{Composer, Typed, letter, motion};
use crate::screen::keymap::Action;
use crossterm::event::KeyEvent;
use reach::Find;

/// Whether keys are Vi's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Vim {
    On,
    #[default]
    Off,
}

/// Where a person is in Vi's ways.
#[derive(Debug, Default)]
pub(super) struct Vi {
    mode: Mode,
    pending: Pending,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// Vi is not used.
    #[default]
    Off,
    Insert,
    Normal,
}

/// What has been pressed of a command so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pending {
    /// How often, before the operator and after it.
    counts: [Option<usize>; 2],
    operator: Option<Operator>,
    part: Part,
}

/// What is done to the text a motion passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Copy,
}

/// What the next letter means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Command,
    AfterG,
    Find(Find),
    Replace,
}

/// The highest count: more than any prompt has of anything.
const MOST: usize = 99_999;

impl Vi {
    pub(super) fn new(vim: Vim) -> Vi {
        let mode = match vim {
            Vim::On => Mode::Insert,
            Vim::Off => Mode::Off,
        };
        Vi { mode, pending: Pending::default() }
    }

    pub(super) fn word(&self) -> Option<&'static str> {
        match self.mode {
            Mode::Off => None,
            Mode::Insert => Some("insert"),
            Mode::Normal => Some("normal"),
        }
    }

    /// A prompt was sent: the next one is typed at once.
    pub(super) fn rest(&mut self) {
        self.pending = Pending::default();
        if self.mode == Mode::Normal {
            self.mode = Mode::Insert;
        }
    }

    /// In normal mode the cursor is on a character, not behind the last one.
    pub(super) fn settle(&self, buffer: &mut Buffer) {
        let (text, at) = (buffer.text(), buffer.cursor());
        if self.mode == Mode::Normal && at == motion::line_end(text, at) && at > motion::line_start(text, at) {
            let (to, goal) = (motion::left(text, at), buffer.goal);
            buffer.go(to);
            buffer.goal = goal;
        }
    }
}

impl Pending {
    fn count(&self) -> Option<usize> {
        match self.counts {
            [None, None] => None,
            [one, other] => Some(one.unwrap_or(1).saturating_mul(other.unwrap_or(1)).min(MOST)),
        }
    }

    fn times(&self) -> usize {
        self.count().unwrap_or(1)
    }

    fn digit(&mut self, digit: usize) {
        let count = &mut self.counts[usize::from(self.operator.is_some())];
        *count = Some((count.unwrap_or(0) * 10 + digit).min(MOST));
    }
}

impl Composer {
    /// A key in Vi's ways; `None` where it means what it always means.
    pub(super) fn vi_key(&mut self, key: &KeyEvent, action: Option<Action>) -> Option<Typed> {
        match (self.vi.mode, action, letter(key)) {
            (Mode::Insert, Some(Action::Cancel), _) => {
                self.vi.mode = Mode::Normal;
                let (text, at) = (self.buffer.text(), self.buffer.cursor());
                let to = if at == motion::line_start(text, at) { at } else { motion::left(text, at) };
                Some(self.go(to))
            }
            (Mode::Off | Mode::Insert, _, _) => None,
            (Mode::Normal, Some(Action::Help), _) if self.is_empty() => None,
            (Mode::Normal, _, Some(letter)) => {
                let typed = self.vi_letter(letter);
                self.vi.settle(&mut self.buffer);
                Some(typed)
            }
            (Mode::Normal, Some(Action::SearchHistory), _) => {
                let typed = self.vi_undo(Action::Redo);
                self.vi.settle(&mut self.buffer);
                Some(typed)
            }
            (Mode::Normal, Some(Action::Cancel), _) if self.vi.pending != Pending::default() => {
                self.vi.pending = Pending::default();
                Some(Typed::Changed)
            }
            (Mode::Normal, Some(action), _) => {
                self.vi.pending = Pending::default();
                let action = if action == Action::DeleteLeft { Action::CursorLeft } else { action };
                let typed = self.act(action);
                self.vi.settle(&mut self.buffer);
                Some(typed)
            }
            (Mode::Normal, None, None) => None,
        }
    }

    fn vi_letter(&mut self, letter: char) -> Typed {
        match (self.vi.pending.part, letter) {
            (Part::Find(find), _) => self.vi_motion(reach::Motion::Find(find, letter)),
            (Part::Replace, _) => self.vi_replace(letter),
            (Part::AfterG, 'g') => self.vi_motion(reach::Motion::FirstLine),
            (Part::AfterG, _) => self.vi_done(),
            (Part::Command, '0')
                if self.vi.pending.counts[usize::from(self.vi.pending.operator.is_some())].is_none() =>
            {
                self.vi_motion(reach::Motion::LineStart)
            }
            (Part::Command, '0'..='9') => {
                self.vi.pending.digit(letter.to_digit(10).map_or(0, |digit| digit as usize));
                Typed::Changed
            }
            (Part::Command, 'g') => self.vi_part(Part::AfterG),
            (Part::Command, 'f' | 'F' | 't' | 'T') => self.vi_part(Part::Find(Find::by(letter))),
            (Part::Command, 'd') => self.vi_operator(Operator::Delete),
            (Part::Command, 'c') => self.vi_operator(Operator::Change),
            (Part::Command, 'y') => self.vi_operator(Operator::Copy),
            (Part::Command, _) => match (reach::Motion::by(letter), self.vi.pending.operator) {
                (Some(motion), _) => self.vi_motion(motion),
                (None, Some(_)) => self.vi_done(),
                (None, None) => self.vi_command(letter),
            },
        }
    }

    /// A command by itself.
    fn vi_command(&mut self, letter: char) -> Typed {
        let (text, at) = (self.buffer.text(), self.buffer.cursor());
        let (start, end) = (motion::line_start(text, at), motion::line_end(text, at));
        match letter {
            'i' => self.vi_insert_at(at),
            'a' => {
                let to = if at < end { motion::right(text, at) } else { at };
                self.vi_insert_at(to)
            }
            'I' => self.vi_insert_at(motion::line_text(text, at)),
            'A' => self.vi_insert_at(end),
            'o' => {
                self.buffer.replace(end..end, "\n");
                self.vi_insert_at(end + 1)
            }
            'O' => {
                self.buffer.replace(start..start, "\n");
                self.vi_insert_at(start)
            }
            'x' => self.vi_on(Operator::Delete, reach::Motion::Right),
            'X' => self.vi_on(Operator::Delete, reach::Motion::Left),
            's' => self.vi_on(Operator::Change, reach::Motion::Right),
            'D' => self.vi_on(Operator::Delete, reach::Motion::LineEnd),
            'C' => self.vi_on(Operator::Change, reach::Motion::LineEnd),
            'S' => self.vi_lines(Operator::Change),
            'Y' => self.vi_lines(Operator::Copy),
            'p' => self.vi_put(operate::Side::After),
            'P' => self.vi_put(operate::Side::Before),
            'r' => self.vi_part(Part::Replace),
            'u' => self.vi_undo(Action::Undo),
            _ => self.vi_done(),
        }
    }

    fn vi_undo(&mut self, action: Action) -> Typed {
        for _ in 0..self.vi.pending.times() {
            let more = if action == Action::Undo { self.buffer.undo() } else { self.buffer.redo() };
            if !more {
                break;
            }
        }
        self.vi_done()
    }

    fn vi_insert_at(&mut self, at: usize) -> Typed {
        self.buffer.go(at);
        self.vi.mode = Mode::Insert;
        self.vi_done()
    }

    fn vi_part(&mut self, part: Part) -> Typed {
        self.vi.pending.part = part;
        Typed::Changed
    }

    /// The command is complete, or makes no sense.
    fn vi_done(&mut self) -> Typed {
        self.vi.pending = Pending::default();
        self.reworked()
    }
}
