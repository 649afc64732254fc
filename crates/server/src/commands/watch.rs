//! What a command says and does, read from the log.

use crate::errors::RequestError;
use crate::session_access::AcceptedMessage;
use pollux_session::{AskDetails, CallId, CallOutcome, Entry, Event, ItemKind, Seat, Seq, TaskId, TurnOutcome, plain};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many entries are read at once.
const PAGE: usize = 256;
/// How much of what a command says is given back.
const MAX_OUTPUT: usize = 1024 * 1024;

/// Follows one command.
pub(crate) struct CommandWatcher {
    seat: Arc<dyn Seat>,
    task: TaskId,
    after: Seq,
    /// The command that answers, with its sub-command, once it is known.
    pub(crate) name: Option<String>,
    /// What was said so far.
    said: String,
    /// What came of its calls so far.
    printed: String,
    /// Its calls, those aside that were made for another one.
    calls: BTreeSet<CallId>,
    /// Where the text that is being said begins, if one is.
    item: Option<usize>,
}

/// Something about a command that decides how it is answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CommandUpdate {
    /// It is over.
    Ended(TurnOutcome),
    /// It waits for a person.
    Asks {
        /// Whether about a shell command.
        shell: bool,
    },
    /// It is the model's turn: this takes longer.
    ModelCalled,
}

impl CommandWatcher {
    /// Follow the command that was admitted.
    pub(crate) fn new(admitted: &AcceptedMessage) -> CommandWatcher {
        CommandWatcher {
            seat: Arc::clone(&admitted.task.seat),
            task: admitted.task.scope.task(),
            after: Seq(admitted.receipt.seq.0.saturating_sub(1)),
            name: None,
            said: String::new(),
            printed: String::new(),
            calls: BTreeSet::new(),
            item: None,
        }
    }

    /// Wait for the next news.
    pub(crate) async fn next(&mut self) -> Result<CommandUpdate, RequestError> {
        loop {
            let page = self.seat.read(self.after, PAGE).await?;
            if page.is_empty() {
                self.seat.changed(self.after).await?;
            }
            for entry in &page {
                self.after = entry.seq;
                if let Some(news) = self.take(entry) {
                    return Ok(news);
                }
            }
        }
    }

    /// What it said, or what came of its calls when it said nothing of them.
    pub(crate) fn output(&self) -> &str {
        if self.said.is_empty() { &self.printed } else { &self.said }
    }

    fn take(&mut self, entry: &Entry) -> Option<CommandUpdate> {
        if entry.task.is_none_or(|(task, _)| task != self.task) {
            return None;
        }
        match &entry.event {
            Event::Commanded { name } => self.name = Some(name.clone()),
            Event::Said { kind, text, .. } => {
                self.item = None;
                if *kind == ItemKind::Text {
                    if !self.said.is_empty() {
                        self.said.push('\n');
                    }
                    self.item = Some(self.said.len());
                    append_bounded(&mut self.said, text);
                }
                return self.name.is_none().then_some(CommandUpdate::ModelCalled);
            }
            Event::Piece { text, .. } if self.item.is_some() => append_bounded(&mut self.said, text),
            Event::ItemEnded { cut, .. } => {
                if let Some(start) = self.item.take().filter(|_| *cut) {
                    self.said.truncate(start);
                }
            }
            Event::Called { parent: None, .. } => drop(self.calls.insert(CallId(entry.seq))),
            Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } } if self.calls.contains(call) => {
                if !self.printed.is_empty() && !self.printed.ends_with('\n') {
                    self.printed.push('\n');
                }
                append_bounded(&mut self.printed, &plain(&result.text));
            }
            Event::Asked { ask, .. } => {
                return Some(CommandUpdate::Asks { shell: matches!(ask.details, AskDetails::Execute { .. }) });
            }
            Event::TurnEnded { outcome } => return Some(CommandUpdate::Ended(outcome.clone())),
            Event::Unqueued { .. } | Event::TaskClosed { .. } => {
                return Some(CommandUpdate::Ended(TurnOutcome::Cancelled));
            }
            // Neither said nor printed by the command, and no reason to answer the client now.
            Event::Piece { .. }
            | Event::Called { .. }
            | Event::CallEnded { .. }
            | Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Prompted { .. }
            | Event::TaskOpened { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::TurnStarted { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Retrying { .. }
            | Event::FellBack { .. }
            | Event::Noted { .. }
            | Event::StepEnded { .. }
            | Event::Allowed { .. }
            | Event::AskKept { .. }
            | Event::Answered { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::Spent { .. } => {}
        }
        None
    }
}

/// Put `text` behind `told`, as far as there is room.
fn append_bounded(told: &mut String, text: &str) {
    let room = MAX_OUTPUT.saturating_sub(told.len());
    let end = text.floor_char_boundary(room.min(text.len()));
    told.push_str(&text[..end]);
}
