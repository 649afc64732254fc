//! The one worker of a process that carries: it opens the bucket, claims it, takes in what the local log lacks, and from
//! then on brings there what the log has durably. Its cursor is the bucket itself: a segment that was written is never
//! written again, so a crash anywhere sends again and doubles nothing.

mod pending_sessions;
mod worker;

use crate::address::BucketAddress;
use crate::bucket::VariableLookup;
use crate::log::ReplicatedLog;
use crate::status::ReplicationStatus;
pub(crate) use pending_sessions::PendingSessions;
use pollux_session::Owner;
use pollux_store::{BlobStore, SessionStore};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use worker::ReplicationWorker;

/// The sessions to replicate, and the bucket.
pub struct ReplicationTarget {
    pub address: BucketAddress,
    /// Where its credentials are named.
    pub variables: VariableLookup,
    /// The local store.
    pub store: SessionStore,
    /// The local blobs.
    pub blobs: BlobStore,
    /// Whose the tasks are that another server left in the bucket.
    pub owner: Owner,
    /// The workspace that is served: those of the bucket may come back at it and below it.
    pub workspace: PathBuf,
    /// The person's home: no workspace that holds it is carried.
    pub home: Option<PathBuf>,
    /// Directories of our own: no workspace that holds one is carried, and none comes back there.
    pub own: Vec<PathBuf>,
    /// Where it is noted, on this machine only, which workspaces are being put back.
    pub restoring: PathBuf,
    /// The release in new entries of ours.
    pub release: String,
}

/// The carrying of a process.
pub struct Replicator {
    store: SessionStore,
    status: ReplicationStatus,
    wanted: Arc<PendingSessions>,
    tried: watch::Receiver<bool>,
    worker: JoinHandle<()>,
}

impl Replicator {
    /// Begin. A bucket that cannot be used stops nothing: it is tried again, and [`Replicator::status`] says why.
    pub fn start(carried: ReplicationTarget) -> Replicator {
        let status = ReplicationStatus::new(carried.address.to_string());
        let wanted = Arc::new(PendingSessions::default());
        let log = Arc::new(ReplicatedLog::new(carried.store.log.clone(), wanted.clone(), status.clone()));
        let store = carried.store.clone().with_log(log);
        let (tell, tried) = watch::channel(false);
        let worker = ReplicationWorker::new(carried, status.clone(), wanted.clone(), tell);
        Replicator { store, status, wanted, tried, worker: tokio::spawn(worker.run()) }
    }

    /// The store to host: what is written to it is carried.
    pub fn store(&self) -> SessionStore {
        self.store.clone()
    }

    /// The status of the replication.
    pub fn status(&self) -> ReplicationStatus {
        self.status.clone()
    }

    /// Wait until what the bucket has is here, or cannot be had for now, but no longer than `patience`.
    pub async fn ready(&self, patience: Duration) {
        let mut tried = self.tried.clone();
        // A worker that has ended has tried.
        let waited = tokio::time::timeout(patience, tried.wait_for(|tried| *tried)).await;
        if waited.is_err() {
            tracing::warn!("the bucket is slow: what it has of earlier sessions appears later");
        }
    }

    /// Wait until everything written so far is in the bucket, but no longer than `patience`; whether it is.
    pub async fn finish(self, patience: Duration) -> bool {
        self.wanted.close();
        let abort = self.worker.abort_handle();
        let done = tokio::time::timeout(patience, self.worker).await.is_ok() && self.wanted.len() == 0;
        abort.abort();
        done
    }
}
