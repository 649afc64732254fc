//! Taking what the session holds already. That may be much, and a server elsewhere may never come to its end, so the
//! person is heard meanwhile: whoever does not want to wait can leave.

use super::{BATCH, STATUS_INTERVAL, Screen};
use crate::screen::input::TerminalInput;
use crate::screen::keymap::KeyAction;
use crate::send::TerminalError;
use pollux_session::Seq;
use std::sync::Arc;
use tokio::time::{Duration, Instant, sleep_until};

/// How often something is drawn meanwhile. What is drawn is held in memory no longer.
const CATCH_UP_FRAME_INTERVAL: Duration = Duration::from_millis(200);
/// How many inputs wait until it is done; what is typed beyond that is lost.
const MAX_EARLY_INPUT: usize = 4096;

/// What came of it.
pub(super) enum CaughtUp {
    /// Everything is taken; this is what the person did meanwhile.
    Complete(Vec<TerminalInput>),
    /// The person left.
    Quit,
}

impl Screen {
    /// Take every entry there was when the seat was taken.
    pub(super) async fn catch_up(&mut self) -> Result<CaughtUp, TerminalError> {
        let mut early = Vec::new();
        let seat = Arc::clone(&self.seat);
        // A session always has its first entry, but a server elsewhere may have none.
        let Some(joined) = self.run_unless_quit(seat.changed(Seq::START), &mut early).await? else {
            return Ok(CaughtUp::Quit);
        };
        let joined = joined?;
        self.app.join(joined);
        while self.app.cursor() < joined {
            let before = self.app.cursor();
            let Some(entries) = self.run_unless_quit(seat.read(before, BATCH), &mut early).await? else {
                return Ok(CaughtUp::Quit);
            };
            for entry in entries? {
                self.app.take_entry(&entry);
            }
            // A server may claim more than it has.
            if self.app.cursor() == before {
                break;
            }
            if self.draw_after.max(self.last_drawn + CATCH_UP_FRAME_INTERVAL) <= Instant::now() {
                self.app.set_catch_up(Some((self.app.cursor(), joined)));
                self.draw()?;
            }
        }
        self.app.set_catch_up(None);
        self.app.settle();
        Ok(CaughtUp::Complete(early))
    }

    /// What comes of `work`; `None` when the person leaves before it is done. Everything else they do waits in `early`.
    async fn run_unless_quit<T>(
        &mut self,
        work: impl Future<Output = T>,
        early: &mut Vec<TerminalInput>,
    ) -> Result<Option<T>, TerminalError> {
        tokio::pin!(work);
        let mut look = Instant::now() + STATUS_INTERVAL;
        loop {
            let input = tokio::select! {
                biased;
                input = self.keyboard.next() => Some(input),
                done = &mut work => return Ok(Some(done)),
                () = sleep_until(look) => None,
            };
            let Some(input) = input else {
                // Whoever waits for a session that is gone is told so.
                look = Instant::now() + STATUS_INTERVAL;
                self.refresh_status();
                if self.draw_after <= Instant::now() {
                    self.draw()?;
                }
                continue;
            };
            match input.transpose().map_err(TerminalError::Input)? {
                None | Some(TerminalInput::Closed) => return Ok(None),
                Some(TerminalInput::Key(key))
                    if matches!(self.app.action(&key), Some(KeyAction::Interrupt | KeyAction::Leave)) =>
                {
                    return Ok(None);
                }
                Some(TerminalInput::Resized { size, cursor }) => {
                    self.resized(size, cursor);
                    if self.draw_after <= Instant::now() {
                        self.draw()?;
                    }
                }
                Some(TerminalInput::Stop) => self.suspend().await?,
                Some(input) if early.len() < MAX_EARLY_INPUT => early.push(input),
                Some(_) => {}
            }
        }
    }
}
