//! What the person presses and pastes, and which part of the screen takes it.

use super::{App, Errand};
use crate::screen::composer::{Candidates, Typed, Wants};
use crate::screen::keymap::Action;
use crate::screen::layer::Step;
use crate::screen::words::{Word, with_own};
use crate::slash::Slash;
use crossterm::event::{KeyCode, KeyEvent};
use pollux_session::CommandInfo;
use std::sync::Arc;

/// How much waits for the list of commands; what is typed beyond that is lost.
const MOST_HELD: usize = 4096;

/// What was meant for the composer and waits for the list of commands.
pub(super) enum Held {
    Key(KeyEvent),
    Paste(String),
}

impl App {
    /// What the person pressed.
    pub(crate) fn key(&mut self, key: KeyEvent) {
        if let Some(layer) = self.layers.last_mut() {
            let step = layer.key(key);
            return self.step_of_layer(step);
        }
        let action = self.keymap.action(&key);
        if let Some(ask) = self.ask.as_mut().filter(|_| !self.ask_is_aside) {
            // Whoever is in the middle of a sentence goes on with it; the ask has ignored the key, and waits on.
            let typing = matches!(key.code, KeyCode::Char(_) | KeyCode::Backspace) && !self.composer.is_empty();
            if typing && ask.changes_at().is_some_and(|at| at > std::time::Instant::now()) {
                let _ = ask.key(key);
                let _ = self.composer.key(key);
                return;
            }
            if let Some(action) = action.filter(|action| action.stands_above_asks()) {
                return self.act(action);
            }
            let step = ask.key(key);
            return self.step_of_ask(step);
        }
        if !self.held.is_empty() && matches!(action, Some(Action::Cancel | Action::Interrupt)) {
            // Whoever does not want to wait has their text back.
            return self.held.clear();
        }
        if !self.held.is_empty() || action == Some(Action::Submit) && self.names_unknown() {
            return self.hold(Held::Key(key));
        }
        self.key_for_composer(key);
    }

    fn key_for_composer(&mut self, key: KeyEvent) {
        match self.composer.key(key) {
            Typed::Nothing => {}
            Typed::Changed => self.hinted = None,
            Typed::Submit(text) => self.submit(text),
            Typed::Act(action) => self.act(action),
        }
        self.look_up();
    }

    /// Whether the text begins the name of a command, as far as is known before the list of them is there.
    fn names_unknown(&self) -> bool {
        let is_agents = || matches!(Word::parse(self.composer.text().trim()), Word::Slash(Slash::Agents(_)));
        self.composer.wants() == Some(Wants::Commands) && is_agents()
    }

    /// An Enter waits for the list of commands, and what comes after it waits for the Enter.
    fn hold(&mut self, input: Held) {
        if self.held.len() < MOST_HELD {
            self.held.push_back(input);
        }
    }

    /// What the person pasted.
    pub(crate) fn paste(&mut self, text: String) {
        if let Some(layer) = self.layers.last_mut() {
            let step = layer.paste(&text);
            return self.step_of_layer(step);
        }
        if let Some(ask) = self.ask.as_mut().filter(|_| !self.ask_is_aside) {
            let step = ask.paste(&text);
            return self.step_of_ask(step);
        }
        if !self.held.is_empty() {
            return self.hold(Held::Paste(text));
        }
        self.paste_for_composer(text);
    }

    fn paste_for_composer(&mut self, text: String) {
        self.composer.paste(text);
        self.look_up();
    }

    /// Ask for what the composer would complete with.
    fn look_up(&mut self) {
        match self.composer.wants() {
            Some(Wants::Files) => self.errands.push_back(Errand::Files),
            Some(Wants::Commands) => self.errands.push_back(Errand::Commands),
            None => {}
        }
    }

    pub(crate) fn offer_files(&mut self, files: Arc<Vec<String>>) {
        self.composer.offer(Candidates::Files(files));
    }

    pub(crate) fn offer_commands(&mut self, commands: Vec<CommandInfo>) {
        self.commands = with_own(commands);
        self.composer.offer(Candidates::Commands(self.commands.clone()));
        // All of it was meant for the composer, whatever has come in its way since.
        let mut held = std::mem::take(&mut self.held);
        while let Some(input) = held.pop_front() {
            match input {
                Held::Key(key) if self.keymap.action(&key) == Some(Action::Submit) && self.names_unknown() => {
                    // Another command, for which they are looked up anew.
                    self.held = std::iter::once(Held::Key(key)).chain(held).collect();
                    return;
                }
                Held::Key(key) => self.key_for_composer(key),
                Held::Paste(text) => self.paste_for_composer(text),
            }
        }
    }

    fn step_of_layer(&mut self, step: Step) {
        match step {
            Step::Stay => {}
            Step::Close => self.close_layer(),
            Step::Do(deed) => self.errands.push_back(Errand::Do(deed)),
            Step::Finish(deed) => {
                self.close_layer();
                self.errands.push_back(Errand::Do(deed));
            }
        }
    }

    fn close_layer(&mut self) {
        self.layers.pop();
        self.show_asks_anew();
    }

    /// An ask that was behind something appears only now: keys that were meant for what stood there must not answer it.
    pub(super) fn show_asks_anew(&mut self) {
        if let Some(ask) = &mut self.ask {
            ask.appears();
        }
        self.settle();
    }

    fn step_of_ask(&mut self, step: Step) {
        match step {
            Step::Stay => {}
            // It stays open in the session; the person goes on typing.
            Step::Close => self.ask_is_aside = true,
            // The log closes the dialog, whoever answered.
            Step::Do(deed) | Step::Finish(deed) => self.errands.push_back(Errand::Do(deed)),
        }
    }
}
