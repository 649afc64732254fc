//! A log that remembers where its commits ended.

use parking_lot::Mutex;
use pollux_session::{
    BoxFuture, CheckpointLocation, ContextId, Entry, Owner, PushTarget, Seq, SessionId, SessionSummary, TaskPage,
    TaskQuery, UnixMillis,
};
use pollux_store::{CreateOutcome, EntryBatch, Epoch, LocatedTask, Log, NewSession, SqliteLog, StoreError, TaskUpdate};
use std::sync::Arc;
use uuid::Uuid;

/// A log and the last number of every commit it took.
pub(crate) struct CommitRecorder {
    log: SqliteLog,
    commits: Mutex<Vec<Seq>>,
}

impl CommitRecorder {
    pub(crate) fn new(log: SqliteLog) -> CommitRecorder {
        CommitRecorder { log, commits: Mutex::default() }
    }

    /// The last number of every commit.
    pub(crate) fn commits(&self) -> Vec<Seq> {
        self.commits.lock().clone()
    }

    fn note(&self, last: Option<Seq>) {
        self.commits.lock().extend(last);
    }
}

impl Log for CommitRecorder {
    fn incarnation(&self) -> u32 {
        self.log.incarnation()
    }

    fn create(&self, session: NewSession) -> BoxFuture<'_, Result<CreateOutcome, StoreError>> {
        self.note(session.entries.last().map(|entry| entry.seq));
        self.log.create(session)
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
        self.note(batch.entries.last().map(|entry| entry.seq));
        self.log.append(batch)
    }

    fn read(&self, session: SessionId, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, StoreError>> {
        self.log.read(session, after, limit)
    }

    fn head(&self, session: SessionId) -> BoxFuture<'_, Result<Option<Seq>, StoreError>> {
        self.log.head(session)
    }

    fn locate(&self, owner: &Owner, id: Uuid) -> BoxFuture<'_, Result<Option<LocatedTask>, StoreError>> {
        self.log.locate(owner, id)
    }

    fn newest(&self, owner: &Owner, context: &ContextId) -> BoxFuture<'_, Result<Option<SessionId>, StoreError>> {
        self.log.newest(owner, context)
    }

    fn list(&self, owner: &Owner, limit: usize) -> BoxFuture<'_, Result<Vec<SessionSummary>, StoreError>> {
        self.log.list(owner, limit)
    }

    fn everyones(&self) -> BoxFuture<'_, Result<Vec<SessionSummary>, StoreError>> {
        self.log.everyones()
    }

    fn tasks(&self, owner: &Owner, query: TaskQuery) -> BoxFuture<'_, Result<TaskPage, StoreError>> {
        self.log.tasks(owner, query)
    }

    fn checkpoints(
        &self,
        owner: &Owner,
        workspace: &str,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<CheckpointLocation>, StoreError>> {
        self.log.checkpoints(owner, workspace, limit)
    }

    fn put_target(&self, target: PushTarget) -> BoxFuture<'_, Result<(), StoreError>> {
        self.log.put_target(target)
    }

    fn targets(&self, of: Option<(&Owner, Uuid)>) -> BoxFuture<'_, Result<Vec<PushTarget>, StoreError>> {
        self.log.targets(of)
    }

    fn remove_target(&self, owner: &Owner, task: Uuid, id: &str) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.log.remove_target(owner, task, id)
    }

    fn move_target(&self, owner: &Owner, task: Uuid, id: &str, to: Seq) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.log.move_target(owner, task, id, to)
    }

    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<SessionId>, StoreError>> {
        self.log.unfinished()
    }
}
