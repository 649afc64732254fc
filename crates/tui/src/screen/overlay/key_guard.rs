//! A key that was meant for the composer never answers an ask that has only just appeared: it goes to the composer.

use super::ask_dialog::UnsentText;
use super::{Overlay, OverlayStep};
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crossterm::event::KeyEvent;
use pollux_session::SessionView;
use std::time::{Duration, Instant};

/// So long nothing may have been pressed before a key counts.
const QUIET_PERIOD: Duration = Duration::from_millis(400);

/// For so long something has just appeared.
const NEW_PERIOD: Duration = Duration::from_secs(3);

/// What a person is told meanwhile.
const IGNORED: &str = "just appeared: keys are ignored until you pause for a moment";

/// The same of something that has been there for a while.
const STILL_IGNORED: &str = "keys are ignored until you pause for a moment";

/// Whether keys count yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyGuard {
    appeared: Instant,
    until: Instant,
}

impl KeyGuard {
    /// Something appeared at `now`.
    pub(super) fn new(now: Instant) -> KeyGuard {
        KeyGuard { appeared: now, until: now + QUIET_PERIOD }
    }

    /// What has been there for a while takes no keys for a moment, because the newest one was for something else.
    pub(super) fn restart(&mut self, now: Instant) {
        self.until = now + QUIET_PERIOD;
    }

    /// Whether a person may see it for the first time.
    pub(super) fn has_just_appeared(&self, now: Instant) -> bool {
        now < self.appeared + NEW_PERIOD
    }

    pub(super) fn is_active(&self, now: Instant) -> bool {
        now < self.until
    }

    /// A key came that nobody presses while writing a text: keys count from `now` on. It lifts nothing in the moment in which the
    /// dialog appears: whoever presses it then has not seen the dialog. Whether keys count.
    pub(super) fn lift(&mut self, now: Instant) -> bool {
        if now >= self.appeared + QUIET_PERIOD {
            self.until = self.until.min(now);
        }
        !self.is_active(now)
    }

    /// What a person is told in place of the keys, while none counts.
    pub(super) fn status_message(&self, now: Instant) -> Option<&'static str> {
        self.is_active(now).then_some(if self.has_just_appeared(now) { IGNORED } else { STILL_IGNORED })
    }

    /// Whether a key at `now` counts. One that does not shows that the person is still typing something else, so the
    /// next one has to wait as long again.
    pub(super) fn admit_key(&mut self, now: Instant) -> bool {
        let admits = !self.is_active(now);
        if !admits {
            self.restart(now);
        }
        admits
    }
}

/// A layer behind a guard. What happens to it happens at a time; as a [`Overlay`], now.
pub(crate) trait GuardedOverlay: Send {
    /// What it is behind.
    fn guard(&self) -> &KeyGuard;

    /// A key that was pressed at `now`.
    fn key_at(&mut self, key: KeyEvent, now: Instant) -> OverlayStep;

    /// Text that was pasted at `now`.
    fn paste_at(&mut self, text: &str, now: Instant) -> OverlayStep {
        let _ = (text, now);
        OverlayStep::ForComposer
    }

    /// The session went on at `now`.
    fn follow_at(&mut self, view: &SessionView, now: Instant) -> OverlayStep {
        let _ = (view, now);
        OverlayStep::Stay
    }

    /// What was written in it that no answer will carry any more.
    fn unsent(&mut self) -> Vec<UnsentText> {
        Vec::new()
    }

    /// It is on the screen again from `now` on.
    fn appears_at(&mut self, now: Instant) {
        let _ = now;
    }

    /// Whether a text stands in the composer.
    fn tell_draft(&mut self, has_draft: bool) {
        let _ = has_draft;
    }

    /// Whether the person trusts the folder, where that is known.
    fn tell_trust(&mut self, is_folder_trusted: Option<bool>) {
        let _ = is_folder_trusted;
    }

    /// What it looks like at `now`.
    fn render_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> RenderedLines;
}

impl<Dialog: GuardedOverlay> Overlay for Dialog {
    fn key(&mut self, key: KeyEvent) -> OverlayStep {
        self.key_at(key, Instant::now())
    }

    fn paste(&mut self, text: &str) -> OverlayStep {
        self.paste_at(text, Instant::now())
    }

    fn follow(&mut self, view: &SessionView) -> OverlayStep {
        self.follow_at(view, Instant::now())
    }

    fn unsent(&mut self) -> Vec<UnsentText> {
        GuardedOverlay::unsent(self)
    }

    fn appears(&mut self) {
        self.appears_at(Instant::now());
    }

    fn set_has_draft(&mut self, has_draft: bool) {
        self.tell_draft(has_draft);
    }

    fn set_folder_trust(&mut self, is_folder_trusted: Option<bool>) {
        self.tell_trust(is_folder_trusted);
    }

    fn render(&self, width: u16, height: u16, theme: &Theme) -> RenderedLines {
        self.render_at(width, height, theme, Instant::now())
    }

    fn changes_at(&self) -> Option<Instant> {
        Some(self.guard().until)
    }
}

#[cfg(test)]
mod tests {
    use super::KeyGuard;
    use pretty_assertions::assert_eq;
    use std::time::{Duration, Instant};

    #[test]
    fn keys_count_after_a_pause() {
        let start = Instant::now();
        let mut guard = KeyGuard::new(start);
        let taken = [0, 399, 500, 798, 1197, 1597, 1598].map(|ms| guard.admit_key(start + Duration::from_millis(ms)));
        assert_eq!(taken, [false, false, false, false, false, true, true]);
    }

    #[test]
    fn what_has_just_appeared_is_not_lifted() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut guard = KeyGuard::new(start);
        assert!(!guard.lift(at(399)));
        guard.restart(at(500));
        assert!(!guard.admit_key(at(600)) && guard.lift(at(700)) && guard.admit_key(at(700)));
    }
}
