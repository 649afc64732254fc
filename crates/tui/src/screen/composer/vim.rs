//! Typing as in Vi: a mode for text and one in which letters are commands.

mod operators;
mod vi_motion;

use super::edit_buffer::EditBuffer;
use super::{Composer, ComposerOutcome, letter, motion};
use crate::screen::keymap::KeyAction;
use crossterm::event::KeyEvent;
use vi_motion::LetterFind;

/// Whether keys are Vi's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum VimSetting {
    On,
    #[default]
    Off,
}

/// Where a person is in Vi's ways.
#[derive(Debug, Default)]
pub(super) struct ViState {
    mode: ViMode,
    pending: PendingCommand,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ViMode {
    /// Vi is not used.
    #[default]
    Off,
    Insert,
    Normal,
}

/// What has been pressed of a command so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PendingCommand {
    /// How often, before the operator and after it.
    counts: [Option<usize>; 2],
    operator: Option<ViOperator>,
    part: NextLetter,
}

/// What is done to the text a motion passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ViOperator {
    Delete,
    Change,
    Copy,
}

/// What the next letter means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NextLetter {
    #[default]
    Command,
    AfterG,
    Find(LetterFind),
    Replace,
}

/// The highest count: more than any prompt has of anything.
const MAX_COUNT: usize = 99_999;

impl ViState {
    pub(super) fn new(vim: VimSetting) -> ViState {
        let mode = match vim {
            VimSetting::On => ViMode::Insert,
            VimSetting::Off => ViMode::Off,
        };
        ViState { mode, pending: PendingCommand::default() }
    }

    pub(super) fn mode_label(&self) -> Option<&'static str> {
        match self.mode {
            ViMode::Off => None,
            ViMode::Insert => Some("insert"),
            ViMode::Normal => Some("normal"),
        }
    }

    /// A prompt was sent: the next one is typed at once.
    pub(super) fn reset(&mut self) {
        self.pending = PendingCommand::default();
        if self.mode == ViMode::Normal {
            self.mode = ViMode::Insert;
        }
    }

    /// In normal mode the cursor is on a character, not behind the last one.
    pub(super) fn settle(&self, buffer: &mut EditBuffer) {
        let (text, at) = (buffer.text(), buffer.cursor());
        if self.mode == ViMode::Normal && at == motion::line_end(text, at) && at > motion::line_start(text, at) {
            let (to, goal) = (motion::left(text, at), buffer.goal_column);
            buffer.go(to);
            buffer.goal_column = goal;
        }
    }
}

impl PendingCommand {
    fn count(&self) -> Option<usize> {
        match self.counts {
            [None, None] => None,
            [one, other] => Some(one.unwrap_or(1).saturating_mul(other.unwrap_or(1)).min(MAX_COUNT)),
        }
    }

    fn times(&self) -> usize {
        self.count().unwrap_or(1)
    }

    fn digit(&mut self, digit: usize) {
        let count = &mut self.counts[usize::from(self.operator.is_some())];
        *count = Some((count.unwrap_or(0) * 10 + digit).min(MAX_COUNT));
    }
}

impl Composer {
    /// A key in Vi's ways; `None` where it means what it always means.
    pub(super) fn vi_key(&mut self, key: &KeyEvent, action: Option<KeyAction>) -> Option<ComposerOutcome> {
        match (self.vi.mode, action, letter(key)) {
            (ViMode::Insert, Some(KeyAction::Cancel), _) => {
                self.vi.mode = ViMode::Normal;
                let (text, at) = (self.buffer.text(), self.buffer.cursor());
                let to = if at == motion::line_start(text, at) { at } else { motion::left(text, at) };
                Some(self.go(to))
            }
            (ViMode::Off | ViMode::Insert, _, _) => None,
            (ViMode::Normal, Some(KeyAction::Help), _) if self.is_empty() => None,
            (ViMode::Normal, _, Some(letter)) => {
                let typed = self.vi_letter(letter);
                self.vi.settle(&mut self.buffer);
                Some(typed)
            }
            (ViMode::Normal, Some(KeyAction::SearchHistory), _) => {
                let typed = self.vi_undo(KeyAction::Redo);
                self.vi.settle(&mut self.buffer);
                Some(typed)
            }
            (ViMode::Normal, Some(KeyAction::Cancel), _) if self.vi.pending != PendingCommand::default() => {
                self.vi.pending = PendingCommand::default();
                Some(ComposerOutcome::Changed)
            }
            (ViMode::Normal, Some(action), _) => {
                self.vi.pending = PendingCommand::default();
                let action = if action == KeyAction::DeleteLeft { KeyAction::CursorLeft } else { action };
                let typed = self.act(action);
                self.vi.settle(&mut self.buffer);
                Some(typed)
            }
            (ViMode::Normal, None, None) => None,
        }
    }

    fn vi_letter(&mut self, letter: char) -> ComposerOutcome {
        match (self.vi.pending.part, letter) {
            (NextLetter::Find(find), _) => self.vi_motion(vi_motion::ViMotion::Find(find, letter)),
            (NextLetter::Replace, _) => self.vi_replace(letter),
            (NextLetter::AfterG, 'g') => self.vi_motion(vi_motion::ViMotion::FirstLine),
            (NextLetter::AfterG, _) => self.vi_done(),
            (NextLetter::Command, '0')
                if self.vi.pending.counts[usize::from(self.vi.pending.operator.is_some())].is_none() =>
            {
                self.vi_motion(vi_motion::ViMotion::LineStart)
            }
            (NextLetter::Command, '0'..='9') => {
                self.vi.pending.digit(letter.to_digit(10).map_or(0, |digit| digit as usize));
                ComposerOutcome::Changed
            }
            (NextLetter::Command, 'g') => self.vi_part(NextLetter::AfterG),
            (NextLetter::Command, 'f' | 'F' | 't' | 'T') => {
                self.vi_part(NextLetter::Find(LetterFind::from_letter(letter)))
            }
            (NextLetter::Command, 'd') => self.vi_operator(ViOperator::Delete),
            (NextLetter::Command, 'c') => self.vi_operator(ViOperator::Change),
            (NextLetter::Command, 'y') => self.vi_operator(ViOperator::Copy),
            (NextLetter::Command, _) => match (vi_motion::ViMotion::by(letter), self.vi.pending.operator) {
                (Some(motion), _) => self.vi_motion(motion),
                (None, Some(_)) => self.vi_done(),
                (None, None) => self.vi_command(letter),
            },
        }
    }

    /// A command by itself.
    fn vi_command(&mut self, letter: char) -> ComposerOutcome {
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
            'x' => self.vi_operate(ViOperator::Delete, vi_motion::ViMotion::Right),
            'X' => self.vi_operate(ViOperator::Delete, vi_motion::ViMotion::Left),
            's' => self.vi_operate(ViOperator::Change, vi_motion::ViMotion::Right),
            'D' => self.vi_operate(ViOperator::Delete, vi_motion::ViMotion::LineEnd),
            'C' => self.vi_operate(ViOperator::Change, vi_motion::ViMotion::LineEnd),
            'S' => self.vi_lines(ViOperator::Change),
            'Y' => self.vi_lines(ViOperator::Copy),
            'p' => self.vi_put(operators::PutSide::After),
            'P' => self.vi_put(operators::PutSide::Before),
            'r' => self.vi_part(NextLetter::Replace),
            'u' => self.vi_undo(KeyAction::Undo),
            _ => self.vi_done(),
        }
    }

    fn vi_undo(&mut self, action: KeyAction) -> ComposerOutcome {
        for _ in 0..self.vi.pending.times() {
            let more = if action == KeyAction::Undo { self.buffer.undo() } else { self.buffer.redo() };
            if !more {
                break;
            }
        }
        self.vi_done()
    }

    fn vi_insert_at(&mut self, at: usize) -> ComposerOutcome {
        self.buffer.go(at);
        self.vi.mode = ViMode::Insert;
        self.vi_done()
    }

    fn vi_part(&mut self, part: NextLetter) -> ComposerOutcome {
        self.vi.pending.part = part;
        ComposerOutcome::Changed
    }

    /// The command is complete, or makes no sense.
    fn vi_done(&mut self) -> ComposerOutcome {
        self.vi.pending = PendingCommand::default();
        self.finish_edit()
    }
}
