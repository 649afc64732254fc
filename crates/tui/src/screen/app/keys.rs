//! What the person presses and pastes, and which part of the screen takes it.

use super::{App, AppEffect};
use crate::screen::composer::{ArgumentValue, CompletionCandidates, CompletionRequest, ComposerOutcome};
use crate::screen::keymap::KeyAction;
use crate::screen::overlay::{OverlayStep, UiEffect};
use crate::screen::screen_command::{ScreenCommand, with_screen_commands};
use crate::terminal_command::TerminalCommand;
use crate::wall_clock::now;
use crossterm::event::{KeyCode, KeyEvent};
use pollux_session::CommandInfo;
use std::sync::Arc;

/// How much waits for the list of commands; what is typed beyond that is lost.
const MAX_HELD: usize = 4096;

/// What was meant for the composer and waits for the list of commands.
pub(super) enum HeldInput {
    Key(KeyEvent),
    Paste(String),
}

impl App {
    /// What the person pressed.
    pub(crate) fn key(&mut self, key: KeyEvent) {
        self.tell_ask_of_surroundings();
        let action = self.keymap.action(&key);
        if let Some(layer) = self.overlays.last_mut() {
            return match layer.key(key) {
                OverlayStep::ForComposer => self.pass_to_composer(key),
                step => self.apply_overlay_step(step),
            };
        }
        if let Some(ask) = self.ask_dialog.as_mut().filter(|_| !self.is_ask_aside) {
            if let Some(action) = action.filter(|action| action.stands_above_asks()) {
                return self.act(action);
            }
            return match ask.key(key) {
                OverlayStep::Stay | OverlayStep::ForComposer if action == Some(KeyAction::Leave) => {
                    self.leave_open_ask();
                }
                OverlayStep::ForComposer => self.pass_to_composer(key),
                step => self.apply_ask_step(step),
            };
        }
        if !self.held_input.is_empty() && matches!(action, Some(KeyAction::Cancel | KeyAction::Interrupt)) {
            // Whoever does not want to wait has their text back.
            return self.held_input.clear();
        }
        if !self.held_input.is_empty() || action == Some(KeyAction::Submit) && self.may_name_command() {
            return self.hold(HeldInput::Key(key));
        }
        self.key_for_composer(key);
    }

    /// A sentence that has been begun keeps what is typed: see `KeyTarget` of the dialog.
    pub(super) fn tell_ask_of_surroundings(&mut self) {
        let has_draft = !self.composer.is_empty() || !self.held_input.is_empty();
        if let Some(ask) = &mut self.ask_dialog {
            ask.set_has_draft(has_draft);
            ask.set_folder_trust(self.process_status.is_folder_trusted);
        }
    }

    /// A key that a dialog has no use for. Whoever is in the middle of a sentence goes on with it, but nothing is sent past a
    /// question: an Enter may have been meant for the question, too.
    fn pass_to_composer(&mut self, key: KeyEvent) {
        let is_letter = matches!(key.code, KeyCode::Char(_));
        let action = self.keymap.action(&key);
        let is_text = match action {
            None | Some(KeyAction::Help) => is_letter,
            Some(action) => action.edits_text(),
        };
        if !is_text {
            return;
        }
        if !self.held_input.is_empty() {
            return self.hold(HeldInput::Key(key));
        }
        // Behind a dialog the composer does nothing else with the key, such as showing the list of keys.
        let _ = self.composer.key(key);
        self.look_up();
    }

    fn key_for_composer(&mut self, key: KeyEvent) {
        match self.composer.key(key) {
            ComposerOutcome::Nothing => {}
            ComposerOutcome::Changed => self.key_hint = None,
            ComposerOutcome::Submit(text) => self.submit(text),
            ComposerOutcome::Act(action) => self.act(action),
        }
        self.look_up();
    }

    /// Whether the text begins the name of a command, as far as is known before the list of them is there.
    fn may_name_command(&self) -> bool {
        let is_agents = || {
            matches!(
                ScreenCommand::parse(self.composer.text().trim()),
                ScreenCommand::Terminal(TerminalCommand::Agent(_))
            )
        };
        self.composer.completion_request() == Some(CompletionRequest::Commands) && is_agents()
    }

    /// An Enter waits for the list of commands, and what comes after it waits for the Enter.
    fn hold(&mut self, input: HeldInput) {
        if self.held_input.len() < MAX_HELD {
            self.held_input.push_back(input);
        }
    }

    /// What the person pasted.
    pub(crate) fn paste(&mut self, text: String) {
        self.tell_ask_of_surroundings();
        if let Some(layer) = self.overlays.last_mut() {
            match layer.paste(&text) {
                OverlayStep::ForComposer => {}
                step => return self.apply_overlay_step(step),
            }
        } else if let Some(ask) = self.ask_dialog.as_mut().filter(|_| !self.is_ask_aside) {
            match ask.paste(&text) {
                OverlayStep::ForComposer => {}
                step => return self.apply_ask_step(step),
            }
        }
        if !self.held_input.is_empty() {
            return self.hold(HeldInput::Paste(text));
        }
        self.paste_for_composer(text);
    }

    fn paste_for_composer(&mut self, text: String) {
        self.composer.paste(text);
        self.look_up();
    }

    /// Ask for what the composer would complete with.
    fn look_up(&mut self) {
        match self.composer.completion_request() {
            Some(CompletionRequest::Files) => self.effects.push_back(AppEffect::LookUpFiles),
            Some(CompletionRequest::Commands) => self.effects.push_back(AppEffect::LookUpCommands),
            None => {}
        }
    }

    pub(crate) fn offer_files(&mut self, files: Arc<Vec<String>>) {
        self.composer.offer(CompletionCandidates::Files(files));
    }

    pub(crate) fn offer_commands(&mut self, commands: Vec<CommandInfo>) {
        self.commands = with_screen_commands(commands);
        self.composer.offer(CompletionCandidates::Commands(self.commands.clone(), self.argument_values()));
        // All of it was meant for the composer, whatever has come in its way since.
        let mut held = std::mem::take(&mut self.held_input);
        while let Some(input) = held.pop_front() {
            match input {
                HeldInput::Key(key)
                    if self.keymap.action(&key) == Some(KeyAction::Submit) && self.may_name_command() =>
                {
                    // Another command, for which they are looked up anew.
                    self.held_input = std::iter::once(HeldInput::Key(key)).chain(held).collect();
                    return;
                }
                HeldInput::Key(key) => self.key_for_composer(key),
                HeldInput::Paste(text) => self.paste_for_composer(text),
            }
        }
    }

    /// The values that arguments of commands can have: for `/restore`, the checkpoints, newest first.
    fn argument_values(&self) -> Vec<ArgumentValue> {
        const AFTER: [&[&str]; 2] = [&["restore"], &["restore", "restore"]];
        let now = now();
        let saved = self.view.state().checkpoints.iter().rev().filter(|kept| kept.checkpoint.saved.is_ok());
        let values = saved.flat_map(|kept| {
            AFTER.map(|after| ArgumentValue {
                after,
                value: kept.number().to_string(),
                name: kept.checkpoint.name.clone(),
                about: kept.describe(now),
            })
        });
        values.collect()
    }

    fn apply_overlay_step(&mut self, step: OverlayStep) {
        match step {
            OverlayStep::Stay | OverlayStep::ForComposer => {}
            OverlayStep::Close => self.close_overlay(),
            OverlayStep::Do(ui_effect) => self.effects.push_back(AppEffect::Ui(ui_effect)),
            OverlayStep::Finish(ui_effect) => {
                self.close_overlay();
                self.effects.push_back(AppEffect::Ui(ui_effect));
            }
        }
    }

    fn close_overlay(&mut self) {
        self.overlays.pop();
        self.show_asks_anew();
    }

    /// An ask that was behind something appears only now: keys that were meant for what stood there must not answer it.
    pub(super) fn show_asks_anew(&mut self) {
        if let Some(ask) = &mut self.ask_dialog {
            ask.appears();
        }
        self.settle();
    }

    fn apply_ask_step(&mut self, step: OverlayStep) {
        match step {
            OverlayStep::Stay | OverlayStep::ForComposer => {}
            // It stays open in the session; the person goes on typing.
            OverlayStep::Close => self.is_ask_aside = true,
            // The log closes the dialog, whoever answered.
            OverlayStep::Do(ui_effect) | OverlayStep::Finish(ui_effect) => {
                if let UiEffect::Instead { text, .. } = &ui_effect {
                    self.composer.remember(text);
                    self.effects.push_back(AppEffect::RememberPrompt(text.clone()));
                }
                self.effects.push_back(AppEffect::Ui(ui_effect));
            }
        }
    }
}
