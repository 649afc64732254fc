//! The task behind a seat: it owns the connection, asks, hands out answers and connects again.

use super::error::SeatError;
use super::seat_address::SeatAddress;
use super::socket::{self, SeatDisconnect, SeatSocket};
use super::{DisconnectReason, SeatLinkState, WAITING};
use pollux_session::{CancelScope, Command, Notice, SeatMessage, SeatRequest, SeatWelcome, Seq, SessionId};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

/// The pause before the first new attempt; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The time that a session that was closed where it runs may take to be opened again. A lost connection is tried for
/// ever: a network may come back after hours, while whoever closes a session means it, or is about to restart.
const REOPENED_WITHIN: Duration = Duration::from_secs(60);

/// A request and whoever waits for its answer.
pub(super) struct PendingSeatRequest {
    ask: SeatRequest,
    reply: oneshot::Sender<SeatMessage>,
    sent: bool,
}

impl PendingSeatRequest {
    pub(super) fn new(ask: SeatRequest, reply: oneshot::Sender<SeatMessage>) -> PendingSeatRequest {
        PendingSeatRequest { ask, reply, sent: false }
    }
}

/// The task behind a seat.
pub(super) struct SeatDriver {
    address: SeatAddress,
    session: SessionId,
    incarnation: u32,
    asks: mpsc::Receiver<PendingSeatRequest>,
    /// Requests without an answer, by their number.
    waiting: BTreeMap<u64, PendingSeatRequest>,
    head: watch::Sender<Seq>,
    link: watch::Sender<SeatLinkState>,
    notices: broadcast::Sender<Notice>,
}

/// Why a conversation is over.
enum ConnectionEnd {
    Cut(SeatDisconnect),
    /// Nobody sits here any more.
    Left,
}

impl SeatDriver {
    pub(super) fn new(
        address: SeatAddress,
        welcome: &SeatWelcome,
        asks: mpsc::Receiver<PendingSeatRequest>,
        head: watch::Sender<Seq>,
        link: watch::Sender<SeatLinkState>,
        notices: broadcast::Sender<Notice>,
    ) -> SeatDriver {
        let SeatWelcome { session, incarnation, .. } = *welcome;
        SeatDriver { address, session, incarnation, asks, waiting: BTreeMap::new(), head, link, notices }
    }

    /// Until nobody sits here, or there is nothing to come back to.
    pub(super) async fn run(mut self, mut socket: SeatSocket) {
        loop {
            let (parting, why) = match self.serve_connection(socket).await {
                ConnectionEnd::Left => return,
                ConnectionEnd::Cut(SeatDisconnect::Unwanted(why)) => return self.end(why),
                ConnectionEnd::Cut(SeatDisconnect::Broken(why)) => (DisconnectReason::Lost, why),
                ConnectionEnd::Cut(SeatDisconnect::Goodbye(why)) => (DisconnectReason::Goodbye, why),
            };
            self.fail_unrepeatable(&why);
            socket = match self.reconnect(parting, why).await {
                Ok(Some(socket)) => socket,
                Ok(None) => return,
                Err(error) => return self.end(error.to_string()),
            };
            self.link.send_replace(SeatLinkState::Up);
        }
    }

    async fn serve_connection(&mut self, mut socket: SeatSocket) -> ConnectionEnd {
        for asking in self.waiting.values_mut() {
            asking.sent = true;
            if let Err(cut) = socket.ask(&asking.ask) {
                return ConnectionEnd::Cut(cut);
            }
        }
        loop {
            self.waiting.retain(|_, asking| !asking.reply.is_closed());
            tokio::select! {
                told = socket.next() => match told {
                    Ok(tell) => self.handle_message(tell),
                    Err(cut) => return ConnectionEnd::Cut(cut),
                },
                asked = self.asks.recv(), if self.waiting.len() < WAITING => {
                    let Some(mut asking) = asked else { return ConnectionEnd::Left };
                    asking.sent = true;
                    let sent = socket.ask(&asking.ask);
                    self.waiting.insert(asking.ask.request(), asking);
                    if let Err(cut) = sent {
                        return ConnectionEnd::Cut(cut);
                    }
                }
            }
        }
    }

    fn handle_message(&mut self, tell: SeatMessage) {
        match tell {
            SeatMessage::Head { seq } => self.advance_head(seq),
            SeatMessage::Notice(notice) => {
                // Nobody may be listening.
                let _ = self.notices.send(notice);
            }
            tell => match tell.request().and_then(|request| self.waiting.remove(&request)) {
                Some(asking) => {
                    // Whoever asked may have gone.
                    let _ = asking.reply.send(tell);
                }
                None => tracing::debug!("the session told something that nobody asked for"),
            },
        }
    }

    fn advance_head(&self, seq: Seq) {
        self.head.send_if_modified(|head| {
            let is_news = seq > *head;
            *head = seq.max(*head);
            is_news
        });
    }

    /// A command that means something else the second time is not sent again when its fate is not known. Prompts and answers
    /// are known by their ids, and the others change nothing when they are repeated.
    fn fail_unrepeatable(&mut self, why: &str) {
        let lost = self.waiting.extract_if(.., |_, asking| asking.sent && !may_be_repeated(&asking.ask));
        for (request, asking) in lost {
            let message =
                format!("the connection broke ({why}) and nobody knows whether it was done: look, and ask again");
            let _ = asking.reply.send(SeatMessage::Lost { request, message });
        }
    }

    /// Another connection to the same session; `None` when nobody sits here any more.
    async fn reconnect(&mut self, parting: DisconnectReason, mut why: String) -> Result<Option<SeatSocket>, SeatError> {
        let since = Instant::now();
        let gives_up = tokio::time::Instant::now() + REOPENED_WITHIN;
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            if parting == DisconnectReason::Goodbye && tokio::time::Instant::now() >= gives_up {
                return Err(SeatError::Closed);
            }
            self.link.send_replace(SeatLinkState::Down { reason: parting, why, since, attempt });
            if !self.pause(pause).await {
                return Ok(None);
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
            match socket::open(&self.address, Some(self.session)).await {
                Ok((socket, welcome)) => {
                    self.check(&welcome)?;
                    self.advance_head(welcome.head);
                    return Ok(Some(socket));
                }
                Err(error) if error.may_pass() => why = error.to_string(),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Check that it is the same log, with everything this seat has been told.
    fn check(&self, welcome: &SeatWelcome) -> Result<(), SeatError> {
        let known = *self.head.borrow();
        if welcome.session == self.session && welcome.incarnation == self.incarnation && welcome.head >= known {
            return Ok(());
        }
        let session = self.session;
        Err(SeatError::Changed(match welcome.session == session {
            true => {
                format!("the log of session {session} was restored from a copy: join it again to see how it is now")
            }
            false => format!("another session than {session} is there now: join it again if that is wanted"),
        }))
    }

    /// Wait, and take requests meanwhile; whether somebody still sits here.
    async fn pause(&mut self, pause: Duration) -> bool {
        let over = tokio::time::sleep(pause);
        tokio::pin!(over);
        loop {
            self.waiting.retain(|_, asking| !asking.reply.is_closed());
            tokio::select! {
                () = &mut over => return !self.asks.is_closed(),
                asked = self.asks.recv(), if self.waiting.len() < WAITING => match asked {
                    Some(asking) => drop(self.waiting.insert(asking.ask.request(), asking)),
                    None => return false,
                },
            }
        }
    }

    /// There is nothing to come back to. Those who wait learn of it by the end of their channels.
    fn end(self, why: String) {
        self.link.send_replace(SeatLinkState::Ended(why));
    }
}

fn may_be_repeated(ask: &SeatRequest) -> bool {
    match ask {
        SeatRequest::Read { .. }
        | SeatRequest::Commands { .. }
        | SeatRequest::Models { .. }
        | SeatRequest::Sessions { .. }
        | SeatRequest::Clients { .. }
        | SeatRequest::Remove { .. } => true,
        SeatRequest::Send { command, .. } => match &**command {
            Command::Prompt { .. }
            | Command::Reply { .. }
            | Command::Message { .. }
            | Command::OpenTask { .. }
            | Command::Answer { .. }
            | Command::Deny { .. }
            | Command::Set { .. }
            | Command::Requeue { .. }
            | Command::Unqueue { .. }
            | Command::Release
            | Command::Cancel { scope: CancelScope::Task { .. } } => true,
            Command::Cancel { scope: CancelScope::Turn } | Command::Compact | Command::Uncompact => false,
        },
    }
}
