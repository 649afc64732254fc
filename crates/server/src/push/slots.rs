//! How much is delivered at once: so many requests in all, and of one owner fewer, so that slow receivers of one slow
//! nobody else.

use pollux_session::Owner;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// At once, in all.
const ALL: usize = 64;
/// At once, of one owner.
const OF_ONE: usize = 16;

/// Room for deliveries.
pub(super) struct Slots {
    all: Arc<Semaphore>,
    owners: Mutex<HashMap<Owner, Weak<Semaphore>>>,
}

/// Room for one delivery.
pub(super) struct Slot {
    _of_owner: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
}

impl Slots {
    pub(super) fn new() -> Slots {
        Slots { all: Arc::new(Semaphore::new(ALL)), owners: Mutex::default() }
    }

    /// Wait for room.
    pub(super) async fn take(&self, owner: &Owner) -> Slot {
        // Nobody closes a semaphore, so there is always a permit in the end.
        let of_owner = self.of(owner).acquire_owned().await.ok();
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok();
        Slot { _of_owner: of_owner, _of_all: of_all }
    }

    fn of(&self, owner: &Owner) -> Arc<Semaphore> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = owners.get(owner).and_then(Weak::upgrade) {
            return known;
        }
        owners.retain(|_, known| known.strong_count() > 0);
        let fresh = Arc::new(Semaphore::new(OF_ONE));
        owners.insert(owner.clone(), Arc::downgrade(&fresh));
        fresh
    }
}
