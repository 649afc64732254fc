//! The whole output: in memory while the log holds all of it, in a spool beyond that.

use super::{LOGGED_HEAD, OutputSpool, OutputStore};
use pollux_session::BlobRef;
use std::io;
use std::sync::Arc;

/// All bytes a command printed.
pub(crate) struct WholeOutput {
    output_store: Arc<dyn OutputStore>,
    storage: OutputStorage,
    len: u64,
}

enum OutputStorage {
    /// At most [`LOGGED_HEAD`] bytes.
    Memory(Vec<u8>),
    Spool(Box<dyn OutputSpool>),
    /// Keeping failed. The command goes on; what the log holds is all there is.
    Lost,
}

impl WholeOutput {
    pub(crate) fn new(output_store: Arc<dyn OutputStore>) -> Self {
        WholeOutput { output_store, storage: OutputStorage::Memory(Vec::new()), len: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) async fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        match &mut self.storage {
            OutputStorage::Memory(all) => {
                all.extend_from_slice(bytes);
                if all.len() > LOGGED_HEAD {
                    self.spool().await;
                }
            }
            OutputStorage::Spool(_) => self.write(bytes.to_vec()).await,
            OutputStorage::Lost => {}
        }
    }

    /// Move what is in memory to a spool.
    pub(crate) async fn spool(&mut self) {
        if let OutputStorage::Memory(all) = &mut self.storage {
            let all = std::mem::take(all);
            self.write(all).await;
        }
    }

    async fn write(&mut self, bytes: Vec<u8>) {
        let keeper = Arc::clone(&self.output_store);
        let kept = std::mem::replace(&mut self.storage, OutputStorage::Lost);
        let written = run_off_thread(move || {
            let mut spool = match kept {
                OutputStorage::Spool(spool) => spool,
                OutputStorage::Memory(_) => keeper.spool()?,
                OutputStorage::Lost => return Ok(OutputStorage::Lost),
            };
            spool.write(&bytes)?;
            Ok(OutputStorage::Spool(spool))
        });
        self.storage = written.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the whole output of a command could not be kept");
            OutputStorage::Lost
        });
    }

    /// The blob; `None` when the log holds everything or keeping failed.
    pub(crate) async fn finish(self) -> Option<BlobRef> {
        let OutputStorage::Spool(spool) = self.storage else { return None };
        match run_off_thread(move || spool.finish("text/plain")).await {
            Ok(blob) => Some(blob),
            Err(error) => {
                tracing::warn!(%error, "the whole output of a command could not be kept");
                None
            }
        }
    }
}

/// Disk work must not hold up the async threads.
async fn run_off_thread<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await?
}
