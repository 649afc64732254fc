//! Shared tails. One follower per watched (session, view, dialect) reads the log, folds it and encodes each entry
//! once; everybody at the tail shares those frames. A watcher that is behind reads the log by itself until it has
//! caught up, so a slow client costs a cursor and slows nobody. A feed lives as long as somebody watches.

mod follower;
mod frame_ring;
mod replay;
mod task_history;
mod view_cache;

use crate::dialect::{Dialect, EntryFrames};
use crate::message_files::MessageFiles;
use crate::presence::Presence;
use crate::session_access::AcceptedMessage;
use crate::stream_end::{EntryStanding, StreamEnd};
use crate::version::A2aVersion;
use crate::wire_state::{TaskScope, WireState};
use frame_ring::{FrameRing, RingLookup};
use parking_lot::{Mutex, MutexGuard};
use pollux_session::{ReadError, Seat, Seq, SessionId};
use replay::LogReplay;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
pub(crate) use task_history::TaskHistory;
use task_history::TaskHistoryCache;
use tokio::sync::{OwnedMutexGuard, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use view_cache::ViewCache;

/// How many entries are read at once.
const PAGE: usize = 256;

/// Every feed that somebody watches, and the files that the log only names.
#[derive(Default)]
pub(crate) struct SessionFeeds {
    pub(crate) files: MessageFiles,
    live: Mutex<HashMap<FeedKey, Weak<Feed>>>,
    view_cache: ViewCache,
    task_histories: TaskHistoryCache,
    presence: Presence,
}

/// What a feed shows, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FeedKey {
    session: SessionId,
    incarnation: u32,
    view: TaskScope,
    dialect: Dialect,
}

/// A shared tail.
struct Feed {
    key: FeedKey,
    ring: Mutex<FrameRing>,
    /// Counts the follower's steps, to wake watchers.
    steps: watch::Sender<u64>,
    feeds: Weak<SessionFeeds>,
    _stops_follower: DropGuard,
}

/// One watcher of a feed.
pub(crate) struct FeedWatcher {
    seat: Arc<dyn Seat>,
    feed: Arc<Feed>,
    steps: watch::Receiver<u64>,
    cursor: Seq,
    replay: Option<LogReplay>,
}

impl SessionFeeds {
    /// No feeds yet; where files are kept, and where watchers are listed.
    pub(crate) fn new(files: MessageFiles, presence: Presence) -> SessionFeeds {
        SessionFeeds { files, presence, ..SessionFeeds::default() }
    }

    /// Where clients are listed.
    pub(crate) fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Watch what `view` sees of the seat's session, after `after`.
    pub(crate) fn watch(
        self: &Arc<Self>,
        seat: &Arc<dyn Seat>,
        view: TaskScope,
        dialect: Dialect,
        after: Seq,
    ) -> FeedWatcher {
        let key = FeedKey { session: seat.session(), incarnation: seat.incarnation(), view, dialect };
        let mut live = self.live.lock();
        let known = live.get(&key).and_then(Weak::upgrade);
        let feed = match &known {
            Some(feed) if !feed.ring().has_failed() => Arc::clone(feed),
            _ => {
                let feed = self.begin(seat, key, after);
                live.insert(key, Arc::downgrade(&feed));
                feed
            }
        };
        // A feed's end takes the same lock: let go of it before the failed one, if this was its last watcher.
        drop(live);
        drop(known);
        let steps = feed.steps.subscribe();
        FeedWatcher { seat: Arc::clone(seat), feed, steps, cursor: after, replay: None }
    }

    /// The scene at the newest entry, kept for whoever asks next.
    pub(crate) async fn state_at_head(&self, seat: &dyn Seat) -> Result<WireState, ReadError> {
        let wire_state = self.uncached_state_at_head(seat).await?;
        self.view_cache.store(seat.session(), seat.incarnation(), &wire_state);
        Ok(wire_state)
    }

    /// The same, not kept. For a look between a message and the stream about it, which goes on from a scene that is kept,
    /// and would fold the log from its start if all that is kept were newer than the message.
    pub(crate) async fn uncached_state_at_head(&self, seat: &dyn Seat) -> Result<WireState, ReadError> {
        let mut wire_state = self.view_cache.newest(seat.session(), seat.incarnation()).unwrap_or_default();
        loop {
            let page = seat.read(wire_state.state.head, PAGE).await?;
            if page.is_empty() {
                return Ok(wire_state);
            }
            page.iter().for_each(|entry| wire_state.apply(entry));
        }
    }

    /// The scene at an entry that is there.
    pub(crate) async fn at(&self, seat: &dyn Seat, seq: Seq) -> Result<WireState, ReadError> {
        let kept = self.view_cache.newest(seat.session(), seat.incarnation());
        let mut wire_state = kept.filter(|wire_state| wire_state.state.head <= seq).unwrap_or_default();
        while wire_state.state.head < seq {
            let page = seat.read(wire_state.state.head, PAGE).await?;
            if page.is_empty() {
                break;
            }
            page.iter().take_while(|entry| entry.seq <= seq).for_each(|entry| wire_state.apply(entry));
        }
        Ok(wire_state)
    }

    /// Wait until what an accepted message began comes to a stop. Nobody reads frames here, so none are made.
    pub(crate) async fn wait_until_stopped(
        &self,
        admitted: &AcceptedMessage,
        version: A2aVersion,
    ) -> Result<(), ReadError> {
        let AcceptedMessage { task, receipt } = admitted;
        let until = StreamEnd::of_blocking_send(receipt, version);
        loop {
            let history = self.task_histories.newest(&*task.seat).await?;
            let standing = EntryStanding::of_state(task.scope, &history.state);
            // Others fold the same session while this waits.
            drop(history);
            if until.after(&standing) == StreamEnd::Reached {
                return Ok(());
            }
            task.seat.changed(standing.seq).await?;
        }
    }

    /// The whole conversation up to the newest entry.
    pub(crate) async fn task_history(&self, seat: &dyn Seat) -> Result<OwnedMutexGuard<TaskHistory>, ReadError> {
        self.task_histories.newest(seat).await
    }

    fn begin(self: &Arc<Self>, seat: &Arc<dyn Seat>, key: FeedKey, after: Seq) -> Arc<Feed> {
        let stop = CancellationToken::new();
        let feed = Arc::new(Feed {
            key,
            ring: Mutex::new(FrameRing::starting_after(after)),
            steps: watch::Sender::new(0),
            feeds: Arc::downgrade(self),
            _stops_follower: stop.clone().drop_guard(),
        });
        tokio::spawn(follower::follow(Arc::clone(self), Arc::downgrade(&feed), Arc::clone(seat), after, stop));
        feed
    }
}

impl Feed {
    fn ring(&self) -> MutexGuard<'_, FrameRing> {
        self.ring.lock()
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if let Some(home) = self.feeds.upgrade() {
            let mut live = home.live.lock();
            // Another feed may have taken the place already.
            if live.get(&self.key).is_some_and(|feed| feed.strong_count() == 0) {
                live.remove(&self.key);
            }
        }
    }
}

impl FeedWatcher {
    /// The seat it watches from.
    pub(crate) fn seat(&self) -> &dyn Seat {
        &*self.seat
    }

    /// The same, to be kept.
    pub(crate) fn shared_seat(&self) -> Arc<dyn Seat> {
        Arc::clone(&self.seat)
    }

    /// What it sees of the session.
    pub(crate) fn view(&self) -> TaskScope {
        self.feed.key.view
    }

    /// The newest entry this watcher has been shown.
    pub(crate) fn cursor(&self) -> Seq {
        self.cursor
    }

    /// The next entry as shown. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Arc<EntryFrames>, ReadError> {
        loop {
            self.steps.borrow_and_update();
            let look = self.feed.ring().look(self.cursor);
            match look {
                RingLookup::Found(shown) => {
                    self.cursor = shown.seq;
                    return Ok(shown);
                }
                RingLookup::Failed(error) => return Err(error),
                RingLookup::Behind => match self.catch_up().await? {
                    Some(shown) => return Ok(Arc::new(shown)),
                    None => self.wait().await,
                },
                RingLookup::NotYet => self.wait().await,
            }
        }
    }

    /// The next entry, read alone. The scene it takes is kept: who falls behind once does so again.
    async fn catch_up(&mut self) -> Result<Option<EntryFrames>, ReadError> {
        let replay = self.replay.get_or_insert_default();
        let shown = replay.next(&*self.seat, self.feed.key, self.cursor).await?;
        if let Some(shown) = &shown {
            self.cursor = shown.seq;
        }
        Ok(shown)
    }

    /// Wait for the follower's next step. Its sender lives in the feed, which this watcher keeps alive.
    async fn wait(&mut self) {
        drop(self.steps.changed().await);
    }
}
