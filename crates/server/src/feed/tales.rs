//! Whole conversations of sessions that were asked for lately, so that who asks again waits only for what is new to be
//! folded. Bounded in sessions and in bytes.

use super::{PAGE, lock};
use crate::scene::Scene;
use pollux_session::{Entry, ReadError, Seat, SessionId, Transcript};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::{Mutex as Turnstile, OwnedMutexGuard};

/// How many sessions are kept.
const KEPT: usize = 64;
/// How many bytes of conversation are kept, all sessions together.
const KEPT_BYTES: usize = 32 * 1024 * 1024;

/// A session folded up to an entry.
#[derive(Default)]
pub(crate) struct Tale {
    /// What a dialect must know there.
    pub(crate) scene: Scene,
    /// What was said and done until then.
    pub(crate) transcript: Transcript,
    bytes: usize,
}

/// The tales that are kept, most recently used last.
#[derive(Default)]
pub(super) struct Tales {
    kept: Mutex<VecDeque<Slot>>,
}

struct Slot {
    life: Life,
    tale: Arc<Turnstile<Tale>>,
    bytes: usize,
}

/// A session, and which life of its log.
type Life = (SessionId, u32);

impl Tales {
    /// The tale of the seat's session up to its newest entry. Whoever else asks for the same session waits meanwhile,
    /// instead of folding the same entries.
    pub(super) async fn newest(&self, seat: &dyn Seat) -> Result<OwnedMutexGuard<Tale>, ReadError> {
        let life = (seat.session(), seat.incarnation());
        let mut tale = self.of(life).lock_owned().await;
        loop {
            let page = seat.read(tale.scene.state.head, PAGE).await?;
            if page.is_empty() {
                break;
            }
            page.iter().for_each(|entry| tale.apply(entry));
        }
        self.weigh(life, tale.bytes);
        Ok(tale)
    }

    /// The tale as far as it is known.
    fn of(&self, life: Life) -> Arc<Turnstile<Tale>> {
        let mut kept = lock(&self.kept);
        let known = kept.iter().position(|slot| slot.life == life).and_then(|place| kept.remove(place));
        let slot = known.unwrap_or_else(|| Slot { life, tale: Arc::default(), bytes: 0 });
        let tale = Arc::clone(&slot.tale);
        kept.push_back(slot);
        tale
    }

    /// Note how large a tale has become, and let go of the oldest ones that there is no room for.
    fn weigh(&self, life: Life, bytes: usize) {
        let mut kept = lock(&self.kept);
        if let Some(slot) = kept.iter_mut().find(|slot| slot.life == life) {
            slot.bytes = bytes;
        }
        let mut total: usize = kept.iter().map(|slot| slot.bytes).sum();
        while total > KEPT_BYTES || kept.len() > KEPT {
            let Some(oldest) = kept.pop_front() else { break };
            total -= oldest.bytes;
        }
    }
}

impl Tale {
    fn apply(&mut self, entry: &Entry) {
        self.scene.apply(entry);
        self.transcript.apply(entry);
        self.bytes += entry.weight();
    }
}

#[cfg(test)]
mod tests;
