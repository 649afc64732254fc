//! What a person had written for an ask that is not open any more. It is theirs, and is not thrown away without a word.

use super::one::OpenAsk;
use crate::render::{choice_name, name};
use crate::view::View;
use pollux_session::{By, CallId};

/// Text that no answer will carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsent {
    /// What became of the ask, and what the text was for.
    pub(crate) why: String,
    pub(crate) text: String,
}

impl Unsent {
    /// What was written for an ask that is closed, if anything was.
    pub(super) fn of(view: &View, ask: &OpenAsk) -> Option<Unsent> {
        let (what, text) = ask.written()?;
        let fate = fate(view, ask.call).unwrap_or_else(|| "the ask was closed".to_owned());
        Some(Unsent { why: format!("{fate}, while you were writing {what}"), text })
    }
}

/// Whether this person decided an ask: what they wrote was used, or they chose otherwise.
pub(super) fn is_mine(view: &View, call: CallId) -> bool {
    decided(view, call).is_some_and(|(_, by)| *by == view.me)
}

fn decided(view: &View, call: CallId) -> Option<&(String, By)> {
    view.state.decisions.iter().rev().find(|decision| decision.call == call)?.answer.as_ref()
}

/// Who decided an ask and how; `None` when nobody did.
pub(super) fn fate(view: &View, call: CallId) -> Option<String> {
    let (choice, by) = decided(view, call)?;
    Some(format!("decided by {}: {}", name(by, &view.me), choice_name(view, call, choice)))
}
