//! The listener: accepts connections, bounds what each may cost, and asks the gate before anything else runs.

mod connection;
mod connection_slots;
mod head_watch;
#[cfg(feature = "grpc")]
mod http2;
mod listeners;
mod metered_body;
mod overflow;
mod pending_connections;
mod security_headers;
mod socket;

#[cfg(feature = "grpc")]
pub use http2::run_grpc;
pub use listeners::{BindError, Listeners, bind_listener};
pub(crate) use security_headers::SECURITY_HEADERS;

use crate::gate::Gate;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use connection::{HttpConnection, ListenerContext};
use connection_slots::ConnectionSlots;
use overflow::OverflowResponder;
use pending_connections::PendingConnections;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The number of connections that may be on their way out beside the others, where the limit is low. Elsewhere as many
/// as the limit: in a burst all that lose their slots at once have time to read that they are turned away.
const LEAST_LEAVING: usize = 64;

/// The time that a connection that has lost its slot has to take its answer. It must be short: these are beyond the
/// limit.
const LEAVE_TIMEOUT: Duration = Duration::from_millis(250);

/// Limits of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerLimits {
    /// Connections at one time, WebSockets included; the next one waits a moment and then gets a 503.
    pub connections: usize,
    /// Of those, how many only the user who runs the server can have.
    pub reserved_connections: usize,
    /// The most connections of one other user of this machine, or of one address elsewhere.
    pub connections_per_peer: usize,
    /// Bytes of a body; a larger one gets a 413.
    pub body: usize,
    /// Bytes of a request's head, at least 8 KiB; a larger one gets a 431.
    pub header_bytes: usize,
    /// Header lines of a request; more get a 431.
    pub headers: usize,
    /// The time that a head may take to arrive, and that a connection may rest between requests.
    pub header_timeout: Duration,
    /// The time that a body may take before it has to keep up with `body_rate`.
    pub body_grace: Duration,
    /// Bytes a second at which a body has to arrive after its grace; a slower one gets a 408.
    pub body_rate: usize,
    /// The time that requests may go on after the shutdown.
    pub drain: Duration,
}

impl ListenerLimits {
    /// The default limits, with so many connections: one in sixteen is kept for the user who runs the server, and no other
    /// user or address can have more than half.
    pub fn of_connections(connections: usize) -> ListenerLimits {
        ListenerLimits {
            connections,
            reserved_connections: connections.div_ceil(16),
            connections_per_peer: connections.div_ceil(2),
            ..ListenerLimits::default()
        }
    }
}

impl Default for ListenerLimits {
    fn default() -> ListenerLimits {
        ListenerLimits {
            connections: 1024,
            reserved_connections: 64,
            connections_per_peer: 512,
            body: 4 * 1024 * 1024,
            header_bytes: 16 * 1024,
            headers: 100,
            header_timeout: Duration::from_secs(10),
            body_grace: Duration::from_secs(5),
            body_rate: 1024,
            drain: Duration::from_secs(5),
        }
    }
}

/// Serves `router` on `listeners` until `shutdown`.
///
/// Every request meets the gate first, before its body is read and before a 101. The router finds who asks in
/// `Extension<Who>` (absent on public paths) and the connection in `Extension<Peer>`; credentials are gone from the
/// headers. After `shutdown` nothing new is accepted and requests have `limits.drain` to finish; long streams and
/// WebSockets are the router's to end, by the same token.
pub async fn run(
    listeners: impl Into<Listeners>,
    gate: Arc<Gate>,
    limits: ListenerLimits,
    router: Router,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let listeners = listeners.into();
    let local = listeners.local_addr()?;
    let slots = ConnectionSlots::new(limits.connections, limits.reserved_connections, limits.connections_per_peer);
    let overflow = Arc::new(OverflowResponder::new(limits.connections.max(LEAST_LEAVING)));
    let cut = CancellationToken::new();
    // The listener's own limit on bodies stands in for the router's default one.
    let desk = Arc::new(ListenerContext::new(
        Arc::clone(&gate),
        limits,
        router.layer(DefaultBodyLimit::disable()),
        Arc::clone(&overflow),
    ));
    let serve = |stream, peer, slot| {
        let connection = HttpConnection::new(Arc::clone(&desk), stream, peer, slot);
        tokio::spawn(connection.serve(shutdown.clone(), cut.clone()));
    };
    let reject = |stream| overflow.reject_connection(stream);
    let pending = PendingConnections::new(&slots, &gate);
    pending.accept_and_serve(&listeners, local, &shutdown, serve, reject).await;
    drop((pending, listeners));
    // A slot is given back when its socket is dropped, so all slots free means that nobody is left.
    if timeout(limits.drain, slots.all_free()).await.is_err() {
        tracing::debug!("requests were still running at the end of the drain and were cut off");
    }
    cut.cancel();
    Ok(())
}

/// The next connection, or `None` after the shutdown. Errors of `accept` never end the listener: those of one
/// connection are passed over, and when the system is out of something it is given a moment.
async fn accept(listeners: &Listeners, shutdown: &CancellationToken) -> Option<(TcpStream, SocketAddr)> {
    const FIRST_PAUSE: Duration = Duration::from_millis(10);
    const LONGEST_PAUSE: Duration = Duration::from_secs(1);
    let mut pause = FIRST_PAUSE;
    loop {
        let error = tokio::select! {
            biased;
            () = shutdown.cancelled() => return None,
            accepted = listeners.accept() => match accepted {
                Ok(connection) => return Some(connection),
                Err(error) => error,
            },
        };
        if is_of_one_connection(&error) {
            continue;
        }
        tracing::warn!(%error, "cannot accept connections, trying again");
        tokio::select! {
            biased;
            () = shutdown.cancelled() => return None,
            () = sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
