//! When a stream is over, and when a request that waits for its answer is: one pure function for SSE, WebSocket, gRPC and
//! blocking sends alike. It sees where things stand after an entry, and what the stream was opened for.

use crate::dialect::{Dialect, PreviousStatus, TaskContinuation};
use crate::version::A2aVersion;
use crate::wire_state::{TaskScope, WireState};
use pollux_session::{CallId, CommandReceipt, Entry, Event, PromptId, Seq, TaskStatus, events_about};

#[cfg(test)]
mod tests;

/// The event that a stream waits for before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// This prompt's turn rests; or, from this entry on, nothing in its task goes on before people answer.
    TurnStopped(PromptId, Seq),
    /// As [`StreamEnd::TurnStopped`], but a task that goes on with another message has not stopped: in 1.0 the state is
    /// the task's.
    TaskStopped(PromptId, Seq),
    /// This prompt's turn rests: whoever answers its asks, here is what follows.
    TurnOver(PromptId),
    /// From this entry on, what is watched rests or waits for people.
    Quiet(Seq),
    /// The watched task takes no more messages.
    Closed,
    /// Nothing: it ends when the client or the server goes.
    Never,
    /// It has come.
    Reached,
}

impl StreamEnd {
    /// The end of the stream that a message opens.
    pub(crate) fn of_message(receipt: &CommandReceipt, dialect: Dialect) -> StreamEnd {
        let Some((_, prompt)) = receipt.about else { return StreamEnd::Quiet(receipt.seq) };
        match dialect {
            Dialect::Rfc(form, _) => match form.version() {
                A2aVersion::V03 => StreamEnd::TurnStopped(prompt, receipt.settled()),
                A2aVersion::V10 => StreamEnd::TaskStopped(prompt, receipt.settled()),
            },
            Dialect::Coder(_) | Dialect::Page | Dialect::Named => StreamEnd::TurnStopped(prompt, receipt.settled()),
            Dialect::Flat => StreamEnd::TurnOver(prompt),
        }
    }

    /// The end of waiting for what a message began. 1.0 waits for the task: while other messages wait in it, it goes on after
    /// this one's turn, and while it asks, it is the asker who is waited for, not this message.
    pub(crate) fn of_blocking_send(receipt: &CommandReceipt, version: A2aVersion) -> StreamEnd {
        match (receipt.about, version) {
            (Some((_, prompt)), A2aVersion::V03) => StreamEnd::TurnStopped(prompt, receipt.settled()),
            (Some(_), A2aVersion::V10) | (None, _) => StreamEnd::Quiet(receipt.settled()),
        }
    }

    /// The end of a stream that somebody takes up when `head` is the newest entry. That of a whole session goes on in 0.3,
    /// since others may prompt it; in 1.0 it lasts until the task is closed.
    pub(crate) fn of_subscription(version: A2aVersion, scope: TaskScope, head: Seq) -> StreamEnd {
        match (version, scope) {
            (A2aVersion::V03, TaskScope::Task(_)) => StreamEnd::Quiet(head),
            (A2aVersion::V03, TaskScope::Session(_)) => StreamEnd::Never,
            (A2aVersion::V10, _) => StreamEnd::Closed,
        }
    }

    /// The rest of the wait once things stand like this.
    pub(crate) fn after(self, standing: &EntryStanding) -> StreamEnd {
        let is_reached = match self {
            StreamEnd::TurnStopped(prompt, from) => standing.has_stopped(prompt, from),
            StreamEnd::TaskStopped(prompt, _) if standing.continued == Some(prompt) => {
                return StreamEnd::Quiet(standing.seq).after(standing);
            }
            StreamEnd::TaskStopped(prompt, from) => standing.has_stopped(prompt, from),
            StreamEnd::TurnOver(prompt) => standing.position(prompt) == PromptPosition::Over,
            StreamEnd::Quiet(from) => standing.quiet && standing.seq >= from,
            StreamEnd::Closed => standing.closed,
            StreamEnd::Never => false,
            StreamEnd::Reached => true,
        };
        if is_reached { StreamEnd::Reached } else { self }
    }
}

/// Where things stand after an entry, as far as the end of a stream depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EntryStanding {
    pub(crate) seq: Seq,
    /// The prompt whose turn runs.
    running: Option<PromptId>,
    /// The prompts that wait for their turn.
    queued: Vec<PromptId>,
    /// True if the running turn waits for nothing but people.
    waits: bool,
    /// True if the entry ended a turn, or took a prompt out of the queue.
    ends_prompt: bool,
    /// The prompt whose turn the entry ended, if its task goes on with another message.
    continued: Option<PromptId>,
    /// The calls that people are asked about, if what is watched waits for them.
    pub(crate) asks: Vec<CallId>,
    /// True if what is watched rests, or waits for people.
    pub(crate) quiet: bool,
    /// True if what is watched takes no more messages.
    pub(crate) closed: bool,
}

/// Where one prompt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PromptPosition {
    /// Not accepted yet.
    Unknown,
    Queued,
    Running,
    /// Its turn is over, or will never begin.
    Over,
}

impl EntryStanding {
    /// Where `state` stands, whatever entry led there.
    pub(crate) fn of_state(scope: TaskScope, state: &WireState) -> EntryStanding {
        EntryStanding {
            seq: state.state.head,
            running: state.state.turn.as_ref().map(|turn| turn.prompt),
            queued: state.state.queue.iter().map(|waiting| waiting.id).collect(),
            waits: state.waits_for_people(),
            asks: state.asked_calls(scope),
            ends_prompt: false,
            continued: None,
            quiet: state.is_quiet(scope),
            // A once task is closed in the same commit as its last turn ends: that turn's end is the last thing to tell.
            closed: match state.status(scope) {
                TaskStatus::Closed(_) => true,
                TaskStatus::Resting(_) => state.continuation(scope) == TaskContinuation::Closed,
                TaskStatus::Submitted | TaskStatus::Working | TaskStatus::InputRequired => false,
            },
        }
    }

    /// Where `state`, which holds `entry` already, stands because of it.
    pub(crate) fn after_entry(
        scope: TaskScope,
        before: &PreviousStatus,
        state: &WireState,
        entry: &Entry,
    ) -> EntryStanding {
        let standing = EntryStanding::of_state(scope, state);
        match &entry.event {
            Event::TurnEnded { .. } => {
                let goes_on = state.continuation(scope) == TaskContinuation::Queued;
                EntryStanding { ends_prompt: true, continued: before.prompt().filter(|_| goes_on), ..standing }
            }
            Event::Unqueued { .. } => EntryStanding { ends_prompt: true, ..standing },
            events_about!(session, tasks, text, model, approval, calls, context)
            | Event::Prompted { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::TurnStarted { .. }
            | Event::Commanded { .. }
            | Event::Attached { .. } => standing,
        }
    }

    /// True if some stream may end here that is about a turn.
    pub(crate) fn stops_turn(&self) -> bool {
        self.ends_prompt || self.waits
    }

    fn has_stopped(&self, prompt: PromptId, from: Seq) -> bool {
        match self.position(prompt) {
            PromptPosition::Unknown => false,
            // Behind an ask of its task a prompt waits for the same people, and its client may be one of them.
            PromptPosition::Queued => self.waits && self.quiet && self.seq >= from,
            PromptPosition::Running => self.waits && self.seq >= from,
            PromptPosition::Over => true,
        }
    }

    fn position(&self, prompt: PromptId) -> PromptPosition {
        if self.seq < prompt.0 {
            PromptPosition::Unknown
        } else if self.running == Some(prompt) {
            PromptPosition::Running
        } else if self.queued.contains(&prompt) {
            PromptPosition::Queued
        } else {
            PromptPosition::Over
        }
    }
}
