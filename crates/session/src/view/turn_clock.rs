//! The time that a turn has worked. While nothing goes on but questions to a person, its clock stands still.

use crate::ids::UnixMillis;

/// The clock of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TurnClock {
    began: UnixMillis,
    /// The time that it stood still, until it went on the last time.
    waited_ms: u64,
    waiting_since: Option<UnixMillis>,
}

impl TurnClock {
    pub(super) fn start(at: UnixMillis) -> TurnClock {
        TurnClock { began: at, waited_ms: 0, waiting_since: None }
    }

    /// Stop it or let it go on.
    pub(super) fn set_waiting(&mut self, is_waiting: bool, at: UnixMillis) {
        match (is_waiting, self.waiting_since) {
            (true, None) => self.waiting_since = Some(at),
            (false, Some(since)) => {
                self.waited_ms += at.0.saturating_sub(since.0);
                self.waiting_since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Milliseconds of work until `now`.
    pub(super) fn worked_ms(&self, now: UnixMillis) -> u64 {
        let until = self.waiting_since.unwrap_or(now);
        until.0.saturating_sub(self.began.0).saturating_sub(self.waited_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::TurnClock;
    use crate::UnixMillis;

    #[test]
    fn it_stands_still_while_a_person_is_asked() {
        let mut clock = TurnClock::start(UnixMillis(1_000));
        assert_eq!(clock.worked_ms(UnixMillis(3_000)), 2_000);
        clock.set_waiting(true, UnixMillis(3_000));
        clock.set_waiting(true, UnixMillis(4_000));
        assert_eq!(clock.worked_ms(UnixMillis(60_000)), 2_000);
        clock.set_waiting(false, UnixMillis(61_000));
        assert_eq!(clock.worked_ms(UnixMillis(62_000)), 3_000);
    }
}
