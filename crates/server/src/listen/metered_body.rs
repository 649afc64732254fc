//! A request body that may neither grow without end nor trickle in for ever.

use super::ListenerLimits;
use crate::gate::GateDenial;
use axum::BoxError;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

/// The fault of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BodyFault {
    /// More bytes than allowed.
    #[error("the body is larger than {limit} bytes")]
    TooLarge { limit: usize },
    /// Fewer bytes a second than required.
    #[error("the body arrives too slowly")]
    Stalled,
}

impl BodyFault {
    pub(super) fn denied(self) -> GateDenial {
        match self {
            BodyFault::TooLarge { limit } => GateDenial::BodyTooLarge { limit },
            BodyFault::Stalled => GateDenial::BodyStalled,
        }
    }
}

/// A body under the listener's limits.
pub(super) struct MeteredBody {
    body: Incoming,
    limit: usize,
    received: usize,
    pace: Pace,
    fault: Arc<OnceLock<BodyFault>>,
}

impl MeteredBody {
    /// The body, and where the first fault will be found.
    pub(super) fn new(body: Incoming, limits: &ListenerLimits) -> (MeteredBody, Arc<OnceLock<BodyFault>>) {
        let fault = Arc::new(OnceLock::new());
        let pace = Pace { grace: limits.body_grace, rate: limits.body_rate.max(1), waiting: None };
        (MeteredBody { body, limit: limits.body, received: 0, pace, fault: Arc::clone(&fault) }, fault)
    }

    fn fail(&self, fault: BodyFault) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let fault = *self.fault.get_or_init(|| fault);
        Poll::Ready(Some(Err(fault.into())))
    }
}

impl Body for MeteredBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                this.received = this.received.saturating_add(frame.data_ref().map_or(0, Bytes::len));
                if this.received > this.limit {
                    return this.fail(BodyFault::TooLarge { limit: this.limit });
                }
                Poll::Ready(Some(Ok(frame)))
            }
            // The connection broke: nobody is left to be told.
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending if this.pace.is_lost(this.received, cx) => this.fail(BodyFault::Stalled),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The least speed of a body: a grace, and from then on so many bytes a second.
struct Pace {
    grace: Duration,
    rate: usize,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Pace {
    /// True if a body that got `received` bytes so far and has none to offer now is too slow. The clock starts at the
    /// first wait: a body that is already here costs no timer.
    fn is_lost(&mut self, received: usize, cx: &mut Context<'_>) -> bool {
        let earned = self.grace + Duration::from_secs_f64(received as f64 / self.rate as f64);
        let (started, timer) = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + earned)))
        });
        let deadline = *started + earned;
        // The timer may have been set before the last bytes came.
        while timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return true;
            }
            timer.as_mut().reset(deadline);
        }
        false
    }
}

/// Reads and drops what a denied client still sends, up to a bound.
pub(super) async fn discard(mut body: Incoming) {
    const MOST_BYTES: usize = 16 * 1024 * 1024;
    const LONGEST: Duration = Duration::from_secs(2);
    let drop_all = async {
        let mut dropped = 0;
        while let Some(Ok(frame)) = body.frame().await {
            dropped += frame.data_ref().map_or(0, Bytes::len);
            if dropped > MOST_BYTES {
                break;
            }
        }
    };
    // Out of time or out of patience, the connection is closed all the same.
    let _ = timeout(LONGEST, drop_all).await;
}
