//! The text being typed: editing, history, completion, and what it looks like.

mod completion;
mod draw;
mod edit;
mod edit_buffer;
mod folded_pastes;
mod history_search;
mod motion;
mod prompt_history;
mod queue;
mod text_layout;
mod vim;

use super::keymap::{KeyAction, Keymap};
pub(crate) use completion::{ArgumentValue, CompletionCandidates, CompletionRequest};
use completion::{CompletionState, MenuStep};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use edit_buffer::EditBuffer;
use folded_pastes::{FoldedPastes, LongPaste, is_stand_in};
use history_search::HistorySearch;
use prompt_history::PromptHistory;
pub(crate) use queue::queue_lines;
use std::sync::Arc;
use std::sync::atomic::AtomicU16;
use vim::ViState;
pub(crate) use vim::VimSetting;

#[cfg(test)]
mod tests;

/// The text a person is typing, and everything that helps with it.
#[derive(Debug)]
pub(crate) struct Composer {
    keymap: Arc<Keymap>,
    buffer: EditBuffer,
    pastes: FoldedPastes,
    history: PromptHistory,
    completion: CompletionState,
    search: Option<HistorySearch>,
    vi: ViState,
    queue_state: PromptQueueState,
    prefix: KeyPrefix,
    /// How wide it was drawn last: moving up and down goes by the rows a person sees.
    drawn_width: AtomicU16,
}

/// What comes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ComposerOutcome {
    Nothing,
    /// It looks different now.
    Changed,
    /// The person sends this. The composer is empty again. With `!` at the start it is a command for the shell, with `/`
    /// one for the session; text that only looks like one starts with a blank.
    Submit(String),
    /// Not the composer's own doing.
    Act(KeyAction),
}

/// Whether prompts wait in the queue, so that Up in an empty composer takes one back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PromptQueueState {
    #[default]
    Nothing,
    Prompts,
}

/// Whom the text is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum InputMode {
    #[default]
    Prompt,
    Shell,
}

/// Whether Ctrl+X was pressed, which means something only with the key after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum KeyPrefix {
    #[default]
    Nothing,
    CtrlX,
}

impl Composer {
    /// An empty composer; `history` has the newest prompt last.
    pub(crate) fn new(keymap: Arc<Keymap>, history: Vec<String>) -> Composer {
        Composer {
            keymap,
            buffer: EditBuffer::default(),
            pastes: FoldedPastes::default(),
            history: PromptHistory::new(history),
            completion: CompletionState::default(),
            search: None,
            vi: ViState::default(),
            queue_state: PromptQueueState::Nothing,
            prefix: KeyPrefix::Nothing,
            drawn_width: AtomicU16::new(80),
        }
    }

    /// A key was pressed.
    pub(crate) fn key(&mut self, key: KeyEvent) -> ComposerOutcome {
        if key.kind == KeyEventKind::Release {
            return ComposerOutcome::Nothing;
        }
        if self.search.is_some() {
            return self.search_key(key);
        }
        let action = self.keymap.action(&key);
        let is_ctrl = |letter| key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char(letter);
        match std::mem::take(&mut self.prefix) {
            KeyPrefix::CtrlX if is_ctrl('e') => return ComposerOutcome::Act(KeyAction::ExternalEditor),
            KeyPrefix::Nothing if action.is_none() && is_ctrl('x') => {
                self.prefix = KeyPrefix::CtrlX;
                return ComposerOutcome::Nothing;
            }
            KeyPrefix::CtrlX | KeyPrefix::Nothing => {}
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
            (Some(KeyAction::Help), _) if self.is_empty() => ComposerOutcome::Act(KeyAction::Help),
            (Some(KeyAction::Help) | None, Some(letter)) => self.type_letter(letter),
            (Some(action), _) => self.act(action),
            (None, None) => ComposerOutcome::Nothing,
        }
    }

    /// Text was pasted. Long text is folded; a command for the shell is always seen whole.
    pub(crate) fn paste(&mut self, text: String) {
        if self.search.is_some() {
            return self.search_paste(&text);
        }
        let long = if self.buffer.input_mode == InputMode::Shell { LongPaste::Shown } else { LongPaste::Folded };
        let text = self.pastes.take(text, long);
        let at = self.buffer.cursor();
        self.buffer.replace(at..at, &text);
        self.finish_edit();
        self.vi.settle(&mut self.buffer);
    }

    /// All of the text, as it would be sent.
    pub(crate) fn text(&self) -> String {
        let text = self.pastes.unfold(self.buffer.text());
        let folded_first = self.buffer.text().starts_with(is_stand_in);
        match self.buffer.input_mode {
            InputMode::Shell => format!("!{text}"),
            // What a person did not see begin a command is none.
            InputMode::Prompt if text.starts_with('!') || folded_first && text.starts_with('/') => format!(" {text}"),
            InputMode::Prompt => text,
        }
    }

    /// Put another text in its place. It can be undone.
    pub(crate) fn set_text(&mut self, text: String) {
        self.search = None;
        self.history.end_walk();
        self.load(text);
    }

    /// Whether nothing is typed and the text is for the agent.
    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.text().is_empty() && self.buffer.input_mode == InputMode::Prompt
    }

    /// Keep a prompt in the history.
    pub(crate) fn remember(&mut self, prompt: &str) {
        self.history.remember(prompt);
    }

    /// What is needed to offer something for what is being typed.
    pub(crate) fn completion_request(&self) -> Option<CompletionRequest> {
        self.completion.request()
    }

    /// What there is to offer.
    pub(crate) fn offer(&mut self, candidates: CompletionCandidates) {
        self.completion.offer(candidates);
    }

    /// Say whether prompts wait in the queue.
    pub(crate) fn set_queue_state(&mut self, waiting: PromptQueueState) {
        self.queue_state = waiting;
    }

    /// Type as in Vi, or not.
    pub(crate) fn set_vim(&mut self, vim: VimSetting) {
        self.vi = ViState::new(vim);
    }

    /// What keys mean now, where that is not the usual.
    pub(crate) fn mode_word(&self) -> Option<&'static str> {
        match (&self.search, self.buffer.input_mode) {
            (Some(_), _) => Some("search"),
            (None, InputMode::Shell) => Some("shell"),
            (None, InputMode::Prompt) => self.vi.mode_label(),
        }
    }

    /// Keys that mean something else while something is offered.
    fn menu_key(&mut self, action: Option<KeyAction>) -> Option<ComposerOutcome> {
        match action? {
            KeyAction::CursorUp | KeyAction::HistoryUp => self.completion.step(MenuStep::Up),
            KeyAction::CursorDown | KeyAction::HistoryDown => self.completion.step(MenuStep::Down),
            KeyAction::Cancel => self.completion.close(),
            KeyAction::Submit if self.completion.is_complete() => return None,
            KeyAction::Submit if self.completion.runs() => {
                self.take_offered();
                return None;
            }
            KeyAction::Submit | KeyAction::Complete => self.take_offered(),
            _ => return None,
        }
        Some(ComposerOutcome::Changed)
    }

    fn take_offered(&mut self) {
        let Some(taken) = self.completion.take(self.buffer.text()) else { return };
        // A file's name can hold anything, also what means a folded text here.
        let text = self.pastes.take(taken.text, LongPaste::Shown);
        self.buffer.replace(taken.range, &text);
        self.completion.typed(self.buffer.text(), self.buffer.cursor());
        if !taken.goes_on {
            self.completion.close();
        }
    }

    fn type_letter(&mut self, letter: char) -> ComposerOutcome {
        if letter == '!' && self.is_empty() {
            self.buffer.input_mode = InputMode::Shell;
            return ComposerOutcome::Changed;
        }
        let text = self.pastes.take(letter.to_string(), LongPaste::Shown);
        self.buffer.insert(&text);
        self.edited()
    }

    /// The text was changed by a key.
    fn edited(&mut self) -> ComposerOutcome {
        match self.buffer.input_mode {
            InputMode::Prompt => self.completion.typed(self.buffer.text(), self.buffer.cursor()),
            InputMode::Shell => self.completion = CompletionState::default(),
        }
        ComposerOutcome::Changed
    }

    /// Show a text from elsewhere, with the cursor at its end.
    fn load(&mut self, mut text: String) {
        let (input_mode, said) = InputMode::split_text(&text);
        text.drain(..text.len() - said.len());
        let text = self.pastes.take(text, LongPaste::Shown);
        self.buffer.replace_all(&text, input_mode);
        self.reset_after_load();
    }

    /// The text came from elsewhere: it is shown, and nothing is offered for it.
    fn reset_after_load(&mut self) {
        self.completion = CompletionState::default();
        if self.buffer.input_mode == InputMode::Prompt {
            self.completion.moved(self.buffer.text(), self.buffer.cursor());
        }
        self.vi.settle(&mut self.buffer);
    }
}

impl InputMode {
    /// Whom a text is for, and what of it is said to them.
    fn split_text(text: &str) -> (InputMode, &str) {
        match text.strip_prefix('!') {
            Some(command) => (InputMode::Shell, command),
            None => (InputMode::Prompt, text),
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
