//! What keys do besides typing.

use super::{App, Errand};
use crate::screen::chronicle::Tone;
use crate::screen::keymap::Action;
use crate::screen::layer::Deed;
use crate::screen::layer::confirm::{AtStake, Confirm, Running, loss};
use crate::screen::layer::page::Pager;
use crate::screen::theme::Theme;
use pollux_session::{CancelScope, Command, Mode, Setting};
use std::time::Duration;
use tokio::time::Instant;

/// For so long a second press means what the hint said.
const TWICE: Duration = Duration::from_secs(3);

/// What a key would do if it were pressed again. It is shown above the composer for as long as that holds, and leaves nothing
/// in the scrollback.
pub(super) struct KeyHint {
    action: Action,
    pub(super) text: String,
    pub(super) until: Instant,
}

impl App {
    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::Cancel => self.cancel(),
            Action::Interrupt => self.interrupt(),
            Action::Leave => self.leave(),
            Action::Suspend => self.errands.push_back(Errand::Suspend),
            Action::CycleMode => match self.view.state.mode {
                Mode::Default => self.set_mode(Mode::AutoEdit),
                Mode::AutoEdit => self.set_mode(Mode::Plan),
                // Pressed once more, it goes on to the first; a no keeps the mode.
                Mode::Plan => self.open(Box::new(Confirm::yolo(Some(Mode::Default), Instant::now().into_std()))),
                Mode::Yolo => self.set_mode(Mode::Default),
            },
            Action::Yolo => self.set_mode(match self.view.state.mode {
                Mode::Yolo => Mode::Default,
                Mode::Default | Mode::AutoEdit | Mode::Plan => Mode::Yolo,
            }),
            Action::ExternalEditor => self.errands.push_back(Errand::Do(Deed::EditDraft)),
            Action::PasteImage => self.errands.push_back(Errand::Picture),
            Action::OpenDetails => self.open_details(),
            Action::ToggleTodos => self.todos_shown = !self.todos_shown,
            Action::Redraw => self.errands.push_back(Errand::Redraw),
            Action::Help => self.errands.push_back(Errand::Help),
            Action::EditQueue => self.edit_queue(),
            Action::ToggleAsks => {
                self.ask_is_aside = !self.ask_is_aside && self.ask.is_some();
                self.show_asks_anew();
            }
            // Everything else is the composer's own.
            _ => {}
        }
    }

    /// Change the mode; the one in which nothing asks is asked about.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        let command = Command::Set { setting: Setting::Mode(mode) };
        match mode {
            Mode::Yolo => self.open(Box::new(Confirm::yolo(None, Instant::now().into_std()))),
            Mode::Default | Mode::AutoEdit | Mode::Plan => self.send(command),
        }
    }

    fn is_busy(&self) -> bool {
        self.view.state.turn.is_some() || self.view.state.compact_wanted.is_some()
    }

    /// Whether `action` was pressed a moment ago too; else it is from now on, and the hint is said.
    fn is_second(&mut self, action: Action, hint: &str) -> bool {
        let now = Instant::now();
        if self.hinted.take().is_some_and(|before| before.action == action && now < before.until) {
            return true;
        }
        self.hinted = Some(KeyHint { action, text: hint.to_owned(), until: now + TWICE });
        false
    }

    fn cancel(&mut self) {
        if self.is_busy() {
            self.send(Command::Cancel { scope: CancelScope::Turn });
        } else if !self.composer.is_empty() {
            if self.is_second(Action::Cancel, "Esc again empties the composer") {
                self.composer.set_text(String::new());
            }
        } else if self.is_second(Action::Cancel, "nothing runs; Esc again goes back to an earlier prompt") {
            self.errands.push_back(Errand::Rewind);
        }
    }

    fn interrupt(&mut self) {
        if !self.composer.is_empty() {
            let draft = self.composer.text();
            self.composer.remember(&draft);
            self.composer.set_text(String::new());
        } else if self.is_busy() {
            self.send(Command::Cancel { scope: CancelScope::Turn });
        } else {
            let hint = match self.left_behind() {
                0 => "nothing is running; press Ctrl+C again, or Ctrl+D, to leave".to_owned(),
                clients => format!("{}; press Ctrl+C again to leave", loss(clients)),
            };
            if self.is_second(Action::Interrupt, &hint) {
                self.errands.push_back(Errand::Do(Deed::Quit));
            }
        }
    }

    fn leave(&mut self) {
        if !self.composer.is_empty() {
            return;
        }
        if self.is_busy() {
            return self.ask_to_quit();
        }
        let clients = self.left_behind();
        if clients == 0 || self.is_second(Action::Leave, &format!("{}; press Ctrl+D again to leave", loss(clients))) {
            self.errands.push_back(Errand::Do(Deed::Quit));
        }
    }

    /// `/quit`. Whoever types it means it, but may not know who else is there.
    pub(super) fn quit(&mut self) {
        match self.left_behind() {
            0 => self.errands.push_back(Errand::Do(Deed::Quit)),
            _ => self.ask_to_quit(),
        }
    }

    /// `/resume`. The list that comes up is the question; what it is about is said first.
    pub(super) fn resume(&mut self) {
        if self.left_behind() > 0 {
            self.say(Tone::Warn, format!("{} if you go on with another one", loss(self.left_behind())));
        }
        self.errands.push_back(Errand::Sessions);
    }

    fn ask_to_quit(&mut self) {
        let stake = AtStake {
            turn: self.is_busy().then_some(self.running),
            waiting: self.view.state.queue.len(),
            clients: self.left_behind(),
        };
        self.open(Box::new(Confirm::quit(&stake, Instant::now().into_std())));
    }

    /// How many clients lose the session when this program ends.
    fn left_behind(&self) -> usize {
        match self.running {
            Running::Here => self.around.clients,
            Running::Elsewhere => 0,
        }
    }

    /// Take the newest prompt that waits back into the composer. It is out of the queue while it is changed.
    fn edit_queue(&mut self) {
        let newest = self.view.state.queue.iter().rev().find(|waiting| self.view.is_mine(waiting.id));
        let Some((prompt, text)) = newest.map(|waiting| (waiting.id, waiting.text.clone())) else {
            return self.say(Tone::Info, "no prompt of yours waits");
        };
        self.send(Command::Unqueue { prompt });
        self.composer.set_text(text);
    }

    fn open_details(&mut self) {
        let book = self.chronicle.book();
        let draw = move |width: u16, theme: &Theme| book.opened(width, theme);
        self.open(Box::new(Pager::new("everything so far", Box::new(draw)).at_end()));
    }

    pub(super) fn show_changes(&mut self) {
        let changes = self.changes.all();
        if changes.is_empty() {
            return self.say(Tone::Info, "no call has changed a file yet");
        }
        self.open(Box::new(Pager::of_changes("what this session has changed", changes)));
    }
}
