//! The amount that an agent may send in one exchange, over all its streams: one that ends its stream again and again
//! gets no more.

use crate::error::RemoteError;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most bytes of all streams of one exchange.
pub(crate) const STREAM_BYTES: usize = 64 * 1024 * 1024;

/// The bytes that are left; clones share them.
#[derive(Clone)]
pub(crate) struct StreamAllowance(Arc<AtomicUsize>);

impl StreamAllowance {
    pub(crate) fn new(bytes: usize) -> StreamAllowance {
        StreamAllowance(Arc::new(AtomicUsize::new(bytes)))
    }

    /// Use up some of it.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), RemoteError> {
        let rest = |left: usize| left.checked_sub(bytes);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        taken.map(drop).map_err(|_| RemoteError::TooMuch { limit: STREAM_BYTES })
    }
}
