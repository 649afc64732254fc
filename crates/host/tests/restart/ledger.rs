//! A log that remembers where its commits ended.

use pollux_session::{
    At, Context, Entry, Landmark, Owner, Pending, PushTarget, Seq, SessionId, Summary, TaskPage, TaskQuery,
};
use pollux_store::{Batch, Created, Epoch, Located, Log, Marked, NewSession, SqliteLog, StoreError};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// A log and the last number of every commit it took.
pub(crate) struct Ledger {
    log: SqliteLog,
    commits: Mutex<Vec<Seq>>,
}

impl Ledger {
    pub(crate) fn new(log: SqliteLog) -> Ledger {
        Ledger { log, commits: Mutex::default() }
    }

    /// The last number of every commit.
    pub(crate) fn commits(&self) -> Vec<Seq> {
        self.commits.lock().unwrap().clone()
    }

    fn note(&self, last: Option<Seq>) {
        self.commits.lock().unwrap().extend(last);
    }
}

impl Log for Ledger {
    fn incarnation(&self) -> u32 {
        self.log.incarnation()
    }

    fn create(&self, session: NewSession) -> Pending<'_, Result<Created, StoreError>> {
        self.note(session.entries.last().map(|entry| entry.seq));
        self.log.create(session)
    }

    fn adopt(&self, session: NewSession, marks: Vec<(At, Marked)>) -> Pending<'_, Result<(), StoreError>> {
        self.log.adopt(session, marks)
    }

    fn claim(&self, session: SessionId) -> Pending<'_, Result<Option<Epoch>, StoreError>> {
        self.log.claim(session)
    }

    fn append(&self, batch: Batch) -> Pending<'_, Result<(), StoreError>> {
        self.note(batch.entries.last().map(|entry| entry.seq));
        self.log.append(batch)
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
