//! Notices when a server sends more than anyone could use.

use super::limits::McpLimits;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
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
pub(super) enum Flood {
    #[error("it sent a message of more than {0} bytes")]
    Message(usize),
    #[error("it sent more than {0} messages in ten seconds")]
    Messages(u32),
}

/// What one connection has received.
pub(super) struct Meter {
    message: usize,
    messages: u32,
    window: Mutex<Window>,
    flood: OnceLock<Flood>,
    found: Notify,
}

struct Window {
    since: Instant,
    count: u32,
}

impl Meter {
    pub(super) fn new(limits: &McpLimits) -> Arc<Meter> {
        let window = Mutex::new(Window { since: Instant::now(), count: 0 });
        let (flood, found) = (OnceLock::new(), Notify::new());
        Arc::new(Meter { message: limits.message, messages: limits.messages, window, flood, found })
    }

    /// Why the connection has to end, if it has to.
    pub(super) fn flood(&self) -> Option<Flood> {
        self.flood.get().copied()
    }

    /// Resolves when the connection has to end.
    pub(super) async fn flooded(&self) -> Flood {
        loop {
            if let Some(flood) = self.flood() {
                return flood;
            }
            self.found.notified().await;
        }
    }

    /// A message has this many bytes so far.
    pub(super) fn size(&self, bytes: usize) -> Result<(), Flood> {
        if bytes > self.message { Err(self.found(Flood::Message(self.message))) } else { Ok(()) }
    }

    /// A message is complete.
    pub(super) fn message(&self) -> Result<(), Flood> {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if window.since.elapsed() >= WINDOW {
            *window = Window { since: Instant::now(), count: 0 };
        }
        window.count = window.count.saturating_add(1);
        if window.count > self.messages { Err(self.found(Flood::Messages(self.messages))) } else { Ok(()) }
    }

    fn found(&self, flood: Flood) -> Flood {
        let flood = *self.flood.get_or_init(|| flood);
        // One permit is kept if nobody waits yet, so the news is never missed.
        self.found.notify_one();
        flood
    }
}

/// Reads lines, each of them a message, for as long as the meter lets it.
pub(super) struct MeteredLines<R> {
    inner: R,
    meter: Arc<Meter>,
    line: usize,
}

impl<R> MeteredLines<R> {
    pub(super) fn new(inner: R, meter: Arc<Meter>) -> Self {
        MeteredLines { inner, meter, line: 0 }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Flood> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line += piece.len();
            self.meter.size(self.line)?;
            if piece.ends_with(b"\n") {
                self.line = 0;
                self.meter.message()?;
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
    meter: Arc<Meter>,
    event: usize,
    line: usize,
}

impl MeteredEvents {
    pub(super) fn new(meter: Arc<Meter>) -> Self {
        MeteredEvents { meter, event: 0, line: 0 }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), Flood> {
        for byte in bytes {
            self.event += 1;
            match byte {
                b'\n' if self.line == 0 => {
                    self.event = 0;
                    self.meter.message()?;
                }
                b'\n' => self.line = 0,
                b'\r' => {}
                _ => self.line += 1,
            }
            self.meter.size(self.event)?;
        }
        Ok(())
    }
}
