//! The text and its cursor, with everything that was done to it, so that it can be undone.

use super::{InputMode, motion};
use std::ops::Range;

/// The most steps that can be undone.
const STEPS_KEPT: usize = 1000;

/// A text that is being edited. The cursor stands between characters as people see them.
#[derive(Debug, Default)]
pub(super) struct EditBuffer {
    text: String,
    cursor: usize,
    pub(super) input_mode: InputMode,
    /// The column that moving up and down tries to keep.
    pub(super) goal_column: Option<usize>,
    done: Vec<EditStep>,
    undone: Vec<EditStep>,
    group: UndoGroup,
    killed: KilledText,
}

/// One step: what stood at a place and what stands there now.
#[derive(Debug)]
struct EditStep {
    at: usize,
    removed: String,
    inserted: String,
    /// Where the cursor was before.
    cursor: usize,
    /// Whom the text was for before and after: undoing must not turn a prompt into a command.
    input_modes: [InputMode; 2],
}

/// What the next edit may become one step with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum UndoGroup {
    #[default]
    Closed,
    Typing,
    Deleting,
}

/// What was deleted last, to be put back elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KilledText {
    pub(super) text: String,
    pub(super) shape: KillShape,
}

/// How a deleted text is put back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum KillShape {
    /// Where the cursor is.
    #[default]
    Inline,
    /// As lines of their own.
    Lines,
}

impl EditBuffer {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    pub(super) fn killed(&self) -> &KilledText {
        &self.killed
    }

    /// Go to a place; what is typed next is another step.
    pub(super) fn go(&mut self, to: usize) {
        self.cursor = motion::between(&self.text, to);
        self.goal_column = None;
        self.group = UndoGroup::Closed;
    }

    /// Type text at the cursor.
    pub(super) fn insert(&mut self, text: &str) {
        let starts_word =
            !text.starts_with(char::is_whitespace) && self.text[..self.cursor].ends_with(char::is_whitespace);
        let grows = self.group == UndoGroup::Typing && !starts_word;
        match self.done.last_mut().filter(|last| grows && last.at + last.inserted.len() == self.cursor) {
            Some(last) => {
                last.inserted.push_str(text);
                self.undone.clear();
                self.text.insert_str(self.cursor, text);
                self.cursor = motion::between(&self.text, self.cursor + text.len());
                self.goal_column = None;
            }
            None => self.replace(self.cursor..self.cursor, text),
        }
        self.group = UndoGroup::Typing;
    }

    /// Delete, as keys do that delete one character: several in a row are one step.
    pub(super) fn delete(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let grows = self.group == UndoGroup::Deleting;
        match self.done.last_mut().filter(|last| grows && last.inserted.is_empty() && last.at == range.end) {
            Some(last) => {
                last.at = range.start;
                last.removed.insert_str(0, &self.text[range.clone()]);
                self.undone.clear();
                let start = range.start;
                self.text.replace_range(range, "");
                self.cursor = motion::between(&self.text, start);
                self.goal_column = None;
            }
            None => self.replace(range, ""),
        }
        self.group = UndoGroup::Deleting;
    }

    /// Delete and keep it for putting it back.
    pub(super) fn kill(&mut self, range: Range<usize>, shape: KillShape) {
        if !range.is_empty() {
            self.keep(range.clone(), shape);
            self.replace(range, "");
        }
    }

    /// Keep a copy for putting it elsewhere.
    pub(super) fn keep(&mut self, range: Range<usize>, shape: KillShape) {
        self.killed = KilledText { text: self.text[range].to_owned(), shape };
    }

    /// Put `with` in the place of `range`, as one step; the cursor goes behind it.
    pub(super) fn replace(&mut self, range: Range<usize>, with: &str) {
        let change = EditStep {
            at: range.start,
            removed: self.text[range.clone()].to_owned(),
            inserted: with.to_owned(),
            cursor: self.cursor,
            input_modes: [self.input_mode; 2],
        };
        if self.done.len() == STEPS_KEPT {
            self.done.remove(0);
        }
        self.done.push(change);
        self.undone.clear();
        self.go_to_end_of(range, with);
    }

    /// Put another text in the place of all of it, also for somebody else.
    pub(super) fn replace_all(&mut self, with: &str, input_mode: InputMode) {
        if self.text != with || self.input_mode != input_mode {
            self.replace(0..self.text.len(), with);
            if let Some(change) = self.done.last_mut() {
                change.input_modes[1] = input_mode;
            }
        }
        self.input_mode = input_mode;
        self.go(self.text.len());
    }

    /// Take the last step back; whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        let Some(change) = self.done.pop() else { return false };
        self.go_to_end_of(change.at..change.at + change.inserted.len(), &change.removed);
        self.go(change.cursor);
        self.input_mode = change.input_modes[0];
        self.undone.push(change);
        true
    }

    /// Do again what was taken back last; whether there was anything.
    pub(super) fn redo(&mut self) -> bool {
        let Some(change) = self.undone.pop() else { return false };
        self.go_to_end_of(change.at..change.at + change.removed.len(), &change.inserted);
        self.input_mode = change.input_modes[1];
        self.done.push(change);
        true
    }

    /// Start afresh: nothing to undo, but what was deleted can still be put back, as `keep` has it.
    pub(super) fn reset(&mut self, keep: impl FnOnce(String) -> String) {
        let KilledText { text, shape } = std::mem::take(&mut self.killed);
        *self = EditBuffer { killed: KilledText { text: keep(text), shape }, ..EditBuffer::default() };
    }

    /// Swap the word at the cursor with the one before it.
    pub(super) fn transpose_words(&mut self) {
        let text = self.text.as_str();
        let end = motion::word_right(text, self.cursor);
        let second = motion::word_left(text, end);
        let first = motion::word_left(text, second);
        let first_end = motion::word_right(text, first);
        if first < first_end && first_end <= second && second < end {
            let swapped = format!("{}{}{}", &text[second..end], &text[first_end..second], &text[first..first_end]);
            self.replace(first..end, &swapped);
        }
    }

    fn go_to_end_of(&mut self, range: Range<usize>, with: &str) {
        let end = range.start + with.len();
        self.text.replace_range(range, with);
        self.go(end);
    }
}
