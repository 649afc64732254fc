//! What the session's entries do to the screen: what is drawn, which dialogs are open, whom it calls.

use super::{App, AppEffect};
use crate::screen::composer::PromptQueueState;
use crate::screen::input::TerminalFocus;
use crate::screen::markdown;
use crate::screen::overlay::ask_dialog::{AskDialog, UnsentText};
use crate::screen::overlay::{Overlay, OverlayStep, UiEffect};
use crate::screen::settings::NotificationMethod;
use crate::screen::terminal_control::TerminalControl;
use pollux_session::{
    CallId, CallOutcome, Entry, EntryOrigin, Event, ItemKind, NoteTone, PromptId, QueuedPrompt, ResultDisplay, Seq,
    TurnOutcome, events_about,
};
use std::sync::Arc;
use std::time::Instant;

/// The command of the agent that, typed here, clears the screen too.
const CLEAR: &str = "/clear";

impl App {
    /// Take one entry of the log.
    pub(crate) fn take_entry(&mut self, entry: &Arc<Entry>) {
        let whose = self.own_entries.origin_of(self.view.reader(), entry);
        self.view.apply(entry, whose);
        self.transcript.apply(&self.view, entry, whose);
        self.sent_mode = self.sent_mode.filter(|sent| *sent != self.view.mode());
        self.react_to_entry(entry, whose);
        self.cursor = entry.seq;
    }

    /// A batch of entries is in: open or close what depends on where the session stands now.
    pub(crate) fn settle(&mut self) {
        for at in (0..self.overlays.len()).rev() {
            match self.overlays[at].follow(&self.view) {
                OverlayStep::Close => drop(self.overlays.remove(at)),
                OverlayStep::Finish(ui_effect) => {
                    self.overlays.remove(at);
                    self.effects.push_back(AppEffect::Ui(ui_effect));
                }
                OverlayStep::Do(ui_effect) => self.effects.push_back(AppEffect::Ui(ui_effect)),
                OverlayStep::Stay | OverlayStep::ForComposer => {}
            }
        }
        let (over, unsent) = match &mut self.ask_dialog {
            Some(ask) => (matches!(ask.follow(&self.view), OverlayStep::Close | OverlayStep::Finish(_)), ask.unsent()),
            None => (false, Vec::new()),
        };
        if over {
            self.ask_dialog = None;
        }
        for UnsentText { why, text } in unsent {
            self.say(NoteTone::Warn, why);
            self.keep_unused(&text);
        }
        if self.ask_dialog.is_none() {
            let dialog = AskDialog::new(&self.view, Instant::now());
            self.ask_dialog = dialog.map(|dialog| Box::new(dialog.with_markdown(markdown::render)) as Box<dyn Overlay>);
        }
        if self.ask_dialog.is_none() {
            self.is_ask_aside = false;
        }
        let waits = self.view.state().queue.iter().any(|waiting| self.view.is_mine(waiting.id));
        self.composer.set_queue_state(if waits { PromptQueueState::Prompts } else { PromptQueueState::Nothing });
    }

    /// What an entry means for this screen besides its lines.
    fn react_to_entry(&mut self, entry: &Entry, whose: EntryOrigin) {
        match &entry.event {
            Event::Rewound { to } => {
                if let Some(text) = self.rewound_text.take() {
                    self.compose_unsent(text);
                }
                let is_cleared = *to == Seq::START
                    && self.view.state().turn.as_ref().is_some_and(|turn| Some(turn.prompt) == self.clear_prompt);
                if is_cleared {
                    self.effects.push_back(AppEffect::ClearScreen);
                }
            }
            Event::Asked { call, .. } if self.allow_typed_command(*call) => {}
            Event::Asked { .. } => self.call_for_attention("an ask is open"),
            Event::CallEnded { outcome: CallOutcome::Succeeded { result }, .. } => match &result.display {
                Some(ResultDisplay::Diff(change)) => self.changes.add(change.clone()),
                Some(ResultDisplay::Patch { files }) => {
                    files.iter().for_each(|file| self.changes.add(file.titled_diff()));
                }
                Some(ResultDisplay::Text { .. }) | None => {}
            },
            Event::TurnEnded { outcome } => {
                let unanswered = self.unanswered_prompt.end();
                match (outcome, unanswered) {
                    (TurnOutcome::Cancelled, Some(text)) => self.compose_unsent(text),
                    (TurnOutcome::Failed { failure }, Some(_)) if failure.kind.starts_with("model_") => {
                        self.say(NoteTone::Info, "to try again, press Up for your prompt and Enter to send it");
                    }
                    _ => {}
                }
                let is_about_to_rewind = |waiting: &QueuedPrompt| waiting.text.starts_with("/rewind ");
                if !self.view.state().queue.iter().any(is_about_to_rewind) {
                    self.rewound_text = None;
                }
                self.typed_commands.end_turn(&self.view);
                self.call_for_attention(match outcome {
                    TurnOutcome::Rested => "the turn is done",
                    TurnOutcome::Cancelled => "the turn was cancelled",
                    TurnOutcome::Failed { .. } => "the turn failed",
                });
                self.effects.push_back(AppEffect::RefreshStatus);
            }
            Event::Prompted { text, .. } if whose == EntryOrigin::Typed => {
                if text.trim() == CLEAR {
                    self.clear_prompt = Some(PromptId(entry.seq));
                }
                self.unanswered_prompt.wait(PromptId(entry.seq), text);
                self.typed_commands.take_prompt(PromptId(entry.seq), text);
            }
            Event::Unqueued { prompt } => self.unanswered_prompt.forget(*prompt),
            Event::Requeued { prompt, text } => self.unanswered_prompt.change(*prompt, text),
            Event::TurnStarted { prompt, .. } => self.unanswered_prompt.begin(*prompt),
            Event::Commanded { .. } | Event::Said { kind: ItemKind::Text, .. } | Event::Called { .. } => {
                self.unanswered_prompt.mark_answered();
            }
            events_about!(session, tasks, model)
            | Event::Prompted { .. }
            | Event::Said { kind: ItemKind::Thought, .. }
            | Event::Piece { .. }
            | Event::ItemEnded { .. }
            | Event::Released
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Allowed { .. }
            | Event::AskKept { .. }
            | Event::Deferred { .. }
            | Event::Answered { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::Spent { .. }
            | Event::CallEnded { .. } => {}
        }
    }

    /// What the person has typed after `!` needs no second yes.
    fn allow_typed_command(&mut self, call: CallId) -> bool {
        let answer = self.typed_commands.answer(&self.view, call);
        answer.map(|command| self.effects.push_back(AppEffect::Ui(UiEffect::Send(command)))).is_some()
    }

    /// Tell somebody who looks elsewhere. Nothing that happened before this seat was taken calls for them.
    fn call_for_attention(&mut self, what: &str) {
        let Some(method) = self.notifications.filter(|_| self.focus == TerminalFocus::Lost) else { return };
        if method != NotificationMethod::Bell {
            let text = what.to_owned();
            self.effects.push_back(AppEffect::Control(TerminalControl::Notify { title: "Pollux".into(), text }));
        }
        if matches!(method, NotificationMethod::Auto | NotificationMethod::Bell) {
            self.effects.push_back(AppEffect::Control(TerminalControl::Bell));
        }
    }
}
