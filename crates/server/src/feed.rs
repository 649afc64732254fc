//! One state for each session that is watched, shared by streams, `tasks/get`, blocking sends and push. One task follows the log
//! while anybody watches and encodes each entry once for each (scope, dialect) in use; everybody at the tail shares those
//! frames. A watcher that is behind reads the log by itself until it has caught up, so a slow client costs a cursor and slows
//! nobody. Watching needs no actor.

mod ask_readers;
mod follower;
mod frame_ring;
mod projection;
mod replay;
mod session_cache;
mod state_window;
mod task_history;
mod watched_session;

use crate::dialect::{Dialect, EntryFrames};
use crate::message_files::MessageFiles;
use crate::presence::Presence;
use crate::session_access::AcceptedMessage;
use crate::stream_end::{EntryStanding, StreamEnd};
use crate::version::A2aVersion;
use crate::wire_state::{TaskScope, WireState};
pub(crate) use ask_readers::AskReader;
use ask_readers::AskReaders;
use follower::FollowedSession;
use frame_ring::{FrameRing, RingLookup};
use parking_lot::Mutex;
use pollux_session::{CallId, EntryAuthor, ReadError, Seat, Seq, SessionState, UnixMillis};
use projection::Projection;
use replay::LogReplay;
use session_cache::SessionCache;
use std::sync::Arc;
pub(crate) use task_history::TaskHistory;

#[cfg(test)]
mod tests;

/// The most entries that are read at once.
const PAGE: usize = 256;

/// The sessions that clients look at, and the files that the log only names.
pub(crate) struct SessionFeeds {
    pub(crate) files: MessageFiles,
    sessions: SessionCache,
    presence: Presence,
    ask_readers: Arc<AskReaders>,
}

/// One watcher of a session.
pub(crate) struct FeedWatcher {
    seat: Arc<dyn Seat>,
    followed: FollowedSession,
    projection: Projection,
    cursor: Seq,
    ask_readers: Arc<AskReaders>,
    reader: AskReader,
    /// The name of the client that is shown the frames, if it is known.
    reader_name: Option<EntryAuthor>,
    /// The asks of calls up to this entry are known to the client already.
    known_asks: Seq,
    /// The frames at the tail, once they were looked at.
    ring: Option<Arc<Mutex<FrameRing>>>,
    /// Reads what is not at the tail any more. It is kept: who falls behind once does so again.
    replay: Option<LogReplay>,
}

impl SessionFeeds {
    /// Nothing is watched yet; where files are kept, where watchers are listed, and since when it is known who was shown
    /// which ask.
    pub(crate) fn new(files: MessageFiles, presence: Presence, readers_known_since: UnixMillis) -> SessionFeeds {
        let ask_readers = Arc::new(AskReaders::new(readers_known_since));
        SessionFeeds { files, sessions: SessionCache::default(), presence, ask_readers }
    }

    /// Where clients are listed.
    pub(crate) fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Watch what `scope` sees of the seat's session, after `after`.
    pub(crate) fn watch(&self, seat: &Arc<dyn Seat>, scope: TaskScope, dialect: Dialect, after: Seq) -> FeedWatcher {
        FeedWatcher {
            seat: Arc::clone(seat),
            followed: self.sessions.session(&**seat).follow(seat),
            projection: Projection { session: seat.session(), scope, dialect },
            cursor: after,
            ask_readers: Arc::clone(&self.ask_readers),
            reader: self.new_reader(),
            reader_name: Some(EntryAuthor::from(seat.who())),
            known_asks: Seq::START,
            ring: None,
            replay: None,
        }
    }

    /// The state at the newest entry.
    pub(crate) async fn newest_state(&self, seat: &dyn Seat) -> Result<Arc<WireState>, ReadError> {
        self.sessions.session(seat).newest_state(seat).await
    }

    /// The state at an entry that is there.
    pub(crate) async fn state_at(&self, seat: &dyn Seat, seq: Seq) -> Result<Arc<WireState>, ReadError> {
        self.sessions.session(seat).state_at(seat, seq).await
    }

    /// The whole conversation up to the newest entry.
    pub(crate) async fn task_history(&self, seat: &dyn Seat) -> Result<TaskHistory, ReadError> {
        let history = self.sessions.session(seat).history(seat).await?;
        self.sessions.bound_histories();
        Ok(history)
    }

    /// The client at the seat is shown the asks of `calls` in the answer to a request.
    pub(crate) fn record_shown_asks(&self, seat: &dyn Seat, calls: &[CallId]) {
        let name = EntryAuthor::from(seat.who());
        self.ask_readers.record(seat.session(), Some(&name), self.new_reader(), calls);
    }

    /// A reader of asks who was shown nothing yet.
    pub(crate) fn new_reader(&self) -> AskReader {
        self.ask_readers.new_reader()
    }

    /// The calls whose asks may have been shown to several readers of the name that the client at the seat has.
    pub(crate) fn shared_asks(&self, seat: &dyn Seat, state: &SessionState) -> Vec<CallId> {
        self.ask_readers.shared_asks(seat, state)
    }

    /// Wait until what an accepted message began comes to a stop. Nobody reads frames here, so none are made.
    pub(crate) async fn wait_until_stopped(
        &self,
        admitted: &AcceptedMessage,
        version: A2aVersion,
    ) -> Result<(), ReadError> {
        let AcceptedMessage { task, receipt } = admitted;
        let until = StreamEnd::of_blocking_send(receipt, version);
        let mut followed = self.sessions.session(&*task.seat).follow(&task.seat);
        loop {
            followed.begin_look();
            let state = followed.session().newest_state(&*task.seat).await?;
            if until.after(&EntryStanding::of_state(task.scope, &state)) == StreamEnd::Reached {
                return Ok(());
            }
            // While it is held, the next entry copies it.
            drop(state);
            followed.changed().await?;
        }
    }
}

impl FeedWatcher {
    /// The seat it watches from.
    pub(crate) fn seat(&self) -> &dyn Seat {
        &*self.seat
    }

    /// The seat, to be kept.
    pub(crate) fn shared_seat(&self) -> Arc<dyn Seat> {
        Arc::clone(&self.seat)
    }

    /// The part of the session that it sees.
    pub(crate) fn scope(&self) -> TaskScope {
        self.projection.scope
    }

    /// The newest entry this watcher has been shown.
    pub(crate) fn cursor(&self) -> Seq {
        self.cursor
    }

    /// The client has read the asks of calls up to this entry elsewhere.
    pub(crate) fn set_known_asks(&mut self, known: Seq) {
        self.known_asks = known;
    }

    /// The frames are shown to `reader`, who has this name, and not to the client at the seat.
    pub(crate) fn show_asks_to(&mut self, reader: AskReader, name: Option<EntryAuthor>) {
        (self.reader, self.reader_name) = (reader, name);
    }

    /// The client is shown the asks of `calls`.
    pub(crate) fn record_shown_asks(&self, calls: &[CallId]) {
        let new: Vec<CallId> = calls.iter().copied().filter(|call| call.0 > self.known_asks).collect();
        self.ask_readers.record(self.seat.session(), self.reader_name.as_ref(), self.reader, &new);
    }

    /// The next entry as shown. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Arc<EntryFrames>, ReadError> {
        loop {
            self.followed.begin_look();
            let cursor = self.cursor;
            let lookup = self.ring().await?.lock().look(cursor);
            let shown = match lookup {
                RingLookup::Found(shown) => Some(shown),
                RingLookup::Behind => self.replay_next().await?.map(Arc::new),
                RingLookup::NotYet => None,
            };
            match shown {
                Some(shown) => {
                    self.cursor = shown.seq();
                    self.record_shown_asks(&shown.standing.asks);
                    return Ok(shown);
                }
                None => self.followed.changed().await?,
            }
        }
    }

    async fn ring(&mut self) -> Result<&Mutex<FrameRing>, ReadError> {
        let ring = match self.ring.take() {
            Some(ring) => ring,
            None => self.followed.session().ring(&*self.seat, self.projection, self.cursor).await?,
        };
        Ok(self.ring.insert(ring))
    }

    /// The next entry, read alone.
    async fn replay_next(&mut self) -> Result<Option<EntryFrames>, ReadError> {
        let replay = match &mut self.replay {
            Some(replay) => replay,
            none => none.insert(LogReplay::new(self.followed.session().projector(self.projection, self.cursor).await)),
        };
        replay.next(&*self.seat, self.cursor).await
    }
}
