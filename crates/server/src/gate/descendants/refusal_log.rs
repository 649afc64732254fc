//! The log of refused connections: one line a second, with the number of those it left out. A command that tries over
//! and over would fill the log otherwise.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// The least time between two lines.
const PAUSE: Duration = Duration::from_secs(1);

/// When the last line was written, and how many refusals it does not count.
#[derive(Default)]
pub(super) struct RefusalLog(Mutex<(Option<Instant>, u64)>);

impl RefusalLog {
    /// Counts a refusal. If it is time for a line, this is how many went without one before.
    pub(super) fn count(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock();
        let (last, left_out) = &mut *state;
        if last.is_some_and(|last| now.saturating_duration_since(last) < PAUSE) {
            *left_out += 1;
            return None;
        }
        *last = Some(now);
        Some(std::mem::take(left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn one_line_a_second_counts_what_it_leaves_out() {
        let (log, start) = (RefusalLog::default(), Instant::now());
        let counted: Vec<Option<u64>> =
            [0, 1, 999, 1_000, 1_500, 9_000, 9_001].map(|ms| log.count(start + Duration::from_millis(ms))).into();
        assert_eq!(counted, [Some(0), None, None, Some(2), None, Some(1), None]);
    }
}
