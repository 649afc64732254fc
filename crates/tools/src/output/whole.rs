//! The whole output: in memory while that is enough, in a place on disk beyond that.

use std::io;
use std::sync::Arc;

/// A place on disk that output is written to.
pub(crate) trait OutputSink: Send + 'static {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// Opens the place when output begins not to fit into memory.
type OpenSink<S> = Arc<dyn Fn() -> io::Result<S> + Send + Sync>;

/// All bytes a command printed.
pub(crate) struct WholeOutput<S> {
    open: OpenSink<S>,
    /// The most bytes that are held in memory.
    memory: usize,
    storage: OutputStorage<S>,
    len: u64,
}

enum OutputStorage<S> {
    Memory(Vec<u8>),
    Sink(S),
    /// Keeping failed. The command goes on; what the log holds is all there is.
    Lost,
}

impl<S: OutputSink> WholeOutput<S> {
    /// Output of which at most `memory` bytes are held in memory.
    pub(crate) fn new(memory: usize, open: impl Fn() -> io::Result<S> + Send + Sync + 'static) -> Self {
        WholeOutput { open: Arc::new(open), memory, storage: OutputStorage::Memory(Vec::new()), len: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) async fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        match &mut self.storage {
            OutputStorage::Memory(all) => {
                all.extend_from_slice(bytes);
                if all.len() > self.memory {
                    self.spool().await;
                }
            }
            OutputStorage::Sink(_) => self.write(bytes.to_vec()).await,
            OutputStorage::Lost => {}
        }
    }

    /// Move what is in memory to the disk.
    pub(crate) async fn spool(&mut self) {
        if let OutputStorage::Memory(all) = &mut self.storage {
            let all = std::mem::take(all);
            self.write(all).await;
        }
    }

    async fn write(&mut self, bytes: Vec<u8>) {
        let open = Arc::clone(&self.open);
        let kept = std::mem::replace(&mut self.storage, OutputStorage::Lost);
        let written = run_off_thread(move || {
            let mut sink = match kept {
                OutputStorage::Sink(sink) => sink,
                OutputStorage::Memory(_) => open()?,
                OutputStorage::Lost => return Ok(OutputStorage::Lost),
            };
            sink.write(&bytes)?;
            Ok(OutputStorage::Sink(sink))
        });
        self.storage = written.await.unwrap_or_else(|error| {
            warn_of_loss(&error);
            OutputStorage::Lost
        });
    }

    /// What `finish` makes of the place on disk; `None` if memory was enough, or if keeping failed.
    pub(crate) async fn finish<T: Send + 'static>(
        self,
        finish: impl FnOnce(S) -> io::Result<T> + Send + 'static,
    ) -> Option<T> {
        let OutputStorage::Sink(sink) = self.storage else { return None };
        run_off_thread(move || finish(sink)).await.inspect_err(warn_of_loss).ok()
    }
}

fn warn_of_loss(error: &io::Error) {
    tracing::warn!(%error, "the whole output of a command could not be kept");
}

/// Disk work must not hold up the async threads.
async fn run_off_thread<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await?
}
