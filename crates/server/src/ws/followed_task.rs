//! The task or session that one socket follows, read entry by entry. While a request about it is answered by a stream,
//! the stream is read instead, so that nothing is told twice.

use crate::dialect::{Dialect, EntryFrames};
use crate::errors::RequestError;
use crate::feed::{FeedWatcher, SessionFeeds};
use crate::presence::{ConnectionKind, PresenceGuard};
use crate::session_access::TaskHandle;
use crate::task_stream::{TaskStream, TaskStreamEvent};
use crate::wire_state::WireState;
use pollux_session::{Notice, NoticeFeed, Seq};
use pollux_wire::jsonrpc::Id;
use std::collections::{BTreeSet, VecDeque};
use std::future::pending;
use std::sync::Arc;

/// The task or session that a connection follows.
pub(super) struct FollowedTask {
    pub(super) task: TaskHandle,
    notices: Option<Box<dyn NoticeFeed>>,
    /// Lists it among those who follow the session.
    presence_guard: PresenceGuard,
    /// Prompts this connection sent and has not met in the log yet: they are not shown to it.
    own_prompts: BTreeSet<Seq>,
    watch: FeedWatcher,
    answering: VecDeque<AnsweringStream>,
}

/// A request about what is followed that is answered by what follows it.
struct AnsweringStream {
    id: Id,
    stream: Box<TaskStream>,
    /// Earlier entries are told first.
    from: Seq,
}

/// The next thing to tell of what is followed.
pub(super) enum FollowedUpdate {
    /// An entry, for everybody.
    Entry(Arc<EntryFrames>),
    /// An event that answers a request.
    Answer(Id, TaskStreamEvent),
    /// The stream that answered a request broke.
    Broken(Id, RequestError),
    /// The stream that answered a request is over.
    AnswerOver,
}

/// An event around what is followed.
pub(super) enum FollowedWake {
    Removed,
    Followed(Result<FollowedUpdate, RequestError>),
    Noticed(Option<Notice>),
}

impl FollowedTask {
    pub(super) fn new(feeds: &Arc<SessionFeeds>, handle: TaskHandle, dialect: Dialect, after: Seq) -> FollowedTask {
        let watch = feeds.watch(&handle.seat, handle.scope, dialect, after);
        let notices = Some(handle.seat.notices());
        let presence_guard = feeds.presence().register(&*handle.seat, ConnectionKind::WebSocket);
        FollowedTask {
            task: handle,
            notices,
            presence_guard,
            own_prompts: BTreeSet::new(),
            watch,
            answering: VecDeque::new(),
        }
    }

    /// The client is shown everything that is asked in `wire_state`.
    pub(super) fn record_shown_asks(&self, wire_state: &WireState) {
        let asks = wire_state.state.turn.iter().flat_map(|turn| turn.asking_calls()).map(|call| call.id);
        self.watch.record_shown_asks(&asks.collect::<Vec<_>>());
    }

    /// The newest entry that was told.
    pub(super) fn cursor(&self) -> Seq {
        self.watch.cursor()
    }

    /// Tell what follows in another dialect.
    pub(super) fn switch_dialect(&mut self, feeds: &Arc<SessionFeeds>, dialect: Dialect) {
        self.watch = feeds.watch(&self.task.seat, self.task.scope, dialect, self.cursor());
    }

    /// Do not show the prompt at `seq` to this connection, which sent it.
    pub(super) fn hide_own(&mut self, seq: Seq) {
        if seq > self.cursor() {
            self.own_prompts.insert(seq);
        }
    }

    /// True if the entry is a prompt of this connection. Asked once for each entry.
    pub(super) fn is_own(&mut self, seq: Seq) -> bool {
        self.own_prompts.remove(&seq)
    }

    /// Answer a request about what is followed with what follows it.
    pub(super) fn answer_with(&mut self, id: Id, stream: Box<TaskStream>) {
        let from = stream.position().unwrap_or_default();
        self.answering.push_back(AnsweringStream { id, stream, from });
    }

    /// The number of requests that are being answered.
    pub(super) fn open_answers(&self) -> usize {
        self.answering.len()
    }

    /// True if the people at the session want the client to leave.
    pub(super) fn is_removed(&self) -> bool {
        self.presence_guard.is_removed()
    }

    /// The next event. Dropping the future loses nothing.
    pub(super) async fn next_wake(&mut self) -> FollowedWake {
        let FollowedTask { watch, answering, notices, presence_guard, .. } = self;
        let noticed = async {
            match notices {
                Some(notices) => notices.next().await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = presence_guard.removed() => FollowedWake::Removed,
            followed = next_followed(watch, answering.front_mut()) => FollowedWake::Followed(followed),
            notice = noticed => FollowedWake::Noticed(notice),
        }
    }

    /// No more notices come.
    pub(super) fn end_notices(&mut self) {
        self.notices = None;
    }

    /// Go on where the stream that answered a request has ended.
    pub(super) fn resume(&mut self, feeds: &Arc<SessionFeeds>, dialect: Dialect) {
        let over = self.answering.pop_front();
        let told = over.and_then(|answering| answering.stream.position()).filter(|told| *told > self.cursor());
        if let Some(told) = told {
            self.watch = feeds.watch(&self.task.seat, self.task.scope, dialect, told);
        }
    }
}

/// The next thing to tell: of the stream that answers a request, once all that came before it was told.
async fn next_followed(
    watch: &mut FeedWatcher,
    answering: Option<&mut AnsweringStream>,
) -> Result<FollowedUpdate, RequestError> {
    let cursor = watch.cursor();
    match answering.filter(|answering| cursor >= answering.from) {
        None => watch.next().await.map(FollowedUpdate::Entry).map_err(RequestError::from),
        Some(AnsweringStream { id, stream, .. }) => Ok(match stream.next().await {
            Ok(Some(event)) => FollowedUpdate::Answer(id.clone(), event),
            Ok(None) => FollowedUpdate::AnswerOver,
            Err(fault) => FollowedUpdate::Broken(id.clone(), fault),
        }),
    }
}
