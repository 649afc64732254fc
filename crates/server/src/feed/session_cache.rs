//! The sessions that are watched, and those that somebody asked about lately. Bounded in sessions, and in bytes of
//! conversation; who is watched is found for as long as that lasts.

use super::watched_session::WatchedSession;
use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::{Seat, SessionId};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The most sessions that are kept while nobody may be watching them.
pub(super) const KEPT: usize = 64;
/// The most bytes of conversation that are kept, all sessions together.
pub(super) const KEPT_BYTES: usize = 32 * 1024 * 1024;
/// Dead entries are swept when there are more than this, and more than twice what the last sweep left.
const SWEEP_AT: usize = 64;

/// A session, and which life of its log.
type LogIncarnation = (SessionId, u32);

#[derive(Default)]
pub(super) struct SessionCache {
    sessions: Mutex<CachedSessions>,
}

struct CachedSessions {
    /// The cache has no bound of its own: [`CachedSessions::evict`] holds both.
    recent: LruCache<LogIncarnation, Arc<WatchedSession>>,
    /// Those that were let go of while somebody used them.
    in_use: HashMap<LogIncarnation, Weak<WatchedSession>>,
    /// The number of sessions that were in use after the last sweep.
    swept: usize,
}

impl Default for CachedSessions {
    fn default() -> CachedSessions {
        CachedSessions { recent: LruCache::unbounded(), in_use: HashMap::new(), swept: 0 }
    }
}

impl SessionCache {
    /// The one that everybody shares who is at the session of `seat`.
    pub(super) fn session(&self, seat: &dyn Seat) -> Arc<WatchedSession> {
        let life = (seat.session(), seat.incarnation());
        let mut sessions = self.sessions.lock();
        let CachedSessions { recent, in_use, .. } = &mut *sessions;
        let session = recent.get_or_insert(life, || {
            let known = in_use.remove(&life).and_then(|session| session.upgrade());
            known.unwrap_or_else(|| Arc::new(WatchedSession::new(life.0)))
        });
        let session = Arc::clone(session);
        sessions.evict();
        session
    }

    /// A conversation may have become longer: let go of the oldest ones that there is no room for.
    pub(super) fn bound_histories(&self) {
        let sessions = self.sessions.lock();
        let mut total: usize = sessions.recent.iter().map(|(_, session)| session.history_bytes()).sum();
        for (_, session) in sessions.recent.iter().rev() {
            if total <= KEPT_BYTES {
                break;
            }
            total = total.saturating_sub(session.history_bytes());
            session.forget_history();
        }
    }
}

impl CachedSessions {
    /// Let go of the sessions that were not asked about for longest.
    fn evict(&mut self) {
        while self.recent.len() > KEPT {
            let Some((life, session)) = self.recent.pop_lru() else { break };
            session.forget_history();
            if Arc::strong_count(&session) > 1 {
                self.in_use.insert(life, Arc::downgrade(&session));
            }
        }
        if self.in_use.len() > SWEEP_AT.max(2 * self.swept) {
            self.in_use.retain(|_, session| session.strong_count() > 0);
            self.swept = self.in_use.len();
        }
    }
}
