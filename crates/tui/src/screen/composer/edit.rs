//! What the actions that are the composer's own do.

use super::buffer::Shape;
use super::layout::Layout;
use super::search::Search;
use super::{Composer, Tongue, Typed, Waiting, draw, motion};
use crate::screen::keymap::Action;
use std::sync::atomic::Ordering;

impl Composer {
    /// Do an action, or say that it is not the composer's.
    pub(super) fn act(&mut self, action: Action) -> Typed {
        let (text, at) = (self.buffer.text(), self.buffer.cursor());
        match action {
            Action::CursorLeft => self.go(motion::left(text, at)),
            Action::CursorRight => self.go(motion::right(text, at)),
            Action::WordLeft => self.go(motion::word_left(text, at)),
            Action::WordRight => self.go(motion::word_right(text, at)),
            Action::LineStart => self.go(motion::line_start(text, at)),
            Action::LineEnd => self.go(motion::line_end(text, at)),
            Action::TextStart => self.go(0),
            Action::TextEnd => self.go(text.len()),
            Action::CursorUp => self.up(),
            Action::CursorDown => self.down(),
            Action::HistoryUp => self.older(),
            Action::HistoryDown => self.newer(),
            Action::SearchHistory => {
                self.search = Some(Search::default());
                self.completion.close();
                Typed::Changed
            }
            Action::NewLine => {
                self.buffer.insert("\n");
                self.edited()
            }
            Action::DeleteLeft if at == 0 && self.buffer.tongue == Tongue::Shell => self.leave_shell(),
            Action::DeleteLeft => {
                let start = motion::left(text, at);
                self.buffer.delete(start..at);
                self.edited()
            }
            Action::DeleteRight => self.delete_right(),
            Action::Leave if !self.is_empty() => self.delete_right(),
            Action::DeleteWordLeft => self.kill(motion::word_left(text, at), at),
            Action::DeleteBlankLeft => self.kill(motion::blank_left(text, at), at),
            Action::DeleteWordRight => self.kill(at, motion::word_right(text, at)),
            Action::KillLeft => match motion::line_start(text, at) {
                // At the start of a line its break goes, so that pressing on clears all of the text.
                start if start == at => self.kill(motion::left(text, at), at),
                start => self.kill(start, at),
            },
            Action::KillRight => match motion::line_end(text, at) {
                end if end == at => self.kill(at, motion::right(text, at)),
                end => self.kill(at, end),
            },
            Action::ClearText => self.kill(0, text.len()),
            Action::Yank => {
                let killed = self.buffer.killed().text.clone();
                self.buffer.replace(at..at, &killed);
                self.edited()
            }
            Action::Undo => {
                self.buffer.undo();
                self.reworked()
            }
            Action::Redo => {
                self.buffer.redo();
                self.reworked()
            }
            Action::TransposeWords => {
                self.buffer.transpose_words();
                self.reworked()
            }
            Action::Complete if self.buffer.tongue == Tongue::Prompt && self.completion.reopen() => Typed::Changed,
            Action::Complete => Typed::Nothing,
            Action::Cancel if self.buffer.tongue == Tongue::Shell => self.leave_shell(),
            Action::Submit => self.submit(),
            Action::Cancel
            | Action::Interrupt
            | Action::Leave
            | Action::Suspend
            | Action::CycleMode
            | Action::Yolo
            | Action::ExternalEditor
            | Action::PasteImage
            | Action::OpenDetails
            | Action::ToggleTodos
            | Action::Redraw
            | Action::Help
            | Action::EditQueue
            | Action::ToggleAsks => Typed::Act(action),
        }
    }

    /// Move the cursor.
    pub(super) fn go(&mut self, to: usize) -> Typed {
        self.buffer.go(to);
        self.reworked()
    }

    /// Up a row, from the first one to an earlier prompt.
    pub(super) fn up(&mut self) -> Typed {
        if self.is_empty() && self.waiting == Waiting::Prompts {
            return Typed::Act(Action::EditQueue);
        }
        match self.vertical(|layout, at, column| layout.up(at, column)) {
            Some(typed) => typed,
            None => self.older(),
        }
    }

    /// Down a row, from the last one to a later prompt.
    pub(super) fn down(&mut self) -> Typed {
        match self.vertical(|layout, at, column| layout.down(at, column)) {
            Some(typed) => typed,
            None => self.newer(),
        }
    }

    /// Delete what a person may want back.
    pub(super) fn kill(&mut self, start: usize, end: usize) -> Typed {
        self.buffer.kill(start..end, Shape::Inline);
        self.edited()
    }

    pub(super) fn submit(&mut self) -> Typed {
        let (before, at) = (&self.buffer.text()[..self.buffer.cursor()], self.buffer.cursor());
        if before.ends_with('\\') {
            self.buffer.replace(at - 1..at, "\n");
            return self.edited();
        }
        let text = self.text();
        if self.folds.unfold(self.buffer.text()).trim().is_empty() {
            return Typed::Nothing;
        }
        self.buffer.reset(|killed| self.folds.clear_but(killed));
        self.history.stay();
        self.completion = super::Completion::default();
        self.vi.rest();
        Typed::Submit(text.trim_end().to_owned())
    }

    /// Something that offers nothing new was done to the text or the cursor.
    pub(super) fn reworked(&mut self) -> Typed {
        if self.buffer.tongue == Tongue::Prompt {
            self.completion.moved(self.buffer.text(), self.buffer.cursor());
        }
        Typed::Changed
    }

    fn delete_right(&mut self) -> Typed {
        let at = self.buffer.cursor();
        let end = motion::right(self.buffer.text(), at);
        self.buffer.delete(at..end);
        self.edited()
    }

    fn leave_shell(&mut self) -> Typed {
        self.buffer.tongue = Tongue::Prompt;
        self.reworked()
    }

    /// Go to another row by the rows that were drawn last; `None` where there is none.
    fn vertical(&mut self, row: impl FnOnce(&Layout<'_>, usize, usize) -> Option<usize>) -> Option<Typed> {
        let width = draw::text_width(self.drawn.load(Ordering::Relaxed));
        let (text, at) = (self.buffer.text(), self.buffer.cursor());
        let layout = Layout { text, folds: &self.folds, width };
        let column = self.buffer.goal.unwrap_or_else(|| layout.column(at));
        let to = row(&layout, at, column)?;
        let typed = self.go(to);
        self.buffer.goal = Some(column);
        Some(typed)
    }
}
