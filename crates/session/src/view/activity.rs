//! The agent's activity right now, for the line with the spinner.

use super::SessionView;
use crate::describe::format_seconds;
use crate::ids::UnixMillis;
use crate::state::StepState;

/// The kind of work that goes on, and for how long. Its thoughts and calls are items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentActivity {
    /// A few words.
    pub words: String,
    /// The time that the turn has worked.
    pub elapsed_ms: u64,
}

impl SessionView {
    /// The activity while a turn runs or a summary is made; `None` while nothing happens, or only asks are left.
    pub fn activity(&self, now: UnixMillis) -> Option<CurrentActivity> {
        let Some(turn) = &self.state.turn else {
            let since = self.turn.compacting_since.filter(|_| self.state.compact_wanted.is_some())?;
            let elapsed_ms = now.0.saturating_sub(since.0);
            return Some(CurrentActivity { words: "Summing up the conversation".into(), elapsed_ms });
        };
        let elapsed_ms = self.turn.clock.map_or(0, |clock| clock.worked_ms(now));
        let words = if turn.doing == StepState::Acting {
            if self.state.only_asks_remain() {
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
}
