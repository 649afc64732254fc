//! Asks that are no longer open, and how each was closed: a person may be about to say yes to one, and is told.

use super::SessionState;
use crate::call::CallOutcome;
use crate::event::{Entry, EntryAuthor};
use crate::ids::{CallId, Seq, UnixMillis};

/// An ask that is no longer open.
#[derive(Clone, Debug, PartialEq)]
pub struct AskDecision {
    /// The call that asked.
    pub call: CallId,
    /// When it was opened, or last asked anew.
    pub opened: UnixMillis,
    /// The entry that decided or closed it.
    pub seq: Seq,
    /// When it was decided or closed.
    pub at: UnixMillis,
    pub closing: AskClosing,
}

/// How an ask was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskClosing {
    /// Somebody chose an option.
    Answered {
        /// The id of the option.
        choice: String,
        by: EntryAuthor,
    },
    /// A grant, or another mode, allows what it asked about.
    Allowed { why: String },
    /// Another mode, for example, does not allow it any more.
    Denied { why: String },
    /// What it would do has changed, and another call asks.
    Superseded,
    /// Its call or its turn ended.
    Ended,
}

impl SessionState {
    /// How the ask of `call` was closed.
    pub fn ask_decision(&self, call: CallId) -> Option<&AskDecision> {
        self.decisions.iter().rev().find(|decision| decision.call == call)
    }
}

impl AskDecision {
    /// The ask of `call` that `opened` then, closed by `entry`.
    pub(super) fn new(call: CallId, opened: UnixMillis, entry: &Entry, closing: AskClosing) -> AskDecision {
        AskDecision { call, opened, seq: entry.seq, at: entry.at, closing }
    }

    /// The id of the option that was chosen, and by whom; `None` when the ask was closed without an answer.
    pub fn answer(&self) -> Option<(&str, &EntryAuthor)> {
        match &self.closing {
            AskClosing::Answered { choice, by } => Some((choice, by)),
            AskClosing::Allowed { .. } | AskClosing::Denied { .. } | AskClosing::Superseded | AskClosing::Ended => None,
        }
    }
}

impl AskClosing {
    /// How the end of a call closes its ask.
    pub(super) fn from_outcome(outcome: &CallOutcome) -> AskClosing {
        match outcome {
            CallOutcome::Denied { why } => AskClosing::Denied { why: why.clone() },
            CallOutcome::Superseded => AskClosing::Superseded,
            CallOutcome::Succeeded { .. }
            | CallOutcome::Failed { .. }
            | CallOutcome::Declined
            | CallOutcome::Cancelled
            | CallOutcome::Interrupted => AskClosing::Ended,
        }
    }

    /// The reason, for whoever answers too late.
    pub fn describe(&self) -> String {
        match self {
            AskClosing::Answered { choice, by } => format!("{by} chose {choice}"),
            AskClosing::Allowed { why } => format!("it is allowed by now ({why})"),
            AskClosing::Denied { why } => format!("it was denied ({why})"),
            AskClosing::Superseded => "what it would do has changed, and it asks again".into(),
            AskClosing::Ended => "its call or its turn has ended".into(),
        }
    }
}
