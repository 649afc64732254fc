//! What the session's entries do to the screen: what is drawn, which dialogs are open, whom it calls.

use super::{App, Errand};
use crate::screen::chronicle::Tone;
use crate::screen::composer::Waiting;
use crate::screen::input::Focus;
use crate::screen::layer::ask::{AskDialog, Unsent};
use crate::screen::layer::{Deed, Layer, Step};
use crate::screen::markdown;
use crate::screen::signal::Signal;
use crate::screen::todos;
use crate::view::Whose;
use pollux_session::{CallId, CallOutcome, Display, Entry, Event, PromptId, Seq, TurnOutcome};
use std::sync::Arc;
use std::time::Instant;

/// The command of the agent that, typed here, clears the screen too.
const CLEAR: &str = "/clear";

impl App {
    /// Take one entry of the log.
    pub(crate) fn take(&mut self, entry: &Arc<Entry>) {
        let whose = self.mine.whose(&self.view.me, entry);
        self.chronicle.apply(&self.view, entry, whose);
        self.view.apply(entry, whose);
        self.tell(entry, whose);
        self.turn_tally.apply(entry);
        self.tally.apply(entry);
        self.cursor = entry.seq;
    }

    /// A batch of entries is in: open or close what depends on where the session stands now.
    pub(crate) fn settle(&mut self) {
        for at in (0..self.layers.len()).rev() {
            match self.layers[at].follow(&self.view) {
                Step::Close => drop(self.layers.remove(at)),
                Step::Finish(deed) => {
                    self.layers.remove(at);
                    self.errands.push_back(Errand::Do(deed));
                }
                Step::Do(deed) => self.errands.push_back(Errand::Do(deed)),
                Step::Stay => {}
            }
        }
        let (over, unsent) = match &mut self.ask {
            Some(ask) => (matches!(ask.follow(&self.view), Step::Close | Step::Finish(_)), ask.unsent()),
            None => (false, Vec::new()),
        };
        if over {
            self.ask = None;
        }
        for Unsent { why, text } in unsent {
            self.say(Tone::Warn, why);
            self.keep_unused(&text);
        }
        if self.ask.is_none() {
            let dialog = AskDialog::new(&self.view, Instant::now());
            self.ask = dialog.map(|dialog| Box::new(dialog.with_markdown(markdown::render)) as Box<dyn Layer>);
        }
        if self.ask.is_none() {
            self.ask_is_aside = false;
        }
        let waits = self.view.state.queue.iter().any(|waiting| self.view.is_mine(waiting.id));
        self.composer.set_waiting(if waits { Waiting::Prompts } else { Waiting::Nothing });
    }

    /// What an entry means for this screen besides its lines.
    fn tell(&mut self, entry: &Entry, whose: Whose) {
        match &entry.event {
            // A command's step asks no model: what the next call is told is what it was.
            Event::StepEnded { .. } if self.tally.is_commanded() => {}
            Event::StepEnded { usage, .. } => self.told = usage.prompt + usage.output + usage.thoughts,
            Event::Compacted { usage, .. } => self.told = usage.output,
            Event::Rewound { to } if *to == Seq::START => {
                self.told = 0;
                let is_cleared = self.view.state.turn.as_ref().is_some_and(|turn| Some(turn.prompt) == self.clearing);
                if is_cleared {
                    self.errands.push_back(Errand::ClearScreen);
                }
            }
            Event::Called { tool, args, .. } if tool == todos::TOOL => self.todos = Some(args.clone()),
            Event::Asked { call, .. } if self.allow_typed_command(*call) => {}
            Event::Asked { .. } => self.call_for_attention("an ask is open"),
            Event::CallEnded { outcome, .. } => {
                if let CallOutcome::Succeeded { result } = outcome
                    && let Some(Display::Diff(change)) = &result.display
                {
                    self.changes.add(change.clone());
                }
            }
            Event::TurnEnded { outcome } => {
                self.typed_commands.end_turn();
                self.call_for_attention(match outcome {
                    TurnOutcome::Rested => "the turn is done",
                    TurnOutcome::Cancelled => "the turn was cancelled",
                    TurnOutcome::Failed { .. } => "the turn failed",
                });
                self.errands.push_back(Errand::LookAround);
            }
            Event::Prompted { text, .. } if whose == Whose::Typed => {
                if text.trim() == CLEAR {
                    self.clearing = Some(PromptId(entry.seq));
                }
                self.typed_commands.take_prompt(PromptId(entry.seq), text);
            }
            _ => {}
        }
    }

    /// What the person has typed after `!` needs no second yes.
    fn allow_typed_command(&mut self, call: CallId) -> bool {
        let answer = self.typed_commands.answer(&self.view, call);
        answer.map(|command| self.errands.push_back(Errand::Do(Deed::Send(command)))).is_some()
    }

    /// Tell somebody who looks elsewhere. Nothing that happened before this seat was taken calls for them.
    fn call_for_attention(&mut self, what: &str) {
        if self.focus == Focus::Lost {
            let text = what.to_owned();
            self.errands.push_back(Errand::Signal(Signal::Notify { title: "Pollux".into(), text }));
            self.errands.push_back(Errand::Signal(Signal::Bell));
        }
    }
}
