//! Slots for deliveries: so many requests in all, and of one owner fewer, so that slow receivers of one slow nobody
//! else.

use parking_lot::Mutex;
use pollux_session::Owner;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// At once, in all.
const MAX_DELIVERIES: usize = 64;
/// At once, of one owner.
const MAX_PER_OWNER: usize = 16;

/// Room for deliveries.
pub(super) struct DeliverySlots {
    all: Arc<Semaphore>,
    owners: Mutex<HashMap<Owner, Weak<Semaphore>>>,
}

/// Room for one delivery.
pub(super) struct DeliverySlot {
    _of_owner: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
}

impl DeliverySlots {
    pub(super) fn new() -> DeliverySlots {
        DeliverySlots { all: Arc::new(Semaphore::new(MAX_DELIVERIES)), owners: Mutex::default() }
    }

    /// Wait for room.
    pub(super) async fn take(&self, owner: &Owner) -> DeliverySlot {
        // Nobody closes a semaphore, so there is always a permit in the end.
        let of_owner = self.owner_slots(owner).acquire_owned().await.ok();
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok();
        DeliverySlot { _of_owner: of_owner, _of_all: of_all }
    }

    fn owner_slots(&self, owner: &Owner) -> Arc<Semaphore> {
        let mut owners = self.owners.lock();
        if let Some(known) = owners.get(owner).and_then(Weak::upgrade) {
            return known;
        }
        owners.retain(|_, known| known.strong_count() > 0);
        let fresh = Arc::new(Semaphore::new(MAX_PER_OWNER));
        owners.insert(owner.clone(), Arc::downgrade(&fresh));
        fresh
    }
}
