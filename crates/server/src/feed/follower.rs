//! The one task that follows a session's log while anybody watches.

use super::watched_session::WatchedSession;
use parking_lot::Mutex;
use pollux_session::{ReadError, Seat};
use std::convert::Infallible;
use std::sync::{Arc, Weak};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The task. It ends with the last [`FollowedSession`] that shares it.
pub(super) struct Follower {
    failure: Mutex<Option<ReadError>>,
    _stops_following: DropGuard,
}

/// A session that is followed for as long as this is held.
pub(super) struct FollowedSession {
    session: Arc<WatchedSession>,
    follower: Arc<Follower>,
    steps: watch::Receiver<u64>,
}

impl Follower {
    /// Follow `session` from `seat`.
    pub(super) fn start(session: Arc<WatchedSession>, seat: Arc<dyn Seat>) -> Arc<Follower> {
        let stop = CancellationToken::new();
        let follower = Follower { failure: Mutex::new(None), _stops_following: stop.clone().drop_guard() };
        let follower = Arc::new(follower);
        let handle = Arc::downgrade(&follower);
        tokio::spawn(async move {
            let Err(error) = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                failed = follow_log(&session, &*seat) => failed,
            };
            fail(&session, &handle, error);
        });
        follower
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.lock().is_some()
    }
}

async fn follow_log(session: &WatchedSession, seat: &dyn Seat) -> Result<Infallible, ReadError> {
    loop {
        let head = session.newest_state(seat).await?.state.head;
        seat.changed(head).await?;
    }
}

fn fail(session: &WatchedSession, follower: &Weak<Follower>, error: ReadError) {
    let Some(follower) = follower.upgrade() else { return };
    tracing::warn!("[A2AService] stopped following session {}: {error}", session.session());
    *follower.failure.lock() = Some(error);
    session.wake_watchers();
}

impl FollowedSession {
    pub(super) fn new(session: Arc<WatchedSession>, follower: Arc<Follower>) -> FollowedSession {
        let steps = session.steps();
        FollowedSession { session, follower, steps }
    }

    pub(super) fn session(&self) -> &WatchedSession {
        &self.session
    }

    /// Whoever looks at the session after this is woken by all that is newer than what they see.
    pub(super) fn begin_look(&mut self) {
        self.steps.borrow_and_update();
    }

    /// Wait until there may be more to see than in the look before.
    pub(super) async fn changed(&mut self) -> Result<(), ReadError> {
        if let Some(error) = &*self.follower.failure.lock() {
            return Err(error.clone());
        }
        // Its sender lives in the session.
        drop(self.steps.changed().await);
        Ok(())
    }
}
