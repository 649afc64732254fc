//! Who follows which session over the network right now. It is told to people, who may ask a client to leave; the log
//! knows nothing of it.

use pollux_session::{At, Seat, SessionId, Who};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// How many clients are listed. One beyond that is served all the same.
const MOST: usize = 8192;
/// It is said again that the list is full only after it had at most this many.
const ROOM_AGAIN: usize = MOST / 2;

/// What a client that was removed is told.
pub(crate) const REMOVED: &str = "this client was removed from the session by the people at it";

/// The clients that follow sessions now. Clones are the same list.
#[derive(Clone, Default)]
pub struct Presence(Arc<List>);

#[derive(Default)]
struct List {
    clients: Mutex<BTreeMap<u64, Present>>,
    next: AtomicU64,
    /// Whether it was said that the list is full.
    full_said: AtomicBool,
    changes: watch::Sender<u64>,
}

struct Present {
    client: Client,
    leave: CancellationToken,
}

/// A client that follows a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Names it in [`Presence::remove`]; no other client ever gets the same.
    pub id: u64,
    /// The session.
    pub session: SessionId,
    /// Who it is: proven, claimed, and what it may do.
    pub who: Who,
    /// How it is connected.
    pub how: How,
    /// Since when.
    pub since: At,
}

/// How a client is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// A WebSocket in the flat dialect.
    WebSocket,
    /// A stream of server-sent events.
    Sse,
    /// A stream of gRPC.
    Grpc,
    /// A WebSocket in the seat dialect, which terminals speak.
    Terminal,
}

impl How {
    /// The word people see.
    pub fn name(self) -> &'static str {
        match self {
            How::WebSocket => "WebSocket",
            How::Sse => "SSE",
            How::Grpc => "gRPC",
            How::Terminal => "terminal",
        }
    }
}

/// A client's place in the list, for as long as it is kept.
pub(crate) struct Attendance {
    list: Arc<List>,
    id: u64,
    leave: CancellationToken,
}

impl Presence {
    /// The clients that follow `session`, in the order in which they came.
    pub fn list(&self, session: SessionId) -> Vec<Client> {
        let clients = self.0.clients();
        clients.values().map(|present| &present.client).filter(|client| client.session == session).cloned().collect()
    }

    /// End the connection of a client; whether it was there. What it did stands.
    pub fn remove(&self, id: u64) -> bool {
        let clients = self.0.clients();
        let found = clients.get(&id);
        if let Some(present) = found {
            present.leave.cancel();
        }
        found.is_some()
    }

    /// Changes whenever somebody comes or goes.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// Whoever has this seat follows its session until the attendance is dropped.
    pub(crate) fn enter(&self, seat: &dyn Seat, how: How) -> Attendance {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed) + 1;
        self.list_client(Client { id, session: seat.session(), who: seat.who().clone(), how, since: now() })
    }

    fn list_client(&self, client: Client) -> Attendance {
        let (id, leave) = (client.id, CancellationToken::new());
        let mut clients = self.0.clients();
        if clients.len() < MOST {
            clients.insert(id, Present { client, leave: leave.clone() });
        } else if !self.0.full_said.swap(true, Ordering::Relaxed) {
            tracing::warn!("[A2AService] Client list is full ({MOST}); further clients are connected but not shown.");
        }
        drop(clients);
        self.0.changes.send_modify(|changes| *changes += 1);
        Attendance { list: Arc::clone(&self.0), id, leave }
    }
}

impl Attendance {
    /// Whether the client has been asked to leave.
    pub(crate) fn is_removed(&self) -> bool {
        self.leave.is_cancelled()
    }

    /// Returns when the client has been asked to leave.
    pub(crate) async fn removed(&self) {
        self.leave.cancelled().await;
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        let mut clients = self.list.clients();
        clients.remove(&self.id);
        if clients.len() <= ROOM_AGAIN {
            self.list.full_said.store(false, Ordering::Relaxed);
        }
        drop(clients);
        self.list.changes.send_modify(|changes| *changes += 1);
    }
}

impl List {
    /// The list. Nothing here panics while holding it.
    fn clients(&self) -> MutexGuard<'_, BTreeMap<u64, Present>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn now() -> At {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
