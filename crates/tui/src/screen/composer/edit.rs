//! What the actions that are the composer's own do.

use super::edit_buffer::KillShape;
use super::history_search::HistorySearch;
use super::text_layout::TextLayout;
use super::{Composer, ComposerOutcome, InputMode, PromptQueueState, draw, motion};
use crate::screen::keymap::KeyAction;
use std::sync::atomic::Ordering;

impl Composer {
    /// Do an action, or say that it is not the composer's.
    pub(super) fn act(&mut self, action: KeyAction) -> ComposerOutcome {
        let (text, at) = (self.buffer.text(), self.buffer.cursor());
        match action {
            KeyAction::CursorLeft => self.go(motion::left(text, at)),
            KeyAction::CursorRight => self.go(motion::right(text, at)),
            KeyAction::WordLeft => self.go(motion::word_left(text, at)),
            KeyAction::WordRight => self.go(motion::word_right(text, at)),
            KeyAction::LineStart => self.go(motion::line_start(text, at)),
            KeyAction::LineEnd => self.go(motion::line_end(text, at)),
            KeyAction::TextStart => self.go(0),
            KeyAction::TextEnd => self.go(text.len()),
            KeyAction::CursorUp => self.up(),
            KeyAction::CursorDown => self.down(),
            KeyAction::HistoryUp => self.older(),
            KeyAction::HistoryDown => self.newer(),
            KeyAction::SearchHistory => {
                self.search = Some(HistorySearch::default());
                self.completion.close();
                ComposerOutcome::Changed
            }
            KeyAction::NewLine => {
                self.buffer.insert("\n");
                self.edited()
            }
            KeyAction::DeleteLeft if at == 0 && self.buffer.input_mode == InputMode::Shell => self.leave_shell(),
            KeyAction::DeleteLeft => {
                let start = motion::left(text, at);
                self.buffer.delete(start..at);
                self.edited()
            }
            KeyAction::DeleteRight => self.delete_right(),
            KeyAction::Leave if !self.is_empty() => self.delete_right(),
            KeyAction::DeleteWordLeft => self.kill(motion::word_left(text, at), at),
            KeyAction::DeleteBlankLeft => self.kill(motion::blank_left(text, at), at),
            KeyAction::DeleteWordRight => self.kill(at, motion::word_right(text, at)),
            KeyAction::KillLeft => match motion::line_start(text, at) {
                // At the start of a line its break goes, so that pressing on clears all of the text.
                start if start == at => self.kill(motion::left(text, at), at),
                start => self.kill(start, at),
            },
            KeyAction::KillRight => match motion::line_end(text, at) {
                end if end == at => self.kill(at, motion::right(text, at)),
                end => self.kill(at, end),
            },
            KeyAction::ClearText => self.kill(0, text.len()),
            KeyAction::Yank => {
                let killed = self.buffer.killed().text.clone();
                self.buffer.replace(at..at, &killed);
                self.edited()
            }
            KeyAction::Undo => {
                self.buffer.undo();
                self.finish_edit()
            }
            KeyAction::Redo => {
                self.buffer.redo();
                self.finish_edit()
            }
            KeyAction::TransposeWords => {
                self.buffer.transpose_words();
                self.finish_edit()
            }
            KeyAction::Complete if self.buffer.input_mode == InputMode::Prompt && self.completion.reopen() => {
                ComposerOutcome::Changed
            }
            KeyAction::Complete => ComposerOutcome::Nothing,
            KeyAction::Cancel if self.buffer.input_mode == InputMode::Shell => self.leave_shell(),
            KeyAction::Submit => self.submit(),
            KeyAction::Cancel
            | KeyAction::Interrupt
            | KeyAction::Leave
            | KeyAction::Suspend
            | KeyAction::CycleMode
            | KeyAction::Yolo
            | KeyAction::ExternalEditor
            | KeyAction::PasteImage
            | KeyAction::OpenDetails
            | KeyAction::ToggleTodos
            | KeyAction::Redraw
            | KeyAction::Help
            | KeyAction::EditQueue
            | KeyAction::ToggleAsks => ComposerOutcome::Act(action),
        }
    }

    /// Move the cursor.
    pub(super) fn go(&mut self, to: usize) -> ComposerOutcome {
        self.buffer.go(to);
        self.finish_edit()
    }

    /// Up a row, from the first one to an earlier prompt.
    pub(super) fn up(&mut self) -> ComposerOutcome {
        if self.is_empty() && self.queue_state == PromptQueueState::Prompts {
            return ComposerOutcome::Act(KeyAction::EditQueue);
        }
        match self.vertical(|layout, at, column| layout.up(at, column)) {
            Some(typed) => typed,
            None => self.older(),
        }
    }

    /// Down a row, from the last one to a later prompt.
    pub(super) fn down(&mut self) -> ComposerOutcome {
        match self.vertical(|layout, at, column| layout.down(at, column)) {
            Some(typed) => typed,
            None => self.newer(),
        }
    }

    /// Delete what a person may want back.
    pub(super) fn kill(&mut self, start: usize, end: usize) -> ComposerOutcome {
        self.buffer.kill(start..end, KillShape::Inline);
        self.edited()
    }

    pub(super) fn submit(&mut self) -> ComposerOutcome {
        let (before, at) = (&self.buffer.text()[..self.buffer.cursor()], self.buffer.cursor());
        if before.ends_with('\\') {
            self.buffer.replace(at - 1..at, "\n");
            return self.edited();
        }
        let text = self.text();
        if self.pastes.unfold(self.buffer.text()).trim().is_empty() {
            return ComposerOutcome::Nothing;
        }
        self.buffer.reset(|killed| self.pastes.retain_used(killed));
        self.history.end_walk();
        self.completion = super::CompletionState::default();
        self.vi.reset();
        ComposerOutcome::Submit(text.trim_end().to_owned())
    }

    /// Something that offers nothing new was done to the text or the cursor.
    pub(super) fn finish_edit(&mut self) -> ComposerOutcome {
        if self.buffer.input_mode == InputMode::Prompt {
            self.completion.moved(self.buffer.text(), self.buffer.cursor());
        }
        ComposerOutcome::Changed
    }

    fn delete_right(&mut self) -> ComposerOutcome {
        let at = self.buffer.cursor();
        let end = motion::right(self.buffer.text(), at);
        self.buffer.delete(at..end);
        self.edited()
    }

    fn leave_shell(&mut self) -> ComposerOutcome {
        self.buffer.input_mode = InputMode::Prompt;
        self.finish_edit()
    }

    /// Go to another row by the rows that were drawn last; `None` where there is none.
    fn vertical(
        &mut self,
        row: impl FnOnce(&TextLayout<'_>, usize, usize) -> Option<usize>,
    ) -> Option<ComposerOutcome> {
        let width = draw::text_width(self.drawn_width.load(Ordering::Relaxed));
        let (text, at) = (self.buffer.text(), self.buffer.cursor());
        let layout = TextLayout { text, folds: &self.pastes, width };
        let column = self.buffer.goal_column.unwrap_or_else(|| layout.column(at));
        let to = row(&layout, at, column)?;
        let typed = self.go(to);
        self.buffer.goal_column = Some(column);
        Some(typed)
    }
}
