//! One connection, from the accepted socket to its end: the gate, then the router, request by request.

use super::connection_slots::{ConnectionSlot, SlotClaim, SlotStage};
use super::head_watch::HeadFault;
use super::metered_body::{MeteredBody, discard};
use super::overflow::OverflowResponder;
use super::security_headers::add_security_headers;
use super::socket::WatchedSocket;
use super::{LEAVE_TIMEOUT, ListenerLimits};
use crate::gate::{self, ConnectionPeer, Gate, GateAdmission, GateDenial};
use crate::rest;
use axum::Router;
use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, TRANSFER_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Request, Response, StatusCode};
use axum::response::IntoResponse;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Below this hyper does not start.
const SMALLEST_BUFFER: usize = 8 * 1024;

/// The state that all connections of a listener share.
pub(super) struct ListenerContext {
    gate: Arc<Gate>,
    limits: ListenerLimits,
    router: Router,
    overflow: Arc<OverflowResponder>,
    http: http1::Builder,
}

impl ListenerContext {
    pub(super) fn new(
        gate: Arc<Gate>,
        limits: ListenerLimits,
        router: Router,
        overflow: Arc<OverflowResponder>,
    ) -> ListenerContext {
        let mut http = http1::Builder::new();
        let head = limits.header_bytes.max(SMALLEST_BUFFER);
        // Without a timer hyper's timeouts do nothing.
        http.timer(TokioTimer::new())
            .header_read_timeout(limits.header_timeout)
            .max_headers(limits.headers)
            .max_header_size(head)
            .max_buf_size(head);
        ListenerContext { gate, limits, router, overflow, http }
    }
}

/// One accepted connection.
pub(super) struct HttpConnection {
    stream: TcpStream,
    slot: ConnectionSlot,
    handler: ConnectionHandler,
}

impl HttpConnection {
    pub(super) fn new(
        desk: Arc<ListenerContext>,
        stream: TcpStream,
        peer: ConnectionPeer,
        slot: ConnectionSlot,
    ) -> HttpConnection {
        let claim = slot.claim();
        let handler = ConnectionHandler {
            context: desk,
            peer,
            claim,
            fault: Arc::default(),
            has_requested: AtomicBool::new(false),
        };
        HttpConnection { stream, slot, handler }
    }

    /// Serves until the client is done; after `shutdown` until the request in flight is, or until `cut`.
    pub(super) async fn serve(self, shutdown: CancellationToken, cut: CancellationToken) {
        let HttpConnection { stream, slot, handler: visit } = self;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot turn off delayed sending");
        }
        visit.claim.begin();
        let mut first_byte = [0];
        // Until its first byte is here, a connection that loses its slot can still be told so.
        tokio::select! {
            biased;
            _ = stream.peek(&mut first_byte) => {}
            () = visit.claim.lost() => return visit.context.overflow.reject_connection(stream),
            () = shutdown.cancelled() => return,
            () = sleep(visit.context.limits.header_timeout) => return,
        }
        let visit = Arc::new(visit);
        let limit = visit.context.limits.header_bytes.max(SMALLEST_BUFFER);
        let io = TokioIo::new(WatchedSocket::new(stream, limit, Arc::clone(&visit.fault), slot));
        let service = service_fn(|request| {
            let visit = Arc::clone(&visit);
            async move { Ok::<_, Infallible>(add_security_headers(visit.answer(request).await)) }
        });
        let mut http = pin!(visit.context.http.serve_connection(io, service).with_upgrades());
        let ended = tokio::select! {
            ended = http.as_mut() => ended,
            () = visit.claim.lost() => {
                // A request that is on its way is told so; hyper would not read it any more after this.
                if visit.has_requested.load(Ordering::Relaxed) {
                    http.as_mut().graceful_shutdown();
                }
                match timeout(LEAVE_TIMEOUT, http).await {
                    Ok(ended) => ended,
                    Err(_) => return,
                }
            }
            () = shutdown.cancelled() => {
                // A connection that never asked for anything has nothing to finish.
                if !visit.has_requested.load(Ordering::Relaxed) {
                    return;
                }
                http.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = http => ended,
                    () = cut.cancelled() => return,
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// The state that the requests of one connection share.
struct ConnectionHandler {
    context: Arc<ListenerContext>,
    peer: ConnectionPeer,
    claim: SlotClaim,
    fault: Arc<OnceLock<HeadFault>>,
    has_requested: AtomicBool,
}

impl ConnectionHandler {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        self.has_requested.store(true, Ordering::Relaxed);
        let (mut parts, body) = request.into_parts();
        let admitted = match self.admit(&parts).await {
            Ok(admitted) => admitted,
            Err(denied) => {
                self.claim.reach(SlotStage::Refused);
                return deny(denied, &parts, body);
            }
        };
        let is_chunked = parts.headers.contains_key(TRANSFER_ENCODING);
        gate::scrub(&mut parts.headers);
        parts.extensions.insert(self.peer.clone());
        if let GateAdmission::As(who) = admitted {
            parts.extensions.insert(who);
        }
        let uri = parts.uri.clone();
        let (body, fault) = MeteredBody::new(body, &self.context.limits);
        let router = self.context.router.clone();
        let Ok(mut response) = router.oneshot(Request::from_parts(parts, Body::new(body))).await;
        // Whoever was admitted stays so.
        self.claim.reach(SlotStage::Resting);
        // Whatever the router made of a broken body, the client is told what was wrong with it.
        if let Some(fault) = fault.get() {
            response = denial_response(fault.denied(), uri.path());
        }
        // The head watch does not follow chunks, so nothing may come after a chunked body.
        if is_chunked && response.status() != StatusCode::SWITCHING_PROTOCOLS {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    async fn admit(&self, parts: &Parts) -> Result<GateAdmission, GateDenial> {
        if let Some(fault) = self.fault.get() {
            return Err(fault.denied());
        }
        if !self.claim.reach(SlotStage::Judged) {
            return Err(GateDenial::Busy);
        }
        let admitted = tokio::select! {
            biased;
            admitted = self.context.gate.admit(parts, &self.peer) => admitted?,
            () = self.claim.lost() => return Err(GateDenial::Busy),
        };
        // A public answer is for everybody, so it keeps nobody's slot for longer than it takes.
        let stage = match &admitted {
            GateAdmission::Public => SlotStage::Judged,
            GateAdmission::As(_) => SlotStage::Admitted,
        };
        if !self.claim.reach(stage) {
            return Err(GateDenial::Busy);
        }
        let limit = self.context.limits.body;
        let declared = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if declared.is_some_and(|length| length > limit as u64) {
            return Err(GateDenial::BodyTooLarge { limit });
        }
        Ok(admitted)
    }
}

/// The answer to a denied request. A client that is still sending would lose the answer to a reset if the socket were
/// closed under it, so some of its body is thrown away first; one that waits for a go-ahead gets none.
fn deny(denied: GateDenial, parts: &Parts, body: Incoming) -> Response<Body> {
    tracing::debug!(code = denied.code(), method = %parts.method, path = parts.uri.path(), "request denied");
    if !body.is_end_stream() && !parts.headers.contains_key(EXPECT) {
        tokio::spawn(discard(body));
    }
    denial_response(denied, parts.uri.path())
}

/// A denial, as the clients of an address read it.
fn denial_response(denied: GateDenial, path: &str) -> Response<Body> {
    let mut response = denied.into_response();
    if let Some((media, body)) = rest::denial_body(denied, path) {
        *response.body_mut() = Body::from(body);
        response.headers_mut().insert(CONTENT_TYPE, media);
    }
    response
}
