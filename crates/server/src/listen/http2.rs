//! The gRPC listener: HTTP/2 and nothing else, behind the same gate and under the same limits as the other one.

use super::connection_slots::{ConnectionSlot, ConnectionSlots, SlotClaim, SlotStage};
use super::metered_body::MeteredBody;
use super::pending_connections::PendingConnections;
use super::security_headers::add_security_headers;
use super::{LEAVE_TIMEOUT, ListenerLimits, Listeners};
use crate::gate::{self, ConnectionPeer, Gate, GateDenial};
use crate::grpc;
use axum::Router;
use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::http::header::HOST;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Calls at one time on one connection.
const CALLS: u32 = 128;
/// The silence of a connection after which it is pinged, and the time it has to answer.
const PING: Duration = Duration::from_secs(20);

/// Serves the gRPC calls of `router` on `listeners` until `shutdown`. The router is that of [`super::run`], so that both
/// listeners share its sessions and streams; `gate` is one for this listener's own address.
///
/// Connections beyond the limit are closed. After `shutdown` nothing new is accepted, streams end as unavailable, and calls
/// have `limits.drain` to finish.
pub async fn run_grpc(
    listeners: impl Into<Listeners>,
    gate: Arc<Gate>,
    limits: ListenerLimits,
    router: Router,
    shutdown: CancellationToken,
) -> io::Result<()> {
    if !grpc::is_ready() {
        return Err(io::Error::other("the descriptors of the gRPC services are damaged: build the program again"));
    }
    let listeners = listeners.into();
    let local = listeners.local_addr()?;
    let slots = ConnectionSlots::new(limits.connections, limits.reserved_connections, limits.connections_per_peer);
    let cut = CancellationToken::new();
    let desk = Arc::new(GrpcListenerContext::new(Arc::clone(&gate), limits, router.layer(DefaultBodyLimit::disable())));
    let serve = |stream, peer, slot: ConnectionSlot| {
        let (desk, claim) = (Arc::clone(&desk), slot.claim());
        let visit =
            Arc::new(GrpcConnectionHandler { context: desk, peer, claim, has_requested: AtomicBool::new(false) });
        tokio::spawn(serve(visit, stream, slot, shutdown.clone(), cut.clone()));
    };
    let reject = |_stream| tracing::debug!("all connections are in use, one was closed");
    let pending = PendingConnections::new(&slots, &gate);
    pending.accept_and_serve(&listeners, local, &shutdown, serve, reject).await;
    drop((pending, listeners));
    if timeout(limits.drain, slots.all_free()).await.is_err() {
        tracing::debug!("calls were still running at the end of the drain and were cut off");
    }
    cut.cancel();
    Ok(())
}

/// The state that all connections of the listener share.
struct GrpcListenerContext {
    gate: Arc<Gate>,
    limits: ListenerLimits,
    router: Router,
    http: http2::Builder<TokioExecutor>,
}

impl GrpcListenerContext {
    fn new(gate: Arc<Gate>, limits: ListenerLimits, router: Router) -> GrpcListenerContext {
        let mut http = http2::Builder::new(TokioExecutor::new());
        http.timer(TokioTimer::new())
            .max_concurrent_streams(CALLS)
            .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
            .keep_alive_interval(PING)
            .keep_alive_timeout(PING);
        GrpcListenerContext { gate, limits, router, http }
    }
}

/// One connection, until the client is done; after `shutdown` until its calls are, or until `cut`.
async fn serve(
    visit: Arc<GrpcConnectionHandler>,
    stream: TcpStream,
    slot: ConnectionSlot,
    shutdown: CancellationToken,
    cut: CancellationToken,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot turn off delayed sending");
    }
    visit.claim.begin();
    let answering = Arc::clone(&visit);
    let service = service_fn(move |request| {
        let visit = Arc::clone(&answering);
        async move { Ok::<_, Infallible>(add_security_headers(visit.answer(request).await)) }
    });
    let mut http = pin!(visit.context.http.serve_connection(TokioIo::new(stream), service));
    let mut first_call = pin!(sleep(visit.context.limits.header_timeout));
    let mut is_new = true;
    let ended = loop {
        tokio::select! {
            ended = http.as_mut() => break ended,
            () = visit.claim.lost() => {
                // Its calls are answered as unavailable, and the client knows which ones were not begun.
                http.as_mut().graceful_shutdown();
                match timeout(LEAVE_TIMEOUT, http.as_mut()).await {
                    Ok(ended) => break ended,
                    Err(_) => return,
                }
            }
            // Whoever holds a connection has to ask for something.
            () = first_call.as_mut(), if is_new => match visit.has_requested.load(Ordering::Relaxed) {
                true => is_new = false,
                false => return,
            },
            () = shutdown.cancelled() => {
                http.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = http.as_mut() => break ended,
                    () = cut.cancelled() => return,
                }
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
    drop(slot);
}

/// The state that the calls of one connection share.
struct GrpcConnectionHandler {
    context: Arc<GrpcListenerContext>,
    peer: ConnectionPeer,
    claim: SlotClaim,
    has_requested: AtomicBool,
}

impl GrpcConnectionHandler {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        self.has_requested.store(true, Ordering::Relaxed);
        let (mut parts, body) = request.into_parts();
        self.claim.reach(SlotStage::Judged);
        let who = match self.context.gate.admit_call(&parts, &self.peer).await {
            Ok(who) if self.claim.reach(SlotStage::Admitted) => who,
            Ok(_) => return deny(GateDenial::Busy, parts.uri.path()),
            Err(denied) => {
                self.claim.reach(SlotStage::Refused);
                return deny(denied, parts.uri.path());
            }
        };
        if !grpc::serves(parts.uri.path()) {
            return grpc::unknown_service(parts.uri.path());
        }
        gate::scrub(&mut parts.headers);
        // The name of this listener is not where the card's other addresses are.
        parts.headers.remove(HOST);
        parts.extensions.insert(self.peer.clone());
        parts.extensions.insert(who);
        let (body, fault) = MeteredBody::new(body, &self.context.limits);
        let router = self.context.router.clone();
        let Ok(response) = router.oneshot(Request::from_parts(parts, Body::new(body))).await;
        // Whatever the router made of a broken body, the client is told what was wrong with it.
        match fault.get() {
            Some(fault) => grpc::denial_response(fault.denied()),
            None => response,
        }
    }
}

fn deny(denied: GateDenial, path: &str) -> Response<Body> {
    tracing::debug!(code = denied.code(), path, "call denied");
    grpc::denial_response(denied)
}
