//! The life of one WebSocket.

use super::command;
use super::followed_place::{FollowedPlace, PlaceUpdate, PlaceWake};
use super::requests::{OpenRequests, written_event, written_fault};
use super::unlogged::{UnloggedFrame, refused};
use crate::audience::ToolExtension;
use crate::dialect::{Dialect, Form, FrameRole, Saying, Shown, Spot, pending_asks};
use crate::errors::Fault;
use crate::log_context::in_request;
use crate::ops::{Head, Ops};
use crate::presence::{How, REMOVED};
use crate::rooms::Place;
use crate::router::Hall;
use crate::scene::Scene;
use crate::stream::Stream;
use crate::version::Version;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::http::HeaderMap;
use bytes::Bytes;
use futures_util::SinkExt;
use pollux_session::{Notice, Seq, Who};
use pollux_wire::devtool::URI;
use pollux_wire::jsonrpc::Id;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// How often the client is pinged.
pub(super) const PING: Duration = Duration::from_secs(20);
/// How long a client may neither answer a ping nor take a frame.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// One WebSocket.
pub(super) struct Connection {
    pub(super) hall: Arc<Hall>,
    pub(super) who: Who,
    /// What the handshake said.
    pub(super) headers: HeaderMap,
    dialect: Dialect,
    socket: WebSocket,
    following: Option<FollowedPlace>,
    pub(super) requests: OpenRequests,
}

/// The connection is over.
pub(super) struct Gone;

/// What happened next.
enum Next {
    Received(Option<Result<Message, axum::Error>>),
    Followed(Result<PlaceUpdate, Fault>),
    Answered(Bytes),
    Noticed(Option<Notice>),
    Tick,
    Removed,
    Shutdown,
}

impl Connection {
    pub(super) fn new(
        hall: Arc<Hall>,
        who: Who,
        headers: HeaderMap,
        dialect: Dialect,
        socket: WebSocket,
    ) -> Connection {
        Connection { hall, who, headers, dialect, socket, following: None, requests: OpenRequests::default() }
    }

    /// Follow `place`, if there is one yet, and serve the client until it leaves. `scene` is how it was when the client
    /// was let in.
    pub(super) async fn run(mut self, place: Option<Place>, after: Option<u64>, scene: Option<Box<Scene>>) {
        if let Some(place) = place {
            let joined = match (after, scene) {
                (Some(after), _) => self.replay(place, Seq(after)).await,
                (None, Some(scene)) => self.join(place, &scene).await,
                (None, None) => self.join_now(place).await,
            };
            if joined.is_err() {
                return;
            }
        }
        let Gone = self.serve().await;
    }

    /// What the connection follows.
    pub(super) fn place(&self) -> Option<&Place> {
        self.following.as_ref().map(|following| &following.place)
    }

    /// A command of this connection was accepted by the entries `first` to `last`: follow its place, and do not show it its
    /// own prompt, which is the last.
    pub(super) fn accepted(&mut self, place: Place, first: Seq, last: Seq) {
        let after = Seq(first.0.saturating_sub(1));
        if self.following.is_none() {
            self.follow(place, after);
        }
        if let Some(following) = &mut self.following {
            following.hide_own(last);
        }
    }

    /// Whether it gets A2A's status updates instead of the endpoint guide's frames.
    pub(super) fn speaks_rfc(&self) -> bool {
        matches!(self.dialect, Dialect::Rfc(..))
    }

    /// Tell everything from here on as A2A's status updates.
    pub(super) fn speak_rfc(&mut self) {
        if self.speaks_rfc() {
            return;
        }
        self.dialect = Dialect::Rfc(Form::Json03, ToolExtension::Declared);
        if let Some(following) = &mut self.following {
            following.speak(&self.hall.feeds, self.dialect);
        }
    }

    /// The operations, for this client. Whoever gets the extension's events declares the extension.
    pub(super) fn ops(&self) -> Ops {
        let mut head = Head::of(&self.headers);
        if self.speaks_rfc() {
            head.extensions.push(URI.to_owned());
        }
        Ops { hall: Arc::clone(&self.hall), who: self.who.clone(), version: Version::V03, head }
    }

    /// How many requests are answered by what this connection follows.
    pub(super) fn open_answers(&self) -> usize {
        self.following.as_ref().map_or(0, FollowedPlace::open_answers)
    }

    /// Answer a message by the events of `stream`: in place of what this connection follows, where both are about the same.
    pub(super) fn answer_message(&mut self, id: Id, mut stream: Box<Stream>) {
        if let (None, Some(place)) = (&self.following, stream.place()) {
            self.follow(place, stream.position().unwrap_or_default());
        }
        match &mut self.following {
            Some(following) if stream.place().is_some_and(|place| place.view == following.place.view) => {
                following.answer_with(id, stream);
            }
            Some(_) | None => {
                stream.attend(How::WebSocket);
                self.requests.answer_with(id, stream);
            }
        }
    }

    /// Send one frame.
    pub(super) async fn tell(&mut self, json: &Bytes) -> Result<(), Gone> {
        let text = String::from_utf8_lossy(json).into_owned();
        write(&mut self.socket, Message::Text(text.into())).await
    }

    /// Say something that is not in the log.
    pub(super) async fn remark(&mut self, frame: UnloggedFrame) -> Result<(), Gone> {
        let place = self.place().cloned();
        let json = match (self.dialect, place) {
            (dialect @ Dialect::Rfc(..), Some(Place { seat, view })) => match self.hall.feeds.glance(&*seat).await {
                Ok(scene) => frame.in_rfc(dialect, seat.session(), view, &scene),
                Err(error) => Some(refused(error.into())),
            },
            (Dialect::Rfc(..), None) => match frame {
                UnloggedFrame::Refused(fault) => Some(refused(fault)),
                UnloggedFrame::Console(..) | UnloggedFrame::Gap(_) => None,
            },
            (_, place) => {
                let seq = self.following.as_ref().map_or(Seq::START, FollowedPlace::cursor);
                Some(frame.in_flat(place.map(|place| place.view.wire_id()).as_deref(), seq))
            }
        };
        match json {
            Some(json) => self.tell(&json).await,
            None => Ok(()),
        }
    }

    async fn serve(&mut self) -> Gone {
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let done = match self.next(&mut pings).await {
                Next::Received(Some(Ok(Message::Text(text)))) => {
                    heard = Instant::now();
                    in_request(command::obey(self, text.as_bytes())).await
                }
                Next::Received(Some(Ok(Message::Binary(bytes)))) => {
                    heard = Instant::now();
                    in_request(command::obey(self, &bytes)).await
                }
                Next::Received(Some(Ok(Message::Ping(_)))) => {
                    heard = Instant::now();
                    answer_ping(&mut self.socket).await
                }
                Next::Received(Some(Ok(Message::Pong(_)))) => {
                    heard = Instant::now();
                    Ok(())
                }
                Next::Received(Some(Ok(Message::Close(_)) | Err(_)) | None) => Err(Gone),
                Next::Followed(Ok(followed)) => self.show_followed(followed).await,
                Next::Followed(Err(fault)) => {
                    // Nothing more can be shown; the client comes back with `after`.
                    drop(self.remark(UnloggedFrame::Refused(fault)).await);
                    Err(Gone)
                }
                Next::Answered(frame) => self.tell(&frame).await,
                Next::Noticed(Some(notice)) => self.remark(UnloggedFrame::Console(notice.level, notice.text)).await,
                Next::Noticed(None) => {
                    if let Some(following) = &mut self.following {
                        following.end_notices();
                    }
                    Ok(())
                }
                Next::Tick if heard.elapsed() > PATIENCE => Err(Gone),
                Next::Tick => write(&mut self.socket, Message::Ping(Bytes::new())).await,
                Next::Removed => Err(close(&mut self.socket, removed()).await),
                Next::Shutdown => Err(close(&mut self.socket, stopping()).await),
            };
            if done.is_err() {
                return Gone;
            }
        }
    }

    async fn next(&mut self, pings: &mut tokio::time::Interval) -> Next {
        // Asked each time: a client that never stops sending would keep whatever waits below from being looked at.
        if self.following.as_ref().is_some_and(FollowedPlace::is_removed) {
            return Next::Removed;
        }
        let happened = async {
            match &mut self.following {
                Some(following) => following.happened().await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.hall.shutdown.cancelled() => Next::Shutdown,
            received = self.socket.recv() => Next::Received(received),
            _ = pings.tick() => Next::Tick,
            frame = self.requests.next() => Next::Answered(frame),
            happened = happened => match happened {
                PlaceWake::Removed => Next::Removed,
                PlaceWake::Followed(followed) => Next::Followed(followed),
                PlaceWake::Noticed(notice) => Next::Noticed(notice),
            },
        }
    }

    async fn show_followed(&mut self, followed: PlaceUpdate) -> Result<(), Gone> {
        match followed {
            PlaceUpdate::Entry(shown) => return self.show(&shown).await,
            PlaceUpdate::Answer(id, event) => return self.tell(&written_event(&id, &event)).await,
            PlaceUpdate::Broken(id, fault) => self.tell(&written_fault(id, fault)).await?,
            PlaceUpdate::AnswerOver => {}
        }
        if let Some(following) = &mut self.following {
            following.resume(&self.hall.feeds, self.dialect);
        }
        Ok(())
    }

    async fn show(&mut self, shown: &Shown) -> Result<(), Gone> {
        let own = self.following.as_mut().is_some_and(|following| following.is_own(shown.seq));
        for frame in shown.frames.iter().filter(|frame| !(own && frame.role == FrameRole::Echo)) {
            self.tell(frame.last.as_ref().unwrap_or(&frame.json)).await?;
        }
        Ok(())
    }

    /// Start now, with every ask that is open.
    async fn join_now(&mut self, place: Place) -> Result<(), Gone> {
        match self.hall.feeds.at_head(&*place.seat).await {
            Ok(scene) => self.join(place, &scene).await,
            Err(error) => {
                drop(self.remark(UnloggedFrame::Refused(error.into())).await);
                Err(Gone)
            }
        }
    }

    /// Start where `scene` is, with every ask that was open then.
    async fn join(&mut self, place: Place, scene: &Scene) -> Result<(), Gone> {
        let (session, view) = (place.seat.session(), place.view);
        self.follow(place, scene.state.head);
        let spot = Spot::at_head(session, view, scene);
        for call in pending_asks(scene) {
            let Some(frame) = self.dialect.spell(&Saying::Call(Box::new(call)), &spot) else { continue };
            self.tell(&frame.json).await?;
        }
        Ok(())
    }

    /// Show what follows `after`. A number beyond the end of the log has no place in it.
    async fn replay(&mut self, place: Place, after: Seq) -> Result<(), Gone> {
        let beyond = match place.seat.read(Seq(after.0.saturating_sub(1)), 1).await {
            Ok(page) => after > Seq::START && page.is_empty(),
            Err(error) => {
                drop(self.remark(UnloggedFrame::Refused(error.into())).await);
                return Err(Gone);
            }
        };
        if !beyond {
            self.follow(place, after);
            return Ok(());
        }
        let message = format!("there is no entry {after} in this log; what follows starts now");
        self.join_now(place).await?;
        self.remark(UnloggedFrame::Gap(message)).await
    }

    fn follow(&mut self, place: Place, after: Seq) {
        self.following = Some(FollowedPlace::new(&self.hall.feeds, place, self.dialect, after));
    }
}

/// Send a message, to a client that takes it in time.
pub(super) async fn write(socket: &mut WebSocket, message: Message) -> Result<(), Gone> {
    match timeout(PATIENCE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(Gone),
    }
}

/// Send the answer to a ping before anything else is read, to a client that takes it in time. Otherwise the answers to a
/// client that pings and never reads would pile up here.
pub(super) async fn answer_ping(socket: &mut WebSocket) -> Result<(), Gone> {
    match timeout(PATIENCE, socket.flush()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(Gone),
    }
}

/// Say why it is over.
pub(super) async fn close(socket: &mut WebSocket, why: CloseFrame) -> Gone {
    // A client that does not take the reason is closed without it.
    let _ = timeout(PING, socket.send(Message::Close(Some(why)))).await;
    Gone
}

/// What a client is told that is asked to leave.
pub(super) fn removed() -> CloseFrame {
    CloseFrame { code: close_code::POLICY, reason: Utf8Bytes::from_static(REMOVED) }
}

/// What a client is told when the server goes: it may come again.
pub(super) fn stopping() -> CloseFrame {
    CloseFrame { code: close_code::AWAY, reason: Utf8Bytes::from_static("the server is stopping") }
}
