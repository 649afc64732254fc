//! What a person had written for an ask that is not open any more. It is theirs, and is not thrown away without a word.

use super::open_ask::OpenAsk;
use pollux_session::{CallId, EntryAuthor, SessionView};

/// Text that no answer will carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnsentText {
    /// What became of the ask, and what the text was for.
    pub(crate) why: String,
    pub(crate) text: String,
}

impl UnsentText {
    /// What was written for an ask that is closed, if anything was.
    pub(super) fn from_closed_ask(view: &SessionView, ask: &OpenAsk) -> Option<UnsentText> {
        let (what, text) = ask.written()?;
        let fate = describe_decision(view, ask.call).unwrap_or_else(|| "the ask was closed".to_owned());
        Some(UnsentText { why: format!("{fate}, while you were writing {what}"), text })
    }
}

/// Whether this person decided an ask: what they wrote was used, or they chose otherwise.
pub(super) fn is_own_decision(view: &SessionView, call: CallId) -> bool {
    find_decision(view, call).is_some_and(|(_, by)| *by == *view.reader())
}

fn find_decision(view: &SessionView, call: CallId) -> Option<(&str, &EntryAuthor)> {
    view.state().ask_decision(call)?.answer()
}

/// Who decided an ask and how; `None` when nobody did.
pub(super) fn describe_decision(view: &SessionView, call: CallId) -> Option<String> {
    let (choice, by) = find_decision(view, call)?;
    Some(pollux_session::describe_decision(view.state(), call, choice, by, view.reader()))
}
