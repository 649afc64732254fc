//! A WebSocket in the seat dialect: entries from the log on request, the newest number whenever it changes, and commands.

use super::connection::{PING, SILENCE_LIMIT, SocketClosed, answer_ping, close, removed, stopping, write};
use crate::commands;
use crate::dialect::{seat_frame, seat_page};
use crate::errors::RequestError;
use crate::presence::{ConnectionKind, PresenceGuard, PresentClient};
use crate::router::AppState;
use crate::session_access::{SessionAccess, TaskHandle, read_opened};
use axum::extract::ws::{Message, WebSocket};
use bytes::Bytes;
use pollux_session::{
    ConnectedClient, Notice, NoticeFeed, ReadError, Right, Seat, SeatMessage, SeatRequest, SeatWelcome, SendError, Seq,
    SessionSummary, WhoFrame,
};
use serde::Deserialize;
use std::future::pending;
use std::sync::Arc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

/// The most entries that are read for one page.
const PAGE: usize = 512;
/// The most sessions that are listed.
const SESSIONS: usize = 100;

/// A seat that somebody far away has taken.
pub(super) struct SeatConnection {
    app: Arc<AppState>,
    seat: Arc<dyn Seat>,
    welcome: SeatWelcome,
    /// The newest entry the client knows of.
    head: Seq,
    notices: Option<Box<dyn NoticeFeed>>,
    presence_guard: PresenceGuard,
}

/// An event of the seat.
enum SeatEvent {
    Received(Option<Result<Message, axum::Error>>),
    Changed(Result<Seq, ReadError>),
    Noticed(Option<Notice>),
    Tick,
    Removed,
    Shutdown,
}

impl SeatConnection {
    /// All that can go wrong before the client is let in.
    pub(super) async fn prepare(
        app: Arc<AppState>,
        handle: Option<TaskHandle>,
    ) -> Result<SeatConnection, RequestError> {
        let unnamed = || {
            RequestError::invalid_params("say which session: /ws?taskId=ID with the id of a session or of a task in it")
        };
        let seat = handle.ok_or_else(unnamed)?.seat;
        let workspace = read_opened(&*seat).await?.workspace;
        // A session always has its first entry, so this does not wait.
        let head = seat.changed(Seq::START).await?;
        let welcome = SeatWelcome {
            session: seat.session(),
            who: WhoFrame::from(seat.who()),
            incarnation: seat.incarnation(),
            head,
            workspace,
            release: app.card_config.version.clone(),
        };
        let presence_guard = app.feeds.presence().register(&*seat, ConnectionKind::Terminal);
        let notices = Some(seat.notices());
        Ok(SeatConnection { app, seat, welcome, head, notices, presence_guard })
    }

    /// Serve the client until it leaves.
    pub(super) async fn run(mut self, mut socket: WebSocket) {
        let SocketClosed = self.serve(&mut socket).await;
    }

    async fn serve(&mut self, socket: &mut WebSocket) -> SocketClosed {
        if send_frame(socket, &SeatMessage::Welcome(self.welcome.clone())).await.is_err() {
            return SocketClosed;
        }
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let next = self.next(socket, &mut pings).await;
            if matches!(next, SeatEvent::Received(_)) {
                heard = Instant::now();
            }
            let done = match next {
                SeatEvent::Received(Some(Ok(Message::Text(text)))) => self.handle_frame(socket, text.as_bytes()).await,
                SeatEvent::Received(Some(Ok(Message::Binary(bytes)))) => self.handle_frame(socket, &bytes).await,
                SeatEvent::Received(Some(Ok(Message::Ping(_)))) => answer_ping(socket).await,
                SeatEvent::Received(Some(Ok(Message::Pong(_)))) => Ok(()),
                SeatEvent::Received(Some(Ok(Message::Close(_)) | Err(_)) | None) => Err(SocketClosed),
                SeatEvent::Changed(Ok(seq)) => {
                    self.head = seq;
                    send_frame(socket, &SeatMessage::Head { seq }).await
                }
                SeatEvent::Changed(Err(error)) => {
                    // Nothing more can be told; the client comes back and reads on.
                    drop(send_frame(socket, &failed(None, error.to_string())).await);
                    Err(SocketClosed)
                }
                SeatEvent::Noticed(Some(notice)) => send_frame(socket, &SeatMessage::Notice(notice)).await,
                SeatEvent::Noticed(None) => {
                    self.notices = None;
                    Ok(())
                }
                SeatEvent::Tick if heard.elapsed() > SILENCE_LIMIT => Err(SocketClosed),
                SeatEvent::Tick => write(socket, Message::Ping(Bytes::new())).await,
                SeatEvent::Removed => Err(close(socket, removed()).await),
                SeatEvent::Shutdown => Err(close(socket, stopping()).await),
            };
            if done.is_err() {
                return SocketClosed;
            }
        }
    }

    async fn next(&mut self, socket: &mut WebSocket, pings: &mut Interval) -> SeatEvent {
        let noticed = async {
            match &mut self.notices {
                Some(notices) => notices.next().await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.app.shutdown.cancelled() => SeatEvent::Shutdown,
            () = self.presence_guard.removed() => SeatEvent::Removed,
            received = socket.recv() => SeatEvent::Received(received),
            _ = pings.tick() => SeatEvent::Tick,
            changed = self.seat.changed(self.head) => SeatEvent::Changed(changed),
            notice = noticed => SeatEvent::Noticed(notice),
        }
    }

    /// Do what a frame asks for, and answer it.
    async fn handle_frame(&mut self, socket: &mut WebSocket, frame: &[u8]) -> Result<(), SocketClosed> {
        let ask = match serde_json::from_slice(frame) {
            Ok(ask) => ask,
            Err(error) => {
                let message = format!("this frame cannot be read: {error}; docs/PROTOCOL.md has the frames of a seat");
                return send_frame(socket, &failed(request_in(frame), message)).await;
            }
        };
        let request = SeatRequest::request(&ask);
        let answer = match ask {
            SeatRequest::Read { after, limit, .. } => match self.seat.read(after, limit.min(PAGE)).await {
                Ok(entries) => return write(socket, Message::Text(seat_page(request, &entries).into())).await,
                Err(error) => failed(Some(request), error.to_string()),
            },
            SeatRequest::Send { id, command, .. } => match self.seat.send(id, *command).await {
                Ok(receipt) => SeatMessage::Receipt { request, receipt },
                Err(SendError::Refused(refusal)) => {
                    let message = refusal.to_string();
                    SeatMessage::Refused { request, refusal, message }
                }
                Err(SendError::Lost(message)) => SeatMessage::Lost { request, message },
            },
            SeatRequest::Commands { .. } => {
                let session = self.seat.session().to_string();
                match commands::list_commands(&self.app, self.seat.who(), Some(&session), None).await {
                    Ok(commands) => SeatMessage::Commands { request, commands },
                    Err(fault) => failed(Some(request), fault.message),
                }
            }
            SeatRequest::Models { .. } => {
                let models = match &self.app.models {
                    Some(source) => source().await,
                    None => Vec::new(),
                };
                SeatMessage::Models { request, models }
            }
            SeatRequest::Sessions { .. } => match sessions(&self.app, &*self.seat).await {
                Ok(sessions) => SeatMessage::Sessions { request, sessions },
                Err(fault) => failed(Some(request), fault.message),
            },
            SeatRequest::Clients { .. } => {
                let clients = self.clients().into_iter().map(|client| ConnectedClient {
                    id: client.id,
                    who: WhoFrame::from(&client.who),
                    how: client.connection.name().to_owned(),
                    since: client.since,
                });
                SeatMessage::Clients { request, clients: clients.collect() }
            }
            SeatRequest::Remove { client, .. } => match self.remove(client) {
                Ok(()) => SeatMessage::Removed { request },
                Err(why) => failed(Some(request), why.to_owned()),
            },
        };
        send_frame(socket, &answer).await
    }
}

impl SeatConnection {
    /// The clients that follow this session.
    fn clients(&self) -> Vec<PresentClient> {
        self.app.feeds.presence().list(self.seat.session())
    }

    /// Have a client of this session leave. An error says why it stays.
    fn remove(&self, client: u64) -> Result<(), &'static str> {
        if !self.seat.who().rights.allow(Right::Approve) {
            return Err("only who may approve can remove a client; join with a token that has this right");
        }
        let is_here = self.clients().iter().any(|here| here.id == client);
        if is_here && self.app.feeds.presence().remove(client) {
            return Ok(());
        }
        Err("that client has left already")
    }
}

/// The sessions that this client may sit at.
async fn sessions(app: &AppState, seat: &dyn Seat) -> Result<Vec<SessionSummary>, RequestError> {
    let mut found = app.sessions.roster().list(seat.who(), SESSIONS).await?;
    if let SessionAccess::Shared { session, .. } = &app.sessions {
        found.retain(|summary| summary.id == *session);
    }
    Ok(found)
}

async fn send_frame(socket: &mut WebSocket, what: &SeatMessage) -> Result<(), SocketClosed> {
    write(socket, Message::Text(seat_frame(what).into())).await
}

fn failed(request: Option<u64>, message: String) -> SeatMessage {
    SeatMessage::Error { request, message }
}

/// The number of a request that makes no sense otherwise.
fn request_in(frame: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct NumberedFrame {
        request: u64,
    }
    serde_json::from_slice::<NumberedFrame>(frame).ok().map(|numbered| numbered.request)
}
