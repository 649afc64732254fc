//! How many connections a listener holds, and who holds them. Whoever runs the server always finds a slot: other users and
//! other addresses share what is not reserved, and none of them may have more than a part of it. A command that the server
//! started counts as that user, too, but the gate admits none of its requests: where all slots are taken, the oldest connection
//! that nothing was admitted on loses its slot to the next one, those first whose requests are not being judged.

use crate::gate::{ConnectionPeer, PeerIdentity};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The slots of one listener.
pub(super) struct ConnectionSlots {
    all: Arc<Semaphore>,
    capacity: usize,
    taken: TakenSlots,
    next_number: AtomicU64,
    /// What everybody but the owner shares.
    others: Arc<Semaphore>,
    most_per_peer: usize,
    held: Held,
}

/// The slots that are taken, by the number of their connection: the oldest come first.
type TakenSlots = Arc<Mutex<BTreeMap<u64, TakenSlot>>>;

struct TakenSlot {
    permit: OwnedSemaphorePermit,
    stage: SlotStage,
    lost: CancellationToken,
}

/// How far a connection has come. The lower ones make room first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SlotStage {
    /// It has asked nothing, or had public answers.
    Resting,
    /// The gate judges a request.
    Judged,
    /// The gate has admitted a request, so it keeps its slot.
    Admitted,
}

/// How many slots each peer holds. Never more entries than slots.
type Held = Arc<Mutex<HashMap<PeerIdentity, usize>>>;

/// One slot, for as long as its connection lives or until another connection gets it.
pub(super) struct ConnectionSlot {
    number: u64,
    taken: TakenSlots,
    lost: CancellationToken,
    _of_others: Option<OthersShare>,
}

/// A part of what everybody but the owner shares.
struct OthersShare {
    _permit: OwnedSemaphorePermit,
    peer: PeerIdentity,
    held: Held,
}

/// How the gate's decisions about a connection reach its slot.
#[derive(Clone)]
pub(super) struct SlotClaim {
    number: u64,
    taken: TakenSlots,
    lost: CancellationToken,
}

impl ConnectionSlots {
    pub(super) fn new(capacity: usize, reserved: usize, most_per_peer: usize) -> ConnectionSlots {
        let capacity = capacity.min(Semaphore::MAX_PERMITS);
        ConnectionSlots {
            all: Arc::new(Semaphore::new(capacity)),
            capacity,
            taken: TakenSlots::default(),
            next_number: AtomicU64::new(0),
            others: Arc::new(Semaphore::new(capacity.saturating_sub(reserved))),
            most_per_peer,
            held: Held::default(),
        }
    }

    /// A slot for a connection, if there is one for its peer.
    pub(super) fn take(&self, peer: &ConnectionPeer) -> Option<ConnectionSlot> {
        let of_others = match peer.identity() {
            PeerIdentity::Owner => None,
            other => Some(self.share_of_others(other)?),
        };
        let free = Arc::clone(&self.all).try_acquire_owned().ok();
        let permit = free.or_else(|| self.take_from_unadmitted())?;
        let (number, lost) = (self.next_number.fetch_add(1, Ordering::Relaxed), CancellationToken::new());
        lock(&self.taken).insert(number, TakenSlot { permit, stage: SlotStage::Resting, lost: lost.clone() });
        Some(ConnectionSlot { number, taken: Arc::clone(&self.taken), lost, _of_others: of_others })
    }

    /// The slot of the oldest connection that the gate has admitted nothing on. That one closes.
    fn take_from_unadmitted(&self) -> Option<OwnedSemaphorePermit> {
        let mut taken = lock(&self.taken);
        let unadmitted = taken.iter().filter(|(_, slot)| slot.stage != SlotStage::Admitted);
        let oldest = unadmitted.min_by_key(|(number, slot)| (slot.stage, **number)).map(|(number, _)| *number)?;
        let TakenSlot { permit, lost, .. } = taken.remove(&oldest)?;
        lost.cancel();
        Some(permit)
    }

    fn share_of_others(&self, peer: PeerIdentity) -> Option<OthersShare> {
        let permit = Arc::clone(&self.others).try_acquire_owned().ok()?;
        let mut held = lock(&self.held);
        if held.get(&peer).is_some_and(|count| *count >= self.most_per_peer) {
            return None;
        }
        *held.entry(peer).or_default() += 1;
        Some(OthersShare { _permit: permit, peer, held: Arc::clone(&self.held) })
    }

    /// Wait until all slots are free, which means that nobody is left.
    pub(super) async fn all_free(&self) {
        let all = u32::try_from(self.capacity).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        let _ = self.all.acquire_many(all).await;
    }
}

impl ConnectionSlot {
    pub(super) fn claim(&self) -> SlotClaim {
        SlotClaim { number: self.number, taken: Arc::clone(&self.taken), lost: self.lost.clone() }
    }
}

impl SlotClaim {
    /// The connection has come to this stage; none leads back from being admitted. False if it has lost its slot already.
    pub(super) fn reach(&self, stage: SlotStage) -> bool {
        let mut taken = lock(&self.taken);
        let Some(slot) = taken.get_mut(&self.number) else { return false };
        if slot.stage != SlotStage::Admitted {
            slot.stage = stage;
        }
        true
    }

    /// Wait until another connection has got the slot.
    pub(super) async fn lost(&self) {
        self.lost.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        lock(&self.taken).remove(&self.number);
    }
}

impl Drop for OthersShare {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        if let Some(count) = held.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.peer);
            }
        }
    }
}

/// Nothing here panics while holding a lock.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
