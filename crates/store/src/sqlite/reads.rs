//! Reading connections, opened when first needed and used on blocking threads.

use super::connect;
use crate::error::StoreError;
use parking_lot::{Condvar, Mutex, MutexGuard};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task;

/// The most queries that run at once; more wait.
const CONNECTIONS: usize = 2;

/// A few connections that see what is committed and nothing else. Dropping it waits until they are closed.
pub(super) struct ReadPool {
    path: PathBuf,
    pool: Arc<SharedPool>,
    permits: Arc<Semaphore>,
}

/// Where connections lie while nobody reads.
#[derive(Default)]
struct SharedPool {
    state: Mutex<PoolState>,
    given_back: Condvar,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<Connection>,
    queries: usize,
}

/// A query that runs or is about to. It is over when this is dropped, whether it was run or not.
struct Query(Arc<SharedPool>);

impl SharedPool {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock()
    }
}

impl Query {
    fn begin(pool: &Arc<SharedPool>) -> Query {
        pool.lock().queries += 1;
        Query(Arc::clone(pool))
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        self.0.lock().queries -= 1;
        self.0.given_back.notify_all();
    }
}

impl ReadPool {
    /// A pool for the database in the file `path`.
    pub(super) fn new(path: &Path) -> ReadPool {
        let permits = Arc::new(Semaphore::new(CONNECTIONS));
        ReadPool { path: path.to_owned(), pool: Arc::default(), permits }
    }

    /// Run `query` on one of the connections. Everything it reads is of the same moment.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let stopped = |why: &dyn std::fmt::Display| StoreError::Io(format!("a read was stopped: {why}"));
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|error| stopped(&error))?;
        let (path, running) = (self.path.clone(), Query::begin(&self.pool));
        // The closure owns the permit and the connection: a caller that goes away gives neither up early.
        let read = task::spawn_blocking(move || {
            let taken = running.0.lock().idle.pop();
            let conn = taken.map_or_else(|| connect::reader(&path), Ok)?;
            let found = conn.unchecked_transaction().map_err(StoreError::from).and_then(|moment| query(&moment));
            running.0.lock().idle.push(conn);
            drop(running);
            drop(permit);
            found
        });
        read.await.map_err(|error| stopped(&error))?
    }
}

impl Drop for ReadPool {
    fn drop(&mut self) {
        let mut kept = self.pool.lock();
        while kept.queries > 0 {
            self.pool.given_back.wait(&mut kept);
        }
        kept.idle.clear();
    }
}

#[cfg(test)]
mod tests;
