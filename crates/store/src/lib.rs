//! The log, kept.
//!
//! [`Log`] is the trait every backend satisfies and one suite checks; [`SqliteLog`] is the embedded default. What a
//! call has acknowledged is on disk. [`DatabaseLock`] says which process owns a database, [`BlobStore`] keeps bytes too
//! large for an entry, [`DataDir`] knows where the three of them lie.

mod blobs;
mod data_dir;
mod dirs;
mod error;
mod lock;
mod log;
mod rows;
mod session_store;
mod sqlite;

pub use blobs::{BlobError, BlobStore, BlobWriter};
pub use data_dir::{DataDir, SessionDir, StoredSession, kept_sessions};
pub use error::StoreError;
pub use lock::{DatabaseLock, LockError, LockHolder};
pub use log::{CreateOutcome, EntryBatch, Epoch, LocatedTask, Log, NewSession, PushTargetStore, TaskIndex, TaskUpdate};
pub use session_store::SessionStore;
pub use sqlite::SqliteLog;
