//! What one socket follows: a place, read entry by entry. While a request about it is answered by a stream, the stream is
//! read instead, so that nothing is told twice.

use crate::dialect::{Dialect, Shown};
use crate::errors::Fault;
use crate::feed::{Feeds, Watch};
use crate::presence::{Attendance, How};
use crate::rooms::Place;
use crate::stream::{Event, Stream};
use pollux_session::{Notice, Notices, Seq};
use pollux_wire::jsonrpc::Id;
use std::collections::{BTreeSet, VecDeque};
use std::future::pending;
use std::sync::Arc;

/// What a connection follows.
pub(super) struct FollowedPlace {
    pub(super) place: Place,
    notices: Option<Box<dyn Notices>>,
    /// Its place among those who follow the session.
    attendance: Attendance,
    /// Prompts this connection sent and has not met in the log yet: they are not shown to it.
    own: BTreeSet<Seq>,
    watch: Watch,
    answering: VecDeque<AnsweringStream>,
}

/// A request about the place that is answered by what follows it.
struct AnsweringStream {
    id: Id,
    stream: Box<Stream>,
    /// What comes before is told first.
    from: Seq,
}

/// The next thing to tell of the place.
pub(super) enum PlaceUpdate {
    /// An entry, for everybody.
    Entry(Arc<Shown>),
    /// An event that answers a request.
    Answer(Id, Event),
    /// The stream that answered a request broke.
    Broken(Id, Fault),
    /// The stream that answered a request is over.
    AnswerOver,
}

/// What happened around the place.
pub(super) enum PlaceWake {
    Removed,
    Followed(Result<PlaceUpdate, Fault>),
    Noticed(Option<Notice>),
}

impl FollowedPlace {
    pub(super) fn new(feeds: &Arc<Feeds>, place: Place, dialect: Dialect, after: Seq) -> FollowedPlace {
        let watch = feeds.watch(&place.seat, place.view, dialect, after);
        let notices = Some(place.seat.notices());
        let attendance = feeds.presence().enter(&*place.seat, How::WebSocket);
        FollowedPlace { place, notices, attendance, own: BTreeSet::new(), watch, answering: VecDeque::new() }
    }

    /// The newest entry that was told.
    pub(super) fn cursor(&self) -> Seq {
        self.watch.cursor()
    }

    /// Tell what follows in another dialect.
    pub(super) fn speak(&mut self, feeds: &Arc<Feeds>, dialect: Dialect) {
        self.watch = feeds.watch(&self.place.seat, self.place.view, dialect, self.cursor());
    }

    /// Do not show the prompt at `seq` to this connection, which sent it.
    pub(super) fn hide_own(&mut self, seq: Seq) {
        if seq > self.cursor() {
            self.own.insert(seq);
        }
    }

    /// Whether the entry is a prompt of this connection. Asked once for each entry.
    pub(super) fn is_own(&mut self, seq: Seq) -> bool {
        self.own.remove(&seq)
    }

    /// Answer a request about this place with what follows it.
    pub(super) fn answer_with(&mut self, id: Id, stream: Box<Stream>) {
        let from = stream.position().unwrap_or_default();
        self.answering.push_back(AnsweringStream { id, stream, from });
    }

    /// How many requests are being answered.
    pub(super) fn open_answers(&self) -> usize {
        self.answering.len()
    }

    /// Whether the people at the session want the client to leave.
    pub(super) fn is_removed(&self) -> bool {
        self.attendance.is_removed()
    }

    /// What happens next. Dropping the future loses nothing.
    pub(super) async fn happened(&mut self) -> PlaceWake {
        let FollowedPlace { watch, answering, notices, attendance, .. } = self;
        let noticed = async {
            match notices {
                Some(notices) => notices.next().await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = attendance.removed() => PlaceWake::Removed,
            followed = next_followed(watch, answering.front_mut()) => PlaceWake::Followed(followed),
            notice = noticed => PlaceWake::Noticed(notice),
        }
    }

    /// No more notices come.
    pub(super) fn end_notices(&mut self) {
        self.notices = None;
    }

    /// Go on where the stream that answered a request has ended.
    pub(super) fn resume(&mut self, feeds: &Arc<Feeds>, dialect: Dialect) {
        let over = self.answering.pop_front();
        let told = over.and_then(|answering| answering.stream.position()).filter(|told| *told > self.cursor());
        if let Some(told) = told {
            self.watch = feeds.watch(&self.place.seat, self.place.view, dialect, told);
        }
    }
}

/// The next thing to tell: of the stream that answers a request, once all that came before it was told.
async fn next_followed(watch: &mut Watch, answering: Option<&mut AnsweringStream>) -> Result<PlaceUpdate, Fault> {
    let cursor = watch.cursor();
    match answering.filter(|answering| cursor >= answering.from) {
        None => watch.next().await.map(PlaceUpdate::Entry).map_err(Fault::from),
        Some(AnsweringStream { id, stream, .. }) => Ok(match stream.next().await {
            Ok(Some(event)) => PlaceUpdate::Answer(id.clone(), event),
            Ok(None) => PlaceUpdate::AnswerOver,
            Err(fault) => PlaceUpdate::Broken(id.clone(), fault),
        }),
    }
}
