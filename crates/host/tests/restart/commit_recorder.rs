//! A log that remembers where its commits ended.

use parking_lot::Mutex;
use pollux_session::{BoxFuture, Entry, Seq, SessionId, UnixMillis};
use pollux_store::{CreateOutcome, EntryBatch, Epoch, Log, NewSession, StoreError, TaskUpdate};
use std::sync::Arc;

/// A log and the last number of every commit it took.
pub(crate) struct CommitRecorder {
    log: Arc<dyn Log>,
    commits: Mutex<Vec<Seq>>,
}

impl CommitRecorder {
    pub(crate) fn new(log: Arc<dyn Log>) -> CommitRecorder {
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
}
