//! A WebSocket in the seat dialect: entries from the log on request, the newest number whenever it changes, and commands.

use super::connection::{Gone, PATIENCE, PING, answer_ping, close, removed, stopping, write};
use crate::commands;
use crate::dialect::{seat_frame, seat_page};
use crate::errors::Fault;
use crate::presence::{Attendance, Client, How};
use crate::rooms::{Place, Rooms, opened};
use crate::router::Hall;
use axum::extract::ws::{Message, WebSocket};
use bytes::Bytes;
use pollux_session::{
    Guest, Notice, Notices, ReadError, Right, Seat, SeatAsk, SeatTell, SendError, Seq, Sitter, Summary, Welcome,
};
use serde::Deserialize;
use std::future::pending;
use std::sync::Arc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

/// How many entries are read for one page.
const PAGE: usize = 512;
/// How many sessions are listed.
const SESSIONS: usize = 100;

/// A seat that somebody far away has taken.
pub(super) struct SeatConnection {
    hall: Arc<Hall>,
    seat: Arc<dyn Seat>,
    welcome: Welcome,
    /// The newest entry the client knows of.
    head: Seq,
    notices: Option<Box<dyn Notices>>,
    attendance: Attendance,
}

/// What happened next.
enum Next {
    Received(Option<Result<Message, axum::Error>>),
    Changed(Result<Seq, ReadError>),
    Noticed(Option<Notice>),
    Tick,
    Removed,
    Shutdown,
}

impl SeatConnection {
    /// All that can go wrong before the client is let in.
    pub(super) async fn prepare(hall: Arc<Hall>, place: Option<Place>) -> Result<SeatConnection, Fault> {
        let unnamed = || Fault::params("say which session: /ws?taskId=ID with the id of a session or of a task in it");
        let seat = place.ok_or_else(unnamed)?.seat;
        let workspace = opened(&*seat).await?.workspace;
        // A session always has its first entry, so this does not wait.
        let head = seat.changed(Seq::START).await?;
        let welcome = Welcome {
            session: seat.session(),
            who: Sitter::from(seat.who()),
            incarnation: seat.incarnation(),
            head,
            workspace,
            release: hall.face.version.clone(),
        };
        let attendance = hall.feeds.presence().enter(&*seat, How::Terminal);
        let notices = Some(seat.notices());
        Ok(SeatConnection { hall, seat, welcome, head, notices, attendance })
    }

    /// Serve the client until it leaves.
    pub(super) async fn run(mut self, mut socket: WebSocket) {
        let Gone = self.serve(&mut socket).await;
    }

    async fn serve(&mut self, socket: &mut WebSocket) -> Gone {
        if tell(socket, &SeatTell::Welcome(self.welcome.clone())).await.is_err() {
            return Gone;
        }
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let next = self.next(socket, &mut pings).await;
            if matches!(next, Next::Received(_)) {
                heard = Instant::now();
            }
            let done = match next {
                Next::Received(Some(Ok(Message::Text(text)))) => self.obey(socket, text.as_bytes()).await,
                Next::Received(Some(Ok(Message::Binary(bytes)))) => self.obey(socket, &bytes).await,
                Next::Received(Some(Ok(Message::Ping(_)))) => answer_ping(socket).await,
                Next::Received(Some(Ok(Message::Pong(_)))) => Ok(()),
                Next::Received(Some(Ok(Message::Close(_)) | Err(_)) | None) => Err(Gone),
                Next::Changed(Ok(seq)) => {
                    self.head = seq;
                    tell(socket, &SeatTell::Head { seq }).await
                }
                Next::Changed(Err(error)) => {
                    // Nothing more can be told; the client comes back and reads on.
                    drop(tell(socket, &failed(None, error.to_string())).await);
                    Err(Gone)
                }
                Next::Noticed(Some(notice)) => tell(socket, &SeatTell::Notice(notice)).await,
                Next::Noticed(None) => {
                    self.notices = None;
                    Ok(())
                }
                Next::Tick if heard.elapsed() > PATIENCE => Err(Gone),
                Next::Tick => write(socket, Message::Ping(Bytes::new())).await,
                Next::Removed => Err(close(socket, removed()).await),
                Next::Shutdown => Err(close(socket, stopping()).await),
            };
            if done.is_err() {
                return Gone;
            }
        }
    }

    async fn next(&mut self, socket: &mut WebSocket, pings: &mut Interval) -> Next {
        let noticed = async {
            match &mut self.notices {
                Some(notices) => notices.next().await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.hall.shutdown.cancelled() => Next::Shutdown,
            () = self.attendance.removed() => Next::Removed,
            received = socket.recv() => Next::Received(received),
            _ = pings.tick() => Next::Tick,
            changed = self.seat.changed(self.head) => Next::Changed(changed),
            notice = noticed => Next::Noticed(notice),
        }
    }

    /// Do what a frame asks for, and answer it.
    async fn obey(&mut self, socket: &mut WebSocket, frame: &[u8]) -> Result<(), Gone> {
        let ask = match serde_json::from_slice(frame) {
            Ok(ask) => ask,
            Err(error) => {
                let message = format!("this frame cannot be read: {error}; docs/PROTOCOL.md has the frames of a seat");
                return tell(socket, &failed(request_in(frame), message)).await;
            }
        };
        let request = SeatAsk::request(&ask);
        let answer = match ask {
            SeatAsk::Read { after, limit, .. } => match self.seat.read(after, limit.min(PAGE)).await {
                Ok(entries) => return write(socket, Message::Text(seat_page(request, &entries).into())).await,
                Err(error) => failed(Some(request), error.to_string()),
            },
            SeatAsk::Send { id, command, .. } => match self.seat.send(id, *command).await {
                Ok(receipt) => SeatTell::Receipt { request, receipt },
                Err(SendError::Refused(refusal)) => {
                    let message = refusal.to_string();
                    SeatTell::Refused { request, refusal, message }
                }
                Err(SendError::Lost(message)) => SeatTell::Lost { request, message },
            },
            SeatAsk::Commands { .. } => {
                let session = self.seat.session().to_string();
                match commands::at_hand(&self.hall, self.seat.who(), Some(&session), None).await {
                    Ok(commands) => SeatTell::Commands { request, commands },
                    Err(fault) => failed(Some(request), fault.message),
                }
            }
            SeatAsk::Models { .. } => {
                let models = match &self.hall.models {
                    Some(source) => source().await,
                    None => Vec::new(),
                };
                SeatTell::Models { request, models }
            }
            SeatAsk::Sessions { .. } => match sessions(&self.hall, &*self.seat).await {
                Ok(sessions) => SeatTell::Sessions { request, sessions },
                Err(fault) => failed(Some(request), fault.message),
            },
            SeatAsk::Clients { .. } => {
                let clients = self.clients().into_iter().map(|client| Guest {
                    id: client.id,
                    who: Sitter::from(&client.who),
                    how: client.how.name().to_owned(),
                    since: client.since,
                });
                SeatTell::Clients { request, clients: clients.collect() }
            }
            SeatAsk::Remove { client, .. } => match self.remove(client) {
                Ok(()) => SeatTell::Removed { request },
                Err(why) => failed(Some(request), why.to_owned()),
            },
        };
        tell(socket, &answer).await
    }
}

impl SeatConnection {
    /// Who follows this session.
    fn clients(&self) -> Vec<Client> {
        self.hall.feeds.presence().list(self.seat.session())
    }

    /// Have a client of this session leave. An error says why it stays.
    fn remove(&self, client: u64) -> Result<(), &'static str> {
        if !self.seat.who().rights.allow(Right::Approve) {
            return Err("only who may approve can remove a client; join with a token that has this right");
        }
        let is_here = self.clients().iter().any(|here| here.id == client);
        if is_here && self.hall.feeds.presence().remove(client) {
            return Ok(());
        }
        Err("that client has left already")
    }
}

/// The sessions that this client may sit at.
async fn sessions(hall: &Hall, seat: &dyn Seat) -> Result<Vec<Summary>, Fault> {
    let mut found = hall.rooms.roster().list(seat.who(), SESSIONS).await?;
    if let Rooms::Shared { session, .. } = &hall.rooms {
        found.retain(|summary| summary.id == *session);
    }
    Ok(found)
}

async fn tell(socket: &mut WebSocket, what: &SeatTell) -> Result<(), Gone> {
    write(socket, Message::Text(seat_frame(what).into())).await
}

fn failed(request: Option<u64>, message: String) -> SeatTell {
    SeatTell::Error { request, message }
}

/// The number of a request that makes no sense otherwise.
fn request_in(frame: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Numbered {
        request: u64,
    }
    serde_json::from_slice::<Numbered>(frame).ok().map(|numbered| numbered.request)
}
