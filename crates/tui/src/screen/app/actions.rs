//! What keys do besides typing.

use super::{App, AppEffect, HelpSection};
use crate::screen::keymap::KeyAction;
use crate::screen::overlay::confirm_dialog::{ConfirmDialog, QuitConsequences, SessionLocation, describe_lost_clients};
use crate::screen::overlay::pager::Pager;
use crate::screen::overlay::{SessionFolders, UiEffect};
use crate::screen::theme::Theme;
use pollux_session::{ApprovalMode, CancelScope, Command, NoteTone, SessionSetting};
use std::time::Duration;
use tokio::time::Instant;

/// For so long a second press means what the hint said.
const SECOND_PRESS_WINDOW: Duration = Duration::from_secs(3);

/// What a key would do if it were pressed again. It is shown above the composer for as long as that holds, and leaves nothing
/// in the scrollback.
pub(super) struct KeyHint {
    action: KeyAction,
    pub(super) text: String,
    pub(super) until: Instant,
}

impl App {
    pub(super) fn act(&mut self, action: KeyAction) {
        match action {
            KeyAction::Cancel => self.cancel(),
            KeyAction::Interrupt => self.interrupt(),
            KeyAction::Leave => self.leave(),
            KeyAction::Suspend => self.effects.push_back(AppEffect::Suspend),
            KeyAction::CycleMode => match self.sent_mode.unwrap_or(self.view.mode()) {
                ApprovalMode::Default => self.set_mode(ApprovalMode::AutoEdit),
                ApprovalMode::AutoEdit => self.set_mode(ApprovalMode::Plan),
                // Pressed once more, it goes on to the first; a no keeps the mode.
                ApprovalMode::Plan => {
                    self.open(Box::new(ConfirmDialog::yolo(Some(ApprovalMode::Default), Instant::now().into_std())));
                }
                ApprovalMode::Yolo => self.set_mode(ApprovalMode::Default),
            },
            KeyAction::Yolo => match self.view.state().mode {
                ApprovalMode::Yolo => {
                    let before = self.mode_before_yolo.take().unwrap_or(ApprovalMode::Default);
                    self.set_mode(before);
                }
                mode @ (ApprovalMode::Default | ApprovalMode::AutoEdit | ApprovalMode::Plan) => {
                    self.mode_before_yolo = Some(mode);
                    self.set_mode(ApprovalMode::Yolo);
                }
            },
            KeyAction::ExternalEditor => self.effects.push_back(AppEffect::Ui(UiEffect::EditDraft)),
            KeyAction::PasteImage => self.effects.push_back(AppEffect::PasteImage),
            KeyAction::OpenDetails => self.open_details(),
            KeyAction::ToggleTodos => self.todos_shown = !self.todos_shown,
            KeyAction::Redraw => self.effects.push_back(AppEffect::Redraw),
            KeyAction::Help => self.effects.push_back(AppEffect::OpenHelp(HelpSection::Keys)),
            KeyAction::EditQueue => self.edit_queue(),
            KeyAction::ToggleAsks => {
                self.is_ask_aside = !self.is_ask_aside && self.ask_dialog.is_some();
                self.show_asks_anew();
            }
            // Everything else is the composer's own.
            _ => {}
        }
    }

    /// Change the mode; the one in which nothing asks is asked about.
    pub(super) fn set_mode(&mut self, mode: ApprovalMode) {
        let command = Command::Set { setting: SessionSetting::Mode(mode) };
        match mode {
            ApprovalMode::Yolo => self.open(Box::new(ConfirmDialog::yolo(None, Instant::now().into_std()))),
            ApprovalMode::Default | ApprovalMode::AutoEdit | ApprovalMode::Plan => {
                self.sent_mode = Some(mode);
                self.send(command);
            }
        }
    }

    fn is_busy(&self) -> bool {
        self.view.state().turn.is_some() || self.view.state().compact_wanted.is_some()
    }

    /// Whether `action` was pressed a moment ago too; else it is from now on, and the hint is said.
    pub(super) fn is_second(&mut self, action: KeyAction, hint: &str) -> bool {
        let now = Instant::now();
        if self.key_hint.take().is_some_and(|before| before.action == action && now < before.until) {
            return true;
        }
        self.key_hint = Some(KeyHint { action, text: hint.to_owned(), until: now + SECOND_PRESS_WINDOW });
        false
    }

    fn cancel(&mut self) {
        if self.is_busy() {
            self.send(Command::Cancel { scope: CancelScope::Turn });
        } else if !self.composer.is_empty() {
            if self.is_second(KeyAction::Cancel, "Esc again empties the composer") {
                self.composer.set_text(String::new());
            }
        } else if self.is_second(KeyAction::Cancel, "nothing runs; Esc again goes back to an earlier prompt") {
            self.effects.push_back(AppEffect::OpenRewind);
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
            let hint = match self.clients_losing_session() {
                0 => "nothing is running; press Ctrl+C again, or Ctrl+D, to leave".to_owned(),
                clients => format!("{}; press Ctrl+C again to leave", describe_lost_clients(clients)),
            };
            if self.is_second(KeyAction::Interrupt, &hint) {
                self.effects.push_back(AppEffect::Ui(UiEffect::Quit));
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
        let clients = self.clients_losing_session();
        if clients == 0
            || self.is_second(
                KeyAction::Leave,
                &format!("{}; press Ctrl+D again to leave", describe_lost_clients(clients)),
            )
        {
            self.effects.push_back(AppEffect::Ui(UiEffect::Quit));
        }
    }

    /// Ctrl+D while an ask has the composer's place. It may wait for as long as it likes: the session keeps it.
    pub(super) fn leave_open_ask(&mut self) {
        let waits =
            "an ask waits for you: Ctrl+D again leaves and keeps it open (pollux --continue shows it), Esc declines";
        let hint = match self.clients_losing_session() {
            0 => waits.to_owned(),
            clients => format!("{waits}; {}", describe_lost_clients(clients)),
        };
        if self.is_second(KeyAction::Leave, &hint) {
            let draft = self.composer.text();
            if !draft.trim().is_empty() {
                self.effects.push_back(AppEffect::RememberPrompt(draft));
            }
            self.effects.push_back(AppEffect::Ui(UiEffect::Quit));
        }
    }

    /// `/quit`. Whoever types it means it, but may not know who else is there.
    pub(super) fn quit(&mut self) {
        match self.clients_losing_session() {
            0 => self.effects.push_back(AppEffect::Ui(UiEffect::Quit)),
            _ => self.ask_to_quit(),
        }
    }

    /// `/resume`. The list that comes up is the question; what it is about is said first.
    pub(super) fn resume(&mut self, folders: SessionFolders) {
        if self.clients_losing_session() > 0 {
            self.say(
                NoteTone::Warn,
                format!("{} if you resume another one", describe_lost_clients(self.clients_losing_session())),
            );
        }
        self.effects.push_back(AppEffect::OpenSessions(folders));
    }

    fn ask_to_quit(&mut self) {
        let stake = QuitConsequences {
            turn: self.is_busy().then_some(self.session_location),
            waiting: self.view.state().queue.len(),
            clients: self.clients_losing_session(),
            background: self.process_status.background.as_ref().map_or(0, Vec::len),
        };
        self.open(Box::new(ConfirmDialog::quit(&stake, Instant::now().into_std())));
    }

    /// How many clients lose the session when this program ends.
    fn clients_losing_session(&self) -> usize {
        match self.session_location {
            SessionLocation::Here => self.process_status.clients,
            SessionLocation::Elsewhere => 0,
        }
    }

    /// Take the newest prompt that waits back into the composer. It is out of the queue while it is changed.
    fn edit_queue(&mut self) {
        let newest = self.view.state().queue.iter().rev().find(|waiting| self.view.is_mine(waiting.id));
        let Some((prompt, text)) = newest.map(|waiting| (waiting.id, waiting.text.clone())) else {
            return self.say(NoteTone::Info, "no prompt of yours waits");
        };
        self.send(Command::Unqueue { prompt });
        self.composer.set_text(text);
    }

    fn open_details(&mut self) {
        let book = self.transcript.snapshot();
        let draw = move |width: u16, theme: &Theme| book.expanded_lines(width, theme);
        self.open(Box::new(Pager::new("everything so far", Box::new(draw)).at_end()));
    }

    pub(super) fn show_changes(&mut self) {
        let changes = self.changes.all();
        if changes.is_empty() {
            return self.say(NoteTone::Info, "no tool of this session has written a file yet");
        }
        self.open(Box::new(Pager::of_changes("files that this session's tools wrote, call by call", changes)));
    }
}
