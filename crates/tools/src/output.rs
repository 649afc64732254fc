//! Where a running call's output goes: live pieces to the log, an excerpt to the model, all of it to a blob.

mod capture;
mod live;
mod utf8;
mod whole;

pub(crate) use capture::{Capture, Captured};

use pollux_session::{BlobRef, Pending, SessionId, Setting};
use std::io;
use std::time::Duration;

/// How much output the log holds from its beginning; longer output is kept whole elsewhere.
pub(crate) const LOGGED_HEAD: usize = 1024 * 1024;

/// How long output is awaited from processes that outlive their shell.
pub(crate) const AFTER_EXIT: Duration = Duration::from_millis(200);

/// A running call's way back to its session.
pub trait Output: Send {
    /// The session: background processes belong to it, and no other session sees them.
    fn session(&self) -> SessionId;

    /// Send a piece, `skipped` bytes after the one before. Resolves when the piece is durable.
    ///
    /// The first piece is sent at once, others at most ten times a second, the last one always.
    fn send<'a>(&'a mut self, text: String, skipped: u64) -> Pending<'a, ()>;

    /// Change a setting of the session. Resolves when the change is durable.
    fn set<'a>(&'a mut self, setting: Setting) -> Pending<'a, ()>;
}

/// Keeps output that is too long for the log.
pub trait OutputKeeper: Send + Sync {
    /// A place for the output of one call.
    fn spool(&self) -> io::Result<Box<dyn OutputSpool>>;
}

/// The output of one call on its way to a blob. Dropped unfinished, it leaves nothing behind.
pub trait OutputSpool: Send {
    /// Add bytes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Make it durable.
    fn finish(self: Box<Self>) -> io::Result<BlobRef>;
}
