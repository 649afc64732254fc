//! A key that was meant for the composer never answers an ask that has only just appeared.

use std::time::{Duration, Instant};

/// So long nothing may have been pressed before a key counts.
const QUIET: Duration = Duration::from_millis(400);

/// What a person is told meanwhile.
pub(super) const IGNORED: &str = "just appeared: keys are ignored until you pause for a moment";

/// Whether keys count yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    until: Instant,
}

impl Guard {
    /// Something appeared at `now`.
    pub(super) fn new(now: Instant) -> Guard {
        Guard { until: now + QUIET }
    }

    pub(super) fn holds(&self, now: Instant) -> bool {
        now < self.until
    }

    /// Whether a key at `now` counts. One that does not shows that the person is still typing something else, so the
    /// next one has to wait as long again.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        let admits = !self.holds(now);
        if !admits {
            *self = Guard::new(now);
        }
        admits
    }

    /// When it ends by itself.
    pub(super) fn ends(&self) -> Instant {
        self.until
    }
}

#[cfg(test)]
mod tests {
    use super::Guard;
    use pretty_assertions::assert_eq;
    use std::time::{Duration, Instant};

    #[test]
    fn keys_count_after_a_pause() {
        let start = Instant::now();
        let mut guard = Guard::new(start);
        let taken = [0, 399, 500, 798, 1197, 1597, 1598].map(|ms| guard.admits(start + Duration::from_millis(ms)));
        assert_eq!(taken, [false, false, false, false, false, true, true]);
    }
}
