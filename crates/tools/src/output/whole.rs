//! The whole output: in memory while the log holds all of it, in a spool beyond that.

use super::{LOGGED_HEAD, OutputKeeper, OutputSpool};
use pollux_session::BlobRef;
use std::io;
use std::sync::Arc;

/// All bytes a command printed.
pub(crate) struct Whole {
    keeper: Arc<dyn OutputKeeper>,
    kept: Kept,
    len: u64,
}

enum Kept {
    /// At most [`LOGGED_HEAD`] bytes.
    Memory(Vec<u8>),
    Spool(Box<dyn OutputSpool>),
    /// Keeping failed. The command goes on; what the log holds is all there is.
    Lost,
}

impl Whole {
    pub(crate) fn new(keeper: Arc<dyn OutputKeeper>) -> Self {
        Whole { keeper, kept: Kept::Memory(Vec::new()), len: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) async fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        match &mut self.kept {
            Kept::Memory(all) => {
                all.extend_from_slice(bytes);
                if all.len() > LOGGED_HEAD {
                    self.spool().await;
                }
            }
            Kept::Spool(_) => self.write(bytes.to_vec()).await,
            Kept::Lost => {}
        }
    }

    /// Move what is in memory to a spool.
    pub(crate) async fn spool(&mut self) {
        if let Kept::Memory(all) = &mut self.kept {
            let all = std::mem::take(all);
            self.write(all).await;
        }
    }

    async fn write(&mut self, bytes: Vec<u8>) {
        let keeper = Arc::clone(&self.keeper);
        let kept = std::mem::replace(&mut self.kept, Kept::Lost);
        let written = off_thread(move || {
            let mut spool = match kept {
                Kept::Spool(spool) => spool,
                Kept::Memory(_) => keeper.spool()?,
                Kept::Lost => return Ok(Kept::Lost),
            };
            spool.write(&bytes)?;
            Ok(Kept::Spool(spool))
        });
        self.kept = written.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the whole output of a command could not be kept");
            Kept::Lost
        });
    }

    /// The blob; `None` when the log holds everything or keeping failed.
    pub(crate) async fn finish(self) -> Option<BlobRef> {
        let Kept::Spool(spool) = self.kept else { return None };
        match off_thread(move || spool.finish("text/plain")).await {
            Ok(blob) => Some(blob),
            Err(error) => {
                tracing::warn!(%error, "the whole output of a command could not be kept");
                None
            }
        }
    }
}

/// Disk work must not hold up the async threads.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await?
}
