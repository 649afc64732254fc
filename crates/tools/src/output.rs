//! Where a running call's output goes: live pieces to the log, an excerpt to the model, all of it to a blob, and to a file
//! that the model can open.

mod capture;
mod escape_sequences;
mod live;
mod output_file;
mod renderer;
mod utf8;
mod whole;

pub(crate) use capture::{CollectedOutput, OutputCapture};
pub(crate) use output_file::{MAX_OUTPUT_FILE, OutputFileKey, keep_text};
pub(crate) use renderer::OutputRenderer;

use pollux_session::{
    AskDetails, BlobRef, BoxFuture, CallOutcome, ModelUsage, NewCall, SeenFiles, SessionId, SessionSetting,
};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The bytes of output that the log holds from its beginning; longer output is kept whole elsewhere.
pub(crate) const LOGGED_HEAD: usize = 1024 * 1024;

/// The rows and columns of the terminal that commands run in, and that shows what they print.
pub(crate) const TERMINAL: (u16, u16) = (40, 120);

/// The wait for output of processes that outlive their shell.
pub(crate) const AFTER_EXIT: Duration = Duration::from_millis(200);

/// A running call's way back to its session.
pub trait ToolCallContext: Send {
    /// The session: background processes belong to it, and no other session sees them.
    fn session(&self) -> SessionId;

    /// True if the call may read files with protected names although nobody was asked: everything is allowed.
    fn reads_secrets(&self) -> bool {
        false
    }

    /// What policy allowed just now of a call that nobody was asked about: where it goes, above all. A tool that finds itself
    /// elsewhere has to be judged again.
    fn judged(&self) -> Option<&AskDetails> {
        None
    }

    /// The versions of files that the model has seen. Of others it knows nothing.
    fn seen_files(&self) -> Arc<SeenFiles> {
        Arc::default()
    }

    /// True if the person trusts the workspace, and with it the programs that it brings along.
    fn trusts_workspace(&self) -> bool {
        false
    }

    /// Send a piece, `skipped` bytes after the one before. Resolves when the piece is durable.
    ///
    /// The first piece is sent at once, others a frame of the screen apart or more, the last one always.
    fn send<'a>(&'a mut self, text: String, skipped: u64) -> BoxFuture<'a, ()>;

    /// Have another call made for this one, and wait for its end. It is vetted like any other: it may ask.
    fn call<'a>(&'a mut self, call: NewCall) -> BoxFuture<'a, CallOutcome>;

    /// Record that a model was used on the side, and what that cost.
    fn spend<'a>(&'a mut self, model: String, usage: ModelUsage) -> BoxFuture<'a, ()>;

    /// Change a setting of the session. Resolves when the change is durable.
    fn set<'a>(&'a mut self, setting: SessionSetting) -> BoxFuture<'a, ()>;
}

/// Keeps output that is too long for the log.
pub trait OutputStore: Send + Sync {
    /// A place for the output of one call.
    fn spool(&self) -> io::Result<Box<dyn OutputSpool>>;

    /// The kept bytes.
    fn read(&self, blob: &BlobRef) -> io::Result<Vec<u8>>;

    /// A new file of `session`, for output that is too long for the model: the tools of the session may open it. It may grow to
    /// `room` bytes, and is `name` in the directory of the session below [`OutputStore::session_files`].
    fn create_file(&self, session: SessionId, name: &str, room: u64) -> io::Result<(File, PathBuf)> {
        let _ = (session, name, room);
        Err(io::Error::new(io::ErrorKind::Unsupported, "no files of sessions are kept here"))
    }

    /// The directory that has a directory of files for each session; `None` if none are kept.
    fn session_files(&self) -> Option<PathBuf> {
        None
    }
}

/// The output of one call on its way to a blob. Dropped unfinished, it leaves nothing behind.
pub trait OutputSpool: Send {
    /// Add bytes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Make it durable, as `media`.
    fn finish(self: Box<Self>, media: &str) -> io::Result<BlobRef>;
}
