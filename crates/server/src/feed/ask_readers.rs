//! Which asks were shown to more than one reader of the same name. All programs of a user prove to be the same one, and many claim
//! the same name, so whoever was shown an ask may have answered it, or may be about to: a reply that names no ask is then clear
//! only if there is one such reader.

use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::{CallId, EntryAuthor, Seat, SessionId};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most asks that are known, those of all sessions and names together.
const MAX_ASKS: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// Who was shown which ask. Bounded: of what was shown longest ago nothing is known.
pub(crate) struct AskReaders {
    asks: Mutex<LruCache<ShownAsk, Readership>>,
    next: AtomicU64,
}

/// An ask, and the name of those who were shown it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ShownAsk {
    session: SessionId,
    call: CallId,
    name: EntryAuthor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readership {
    Only(AskReader),
    Several,
}

/// One stream, or one answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskReader(u64);

impl Default for AskReaders {
    fn default() -> AskReaders {
        AskReaders { asks: Mutex::new(LruCache::new(MAX_ASKS)), next: AtomicU64::default() }
    }
}

impl AskReaders {
    /// A reader who was shown nothing yet.
    pub(crate) fn new_reader(&self) -> AskReader {
        AskReader(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Note that `reader`, who has the seat, is shown the asks of `calls`.
    pub(crate) fn record(&self, seat: &dyn Seat, reader: AskReader, calls: &[CallId]) {
        if calls.is_empty() {
            return;
        }
        let (session, name) = (seat.session(), EntryAuthor::from(seat.who()));
        let mut asks = self.asks.lock();
        for call in calls {
            let known = asks
                .get_or_insert_mut(ShownAsk { session, call: *call, name: name.clone() }, || Readership::Only(reader));
            if *known != Readership::Only(reader) {
                *known = Readership::Several;
            }
        }
    }

    /// The calls of the seat's session whose asks were shown to several readers of the seat's name.
    pub(crate) fn shared_asks(&self, seat: &dyn Seat) -> Vec<CallId> {
        let (session, name) = (seat.session(), EntryAuthor::from(seat.who()));
        let asks = self.asks.lock();
        let shared = asks.iter().filter(|(ask, readership)| {
            **readership == Readership::Several && ask.session == session && ask.name == name
        });
        let mut calls: Vec<CallId> = shared.map(|(ask, _)| ask.call).collect();
        calls.sort_unstable();
        calls
    }
}
