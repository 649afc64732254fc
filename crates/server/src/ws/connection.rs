//! The life of one WebSocket.

use super::command;
use super::followed_task::{FollowedTask, FollowedUpdate, FollowedWake};
use super::open_requests::{OpenRequests, write_error, write_event};
use super::unlogged::{UnloggedFrame, refused};
use crate::client_profile::ToolExtension;
use crate::dialect::{Dialect, DomainFrame, EntryFrames, EventEncoding, FrameContext, FrameRole, pending_asks};
use crate::errors::RequestError;
use crate::log_context::in_request;
use crate::ops::{A2aOperations, RequestHead};
use crate::presence::{ConnectionKind, REMOVED};
use crate::router::AppState;
use crate::session_access::TaskHandle;
use crate::task_stream::TaskStream;
use crate::version::A2aVersion;
use crate::wire_state::WireState;
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

/// The interval of pings.
pub(super) const PING: Duration = Duration::from_secs(20);
/// The time for which a client may neither answer a ping nor take a frame.
pub(super) const SILENCE_LIMIT: Duration = Duration::from_secs(60);

/// One WebSocket.
pub(super) struct SocketConnection {
    pub(super) app: Arc<AppState>,
    pub(super) who: Who,
    /// The headers of the handshake.
    pub(super) headers: HeaderMap,
    dialect: Dialect,
    socket: WebSocket,
    following: Option<FollowedTask>,
    pub(super) requests: OpenRequests,
}

/// The connection is over.
pub(super) struct SocketClosed;

/// An event of the connection.
enum SocketEvent {
    Received(Option<Result<Message, axum::Error>>),
    Followed(Result<FollowedUpdate, RequestError>),
    Answered(Bytes),
    Noticed(Option<Notice>),
    Tick,
    Removed,
    Shutdown,
}

impl SocketConnection {
    pub(super) fn new(
        app: Arc<AppState>,
        who: Who,
        headers: HeaderMap,
        dialect: Dialect,
        socket: WebSocket,
    ) -> SocketConnection {
        SocketConnection { app, who, headers, dialect, socket, following: None, requests: OpenRequests::default() }
    }

    /// Follow `handle`, if there is one yet, and serve the client until it leaves. `wire_state` is how it was when the client
    /// was let in.
    pub(super) async fn run(
        mut self,
        handle: Option<TaskHandle>,
        after: Option<u64>,
        wire_state: Option<Arc<WireState>>,
    ) {
        if let Some(handle) = handle {
            let joined = match (after, wire_state) {
                (Some(after), _) => self.replay(handle, Seq(after)).await,
                (None, Some(wire_state)) => self.join(handle, &wire_state).await,
                (None, None) => self.join_now(handle).await,
            };
            if joined.is_err() {
                return;
            }
        }
        let SocketClosed = self.serve().await;
    }

    /// The task that the connection follows.
    pub(super) fn task(&self) -> Option<&TaskHandle> {
        self.following.as_ref().map(|following| &following.task)
    }

    /// A command of this connection was accepted by the entries `first` to `last`: follow its task, and do not show it its
    /// own prompt, which is the last.
    pub(super) fn follow_accepted(&mut self, handle: TaskHandle, first: Seq, last: Seq) {
        let after = Seq(first.0.saturating_sub(1));
        if self.following.is_none() {
            self.follow(handle, after);
        }
        if let Some(following) = &mut self.following {
            following.hide_own(last);
        }
    }

    /// True if it gets A2A's status updates instead of the endpoint guide's frames.
    pub(super) fn speaks_rfc(&self) -> bool {
        matches!(self.dialect, Dialect::Rfc(..))
    }

    /// Tell everything from here on as A2A's status updates.
    pub(super) fn speak_rfc(&mut self) {
        if self.speaks_rfc() {
            return;
        }
        self.dialect = Dialect::Rfc(EventEncoding::Json03, ToolExtension::Declared);
        if let Some(following) = &mut self.following {
            following.switch_dialect(&self.app.feeds, self.dialect);
        }
    }

    /// The operations, for this client. Whoever gets the extension's events declares the extension.
    pub(super) fn ops(&self) -> A2aOperations {
        let mut head = RequestHead::from_headers(&self.headers);
        if self.speaks_rfc() {
            head.extensions.push(URI.to_owned());
        }
        A2aOperations { app: Arc::clone(&self.app), who: self.who.clone(), version: A2aVersion::V03, head }
    }

    /// The number of requests that are answered by what this connection follows.
    pub(super) fn open_answers(&self) -> usize {
        self.following.as_ref().map_or(0, FollowedTask::open_answers)
    }

    /// Answer a message by the events of `stream`: in place of what this connection follows, where both are about the same.
    pub(super) fn answer_message(&mut self, id: Id, mut stream: Box<TaskStream>) {
        if let (None, Some(handle)) = (&self.following, stream.task()) {
            self.follow(handle, stream.position().unwrap_or_default());
        }
        match &mut self.following {
            Some(following) if stream.task().is_some_and(|handle| handle.scope == following.task.scope) => {
                following.answer_with(id, stream);
            }
            Some(_) | None => {
                stream.register_presence(ConnectionKind::WebSocket);
                self.requests.answer_with(id, stream);
            }
        }
    }

    /// Send one frame.
    pub(super) async fn send_frame(&mut self, json: &Bytes) -> Result<(), SocketClosed> {
        let text = String::from_utf8_lossy(json).into_owned();
        write(&mut self.socket, Message::Text(text.into())).await
    }

    /// Say something that is not in the log.
    pub(super) async fn send_unlogged(&mut self, frame: UnloggedFrame) -> Result<(), SocketClosed> {
        let handle = self.task().cloned();
        let json = match (self.dialect, handle) {
            (dialect @ Dialect::Rfc(..), Some(TaskHandle { seat, scope: view })) => {
                match self.app.feeds.newest_state(&*seat).await {
                    Ok(wire_state) => frame.encode_rfc(dialect, seat.session(), view, &wire_state),
                    Err(error) => Some(refused(error.into())),
                }
            }
            (Dialect::Rfc(..), None) => match frame {
                UnloggedFrame::Refused(fault) => Some(refused(fault)),
                UnloggedFrame::Console(..) | UnloggedFrame::Gap(_) => None,
            },
            (_, handle) => {
                let seq = self.following.as_ref().map_or(Seq::START, FollowedTask::cursor);
                Some(frame.encode_flat(handle.map(|handle| handle.scope.wire_id()).as_deref(), seq))
            }
        };
        match json {
            Some(json) => self.send_frame(&json).await,
            None => Ok(()),
        }
    }

    async fn serve(&mut self) -> SocketClosed {
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let done = match self.next(&mut pings).await {
                SocketEvent::Received(Some(Ok(Message::Text(text)))) => {
                    heard = Instant::now();
                    in_request(command::handle_frame(self, text.as_bytes())).await
                }
                SocketEvent::Received(Some(Ok(Message::Binary(bytes)))) => {
                    heard = Instant::now();
                    in_request(command::handle_frame(self, &bytes)).await
                }
                SocketEvent::Received(Some(Ok(Message::Ping(_)))) => {
                    heard = Instant::now();
                    answer_ping(&mut self.socket).await
                }
                SocketEvent::Received(Some(Ok(Message::Pong(_)))) => {
                    heard = Instant::now();
                    Ok(())
                }
                SocketEvent::Received(Some(Ok(Message::Close(_)) | Err(_)) | None) => Err(SocketClosed),
                SocketEvent::Followed(Ok(followed)) => self.show_followed(followed).await,
                SocketEvent::Followed(Err(fault)) => {
                    // Nothing more can be shown; the client comes back with `after`.
                    drop(self.send_unlogged(UnloggedFrame::Refused(fault)).await);
                    Err(SocketClosed)
                }
                SocketEvent::Answered(frame) => self.send_frame(&frame).await,
                SocketEvent::Noticed(Some(notice)) => {
                    self.send_unlogged(UnloggedFrame::Console(notice.level, notice.text)).await
                }
                SocketEvent::Noticed(None) => {
                    if let Some(following) = &mut self.following {
                        following.end_notices();
                    }
                    Ok(())
                }
                SocketEvent::Tick if heard.elapsed() > SILENCE_LIMIT => Err(SocketClosed),
                SocketEvent::Tick => write(&mut self.socket, Message::Ping(Bytes::new())).await,
                SocketEvent::Removed => Err(close(&mut self.socket, removed()).await),
                SocketEvent::Shutdown => Err(close(&mut self.socket, stopping()).await),
            };
            if done.is_err() {
                return SocketClosed;
            }
        }
    }

    async fn next(&mut self, pings: &mut tokio::time::Interval) -> SocketEvent {
        // Asked each time: a client that never stops sending would keep whatever waits below from being looked at.
        if self.following.as_ref().is_some_and(FollowedTask::is_removed) {
            return SocketEvent::Removed;
        }
        let happened = async {
            match &mut self.following {
                Some(following) => following.next_wake().await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.app.shutdown.cancelled() => SocketEvent::Shutdown,
            received = self.socket.recv() => SocketEvent::Received(received),
            _ = pings.tick() => SocketEvent::Tick,
            frame = self.requests.next() => SocketEvent::Answered(frame),
            happened = happened => match happened {
                FollowedWake::Removed => SocketEvent::Removed,
                FollowedWake::Followed(followed) => SocketEvent::Followed(followed),
                FollowedWake::Noticed(notice) => SocketEvent::Noticed(notice),
            },
        }
    }

    async fn show_followed(&mut self, followed: FollowedUpdate) -> Result<(), SocketClosed> {
        match followed {
            FollowedUpdate::Entry(shown) => return self.show(&shown).await,
            FollowedUpdate::Answer(id, event) => return self.send_frame(&write_event(&id, &event)).await,
            FollowedUpdate::Broken(id, fault) => self.send_frame(&write_error(id, fault)).await?,
            FollowedUpdate::AnswerOver => {}
        }
        if let Some(following) = &mut self.following {
            following.resume(&self.app.feeds, self.dialect);
        }
        Ok(())
    }

    async fn show(&mut self, shown: &EntryFrames) -> Result<(), SocketClosed> {
        let own = self.following.as_mut().is_some_and(|following| following.is_own(shown.seq()));
        for frame in shown.frames.iter().filter(|frame| !(own && frame.role == FrameRole::Echo)) {
            self.send_frame(frame.last.as_ref().unwrap_or(&frame.json)).await?;
        }
        Ok(())
    }

    /// Start now, with every ask that is open.
    async fn join_now(&mut self, handle: TaskHandle) -> Result<(), SocketClosed> {
        match self.app.feeds.newest_state(&*handle.seat).await {
            Ok(wire_state) => self.join(handle, &wire_state).await,
            Err(error) => {
                drop(self.send_unlogged(UnloggedFrame::Refused(error.into())).await);
                Err(SocketClosed)
            }
        }
    }

    /// Start where `wire_state` stands, with every ask that was open then.
    async fn join(&mut self, handle: TaskHandle, wire_state: &WireState) -> Result<(), SocketClosed> {
        let (session, view) = (handle.seat.session(), handle.scope);
        self.follow(handle, wire_state.state.head);
        if let Some(following) = &self.following {
            following.record_shown_asks(wire_state);
        }
        let frame_context = FrameContext::at_head(session, view, wire_state);
        for call in pending_asks(wire_state) {
            for frame in self.dialect.encode_frames(&DomainFrame::Call(Box::new(call)), &frame_context) {
                self.send_frame(&frame.json).await?;
            }
        }
        Ok(())
    }

    /// Show what follows `after`. A number beyond the end of the log is not in it.
    async fn replay(&mut self, handle: TaskHandle, after: Seq) -> Result<(), SocketClosed> {
        let beyond = match handle.seat.read(Seq(after.0.saturating_sub(1)), 1).await {
            Ok(page) => after > Seq::START && page.is_empty(),
            Err(error) => {
                drop(self.send_unlogged(UnloggedFrame::Refused(error.into())).await);
                return Err(SocketClosed);
            }
        };
        if !beyond {
            self.follow(handle, after);
            return Ok(());
        }
        let message = format!("there is no entry {after} in this log; what follows starts now");
        self.join_now(handle).await?;
        self.send_unlogged(UnloggedFrame::Gap(message)).await
    }

    fn follow(&mut self, handle: TaskHandle, after: Seq) {
        self.following = Some(FollowedTask::new(&self.app.feeds, handle, self.dialect, after));
    }
}

/// Send a message, to a client that takes it in time.
pub(super) async fn write(socket: &mut WebSocket, message: Message) -> Result<(), SocketClosed> {
    match timeout(SILENCE_LIMIT, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(SocketClosed),
    }
}

/// Send the answer to a ping before anything else is read, to a client that takes it in time. Otherwise the answers to a
/// client that pings and never reads would pile up here.
pub(super) async fn answer_ping(socket: &mut WebSocket) -> Result<(), SocketClosed> {
    match timeout(SILENCE_LIMIT, socket.flush()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(SocketClosed),
    }
}

/// Say why it is over.
pub(super) async fn close(socket: &mut WebSocket, why: CloseFrame) -> SocketClosed {
    // A client that does not take the reason is closed without it.
    let _ = timeout(PING, socket.send(Message::Close(Some(why)))).await;
    SocketClosed
}

/// The close frame for a client that is asked to leave.
pub(super) fn removed() -> CloseFrame {
    CloseFrame { code: close_code::POLICY, reason: Utf8Bytes::from_static(REMOVED) }
}

/// The close frame for clients when the server goes: they may come again.
pub(super) fn stopping() -> CloseFrame {
    CloseFrame { code: close_code::AWAY, reason: Utf8Bytes::from_static("the server is stopping") }
}
