//! What the agent is doing right now, for the line with the spinner.

use super::SessionView;
use super::item::CallProgress;
use crate::describe::format_seconds;
use crate::ids::UnixMillis;
use crate::state::StepState;

/// What kind of work goes on, and for how long. What exactly is thought about and run is in the items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentActivity {
    /// A few words.
    pub words: String,
    /// How long the turn has worked.
    pub elapsed_ms: u64,
}

impl SessionView {
    /// What goes on while a turn runs or a summary is made; `None` while nothing happens, or only asks are left.
    pub fn activity(&self, now: UnixMillis) -> Option<CurrentActivity> {
        let Some(turn) = &self.state.turn else {
            let since = self.turn.compacting_since.filter(|_| self.state.compact_wanted.is_some())?;
            let elapsed_ms = now.0.saturating_sub(since.0);
            return Some(CurrentActivity { words: "Summing up the conversation".into(), elapsed_ms });
        };
        let elapsed_ms = self.turn.clock.map_or(0, |clock| clock.worked_ms(now));
        let words = if turn.doing == StepState::Acting {
            if self.only_asks() {
                return None;
            }
            "Working".to_owned()
        } else if let Some(retry) = self.turn.retry {
            let left = retry.at.0.saturating_sub(now.0).div_ceil(1_000);
            match left {
                0 => format!("Trying again (attempt {})", retry.attempt),
                _ => format!("Trying again in {} (attempt {})", format_seconds(left), retry.attempt),
            }
        } else {
            "Thinking".to_owned()
        };
        Some(CurrentActivity { words, elapsed_ms })
    }

    /// Whether a person has to answer before anything goes on.
    pub(super) fn only_asks(&self) -> bool {
        let is_any = |wanted: fn(CallProgress) -> bool| self.open_calls().any(|call| wanted(call.progress));
        is_any(|progress| progress == CallProgress::Asking)
            && !is_any(|progress| matches!(progress, CallProgress::Running | CallProgress::Ready))
    }
}
