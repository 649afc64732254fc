//! Which asks may have been shown to more than one reader of the same name. All programs of a user prove to be the same one, and many claim
//! the same name, so whoever was shown an ask may have answered it, or may be about to: a reply that names no ask is then clear
//! only if there is one such reader.

use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::{CallId, CallState, EntryAuthor, Seat, SessionId, SessionState, UnixMillis};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most asks that are known, those of all sessions and names together.
const MAX_ASKS: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// Who was shown which ask. Bounded: of what was shown longest ago nothing is known.
pub(crate) struct AskReaders {
    /// Nothing is known of the readers of asks that are older: they were another process's.
    since: UnixMillis,
    asks: Mutex<LruCache<ShownAsk, Readership>>,
    next: AtomicU64,
}

/// An ask, and the name of those who were shown it; `None` where it is not known, so that it may be any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ShownAsk {
    session: SessionId,
    call: CallId,
    name: Option<EntryAuthor>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readership {
    Only(AskReader),
    Several,
}

/// One stream, one target of push notifications, or one answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskReader(u64);

impl AskReaders {
    /// Readers are known from `since` on.
    pub(crate) fn new(since: UnixMillis) -> AskReaders {
        AskReaders { since, asks: Mutex::new(LruCache::new(MAX_ASKS)), next: AtomicU64::default() }
    }

    /// A reader who was shown nothing yet.
    pub(crate) fn new_reader(&self) -> AskReader {
        AskReader(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Note that `reader`, who has this name, is shown the asks of `calls`.
    pub(crate) fn record(&self, session: SessionId, name: Option<&EntryAuthor>, reader: AskReader, calls: &[CallId]) {
        let mut asks = self.asks.lock();
        for call in calls {
            let known = asks
                .get_or_insert_mut(ShownAsk { session, call: *call, name: name.cloned() }, || Readership::Only(reader));
            if *known != Readership::Only(reader) {
                *known = Readership::Several;
            }
        }
    }

    /// The calls of the seat's session whose asks may have been shown to several readers of the seat's name; `state` is the
    /// session's.
    pub(crate) fn shared_asks(&self, seat: &dyn Seat, state: &SessionState) -> Vec<CallId> {
        let (session, name) = (seat.session(), EntryAuthor::from(seat.who()));
        let is_shared = |ask: &ShownAsk, readership: Readership| match &ask.name {
            Some(shown_to) => *shown_to == name && readership == Readership::Several,
            None => true,
        };
        let asks = self.asks.lock();
        let shown = asks.iter().filter(|(ask, readership)| ask.session == session && is_shared(ask, **readership));
        let mut calls: Vec<CallId> = shown.map(|(ask, _)| ask.call).collect();
        calls.extend(self.older_asks(state));
        calls.sort_unstable();
        calls.dedup();
        calls
    }

    /// The asks, open or closed, of whose readers nothing is known.
    fn older_asks(&self, state: &SessionState) -> impl Iterator<Item = CallId> {
        let closed = state.decisions.iter().map(|decision| (decision.call, decision.opened));
        let calls = state.turn.iter().flat_map(|turn| turn.calls.values());
        let open = calls.filter_map(|call| Some((call.id, CallState::asks_since(call)?)));
        closed.chain(open).filter(|(_, opened)| *opened < self.since).map(|(call, _)| call)
    }
}
