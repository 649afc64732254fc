//! What every log line says of the request it belongs to: its number, and, once they are known, its task and session. The
//! lines themselves do not repeat it.

use crate::rooms::Place;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};

/// The number of the newest request of this process.
static NEWEST_REQUEST: AtomicU64 = AtomicU64::new(0);

/// A span for one request, whose task is not known yet.
pub(crate) fn request_span() -> Span {
    let id = NEWEST_REQUEST.fetch_add(1, Ordering::Relaxed) + 1;
    tracing::debug_span!("request", id, task = Empty, session = Empty)
}

/// The layer that numbers every request.
pub(crate) async fn number_request(request: Request, next: Next) -> Response {
    next.run(request).instrument(request_span()).await
}

/// The request that is being answered is about `place`.
pub(crate) fn record_place(place: &Place) {
    let span = Span::current();
    if !span.is_disabled() {
        span.record("task", display(place.view.wire_id()));
        span.record("session", display(place.seat.session()));
    }
}
