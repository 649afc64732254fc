//! Carries sessions to a bucket and back.
//!
//! The local log stays the truth: what is appended there is carried behind it, by one worker per process
//! ([`Replicator`]), as segments that are written once. A machine with an empty disk takes everything in again. Start at
//! `carrier.rs`; what lies where in a bucket is in `keys.rs`.

mod address;
mod archive;
mod bucket;
mod error;
mod fold;
mod foreign;
mod keys;
mod lease;
mod log;
mod replicator;
mod restore_roots;
mod segment;
mod session_import;
mod session_index;
mod status;
mod task_documents;
mod trees;
mod workspace;

pub use address::BucketAddress;
pub use bucket::{Bucket, VariableLookup};
pub use error::BucketError;
pub use log::ReplicatedLog;
pub use replicator::{ReplicationTarget, Replicator};
pub use status::{ReplicationCondition, ReplicationStatus};
