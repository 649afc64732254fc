//! Scenes of sessions that were watched lately, so that the next stream does not fold the log from its start.

use crate::wire_state::WireState;
use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::SessionId;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// How many sessions are kept.
const KEPT: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The newest scenes.
pub(super) struct ViewCache {
    states: Mutex<LruCache<LogIncarnation, Arc<WireState>>>,
}

impl Default for ViewCache {
    fn default() -> ViewCache {
        ViewCache { states: Mutex::new(LruCache::sparse(KEPT)) }
    }
}

/// A session, and which life of its log.
type LogIncarnation = (SessionId, u32);

impl ViewCache {
    /// A copy of the newest scene of a session.
    pub(super) fn newest(&self, session: SessionId, incarnation: u32) -> Option<WireState> {
        let wire_state = self.states.lock().get(&(session, incarnation)).cloned()?;
        Some(WireState::clone(&wire_state))
    }

    /// Keep a scene, unless a newer one is there.
    pub(super) fn store(&self, session: SessionId, incarnation: u32, wire_state: &WireState) {
        let key = (session, incarnation);
        let mut scenes = self.states.lock();
        if scenes.get(&key).is_none_or(|known| known.state.head < wire_state.state.head) {
            scenes.put(key, Arc::new(wire_state.clone()));
        }
    }
}
