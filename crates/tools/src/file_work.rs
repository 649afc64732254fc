//! Work on files of a session, off the async threads. A file system may hang (a network drive, a FUSE mount), and with it
//! the thread that asked. So only so many of these threads exist at once: the store, `/health` and everything else that
//! needs a thread for a moment always gets one.

use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::timeout;

#[cfg(test)]
mod tests;

/// The most pieces of work that run at once: far below the 512 threads that the async runtime has for everybody.
const MAX_RUNNING: usize = 64;
/// The longest wait for work to begin.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Why work on files was not done.
#[derive(Debug, Error)]
pub enum FileWorkError {
    /// Everything that runs takes too long.
    #[error(
        "{running} other file operations have not finished for {} s; a disk or network drive may hang, so check the \
         mounts and try again", waited.as_secs()
    )]
    Busy { running: usize, waited: Duration },
    /// It panicked, or the program ends.
    #[error("{0}")]
    Broken(String),
}

/// Do `work`, which reads or writes files of a session, off the async threads. It goes on when the future is dropped,
/// unless it has not begun.
pub async fn run_file_work<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, FileWorkError> {
    static POOL: std::sync::LazyLock<FileWorkPool> =
        std::sync::LazyLock::new(|| FileWorkPool::new(MAX_RUNNING, MAX_WAIT));
    POOL.run(work).await
}

/// Bounds how much file work runs at once.
struct FileWorkPool {
    free: Arc<Semaphore>,
    max_running: usize,
    max_wait: Duration,
}

impl FileWorkPool {
    fn new(max_running: usize, max_wait: Duration) -> FileWorkPool {
        FileWorkPool { free: Arc::new(Semaphore::new(max_running)), max_running, max_wait }
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, FileWorkError> {
        let busy = |_| FileWorkError::Busy { running: self.max_running, waited: self.max_wait };
        let free = timeout(self.max_wait, self.free.clone().acquire_owned()).await.map_err(busy)?;
        let permit = free.map_err(|closed| FileWorkError::Broken(closed.to_string()))?;
        // The thread has the permit, not this future: one that hangs counts until it is free again.
        let done = tokio::task::spawn_blocking(move || {
            let _until_done = permit;
            work()
        });
        done.await.map_err(|broken| FileWorkError::Broken(broken.to_string()))
    }
}
