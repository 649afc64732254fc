//! A key that was meant for the composer never answers an ask that has only just appeared.

use super::ask::Unsent;
use super::{Layer, Step};
use crate::screen::picture::Picture;
use crate::screen::theme::Theme;
use crate::view::View;
use crossterm::event::KeyEvent;
use std::time::{Duration, Instant};

/// So long nothing may have been pressed before a key counts.
const QUIET: Duration = Duration::from_millis(400);

/// What a person is told meanwhile.
const IGNORED: &str = "just appeared: keys are ignored until you pause for a moment";

/// Whether keys count yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    until: Instant,
}

impl Guard {
    /// Something appeared at `now`.
    pub(super) fn new(now: Instant) -> Guard {
        Guard { until: now + QUIET }
    }

    fn holds(&self, now: Instant) -> bool {
        now < self.until
    }

    /// What a person is told in place of the keys, while none counts.
    pub(super) fn says(&self, now: Instant) -> Option<&'static str> {
        self.holds(now).then_some(IGNORED)
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
}

/// A layer behind a guard. What happens to it happens at a time; as a [`Layer`], now.
pub(crate) trait Guarded: Send {
    /// What it is behind.
    fn guard(&self) -> &Guard;

    /// A key that was pressed at `now`.
    fn key_at(&mut self, key: KeyEvent, now: Instant) -> Step;

    /// Text that was pasted at `now`.
    fn paste_at(&mut self, text: &str, now: Instant) -> Step {
        let _ = (text, now);
        Step::Stay
    }

    /// The session went on at `now`.
    fn follow_at(&mut self, view: &View, now: Instant) -> Step {
        let _ = (view, now);
        Step::Stay
    }

    /// What was written in it that no answer will carry any more.
    fn unsent(&mut self) -> Vec<Unsent> {
        Vec::new()
    }

    /// It is on the screen again from `now` on.
    fn appears_at(&mut self, now: Instant) {
        let _ = now;
    }

    /// What it looks like at `now`.
    fn picture_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> Picture;
}

impl<Dialog: Guarded> Layer for Dialog {
    fn key(&mut self, key: KeyEvent) -> Step {
        self.key_at(key, Instant::now())
    }

    fn paste(&mut self, text: &str) -> Step {
        self.paste_at(text, Instant::now())
    }

    fn follow(&mut self, view: &View) -> Step {
        self.follow_at(view, Instant::now())
    }

    fn unsent(&mut self) -> Vec<Unsent> {
        Guarded::unsent(self)
    }

    fn appears(&mut self) {
        self.appears_at(Instant::now());
    }

    fn picture(&self, width: u16, height: u16, theme: &Theme) -> Picture {
        self.picture_at(width, height, theme, Instant::now())
    }

    fn changes_at(&self) -> Option<Instant> {
        Some(self.guard().until)
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
