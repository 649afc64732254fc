//! The clients that follow sessions over the network right now. People are told of them, and may ask a client to leave;
//! the log knows nothing of it.

use parking_lot::{Mutex, MutexGuard};
use pollux_session::{Seat, SessionId, UnixMillis, Who};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// The most clients that are listed. One beyond that is served all the same.
const MAX_CLIENTS: usize = 8192;
/// It is said again that the list is full only after it had at most this many.
const ROOM_AGAIN: usize = MAX_CLIENTS / 2;

/// The message to a client that was removed.
pub(crate) const REMOVED: &str = "this client was removed from the session by the people at it";

/// The clients that follow sessions now. Clones are the same list.
#[derive(Clone, Default)]
pub struct Presence(Arc<PresenceList>);

#[derive(Default)]
struct PresenceList {
    clients: Mutex<BTreeMap<u64, PresenceEntry>>,
    next: AtomicU64,
    /// True if it was said that the list is full.
    full_said: AtomicBool,
    changes: watch::Sender<u64>,
}

struct PresenceEntry {
    client: PresentClient,
    leave: CancellationToken,
}

/// A client that follows a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresentClient {
    /// Names it in [`Presence::remove`]; no other client ever gets the same.
    pub id: u64,
    pub session: SessionId,
    /// Its identity: proven, claimed, and its rights.
    pub who: Who,
    pub connection: ConnectionKind,
    /// Since when.
    pub since: UnixMillis,
}

/// The kind of a client's connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectionKind {
    /// A WebSocket in the flat dialect.
    WebSocket,
    /// A stream of server-sent events.
    Sse,
    /// A stream of gRPC.
    Grpc,
    /// A WebSocket in the seat dialect, which terminals speak.
    Terminal,
}

impl ConnectionKind {
    /// The word people see.
    pub fn name(self) -> &'static str {
        match self {
            ConnectionKind::WebSocket => "WebSocket",
            ConnectionKind::Sse => "SSE",
            ConnectionKind::Grpc => "gRPC",
            ConnectionKind::Terminal => "terminal",
        }
    }
}

/// A client's place in the list, for as long as it is kept.
pub(crate) struct PresenceGuard {
    list: Arc<PresenceList>,
    id: u64,
    leave: CancellationToken,
}

impl Presence {
    /// The clients that follow `session`, in the order in which they came.
    pub fn list(&self, session: SessionId) -> Vec<PresentClient> {
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
    pub(crate) fn register(&self, seat: &dyn Seat, how: ConnectionKind) -> PresenceGuard {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed) + 1;
        self.list_client(PresentClient {
            id,
            session: seat.session(),
            who: seat.who().clone(),
            connection: how,
            since: now(),
        })
    }

    fn list_client(&self, client: PresentClient) -> PresenceGuard {
        let (id, leave) = (client.id, CancellationToken::new());
        let mut clients = self.0.clients();
        if clients.len() < MAX_CLIENTS {
            clients.insert(id, PresenceEntry { client, leave: leave.clone() });
        } else if !self.0.full_said.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "[A2AService] Client list is full ({MAX_CLIENTS}); further clients are connected but not shown."
            );
        }
        drop(clients);
        self.0.changes.send_modify(|changes| *changes += 1);
        PresenceGuard { list: Arc::clone(&self.0), id, leave }
    }
}

impl PresenceGuard {
    /// True if the client has been asked to leave.
    pub(crate) fn is_removed(&self) -> bool {
        self.leave.is_cancelled()
    }

    /// Returns when the client has been asked to leave.
    pub(crate) async fn removed(&self) {
        self.leave.cancelled().await;
    }
}

impl Drop for PresenceGuard {
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

impl PresenceList {
    /// The list. Nothing here panics while holding it.
    fn clients(&self) -> MutexGuard<'_, BTreeMap<u64, PresenceEntry>> {
        self.clients.lock()
    }
}

fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
