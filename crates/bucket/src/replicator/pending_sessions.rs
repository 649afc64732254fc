//! The sessions that have something to carry.

use parking_lot::Mutex;
use pollux_session::SessionId;
use std::collections::BTreeSet;
use tokio::sync::Notify;

/// Sessions with entries that are not in the bucket yet.
#[derive(Default)]
pub(crate) struct PendingSessions {
    waiting: Mutex<PendingState>,
    news: Notify,
}

#[derive(Default)]
struct PendingState {
    sessions: BTreeSet<SessionId>,
    closed: bool,
}

impl PendingSessions {
    /// `session` has more.
    pub(crate) fn add(&self, session: SessionId) {
        self.with(|waiting| waiting.sessions.insert(session));
        self.news.notify_one();
    }

    /// Nothing more comes; what is there is to be carried now.
    pub(crate) fn close(&self) {
        self.with(|waiting| waiting.closed = true);
        self.news.notify_one();
    }

    /// True if nothing more comes.
    pub(crate) fn is_closed(&self) -> bool {
        self.with(|waiting| waiting.closed)
    }

    /// The number of sessions that wait.
    pub(crate) fn len(&self) -> usize {
        self.with(|waiting| waiting.sessions.len())
    }

    /// One of those that wait.
    pub(crate) fn first(&self) -> Option<SessionId> {
        self.with(|waiting| waiting.sessions.first().copied())
    }

    /// `session` is about to be carried: what comes from now on is more.
    pub(crate) fn remove(&self, session: SessionId) {
        self.with(|waiting| waiting.sessions.remove(&session));
    }

    /// Wait until there is something to do.
    pub(crate) async fn news(&self) {
        while self.with(|waiting| waiting.sessions.is_empty() && !waiting.closed) {
            self.news.notified().await;
        }
    }

    /// Wait until nothing more comes.
    pub(crate) async fn closed(&self) {
        while !self.is_closed() {
            self.news.notified().await;
        }
    }

    fn with<T>(&self, look: impl FnOnce(&mut PendingState) -> T) -> T {
        look(&mut self.waiting.lock())
    }
}
