//! Notices when a server sends more than anyone could use.

use super::limits::McpLimits;
use parking_lot::Mutex;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Notify;
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// The time in which messages are counted.
const WINDOW: Duration = Duration::from_secs(10);

/// A server sent too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum FloodError {
    #[error("it sent a message of more than {0} bytes")]
    Message(usize),
    #[error("it sent more than {0} messages in ten seconds")]
    Messages(u32),
}

/// The traffic that one connection has received.
pub(super) struct TrafficMeter {
    message: usize,
    messages: u32,
    window: Mutex<CountWindow>,
    flood: OnceLock<FloodError>,
    found: Notify,
}

struct CountWindow {
    since: Instant,
    count: u32,
}

impl TrafficMeter {
    pub(super) fn new(limits: &McpLimits) -> Arc<TrafficMeter> {
        let window = Mutex::new(CountWindow { since: Instant::now(), count: 0 });
        let (flood, found) = (OnceLock::new(), Notify::new());
        Arc::new(TrafficMeter { message: limits.message, messages: limits.messages, window, flood, found })
    }

    /// Why the connection has to end, if it has to.
    pub(super) fn flood(&self) -> Option<FloodError> {
        self.flood.get().copied()
    }

    /// Resolves when the connection has to end.
    pub(super) async fn flooded(&self) -> FloodError {
        loop {
            if let Some(flood) = self.flood() {
                return flood;
            }
            self.found.notified().await;
        }
    }

    /// A message has this many bytes so far.
    pub(super) fn check_size(&self, bytes: usize) -> Result<(), FloodError> {
        if bytes > self.message { Err(self.record_flood(FloodError::Message(self.message))) } else { Ok(()) }
    }

    /// A message is complete.
    pub(super) fn count_message(&self) -> Result<(), FloodError> {
        let mut window = self.window.lock();
        if window.since.elapsed() >= WINDOW {
            *window = CountWindow { since: Instant::now(), count: 0 };
        }
        window.count = window.count.saturating_add(1);
        if window.count > self.messages { Err(self.record_flood(FloodError::Messages(self.messages))) } else { Ok(()) }
    }

    fn record_flood(&self, flood: FloodError) -> FloodError {
        let flood = *self.flood.get_or_init(|| flood);
        // One permit is kept if nobody waits yet, so the news is never missed.
        self.found.notify_one();
        flood
    }
}

/// Reads lines, each of them a message, for as long as the meter lets it.
pub(super) struct MeteredLines<R> {
    inner: R,
    meter: Arc<TrafficMeter>,
    line: usize,
}

impl<R> MeteredLines<R> {
    pub(super) fn new(inner: R, meter: Arc<TrafficMeter>) -> Self {
        MeteredLines { inner, meter, line: 0 }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), FloodError> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line += piece.len();
            self.meter.check_size(self.line)?;
            if piece.ends_with(b"\n") {
                self.line = 0;
                self.meter.count_message()?;
            }
        }
        Ok(())
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MeteredLines<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let taken = self.take(&buf.filled()[before..]);
        if taken.is_err() {
            // A reader that fails has read nothing.
            buf.set_filled(before);
        }
        Poll::Ready(taken.map_err(io::Error::other))
    }
}

/// Watches the bytes of a stream of server-sent events: an empty line ends an event.
pub(super) struct MeteredEvents {
    meter: Arc<TrafficMeter>,
    event: usize,
    line: usize,
}

impl MeteredEvents {
    pub(super) fn new(meter: Arc<TrafficMeter>) -> Self {
        MeteredEvents { meter, event: 0, line: 0 }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), FloodError> {
        for byte in bytes {
            self.event += 1;
            match byte {
                b'\n' if self.line == 0 => {
                    self.event = 0;
                    self.meter.count_message()?;
                }
                b'\n' => self.line = 0,
                b'\r' => {}
                _ => self.line += 1,
            }
            self.meter.check_size(self.event)?;
        }
        Ok(())
    }
}
