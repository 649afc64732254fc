//! What the agent is doing right now, for the line with the spinner.

use super::Chronicle;
use super::call::{Phase, seconds_words};
use crate::sanitize::one_line;
use crate::view::View;
use pollux_session::{At, Step};

/// How much of what it is doing is said.
const WORDS: usize = 80;

/// What the agent is doing, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doing {
    pub(crate) words: String,
    pub(crate) since: At,
}

impl Chronicle {
    /// The spinner's words while a turn runs or a summary is made; `None` while nothing happens.
    pub(crate) fn doing(&self, view: &View, now: At) -> Option<Doing> {
        let Some(turn) = &view.state.turn else {
            let since = self.compacting_since.filter(|_| view.state.compact_wanted.is_some())?;
            return Some(Doing { words: "Summing up the conversation".into(), since });
        };
        let since = self.turn_began.unwrap_or(now);
        let is_acting = turn.doing == Step::Acting;
        let words = if let Some(retry) = self.retry.filter(|_| !is_acting) {
            let left = retry.at.0.saturating_sub(now.0).div_ceil(1_000);
            match left {
                0 => format!("Trying again (attempt {})", retry.attempt),
                _ => format!("Trying again in {} (attempt {})", seconds_words(left), retry.attempt),
            }
        } else if is_acting && view.asking().next().is_some() && !self.has_running() {
            "Waiting for an answer".to_owned()
        } else if let Some((call, _)) = self.calls.values().find(|(call, _)| matches!(call.phase, Phase::Running)) {
            one_line(&format!("Running {}", call.title()), WORDS)
        } else if let Some(subject) = &self.subject {
            one_line(subject, WORDS)
        } else {
            "Thinking".to_owned()
        };
        Some(Doing { words, since })
    }

    fn has_running(&self) -> bool {
        self.calls.values().any(|(call, _)| matches!(call.phase, Phase::Running | Phase::Ready))
    }
}
