//! A seat at a session that runs elsewhere, over a WebSocket in the seat dialect. It keeps no entries: whoever sits here
//! folds them, and reads on after its own cursor when the connection was cut.

mod address;
mod driver;
mod error;
mod page;
mod socket;

pub use address::SeatAddress;
pub use error::SeatError;

use driver::{Asking, Driver};
use pollux_session::{
    Command, CommandId, CommandInfo, Entry, Guest, Notice, Notices, Pending, ReadError, Receipt, SEAT_FRAME_BYTES,
    Seat, SeatAsk, SeatTell, SendError, Seq, SessionId, Summary, Welcome, Who,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

/// How many requests wait for the connection, or for their answers, before more have to wait.
const WAITING: usize = 64;
/// How many notices a slow reader may be behind.
const NOTICES: usize = 64;

/// How the connection to the session is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// It is there.
    Up,
    /// It is not, and is tried again. What is sent meanwhile waits.
    Down {
        /// How it ended when it was there last.
        parting: Parting,
        /// What went wrong last.
        why: String,
        /// Since when.
        since: Instant,
        /// How often it has been tried again, this time included.
        attempt: u32,
    },
    /// It is over for good, and why.
    Ended(String),
}

/// How a connection ended that is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parting {
    /// Nobody said anything.
    Lost,
    /// The server said goodbye: whoever holds the session has closed its door, or the program.
    Goodbye,
}

/// A seat at a session that runs elsewhere.
pub struct RemoteSeat {
    who: Who,
    welcome: Welcome,
    asks: mpsc::Sender<Asking>,
    next: AtomicU64,
    head: watch::Receiver<Seq>,
    link: watch::Receiver<Link>,
    notices: broadcast::Sender<Notice>,
}

impl RemoteSeat {
    /// Take a seat at the session that `address` names. From then on the seat sees to its connection by itself.
    pub async fn join(address: SeatAddress) -> Result<Arc<RemoteSeat>, SeatError> {
        let (socket, welcome) = socket::open(&address, None).await?;
        let (asks, asked) = mpsc::channel(WAITING);
        let (link_sender, link) = watch::channel(Link::Up);
        let (head_sender, head) = watch::channel(welcome.head);
        let notices = broadcast::Sender::new(NOTICES);
        let driver = Driver::new(address, &welcome, asked, head_sender, link_sender, notices.clone());
        tokio::spawn(driver.run(socket));
        let who = Who::from(welcome.who.clone());
        Ok(Arc::new(RemoteSeat { who, welcome, asks, next: AtomicU64::new(1), head, link, notices }))
    }

    /// What the session said of itself when this seat was taken.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// How the connection is doing.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.link.clone()
    }

    /// The commands that a prompt can name there.
    pub async fn commands(&self) -> Result<Vec<CommandInfo>, ReadError> {
        match self.ask(|request| SeatAsk::Commands { request }).await {
            Ok(SeatTell::Commands { commands, .. }) => Ok(commands),
            other => Err(ReadError(unfit(other))),
        }
    }

    /// The models that can be chosen there: a line for each, with the name that chooses it first.
    pub async fn models(&self) -> Result<Vec<String>, ReadError> {
        match self.ask(|request| SeatAsk::Models { request }).await {
            Ok(SeatTell::Models { models, .. }) => Ok(models),
            other => Err(ReadError(unfit(other))),
        }
    }

    /// The sessions that can be joined there.
    pub async fn sessions(&self) -> Result<Vec<Summary>, ReadError> {
        match self.ask(|request| SeatAsk::Sessions { request }).await {
            Ok(SeatTell::Sessions { sessions, .. }) => Ok(sessions),
            other => Err(ReadError(unfit(other))),
        }
    }

    /// Who is connected to the session.
    pub async fn clients(&self) -> Result<Vec<Guest>, ReadError> {
        match self.ask(|request| SeatAsk::Clients { request }).await {
            Ok(SeatTell::Clients { clients, .. }) => Ok(clients),
            other => Err(ReadError(unfit(other))),
        }
    }

    /// Have a client leave, by the number it has in the list.
    pub async fn remove(&self, client: u64) -> Result<(), ReadError> {
        match self.ask(|request| SeatAsk::Remove { request, client }).await {
            Ok(SeatTell::Removed { .. }) => Ok(()),
            other => Err(ReadError(unfit(other))),
        }
    }

    /// Ask, and wait for the answer through cuts of the connection. An error is why there will be none.
    async fn ask(&self, ask: impl FnOnce(u64) -> SeatAsk) -> Result<SeatTell, String> {
        let ask = ask(self.next.fetch_add(1, Ordering::Relaxed));
        let (reply, answer) = oneshot::channel();
        let asking = Asking::new(ask, reply);
        if self.asks.send(asking).await.is_err() {
            return Err(self.ending());
        }
        answer.await.map_err(|_| self.ending())
    }

    /// Why there will be no more answers.
    fn ending(&self) -> String {
        match &*self.link.borrow() {
            Link::Ended(why) => why.clone(),
            Link::Up | Link::Down { .. } => "the connection to the session is closed".to_owned(),
        }
    }
}

/// What went wrong, where the answer is not the one that was asked for.
fn unfit(answer: Result<SeatTell, String>) -> String {
    match answer {
        Err(why) | Ok(SeatTell::Error { message: why, .. } | SeatTell::Lost { message: why, .. }) => why,
        Ok(_) => "the server answered something else than it was asked".to_owned(),
    }
}

impl Seat for RemoteSeat {
    fn session(&self) -> SessionId {
        self.welcome.session
    }

    fn who(&self) -> &Who {
        &self.who
    }

    fn incarnation(&self) -> u32 {
        self.welcome.incarnation
    }

    fn send(&self, id: CommandId, command: Command) -> Pending<'_, Result<Receipt, SendError>> {
        Box::pin(async move {
            // One that the server would close the connection for is not sent, again and again.
            let bytes = serde_json::to_string(&command).map_or(usize::MAX, |json| json.len());
            if bytes > SEAT_FRAME_BYTES - 1024 {
                let message = format!("it takes {bytes} bytes and the most is {SEAT_FRAME_BYTES}: put it in a file");
                return Err(SendError::Lost(message));
            }
            match self.ask(|request| SeatAsk::Send { request, id, command: Box::new(command) }).await {
                Ok(SeatTell::Receipt { receipt, .. }) => Ok(receipt),
                Ok(SeatTell::Refused { refusal, .. }) => Err(SendError::Refused(refusal)),
                other => Err(SendError::Lost(unfit(other))),
            }
        })
    }

    fn read(&self, after: Seq, limit: usize) -> Pending<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(async move {
            // What was announced before the question is there for its answer.
            let announced = *self.head.borrow();
            let entries = match self.ask(|request| SeatAsk::Read { request, after, limit }).await {
                Ok(SeatTell::Entries { entries, .. }) => entries,
                other => return Err(ReadError(unfit(other))),
            };
            page::check(&entries, after, limit, announced).map_err(ReadError)?;
            Ok(entries)
        })
    }

    fn changed(&self, after: Seq) -> Pending<'_, Result<Seq, ReadError>> {
        Box::pin(async move {
            let mut head = self.head.clone();
            let newest = head.wait_for(|head| *head > after).await.map(|head| *head);
            newest.map_err(|_| ReadError(self.ending()))
        })
    }

    fn notices(&self) -> Box<dyn Notices> {
        Box::new(Lines(self.notices.subscribe()))
    }
}

struct Lines(broadcast::Receiver<Notice>);

impl Notices for Lines {
    fn next(&mut self) -> Pending<'_, Option<Notice>> {
        Box::pin(async {
            loop {
                match self.0.recv().await {
                    Ok(notice) => return Some(notice),
                    // Notices are lossy.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            }
        })
    }
}
