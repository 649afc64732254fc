//! Taking what the session holds already. That may be much, and a server elsewhere may never come to its end, so the
//! person is heard meanwhile: whoever does not want to wait can leave.

use super::{BATCH, LOOK, Screen};
use crate::screen::input::Input;
use crate::screen::keymap::Action;
use crate::send::PlainError;
use pollux_session::Seq;
use std::sync::Arc;
use tokio::time::{Duration, Instant, sleep_until};

/// How often something is drawn meanwhile. What is drawn is held in memory no longer.
const FRAME: Duration = Duration::from_millis(200);
/// How many inputs wait until it is done; what is typed beyond that is lost.
const EARLY: usize = 4096;

/// What came of it.
pub(super) enum CaughtUp {
    /// Everything is taken; this is what the person did meanwhile.
    With(Vec<Input>),
    /// The person left.
    Left,
}

impl Screen {
    /// Take every entry there was when the seat was taken.
    pub(super) async fn catch_up(&mut self) -> Result<CaughtUp, PlainError> {
        let mut early = Vec::new();
        let seat = Arc::clone(&self.seat);
        // A session always has its first entry, but a server elsewhere may have none.
        let Some(joined) = self.unless_left(seat.changed(Seq::START), &mut early).await? else {
            return Ok(CaughtUp::Left);
        };
        let joined = joined?;
        self.app.join(joined);
        while self.app.cursor() < joined {
            let before = self.app.cursor();
            let Some(entries) = self.unless_left(seat.read(before, BATCH), &mut early).await? else {
                return Ok(CaughtUp::Left);
            };
            for entry in entries? {
                self.app.take(&entry);
            }
            // A server may claim more than it has.
            if self.app.cursor() == before {
                break;
            }
            if self.settled.max(self.drawn + FRAME) <= Instant::now() {
                self.app.catches_up(Some((self.app.cursor(), joined)));
                self.draw()?;
            }
        }
        self.app.catches_up(None);
        self.app.settle();
        Ok(CaughtUp::With(early))
    }

    /// What comes of `work`; `None` when the person leaves before it is done. Everything else they do waits in `early`.
    async fn unless_left<T>(
        &mut self,
        work: impl Future<Output = T>,
        early: &mut Vec<Input>,
    ) -> Result<Option<T>, PlainError> {
        tokio::pin!(work);
        let mut look = Instant::now() + LOOK;
        loop {
            let input = tokio::select! {
                biased;
                input = self.keyboard.next() => Some(input),
                done = &mut work => return Ok(Some(done)),
                () = sleep_until(look) => None,
            };
            let Some(input) = input else {
                // Whoever waits for a session that is gone is told so.
                look = Instant::now() + LOOK;
                self.look_around();
                if self.settled <= Instant::now() {
                    self.draw()?;
                }
                continue;
            };
            match input.transpose().map_err(PlainError::Input)? {
                None | Some(Input::Closed) => return Ok(None),
                Some(Input::Key(key)) if matches!(self.app.action(&key), Some(Action::Interrupt | Action::Leave)) => {
                    return Ok(None);
                }
                Some(Input::Resized { size, cursor }) => {
                    self.resized(size, cursor);
                    if self.settled <= Instant::now() {
                        self.draw()?;
                    }
                }
                Some(Input::Stop) => self.suspend().await?,
                Some(input) if early.len() < EARLY => early.push(input),
                Some(_) => {}
            }
        }
    }
}
