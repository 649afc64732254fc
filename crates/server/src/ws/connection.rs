//! The life of one WebSocket.

use super::command;
use crate::dialect::{Dialect, FrameRole, Saying, Shown, Spot, console, flat_frame, pending_asks};
use crate::errors::Fault;
use crate::feed::Watch;
use crate::presence::{Attendance, How, REMOVED};
use crate::rooms::Place;
use crate::router::Hall;
use crate::scene::Scene;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use bytes::Bytes;
use pollux_session::{Notice, Notices, Seq, Who};
use pollux_wire::flat::Body;
use std::collections::BTreeSet;
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
    socket: WebSocket,
    following: Option<Following>,
}

/// What a connection follows.
struct Following {
    place: Place,
    watch: Watch,
    notices: Option<Box<dyn Notices>>,
    /// Its place among those who follow the session.
    attendance: Attendance,
    /// Prompts this connection sent and has not met in the log yet: they are not shown to it.
    own: BTreeSet<Seq>,
}

/// The connection is over.
pub(super) struct Gone;

/// What happened next.
enum Next {
    Received(Option<Result<Message, axum::Error>>),
    Shown(Result<Arc<Shown>, Fault>),
    Noticed(Option<Notice>),
    Tick,
    Removed,
    Shutdown,
}

impl Connection {
    pub(super) fn new(hall: Arc<Hall>, who: Who, socket: WebSocket) -> Connection {
        Connection { hall, who, socket, following: None }
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
        if let Some(following) = &mut self.following
            && last > following.watch.cursor()
        {
            following.own.insert(last);
        }
    }

    /// Send one frame.
    pub(super) async fn tell(&mut self, json: &Bytes) -> Result<(), Gone> {
        let text = String::from_utf8_lossy(json).into_owned();
        write(&mut self.socket, Message::Text(text.into())).await
    }

    /// Say something that is not in the log.
    pub(super) async fn remark(&mut self, body: Body) -> Result<(), Gone> {
        let task = self.place().map(|place| place.view.wire_id());
        let seq = self.following.as_ref().map_or(Seq::START, |following| following.watch.cursor());
        self.tell(&flat_frame(body, task.as_deref(), seq.0)).await
    }

    async fn serve(&mut self) -> Gone {
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let done = match self.next(&mut pings).await {
                Next::Received(Some(Ok(Message::Text(text)))) => {
                    heard = Instant::now();
                    command::obey(self, text.as_bytes()).await
                }
                Next::Received(Some(Ok(Message::Binary(bytes)))) => {
                    heard = Instant::now();
                    command::obey(self, &bytes).await
                }
                Next::Received(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {
                    heard = Instant::now();
                    Ok(())
                }
                Next::Received(Some(Ok(Message::Close(_)) | Err(_)) | None) => Err(Gone),
                Next::Shown(Ok(shown)) => self.show(&shown).await,
                Next::Shown(Err(fault)) => {
                    // Nothing more can be shown; the client comes back with `after`.
                    drop(self.remark(fault.into_body()).await);
                    Err(Gone)
                }
                Next::Noticed(Some(notice)) => self.remark(console(notice.level, &notice.text)).await,
                Next::Noticed(None) => {
                    if let Some(following) = &mut self.following {
                        following.notices = None;
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
        let (shown, notices, attendance) = match &mut self.following {
            Some(Following { watch, notices, attendance, .. }) => (Some(watch), notices.as_mut(), Some(&*attendance)),
            None => (None, None, None),
        };
        let removed = async {
            match attendance {
                Some(attendance) => attendance.removed().await,
                None => pending().await,
            }
        };
        let shown = async {
            match shown {
                Some(watch) => watch.next().await.map_err(Fault::from),
                None => pending().await,
            }
        };
        let noticed = async {
            match notices {
                Some(notices) => notices.next().await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.hall.shutdown.cancelled() => Next::Shutdown,
            () = removed => Next::Removed,
            received = self.socket.recv() => Next::Received(received),
            _ = pings.tick() => Next::Tick,
            shown = shown => Next::Shown(shown),
            notice = noticed => Next::Noticed(notice),
        }
    }

    async fn show(&mut self, shown: &Shown) -> Result<(), Gone> {
        let own = self.following.as_mut().is_some_and(|following| following.own.remove(&shown.seq));
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
                drop(self.remark(Fault::from(error).into_body()).await);
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
            let Some(frame) = Dialect::Flat.spell(&Saying::Call(Box::new(call)), &spot) else { continue };
            self.tell(&frame.json).await?;
        }
        Ok(())
    }

    /// Show what follows `after`. A number beyond the end of the log has no place in it.
    async fn replay(&mut self, place: Place, after: Seq) -> Result<(), Gone> {
        let beyond = match place.seat.read(Seq(after.0.saturating_sub(1)), 1).await {
            Ok(page) => after > Seq::START && page.is_empty(),
            Err(error) => {
                drop(self.remark(Fault::from(error).into_body()).await);
                return Err(Gone);
            }
        };
        if !beyond {
            self.follow(place, after);
            return Ok(());
        }
        let message = format!("there is no entry {after} in this log; what follows starts now");
        self.join_now(place).await?;
        self.remark(Body::Gap { message }).await
    }

    fn follow(&mut self, place: Place, after: Seq) {
        let watch = self.hall.feeds.watch(&place.seat, place.view, Dialect::Flat, after);
        let notices = Some(place.seat.notices());
        let attendance = self.hall.feeds.presence().enter(&*place.seat, How::WebSocket);
        self.following = Some(Following { place, watch, notices, attendance, own: BTreeSet::new() });
    }
}

/// Send a message, to a client that takes it in time.
pub(super) async fn write(socket: &mut WebSocket, message: Message) -> Result<(), Gone> {
    match timeout(PATIENCE, socket.send(message)).await {
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
