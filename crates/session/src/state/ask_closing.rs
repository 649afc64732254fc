//! How an ask was closed that nobody answered. A person may be about to say yes to it, and is told.

use crate::call::CallOutcome;

/// How it was closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AskClosing {
    /// Its call or its turn ended, or somebody answered.
    #[default]
    Ended,
    /// A grant, or another mode, allows what it asked about.
    Allowed {
        /// Why.
        why: String,
    },
    /// Another mode, for example, does not allow it any more.
    Denied {
        /// Why not.
        why: String,
    },
    /// What it would do has changed, and another call asks.
    Superseded,
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

    /// For whoever answers too late.
    pub(crate) fn describe(&self) -> String {
        match self {
            AskClosing::Ended => "its call or its turn has ended".into(),
            AskClosing::Allowed { why } => format!("it is allowed by now ({why})"),
            AskClosing::Denied { why } => format!("it is not allowed any more ({why})"),
            AskClosing::Superseded => "what it would do has changed, and it asks again".into(),
        }
    }
}
