//! The log as the host sees it: every write goes to the local log, and what is durable there is noted for the carrier.
//! A process that no longer carries does not write either: what it wrote would be lost to whoever follows.

use crate::replicator::PendingSessions;
use crate::status::{ReplicationCondition, ReplicationStatus};
use pollux_session::{BoxFuture, Entry, Seq, SessionId, UnixMillis};
use pollux_store::{CreateOutcome, EntryBatch, Epoch, Log, NewSession, StoreError, TaskUpdate};
use std::sync::Arc;

/// A local log that is carried to a bucket.
pub struct ReplicatedLog {
    log: Arc<dyn Log>,
    wanted: Arc<PendingSessions>,
    status: ReplicationStatus,
}

impl ReplicatedLog {
    pub(crate) fn new(log: Arc<dyn Log>, wanted: Arc<PendingSessions>, status: ReplicationStatus) -> ReplicatedLog {
        ReplicatedLog { log, wanted, status }
    }

    fn may_write(&self) -> Result<(), StoreError> {
        match self.status.condition() {
            ReplicationCondition::ReadOnly => Err(StoreError::Io(self.status.error().unwrap_or_default())),
            ReplicationCondition::Starting | ReplicationCondition::Carrying | ReplicationCondition::Failing => Ok(()),
        }
    }
}

impl Log for ReplicatedLog {
    fn incarnation(&self) -> u32 {
        self.log.incarnation()
    }

    fn create(&self, session: NewSession) -> BoxFuture<'_, Result<CreateOutcome, StoreError>> {
        Box::pin(async move {
            self.may_write()?;
            let id = session.id;
            let created = self.log.create(session).await?;
            self.wanted.add(id);
            Ok(created)
        })
    }

    fn adopt(
        &self,
        session: NewSession,
        marks: Vec<(UnixMillis, TaskUpdate)>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.log.adopt(session, marks)
    }

    fn claim(&self, session: SessionId) -> BoxFuture<'_, Result<Option<Epoch>, StoreError>> {
        self.log.claim(session)
    }

    fn append(&self, batch: EntryBatch) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.may_write()?;
            let id = batch.session;
            self.log.append(batch).await?;
            self.wanted.add(id);
            Ok(())
        })
    }

    fn read(&self, session: SessionId, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, StoreError>> {
        self.log.read(session, after, limit)
    }

    fn head(&self, session: SessionId) -> BoxFuture<'_, Result<Option<Seq>, StoreError>> {
        self.log.head(session)
    }
}
