//! The slots for the connections of a listener, and their holders. Whoever runs the server always finds a slot: other users and
//! other addresses share what is not reserved, and none of them may have more than a part of it. A command that the server
//! started counts as that user, too, but the gate admits none of its requests: where all slots are taken, a connection that
//! nothing was admitted on loses its slot to the next one. First go those that were refused, then the oldest of those that rest.
//!
//! Nobody loses a slot before a request could arrive and be judged. Otherwise whoever opens connections fast enough would push
//! everybody else out before they are known. The next connections wait for that (see [`super::pending_connections`]).

use crate::gate::{ConnectionPeer, LONGEST_JUDGEMENT, PeerIdentity};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The time that a new connection has to ask for something. A client that opens thousands at once needs most of it for
/// the first.
const REQUEST_GRACE: Duration = Duration::from_secs(1);
/// The number of slots from which on it has all of that time. Where there are fewer, each is needed again sooner.
const MANY_SLOTS: usize = 1024;
/// The time that it has at least: a client on a busy machine needs so long.
const LEAST_REQUEST_GRACE: Duration = Duration::from_millis(250);
/// The time that it is kept after all if it had public answers only.
const PUBLIC_GRACE: Duration = Duration::from_millis(250);
/// The time that its request may be judged.
const JUDGEMENT_GRACE: Duration = LONGEST_JUDGEMENT.saturating_add(Duration::from_secs(1));
/// The time that the next connection waits where all are admitted, counted from when the last slot was taken. While
/// slots come free a burst is served one after the other; where nobody leaves, nobody waits in vain.
const FULL_GRACE: Duration = Duration::from_millis(500);

/// The slots of one listener.
pub(super) struct ConnectionSlots {
    all: Arc<Semaphore>,
    capacity: usize,
    taken: Arc<TakenSlots>,
    next_number: AtomicU64,
    /// The slots that everybody but the owner shares.
    others: Arc<Semaphore>,
    most_per_peer: usize,
    held: HeldSlots,
}

/// The slots that are taken.
struct TakenSlots {
    /// By the number of their connection: the oldest come first.
    by_number: Mutex<BTreeMap<u64, TakenSlot>>,
    /// The time that a new connection has to ask for something.
    request_grace: Duration,
    /// Told when a connection may have to make room earlier than before, or no longer.
    stage_changed: Notify,
}

struct TakenSlot {
    permit: OwnedSemaphorePermit,
    peer: ConnectionPeer,
    stage: SlotStage,
    /// Before this moment it keeps its slot, as long as it is at this stage.
    kept_until: Instant,
    /// When it was accepted, or since then its task began.
    began: Instant,
    lost: CancellationToken,
}

/// The stage of a connection. The lower ones make room first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SlotStage {
    /// The gate has refused a request.
    Refused,
    /// It has asked nothing, or had public answers.
    Resting,
    /// The gate judges a request, or a public one is being answered.
    Judged,
    /// The gate has admitted a request, so it keeps its slot.
    Admitted,
}

/// The result of asking for somebody's slot.
enum Eviction {
    Done(OwnedSemaphorePermit),
    /// Nobody makes room before this moment.
    NotBefore(Instant),
    AllAdmitted,
}

/// The number of slots that each peer holds. Never more entries than slots.
type HeldSlots = Arc<Mutex<HashMap<PeerIdentity, usize>>>;

/// One slot, for as long as its connection lives or until another connection gets it.
pub(super) struct ConnectionSlot {
    number: u64,
    taken: Arc<TakenSlots>,
    lost: CancellationToken,
    _share: PeerShare,
}

/// A peer's share of the slots that are not for everybody; the owner needs none.
pub(super) struct PeerShare {
    _of_others: Option<OthersShare>,
}

/// A part of what everybody but the owner shares.
struct OthersShare {
    _permit: OwnedSemaphorePermit,
    peer: PeerIdentity,
    held: HeldSlots,
}

/// The way by which the gate's decisions about a connection reach its slot.
#[derive(Clone)]
pub(super) struct SlotClaim {
    number: u64,
    taken: Arc<TakenSlots>,
    lost: CancellationToken,
}

impl ConnectionSlots {
    pub(super) fn new(capacity: usize, reserved: usize, most_per_peer: usize) -> ConnectionSlots {
        let capacity = capacity.min(Semaphore::MAX_PERMITS);
        ConnectionSlots {
            all: Arc::new(Semaphore::new(capacity)),
            capacity,
            taken: Arc::new(TakenSlots {
                by_number: Mutex::default(),
                request_grace: request_grace(capacity),
                stage_changed: Notify::new(),
            }),
            next_number: AtomicU64::new(0),
            others: Arc::new(Semaphore::new(capacity.saturating_sub(reserved))),
            most_per_peer,
            held: HeldSlots::default(),
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// A slot for a connection, if there is one for its peer, or will be in a moment.
    #[cfg(test)]
    async fn take(&self, peer: &ConnectionPeer) -> Option<ConnectionSlot> {
        let share = self.share_for(peer)?;
        let permit = self.wait_for_permit().await?;
        Some(self.fill(permit, peer.clone(), share))
    }

    /// The share that a peer needs beside a slot. None if it has as much as it can have.
    pub(super) fn share_for(&self, peer: &ConnectionPeer) -> Option<PeerShare> {
        match peer.identity() {
            PeerIdentity::Owner => Some(PeerShare { _of_others: None }),
            other => Some(PeerShare { _of_others: Some(self.share_of_others(other)?) }),
        }
    }

    /// The slot of a permit, taken by a connection.
    pub(super) fn fill(&self, permit: OwnedSemaphorePermit, peer: ConnectionPeer, share: PeerShare) -> ConnectionSlot {
        let (number, lost) = (self.next_number.fetch_add(1, Ordering::Relaxed), CancellationToken::new());
        let began = Instant::now();
        // On a busy machine it takes a while until anybody looks whether its request is here.
        let (stage, kept_until) = (SlotStage::Resting, began + JUDGEMENT_GRACE);
        let slot = TakenSlot { permit, peer, stage, kept_until, began, lost: lost.clone() };
        self.taken.by_number.lock().insert(number, slot);
        ConnectionSlot { number, taken: Arc::clone(&self.taken), lost, _share: share }
    }

    /// The connections that were admitted nothing and refused nothing, and that the gate has not judged yet.
    pub(super) fn silent(&self) -> Vec<(ConnectionPeer, SlotClaim)> {
        let taken = self.taken.by_number.lock();
        let silent =
            taken.iter().filter(|(_, slot)| slot.stage == SlotStage::Resting && !slot.peer.is_known_outsider());
        let claim = |number: u64, slot: &TakenSlot| SlotClaim {
            number,
            taken: Arc::clone(&self.taken),
            lost: slot.lost.clone(),
        };
        silent.map(|(number, slot)| (slot.peer.clone(), claim(*number, slot))).collect()
    }

    pub(super) fn has_free(&self) -> bool {
        self.all.available_permits() > 0
    }

    /// A slot that nobody has.
    pub(super) fn free_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.all).try_acquire_owned().ok()
    }

    /// A slot that nobody has, or that somebody loses in a moment.
    pub(super) async fn wait_for_permit(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Some(free) = self.free_permit() {
                return Some(free);
            }
            // It counts from here on, so that nothing changes unnoticed behind the look at the slots.
            let stage_changed = self.taken.stage_changed.notified();
            let (until, is_last_chance) = match self.taken.evict(Instant::now()) {
                Eviction::Done(permit) => return Some(permit),
                Eviction::NotBefore(moment) => (moment, false),
                Eviction::AllAdmitted => (self.taken.newest().unwrap_or_else(Instant::now) + FULL_GRACE, true),
            };
            tokio::select! {
                biased;
                free = Arc::clone(&self.all).acquire_owned() => return free.ok(),
                () = stage_changed => {}
                () = sleep_until(until) => if is_last_chance {
                    return None;
                },
            }
        }
    }

    fn share_of_others(&self, peer: PeerIdentity) -> Option<OthersShare> {
        let permit = Arc::clone(&self.others).try_acquire_owned().ok()?;
        let mut held = self.held.lock();
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

/// The time that each of so many connections has to ask for something.
fn request_grace(slots: usize) -> Duration {
    let slots = u32::try_from(slots.min(MANY_SLOTS)).unwrap_or(u32::MAX);
    (REQUEST_GRACE * slots / MANY_SLOTS as u32).max(LEAST_REQUEST_GRACE)
}

impl TakenSlots {
    /// The slot of a connection that the gate has admitted nothing on and that had its time. That one closes.
    fn evict(&self, now: Instant) -> Eviction {
        let mut taken = self.by_number.lock();
        let unadmitted = || taken.iter().filter(|(_, slot)| slot.stage != SlotStage::Admitted);
        let had_their_time = unadmitted().filter(|(_, slot)| slot.kept_until <= now);
        let Some((&first, _)) = had_their_time.min_by_key(|(number, slot)| (slot.stage, **number)) else {
            let next = unadmitted().map(|(_, slot)| slot.kept_until).min();
            return next.map_or(Eviction::AllAdmitted, Eviction::NotBefore);
        };
        let Some(TakenSlot { permit, lost, .. }) = taken.remove(&first) else { return Eviction::AllAdmitted };
        lost.cancel();
        Eviction::Done(permit)
    }

    /// When the last one was taken; none if all have been given back just now.
    fn newest(&self) -> Option<Instant> {
        self.by_number.lock().last_key_value().map(|(_, slot)| slot.began)
    }
}

impl TakenSlot {
    /// None leads back from being admitted, and from being refused only that does: further requests win no time.
    fn reach(&mut self, stage: SlotStage) {
        match (self.stage, stage) {
            (SlotStage::Admitted, _) | (SlotStage::Refused, SlotStage::Resting | SlotStage::Judged) => return,
            (SlotStage::Refused | SlotStage::Resting | SlotStage::Judged, _) => self.stage = stage,
        }
        self.kept_until = match stage {
            SlotStage::Refused => self.began,
            SlotStage::Resting | SlotStage::Admitted => self.began + PUBLIC_GRACE,
            SlotStage::Judged => Instant::now() + JUDGEMENT_GRACE,
        };
    }
}

impl ConnectionSlot {
    pub(super) fn claim(&self) -> SlotClaim {
        SlotClaim { number: self.number, taken: Arc::clone(&self.taken), lost: self.lost.clone() }
    }
}

impl SlotClaim {
    /// The connection is being served: from now on its request is read as soon as it is here.
    pub(super) fn begin(&self) {
        if let Some(slot) = self.taken.by_number.lock().get_mut(&self.number) {
            slot.began = Instant::now();
            slot.kept_until = slot.began + self.taken.request_grace;
        }
        self.taken.stage_changed.notify_waiters();
    }

    /// The connection has come to this stage. False if it has lost its slot already.
    pub(super) fn reach(&self, stage: SlotStage) -> bool {
        let mut taken = self.taken.by_number.lock();
        let Some(slot) = taken.get_mut(&self.number) else { return false };
        slot.reach(stage);
        drop(taken);
        if stage != SlotStage::Judged {
            self.taken.stage_changed.notify_waiters();
        }
        true
    }

    /// The gate would refuse whatever it asks. Says nothing of one that has asked meanwhile: its request is judged.
    pub(super) fn refuse_silent(&self) {
        let mut taken = self.taken.by_number.lock();
        if let Some(slot) = taken.get_mut(&self.number).filter(|slot| slot.stage == SlotStage::Resting) {
            slot.reach(SlotStage::Refused);
            drop(taken);
            self.taken.stage_changed.notify_waiters();
        }
    }

    /// Wait until another connection has got the slot.
    pub(super) async fn lost(&self) {
        self.lost.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.taken.by_number.lock().remove(&self.number);
    }
}

impl Drop for OthersShare {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        if let Some(count) = held.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.peer);
            }
        }
    }
}

#[cfg(test)]
mod tests;
