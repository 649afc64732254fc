//! One session that somebody watches or has asked about lately: the only fold of its log. Whoever needs a newer state reads the
//! log for everybody: the new entries become frames for all who are at the tail.

use super::PAGE;
use super::follower::{FollowedSession, Follower};
use super::frame_ring::{FrameRing, KEPT_ENTRIES};
use super::projection::{Projection, Projector, RingBuilder};
use super::state_window::StateWindow;
use super::task_history::{FoldedTranscript, TaskHistory};
use crate::dialect::PreviousStatus;
use crate::wire_state::WireState;
use parking_lot::Mutex;
use pollux_session::{Entry, ReadError, Seat, Seq, SessionId};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::{Mutex as AsyncMutex, watch};

/// The most entries that become frames while others wait for the fold.
const FEW_ENTRIES: usize = 16;

pub(super) struct WatchedSession {
    session: SessionId,
    /// Held while the log is read, so that every entry is folded once.
    fold: AsyncMutex<SessionFold>,
    history: Mutex<TranscriptSlot>,
    follower: Mutex<Weak<Follower>>,
    /// Counts the pages that were folded, to wake watchers.
    steps: watch::Sender<u64>,
}

#[derive(Default)]
struct SessionFold {
    window: StateWindow,
    rings: HashMap<Projection, Weak<Mutex<FrameRing>>>,
}

/// The transcript has a lock of its own: a task is written down while entries become frames.
#[derive(Default)]
struct TranscriptSlot {
    transcript: Arc<AsyncMutex<FoldedTranscript>>,
    bytes: usize,
}

impl WatchedSession {
    pub(super) fn new(session: SessionId) -> WatchedSession {
        WatchedSession {
            session,
            fold: AsyncMutex::default(),
            history: Mutex::default(),
            follower: Mutex::default(),
            steps: watch::Sender::new(0),
        }
    }

    pub(super) fn session(&self) -> SessionId {
        self.session
    }

    /// The state at the newest entry. Whoever else asks waits meanwhile, instead of folding the same entries.
    pub(super) async fn newest_state(&self, seat: &dyn Seat) -> Result<Arc<WireState>, ReadError> {
        let mut fold = self.fold.lock().await;
        self.advance(&mut fold, seat).await?;
        Ok(Arc::clone(fold.window.newest()))
    }

    /// The state at an entry that is there.
    pub(super) async fn state_at(&self, seat: &dyn Seat, seq: Seq) -> Result<Arc<WireState>, ReadError> {
        self.newest_state(seat).await?;
        let mut state = self.state_before(seq).await;
        while state.state.head < seq {
            let page = seat.read(state.state.head, PAGE).await?;
            if page.is_empty() {
                break;
            }
            let state = Arc::make_mut(&mut state);
            page.iter().take_while(|entry| entry.seq <= seq).for_each(|entry| state.apply(entry));
        }
        Ok(state)
    }

    /// The whole conversation up to the newest entry. It is folded only when it is asked for, since it is as long as the log.
    pub(super) async fn history(&self, seat: &dyn Seat) -> Result<TaskHistory, ReadError> {
        let slot = Arc::clone(&self.history.lock().transcript);
        let mut transcript = Arc::clone(&slot).lock_owned().await;
        let state = self.newest_state(seat).await?;
        transcript.read_until(seat, state.state.head).await?;
        let mut current = self.history.lock();
        if Arc::ptr_eq(&current.transcript, &slot) {
            current.bytes = transcript.bytes();
        }
        drop(current);
        Ok(TaskHistory::new(state, transcript))
    }

    /// The bytes of conversation that are kept.
    pub(super) fn history_bytes(&self) -> usize {
        self.history.lock().bytes
    }

    /// Let go of the conversation. Whoever reads it keeps theirs.
    pub(super) fn forget_history(&self) {
        *self.history.lock() = TranscriptSlot::default();
    }

    /// Keep the session followed: by the task that follows it already, or else by one that reads from `seat`.
    pub(super) fn follow(self: &Arc<Self>, seat: &Arc<dyn Seat>) -> FollowedSession {
        let mut current = self.follower.lock();
        let running = current.upgrade().filter(|follower| !follower.has_failed());
        let follower = running.unwrap_or_else(|| Follower::start(Arc::clone(self), Arc::clone(seat)));
        *current = Arc::downgrade(&follower);
        FollowedSession::new(Arc::clone(self), follower)
    }

    /// Changes whenever there may be something new.
    pub(super) fn steps(&self) -> watch::Receiver<u64> {
        self.steps.subscribe()
    }

    pub(super) fn wake_watchers(&self) {
        self.steps.send_modify(|steps| *steps += 1);
    }

    /// The frames at the tail, kept from `after` on if nobody has wanted them yet.
    pub(super) async fn ring(
        &self,
        seat: &dyn Seat,
        projection: Projection,
        after: Seq,
    ) -> Result<Arc<Mutex<FrameRing>>, ReadError> {
        let mut begun = None;
        loop {
            let mut fold = self.fold.lock().await;
            self.advance(&mut fold, seat).await?;
            if let Some(ring) = fold.rings.get(&projection).and_then(Weak::upgrade) {
                return Ok(ring);
            }
            let mut builder = begun.take().unwrap_or_else(|| fold.begin_ring(projection, after));
            // What it was begun from is gone if more has happened meanwhile than is kept: then it is begun again.
            let Some(missing) = fold.window.entries_after(builder.head()) else { continue };
            if missing.len() <= FEW_ENTRIES {
                builder.extend(&missing);
                let ring = Arc::new(Mutex::new(builder.finish()));
                fold.rings.retain(|_, ring| ring.strong_count() > 0);
                fold.rings.insert(projection, Arc::downgrade(&ring));
                return Ok(ring);
            }
            // Those at the tail do not wait for somebody who begins long ago.
            drop(fold);
            builder.extend(&missing);
            begun = Some(builder);
        }
    }

    /// The projector that shows entries after `after` to somebody who is behind.
    pub(super) async fn projector(&self, projection: Projection, after: Seq) -> Projector {
        Projector::new(projection, self.state_before(after).await)
    }

    /// The newest state that is at hand from `seq` or before.
    async fn state_before(&self, seq: Seq) -> Arc<WireState> {
        self.fold.lock().await.window.state_before(seq).unwrap_or_default()
    }

    /// Fold what is new in the log.
    async fn advance(&self, fold: &mut SessionFold, seat: &dyn Seat) -> Result<(), ReadError> {
        loop {
            let page = seat.read(fold.window.head(), PAGE).await?;
            if page.is_empty() {
                return Ok(());
            }
            fold.apply_all(&page);
            self.wake_watchers();
        }
    }
}

impl SessionFold {
    /// Fold entries in, and show each to all who are at the tail.
    fn apply_all(&mut self, entries: &[Arc<Entry>]) {
        self.rings.retain(|_, ring| ring.strong_count() > 0);
        let rings = self.rings.iter().filter_map(|(projection, ring)| Some((*projection, ring.upgrade()?)));
        let rings: Vec<(Projection, Arc<Mutex<FrameRing>>)> = rings.collect();
        let mut before = Vec::with_capacity(rings.len());
        for entry in entries {
            let captured = rings.iter().map(|(shown, _)| PreviousStatus::capture(self.window.newest(), shown.scope));
            before.extend(captured);
            self.window.apply(entry);
            for ((projection, ring), before) in rings.iter().zip(before.drain(..)) {
                let shown = projection.show(&before, self.window.newest(), entry);
                ring.lock().push(shown);
            }
        }
    }

    /// A ring of what follows `after`, or what follows the newest entry if that is too long ago to be at hand.
    fn begin_ring(&self, projection: Projection, after: Seq) -> RingBuilder {
        let head = self.window.head();
        let start = after.max(Seq(head.0.saturating_sub(KEPT_ENTRIES as u64))).min(head);
        match self.window.state_before(start) {
            Some(state) => RingBuilder::new(projection, state, start),
            None => RingBuilder::new(projection, Arc::clone(self.window.newest()), head),
        }
    }
}
