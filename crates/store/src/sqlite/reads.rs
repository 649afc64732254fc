//! Reading connections, opened when first needed and used on blocking threads.

use super::connect;
use crate::error::StoreError;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use tokio::task;

/// How many queries run at once; more wait.
const CONNECTIONS: usize = 2;

/// A few connections that see what is committed and nothing else.
pub(super) struct ReadPool {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

impl ReadPool {
    /// A pool for the database in the file `path`.
    pub(super) fn new(path: &Path) -> ReadPool {
        let permits = Arc::new(Semaphore::new(CONNECTIONS));
        ReadPool { path: path.to_owned(), idle: Arc::default(), permits }
    }

    /// Run `query` on one of the connections.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let stopped = |why: &dyn std::fmt::Display| StoreError::Io(format!("a read was stopped: {why}"));
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|error| stopped(&error))?;
        let (path, idle) = (self.path.clone(), Arc::clone(&self.idle));
        // The closure owns the permit and the connection: a caller that goes away gives neither up early.
        let read = task::spawn_blocking(move || {
            let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let conn = taken.map_or_else(|| connect::reader(&path), Ok)?;
            let found = query(&conn);
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
            drop(permit);
            found
        });
        read.await.map_err(|error| stopped(&error))?
    }
}
