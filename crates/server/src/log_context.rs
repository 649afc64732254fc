//! The context of every log line: the number of its request and, once they are known, its task and session. The lines
//! themselves do not repeat it.

use crate::session_access::TaskHandle;
use crate::wire_state::TaskScope;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use pollux_session::SessionId;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};

/// The number of the newest request of this process.
static NEWEST_REQUEST: AtomicU64 = AtomicU64::new(0);

tokio::task_local! {
    /// The task that the request's span names, so that none is named twice: what a span records is added, not replaced.
    static NAMED_TASK: Cell<Option<(SessionId, TaskScope)>>;
}

/// Answer one request, under a number of its own.
pub(crate) async fn in_request<T>(answer: impl Future<Output = T>) -> T {
    let id = NEWEST_REQUEST.fetch_add(1, Ordering::Relaxed) + 1;
    // A request over a WebSocket is one of its own, and no part of the one that opened the socket.
    let span = tracing::debug_span!(parent: None, "request", id, task = Empty, session = Empty);
    NAMED_TASK.scope(Cell::new(None), answer.instrument(span)).await
}

/// The request that is being answered, for a part of its work that goes on elsewhere.
pub(crate) struct RequestContext {
    span: Span,
    named: Option<(SessionId, TaskScope)>,
}

impl RequestContext {
    pub(crate) fn current() -> RequestContext {
        RequestContext { span: Span::current(), named: NAMED_TASK.try_with(Cell::get).unwrap_or_default() }
    }

    /// Do `work` as a part of the request.
    pub(crate) async fn run<T>(self, work: impl Future<Output = T>) -> T {
        NAMED_TASK.scope(Cell::new(self.named), work.instrument(self.span)).await
    }
}

/// The layer that numbers every request.
pub(crate) async fn number_request(request: Request, next: Next) -> Response {
    in_request(next.run(request)).await
}

/// The request that is being answered is about this task.
pub(crate) fn record_task(handle: &TaskHandle) {
    let span = Span::current();
    let named = Some((handle.seat.session(), handle.scope));
    let is_named = NAMED_TASK.try_with(|known| known.replace(named) == named).unwrap_or_default();
    if !span.is_disabled() && !is_named {
        span.record("task", display(handle.scope.wire_id()));
        span.record("session", display(handle.seat.session()));
        // The line about the request itself was written before anybody knew which task it is about.
        tracing::debug!("[A2AService] the request is about this task");
    }
}
