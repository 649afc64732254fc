//! How many connections a listener holds, and who holds them. Whoever runs the server always finds a slot: other users and
//! other addresses share what is not reserved, and none of them may have more than a part of it.

use crate::gate::{Peer, PeerName};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots of one listener.
pub(super) struct ConnectionSlots {
    all: Arc<Semaphore>,
    capacity: usize,
    /// What everybody but the owner shares.
    others: Arc<Semaphore>,
    most_per_peer: usize,
    held: Held,
}

/// How many slots each peer holds. Never more entries than slots.
type Held = Arc<Mutex<HashMap<PeerName, usize>>>;

/// One slot, for as long as its connection lives.
pub(super) struct ConnectionSlot {
    _of_all: OwnedSemaphorePermit,
    of_others: Option<(OwnedSemaphorePermit, PeerName, Held)>,
}

impl ConnectionSlots {
    pub(super) fn new(capacity: usize, reserved: usize, most_per_peer: usize) -> ConnectionSlots {
        let capacity = capacity.min(Semaphore::MAX_PERMITS);
        ConnectionSlots {
            all: Arc::new(Semaphore::new(capacity)),
            capacity,
            others: Arc::new(Semaphore::new(capacity.saturating_sub(reserved))),
            most_per_peer,
            held: Held::default(),
        }
    }

    /// A slot for a connection, if there is one for its peer.
    pub(super) fn take(&self, peer: &Peer) -> Option<ConnectionSlot> {
        let of_all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let of_others = match peer.name() {
            PeerName::Owner => None,
            other => {
                let permit = Arc::clone(&self.others).try_acquire_owned().ok()?;
                let mut held = lock(&self.held);
                if held.get(&other).is_some_and(|count| *count >= self.most_per_peer) {
                    return None;
                }
                *held.entry(other).or_default() += 1;
                Some((permit, other, Arc::clone(&self.held)))
            }
        };
        Some(ConnectionSlot { _of_all: of_all, of_others })
    }

    /// Wait until all slots are free, which means that nobody is left.
    pub(super) async fn all_free(&self) {
        let all = u32::try_from(self.capacity).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        let _ = self.all.acquire_many(all).await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let Some((_, peer, held)) = &self.of_others else { return };
        let mut held = lock(held);
        if let Some(count) = held.get_mut(peer) {
            *count -= 1;
            if *count == 0 {
                held.remove(peer);
            }
        }
    }
}

/// Nothing here panics while holding the lock.
fn lock(held: &Held) -> MutexGuard<'_, HashMap<PeerName, usize>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
