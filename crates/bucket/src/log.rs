//! The log as the host sees it: every write goes to the local log, and what is durable there is noted for the carrier.
//! A process that no longer carries does not write either: what it wrote would be lost to whoever follows.

use crate::carrier::Wanted;
use crate::status::{Condition, Status};
use pollux_session::{
    At, Context, Entry, Landmark, Owner, Pending, PushTarget, Seq, SessionId, Summary, TaskPage, TaskQuery,
};
use pollux_store::{Batch, Created, Epoch, Located, Log, Marked, NewSession, StoreError};
use std::sync::Arc;
use uuid::Uuid;

/// A local log that is carried to a bucket.
pub struct CarriedLog {
    log: Arc<dyn Log>,
    wanted: Arc<Wanted>,
    status: Status,
}

impl CarriedLog {
    pub(crate) fn new(log: Arc<dyn Log>, wanted: Arc<Wanted>, status: Status) -> CarriedLog {
        CarriedLog { log, wanted, status }
    }

    fn may_write(&self) -> Result<(), StoreError> {
        match self.status.condition() {
            Condition::ReadOnly => Err(StoreError::Io(self.status.error().unwrap_or_default())),
            Condition::Starting | Condition::Carrying | Condition::Failing => Ok(()),
        }
    }
}

impl Log for CarriedLog {
    fn incarnation(&self) -> u32 {
        self.log.incarnation()
    }

    fn create(&self, session: NewSession) -> Pending<'_, Result<Created, StoreError>> {
        Box::pin(async move {
            self.may_write()?;
            let id = session.id;
            let created = self.log.create(session).await?;
            self.wanted.add(id);
            Ok(created)
        })
    }

    fn adopt(&self, session: NewSession, marks: Vec<(At, Marked)>) -> Pending<'_, Result<(), StoreError>> {
        self.log.adopt(session, marks)
    }

    fn claim(&self, session: SessionId) -> Pending<'_, Result<Option<Epoch>, StoreError>> {
        self.log.claim(session)
    }

    fn append(&self, batch: Batch) -> Pending<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.may_write()?;
            let id = batch.session;
            self.log.append(batch).await?;
            self.wanted.add(id);
            Ok(())
        })
    }

    fn read(&self, session: SessionId, after: Seq, limit: usize) -> Pending<'_, Result<Vec<Arc<Entry>>, StoreError>> {
        self.log.read(session, after, limit)
    }

    fn head(&self, session: SessionId) -> Pending<'_, Result<Option<Seq>, StoreError>> {
        self.log.head(session)
    }

    fn locate(&self, owner: &Owner, id: Uuid) -> Pending<'_, Result<Option<Located>, StoreError>> {
        self.log.locate(owner, id)
    }

    fn newest(&self, owner: &Owner, context: &Context) -> Pending<'_, Result<Option<SessionId>, StoreError>> {
        self.log.newest(owner, context)
    }

    fn list(&self, owner: &Owner, limit: usize) -> Pending<'_, Result<Vec<Summary>, StoreError>> {
        self.log.list(owner, limit)
    }

    fn everyones(&self) -> Pending<'_, Result<Vec<Summary>, StoreError>> {
        self.log.everyones()
    }

    fn tasks(&self, owner: &Owner, query: TaskQuery) -> Pending<'_, Result<TaskPage, StoreError>> {
        self.log.tasks(owner, query)
    }

    fn checkpoints(
        &self,
        owner: &Owner,
        workspace: &str,
        limit: usize,
    ) -> Pending<'_, Result<Vec<Landmark>, StoreError>> {
        self.log.checkpoints(owner, workspace, limit)
    }

    fn put_target(&self, target: PushTarget) -> Pending<'_, Result<(), StoreError>> {
        self.log.put_target(target)
    }

    fn targets(&self, of: Option<(&Owner, Uuid)>) -> Pending<'_, Result<Vec<PushTarget>, StoreError>> {
        self.log.targets(of)
    }

    fn remove_target(&self, owner: &Owner, task: Uuid, id: &str) -> Pending<'_, Result<bool, StoreError>> {
        self.log.remove_target(owner, task, id)
    }

    fn move_target(&self, owner: &Owner, task: Uuid, id: &str, to: Seq) -> Pending<'_, Result<bool, StoreError>> {
        self.log.move_target(owner, task, id, to)
    }

    fn unfinished(&self) -> Pending<'_, Result<Vec<SessionId>, StoreError>> {
        self.log.unfinished()
    }
}
