//! The listener: accepts connections, bounds what each may cost, and asks the gate before anything else runs.

mod body;
mod connection;
mod head;
#[cfg(feature = "grpc")]
mod http2;
mod overflow;
mod socket;

#[cfg(feature = "grpc")]
pub use http2::run_grpc;

use crate::gate::Gate;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use connection::{Connection, Desk};
use overflow::Overflow;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// What clients may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at one time, WebSockets included; the next one gets a 503.
    pub connections: usize,
    /// Bytes of a body; a larger one gets a 413.
    pub body: usize,
    /// Bytes of a request's head, at least 8 KiB; a larger one gets a 431.
    pub header_bytes: usize,
    /// Header lines of a request; more get a 431.
    pub headers: usize,
    /// How long a head may take to arrive, and how long a connection may rest between requests.
    pub header_timeout: Duration,
    /// How long a body may take before it has to keep up with `body_rate`.
    pub body_grace: Duration,
    /// Bytes a second at which a body has to arrive after its grace; a slower one gets a 408.
    pub body_rate: usize,
    /// How long requests may go on after the shutdown.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 1024,
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

/// Serves `router` on `listener` until `shutdown`.
///
/// Every request meets the gate first, before its body is read and before a 101. The router finds who asks in
/// `Extension<Who>` (absent on public paths) and the connection in `Extension<Peer>`; credentials are gone from the
/// headers. After `shutdown` nothing new is accepted and requests have `limits.drain` to finish; long streams and
/// WebSockets are the router's to end, by the same token.
pub async fn run(
    listener: TcpListener,
    gate: Arc<Gate>,
    limits: Limits,
    router: Router,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let local = listener.local_addr()?;
    let capacity = limits.connections.min(Semaphore::MAX_PERMITS);
    let places = Arc::new(Semaphore::new(capacity));
    let overflow = Overflow::new();
    let cut = CancellationToken::new();
    // The listener's own limit on bodies stands in for the router's default one.
    let desk = Arc::new(Desk::new(gate, limits, router.layer(DefaultBodyLimit::disable())));
    while let Some((stream, remote)) = accept(&listener, &shutdown).await {
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                let connection = Connection::new(Arc::clone(&desk), stream, remote, local, place);
                tokio::spawn(connection.serve(shutdown.clone(), cut.clone()));
            }
            Err(_) => overflow.turn_away(stream),
        }
    }
    drop(listener);
    // A place is given back when its socket is dropped, so all places free means that nobody is left.
    let all = u32::try_from(capacity).unwrap_or(u32::MAX);
    if timeout(limits.drain, places.acquire_many(all)).await.is_err() {
        tracing::debug!("requests were still running at the end of the drain and were cut off");
    }
    cut.cancel();
    Ok(())
}

/// The next connection, or `None` after the shutdown. Errors of `accept` never end the listener: those of one
/// connection are passed over, and when the system is out of something it is given a moment.
async fn accept(listener: &TcpListener, shutdown: &CancellationToken) -> Option<(TcpStream, SocketAddr)> {
    const FIRST_PAUSE: Duration = Duration::from_millis(10);
    const LONGEST_PAUSE: Duration = Duration::from_secs(1);
    let mut pause = FIRST_PAUSE;
    loop {
        let error = tokio::select! {
            biased;
            () = shutdown.cancelled() => return None,
            accepted = listener.accept() => match accepted {
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
