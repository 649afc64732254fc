//! What goes on behind a seat: one task that owns the connection, asks, hands out answers and connects again.

use super::address::SeatAddress;
use super::error::SeatError;
use super::socket::{self, Cut, Socket};
use super::{Link, Parting, WAITING};
use pollux_session::{CancelScope, Command, Notice, SeatAsk, SeatTell, Seq, SessionId, Welcome};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

/// The pause before the first new attempt; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How long a session that was closed where it runs may take to be opened again. A lost connection is tried for ever: a
/// network may come back after hours, while whoever closes a session means it, or is about to restart.
const REOPENED_WITHIN: Duration = Duration::from_secs(60);

/// A request and whoever waits for its answer.
pub(super) struct Asking {
    ask: SeatAsk,
    reply: oneshot::Sender<SeatTell>,
    sent: bool,
}

impl Asking {
    pub(super) fn new(ask: SeatAsk, reply: oneshot::Sender<SeatTell>) -> Asking {
        Asking { ask, reply, sent: false }
    }
}

/// The task behind a seat.
pub(super) struct Driver {
    address: SeatAddress,
    session: SessionId,
    incarnation: u32,
    asks: mpsc::Receiver<Asking>,
    /// What has been asked for and not answered, by its number.
    waiting: BTreeMap<u64, Asking>,
    head: watch::Sender<Seq>,
    link: watch::Sender<Link>,
    notices: broadcast::Sender<Notice>,
}

/// Why a conversation is over.
enum Over {
    Cut(Cut),
    /// Nobody sits here any more.
    Left,
}

impl Driver {
    pub(super) fn new(
        address: SeatAddress,
        welcome: &Welcome,
        asks: mpsc::Receiver<Asking>,
        head: watch::Sender<Seq>,
        link: watch::Sender<Link>,
        notices: broadcast::Sender<Notice>,
    ) -> Driver {
        let Welcome { session, incarnation, .. } = *welcome;
        Driver { address, session, incarnation, asks, waiting: BTreeMap::new(), head, link, notices }
    }

    /// Until nobody sits here, or there is nothing to come back to.
    pub(super) async fn run(mut self, mut socket: Socket) {
        loop {
            let (parting, why) = match self.converse(socket).await {
                Over::Left => return,
                Over::Cut(Cut::Unwanted(why)) => return self.end(why),
                Over::Cut(Cut::Broken(why)) => (Parting::Lost, why),
                Over::Cut(Cut::Goodbye(why)) => (Parting::Goodbye, why),
            };
            self.give_up_what_cannot_be_repeated(&why);
            socket = match self.come_back(parting, why).await {
                Ok(Some(socket)) => socket,
                Ok(None) => return,
                Err(error) => return self.end(error.to_string()),
            };
            self.link.send_replace(Link::Up);
        }
    }

    async fn converse(&mut self, mut socket: Socket) -> Over {
        for asking in self.waiting.values_mut() {
            asking.sent = true;
            if let Err(cut) = socket.ask(&asking.ask) {
                return Over::Cut(cut);
            }
        }
        loop {
            self.waiting.retain(|_, asking| !asking.reply.is_closed());
            tokio::select! {
                told = socket.next() => match told {
                    Ok(tell) => self.hear(tell),
                    Err(cut) => return Over::Cut(cut),
                },
                asked = self.asks.recv(), if self.waiting.len() < WAITING => {
                    let Some(mut asking) = asked else { return Over::Left };
                    asking.sent = true;
                    let sent = socket.ask(&asking.ask);
                    self.waiting.insert(asking.ask.request(), asking);
                    if let Err(cut) = sent {
                        return Over::Cut(cut);
                    }
                }
            }
        }
    }

    fn hear(&mut self, tell: SeatTell) {
        match tell {
            SeatTell::Head { seq } => self.learn(seq),
            SeatTell::Notice(notice) => {
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

    fn learn(&self, seq: Seq) {
        self.head.send_if_modified(|head| {
            let is_news = seq > *head;
            *head = seq.max(*head);
            is_news
        });
    }

    /// A command that means something else the second time is not sent again when its fate is not known. Prompts and answers
    /// are known by their ids, and the others change nothing when they are repeated.
    fn give_up_what_cannot_be_repeated(&mut self, why: &str) {
        let lost = self.waiting.extract_if(.., |_, asking| asking.sent && !may_be_repeated(&asking.ask));
        for (request, asking) in lost {
            let message =
                format!("the connection broke ({why}) and nobody knows whether it was done: look, and ask again");
            let _ = asking.reply.send(SeatTell::Lost { request, message });
        }
    }

    /// Another connection to the same session; `None` when nobody sits here any more.
    async fn come_back(&mut self, parting: Parting, mut why: String) -> Result<Option<Socket>, SeatError> {
        let since = Instant::now();
        let gives_up = tokio::time::Instant::now() + REOPENED_WITHIN;
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            if parting == Parting::Goodbye && tokio::time::Instant::now() >= gives_up {
                return Err(SeatError::Closed);
            }
            self.link.send_replace(Link::Down { parting, why, since, attempt });
            if !self.pause(pause).await {
                return Ok(None);
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
            match socket::open(&self.address, Some(self.session)).await {
                Ok((socket, welcome)) => {
                    self.check(&welcome)?;
                    self.learn(welcome.head);
                    return Ok(Some(socket));
                }
                Err(error) if error.may_pass() => why = error.to_string(),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Whether it is the same log, with everything this seat has been told.
    fn check(&self, welcome: &Welcome) -> Result<(), SeatError> {
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
        self.link.send_replace(Link::Ended(why));
    }
}

fn may_be_repeated(ask: &SeatAsk) -> bool {
    match ask {
        SeatAsk::Read { .. }
        | SeatAsk::Commands { .. }
        | SeatAsk::Models { .. }
        | SeatAsk::Sessions { .. }
        | SeatAsk::Clients { .. }
        | SeatAsk::Remove { .. } => true,
        SeatAsk::Send { command, .. } => match &**command {
            Command::Prompt { .. }
            | Command::Reply { .. }
            | Command::OpenTask { .. }
            | Command::Answer { .. }
            | Command::Set { .. }
            | Command::Requeue { .. }
            | Command::Unqueue { .. }
            | Command::Release
            | Command::Cancel { scope: CancelScope::Task { .. } } => true,
            Command::Cancel { scope: CancelScope::Turn } | Command::Compact | Command::Uncompact => false,
        },
    }
}
