//! The text being typed: editing, history, completion, and what it looks like.

mod buffer;
mod completion;
mod draw;
mod edit;
mod fold;
mod history;
mod layout;
mod motion;
mod queue;
mod search;
mod vim;

use super::keymap::{Action, Keymap};
use buffer::Buffer;
pub(crate) use completion::{Candidates, Wants};
use completion::{Completion, Step};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use fold::{Folds, Long, is_stand_in};
use history::History;
pub(crate) use queue::queue_lines;
use search::Search;
use std::sync::Arc;
use std::sync::atomic::AtomicU16;
use vim::Vi;
pub(crate) use vim::Vim;

#[cfg(test)]
mod tests;

/// The text a person is typing, and everything that helps with it.
#[derive(Debug)]
pub(crate) struct Composer {
    keymap: Arc<Keymap>,
    buffer: Buffer,
    folds: Folds,
    history: History,
    completion: Completion,
    search: Option<Search>,
    vi: Vi,
    waiting: Waiting,
    prefix: Prefix,
    /// How wide it was drawn last: moving up and down goes by the rows a person sees.
    drawn: AtomicU16,
}

/// What comes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Nothing,
    /// It looks different now.
    Changed,
    /// The person sends this. The composer is empty again. With `!` at the start it is a command for the shell, with `/`
    /// one for the session; text that only looks like one starts with a blank.
    Submit(String),
    /// Not the composer's own doing.
    Act(Action),
}

/// Whether prompts wait in the queue, so that Up in an empty composer takes one back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Waiting {
    #[default]
    Nothing,
    Prompts,
}

/// Whom the text is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tongue {
    #[default]
    Prompt,
    Shell,
}

/// Whether Ctrl+X was pressed, which means something only with the key after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Prefix {
    #[default]
    Nothing,
    CtrlX,
}

impl Composer {
    /// An empty composer; `history` has the newest prompt last.
    pub(crate) fn new(keymap: Arc<Keymap>, history: Vec<String>) -> Composer {
        Composer {
            keymap,
            buffer: Buffer::default(),
            folds: Folds::default(),
            history: History::new(history),
            completion: Completion::default(),
            search: None,
            vi: Vi::default(),
            waiting: Waiting::Nothing,
            prefix: Prefix::Nothing,
            drawn: AtomicU16::new(80),
        }
    }

    /// A key was pressed.
    pub(crate) fn key(&mut self, key: KeyEvent) -> Typed {
        if key.kind == KeyEventKind::Release {
            return Typed::Nothing;
        }
        if self.search.is_some() {
            return self.search_key(key);
        }
        let action = self.keymap.action(&key);
        let is_ctrl = |letter| key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char(letter);
        match std::mem::take(&mut self.prefix) {
            Prefix::CtrlX if is_ctrl('e') => return Typed::Act(Action::ExternalEditor),
            Prefix::Nothing if action.is_none() && is_ctrl('x') => {
                self.prefix = Prefix::CtrlX;
                return Typed::Nothing;
            }
            Prefix::CtrlX | Prefix::Nothing => {}
        }
        if self.completion.menu().is_some()
            && let Some(typed) = self.menu_key(action)
        {
            return typed;
        }
        if let Some(typed) = self.vi_key(&key, action) {
            return typed;
        }
        match (action, letter(&key)) {
            (Some(Action::Help), _) if self.is_empty() => Typed::Act(Action::Help),
            (Some(Action::Help) | None, Some(letter)) => self.type_letter(letter),
            (Some(action), _) => self.act(action),
            (None, None) => Typed::Nothing,
        }
    }

    /// Text was pasted. Long text is folded; a command for the shell is always seen whole.
    pub(crate) fn paste(&mut self, text: String) {
        if self.search.is_some() {
            return self.search_paste(&text);
        }
        let long = if self.buffer.tongue == Tongue::Shell { Long::Shown } else { Long::Folded };
        let text = self.folds.take(text, long);
        let at = self.buffer.cursor();
        self.buffer.replace(at..at, &text);
        self.reworked();
        self.vi.settle(&mut self.buffer);
    }

    /// All of the text, as it would be sent.
    pub(crate) fn text(&self) -> String {
        let text = self.folds.unfold(self.buffer.text());
        let folded_first = self.buffer.text().starts_with(is_stand_in);
        match self.buffer.tongue {
            Tongue::Shell => format!("!{text}"),
            // What a person did not see begin a command is none.
            Tongue::Prompt if text.starts_with('!') || folded_first && text.starts_with('/') => format!(" {text}"),
            Tongue::Prompt => text,
        }
    }

    /// Put another text in its place. It can be undone.
    pub(crate) fn set_text(&mut self, text: String) {
        self.search = None;
        self.history.stay();
        self.load(text);
    }

    /// Whether nothing is typed and the text is for the agent.
    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.text().is_empty() && self.buffer.tongue == Tongue::Prompt
    }

    /// Keep a prompt in the history.
    pub(crate) fn remember(&mut self, prompt: &str) {
        self.history.remember(prompt);
    }

    /// What is needed to offer something for what is being typed.
    pub(crate) fn wants(&self) -> Option<Wants> {
        self.completion.wants()
    }

    /// What there is to offer.
    pub(crate) fn offer(&mut self, candidates: Candidates) {
        self.completion.offer(candidates);
    }

    /// Say whether prompts wait in the queue.
    pub(crate) fn set_waiting(&mut self, waiting: Waiting) {
        self.waiting = waiting;
    }

    /// Type as in Vi, or not.
    pub(crate) fn set_vim(&mut self, vim: Vim) {
        self.vi = Vi::new(vim);
    }

    /// What keys mean now, where that is not the usual.
    pub(crate) fn mode_word(&self) -> Option<&'static str> {
        match (&self.search, self.buffer.tongue) {
            (Some(_), _) => Some("search"),
            (None, Tongue::Shell) => Some("shell"),
            (None, Tongue::Prompt) => self.vi.word(),
        }
    }

    /// Keys that mean something else while something is offered.
    fn menu_key(&mut self, action: Option<Action>) -> Option<Typed> {
        match action? {
            Action::CursorUp | Action::HistoryUp => self.completion.step(Step::Up),
            Action::CursorDown | Action::HistoryDown => self.completion.step(Step::Down),
            Action::Cancel => self.completion.close(),
            Action::Submit if self.completion.is_complete() => return None,
            Action::Submit if self.completion.runs() => {
                self.take_offered();
                return None;
            }
            Action::Submit | Action::Complete => self.take_offered(),
            _ => return None,
        }
        Some(Typed::Changed)
    }

    fn take_offered(&mut self) {
        let Some(taken) = self.completion.take(self.buffer.text()) else { return };
        // A file's name can hold anything, also what means a folded text here.
        let text = self.folds.take(taken.text, Long::Shown);
        self.buffer.replace(taken.range, &text);
        self.completion.typed(self.buffer.text(), self.buffer.cursor());
        if !taken.goes_on {
            self.completion.close();
        }
    }

    fn type_letter(&mut self, letter: char) -> Typed {
        if letter == '!' && self.is_empty() {
            self.buffer.tongue = Tongue::Shell;
            return Typed::Changed;
        }
        let text = self.folds.take(letter.to_string(), Long::Shown);
        self.buffer.insert(&text);
        self.edited()
    }

    /// The text was changed by a key.
    fn edited(&mut self) -> Typed {
        match self.buffer.tongue {
            Tongue::Prompt => self.completion.typed(self.buffer.text(), self.buffer.cursor()),
            Tongue::Shell => self.completion = Completion::default(),
        }
        Typed::Changed
    }

    /// Show a text from elsewhere, with the cursor at its end.
    fn load(&mut self, mut text: String) {
        let (tongue, said) = Tongue::of(&text);
        text.drain(..text.len() - said.len());
        let text = self.folds.take(text, Long::Shown);
        self.buffer.replace_all(&text, tongue);
        self.came();
    }

    /// The text came from elsewhere: it is shown, and nothing is offered for it.
    fn came(&mut self) {
        self.completion = Completion::default();
        if self.buffer.tongue == Tongue::Prompt {
            self.completion.moved(self.buffer.text(), self.buffer.cursor());
        }
        self.vi.settle(&mut self.buffer);
    }
}

impl Tongue {
    /// Whom a text is for, and what of it is said to them.
    fn of(text: &str) -> (Tongue, &str) {
        match text.strip_prefix('!') {
            Some(command) => (Tongue::Shell, command),
            None => (Tongue::Prompt, text),
        }
    }
}

/// The character that a key types.
fn letter(key: &KeyEvent) -> Option<char> {
    let held = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER;
    match key.code {
        KeyCode::Char(letter) if !key.modifiers.intersects(held) => Some(letter),
        _ => None,
    }
}
