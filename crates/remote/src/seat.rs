//! A seat at a session that runs elsewhere, over a WebSocket in the seat dialect. It keeps no entries: whoever sits here
//! folds them, and reads on after its own cursor when the connection was cut.

mod driver;
mod error;
mod page_check;
mod seat_address;
mod socket;

pub use error::SeatError;
pub use seat_address::SeatAddress;

use driver::{PendingSeatRequest, SeatDriver};
use pollux_session::{
    BoxFuture, Command, CommandId, CommandInfo, CommandReceipt, ConnectedClient, Entry, Notice, NoticeFeed, ReadError,
    SEAT_FRAME_BYTES, Seat, SeatMessage, SeatRequest, SeatWelcome, SendError, Seq, SessionId, SessionSummary, Who,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

/// The most requests that wait for the connection, or for their answers, before more have to wait.
const WAITING: usize = 64;
/// The most notices that a slow reader may be behind.
const NOTICES: usize = 64;

/// The state of the connection to the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatLinkState {
    /// It is there.
    Up,
    /// It is not, and is tried again. What is sent meanwhile waits.
    Down {
        /// The end of the last connection.
        reason: DisconnectReason,
        /// The last error.
        why: String,
        /// Since when.
        since: Instant,
        /// The number of attempts, this one included.
        attempt: u32,
    },
    /// It is over for good, and why.
    Ended(String),
}

/// The end of a connection that is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisconnectReason {
    /// Nobody said anything.
    Lost,
    /// The server said goodbye: whoever holds the session has closed its door, or the program.
    Goodbye,
}

/// A seat at a session that runs elsewhere.
pub struct RemoteSeat {
    who: Who,
    welcome: SeatWelcome,
    asks: mpsc::Sender<PendingSeatRequest>,
    next: AtomicU64,
    head: watch::Receiver<Seq>,
    link: watch::Receiver<SeatLinkState>,
    notices: broadcast::Sender<Notice>,
}

impl RemoteSeat {
    /// Take a seat at the session that `address` names. From then on the seat sees to its connection by itself.
    pub async fn join(address: SeatAddress) -> Result<Arc<RemoteSeat>, SeatError> {
        let (socket, welcome) = socket::open(&address, None).await?;
        let (asks, asked) = mpsc::channel(WAITING);
        let (link_sender, link) = watch::channel(SeatLinkState::Up);
        let (head_sender, head) = watch::channel(welcome.head);
        let notices = broadcast::Sender::new(NOTICES);
        let driver = SeatDriver::new(address, &welcome, asked, head_sender, link_sender, notices.clone());
        tokio::spawn(driver.run(socket));
        let who = Who::from(welcome.who.clone());
        Ok(Arc::new(RemoteSeat { who, welcome, asks, next: AtomicU64::new(1), head, link, notices }))
    }

    /// The session's words about itself when this seat was taken.
    pub fn welcome(&self) -> &SeatWelcome {
        &self.welcome
    }

    /// The state of the connection.
    pub fn link(&self) -> watch::Receiver<SeatLinkState> {
        self.link.clone()
    }

    /// The commands that a prompt can name there.
    pub async fn commands(&self) -> Result<Vec<CommandInfo>, ReadError> {
        match self.ask(|request| SeatRequest::Commands { request }).await {
            Ok(SeatMessage::Commands { commands, .. }) => Ok(commands),
            other => Err(ReadError(unexpected_answer(other))),
        }
    }

    /// The models that can be chosen there: a line for each, with the name that chooses it first.
    pub async fn models(&self) -> Result<Vec<String>, ReadError> {
        match self.ask(|request| SeatRequest::Models { request }).await {
            Ok(SeatMessage::Models { models, .. }) => Ok(models),
            other => Err(ReadError(unexpected_answer(other))),
        }
    }

    /// The sessions that can be joined there.
    pub async fn sessions(&self) -> Result<Vec<SessionSummary>, ReadError> {
        match self.ask(|request| SeatRequest::Sessions { request }).await {
            Ok(SeatMessage::Sessions { sessions, .. }) => Ok(sessions),
            other => Err(ReadError(unexpected_answer(other))),
        }
    }

    /// The clients that are connected to the session.
    pub async fn clients(&self) -> Result<Vec<ConnectedClient>, ReadError> {
        match self.ask(|request| SeatRequest::Clients { request }).await {
            Ok(SeatMessage::Clients { clients, .. }) => Ok(clients),
            other => Err(ReadError(unexpected_answer(other))),
        }
    }

    /// Have a client leave, by the number it has in the list.
    pub async fn remove(&self, client: u64) -> Result<(), ReadError> {
        match self.ask(|request| SeatRequest::Remove { request, client }).await {
            Ok(SeatMessage::Removed { .. }) => Ok(()),
            other => Err(ReadError(unexpected_answer(other))),
        }
    }

    /// Ask, and wait for the answer through cuts of the connection. An error is why there will be none.
    async fn ask(&self, ask: impl FnOnce(u64) -> SeatRequest) -> Result<SeatMessage, String> {
        let ask = ask(self.next.fetch_add(1, Ordering::Relaxed));
        let (reply, answer) = oneshot::channel();
        let asking = PendingSeatRequest::new(ask, reply);
        if self.asks.send(asking).await.is_err() {
            return Err(self.ending());
        }
        answer.await.map_err(|_| self.ending())
    }

    /// Why there will be no more answers.
    fn ending(&self) -> String {
        match &*self.link.borrow() {
            SeatLinkState::Ended(why) => why.clone(),
            SeatLinkState::Up | SeatLinkState::Down { .. } => "the connection to the session is closed".to_owned(),
        }
    }
}

/// The error, where the answer is not the one that was asked for.
fn unexpected_answer(answer: Result<SeatMessage, String>) -> String {
    match answer {
        Err(why) | Ok(SeatMessage::Error { message: why, .. } | SeatMessage::Lost { message: why, .. }) => why,
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

    fn send(&self, id: CommandId, command: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(async move {
            // One that the server would close the connection for is not sent, again and again.
            let bytes = serde_json::to_string(&command).map_or(usize::MAX, |json| json.len());
            if bytes > SEAT_FRAME_BYTES - 1024 {
                let message = format!("it takes {bytes} bytes and the most is {SEAT_FRAME_BYTES}: put it in a file");
                return Err(SendError::Lost(message));
            }
            match self.ask(|request| SeatRequest::Send { request, id, command: Box::new(command) }).await {
                Ok(SeatMessage::Receipt { receipt, .. }) => Ok(receipt),
                Ok(SeatMessage::Refused { refusal, .. }) => Err(SendError::Refused(refusal)),
                other => Err(SendError::Lost(unexpected_answer(other))),
            }
        })
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(async move {
            // What was announced before the question is there for its answer.
            let announced = *self.head.borrow();
            let entries = match self.ask(|request| SeatRequest::Read { request, after, limit }).await {
                Ok(SeatMessage::Entries { entries, .. }) => entries,
                other => return Err(ReadError(unexpected_answer(other))),
            };
            page_check::check_page(&entries, after, limit, announced).map_err(ReadError)?;
            Ok(entries)
        })
    }

    fn changed(&self, after: Seq) -> BoxFuture<'_, Result<Seq, ReadError>> {
        Box::pin(async move {
            let mut head = self.head.clone();
            let newest = head.wait_for(|head| *head > after).await.map(|head| *head);
            newest.map_err(|_| ReadError(self.ending()))
        })
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        Box::new(NoticeReceiver(self.notices.subscribe()))
    }
}

struct NoticeReceiver(broadcast::Receiver<Notice>);

impl NoticeFeed for NoticeReceiver {
    fn next(&mut self) -> BoxFuture<'_, Option<Notice>> {
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
