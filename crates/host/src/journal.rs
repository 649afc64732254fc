//! The log with its wake-up: what is appended here is durable first and seen second, by everybody alike.

use crate::tail::{LogTail, LogTails};
use pollux_session::{Entry, ReadError, Seq, SessionId};
use pollux_store::{EntryBatch, Epoch, SessionStore, StoreError, TaskUpdate};
use std::sync::Arc;

/// The log of a process and the tails of its watched sessions.
pub(crate) struct Journal {
    pub(crate) store: SessionStore,
    tails: LogTails,
}

impl Journal {
    pub(crate) fn new(store: SessionStore) -> Journal {
        Journal { store, tails: LogTails::default() }
    }

    /// The tail of a session; `None` when there is no such session.
    pub(crate) async fn tail(&self, session: SessionId) -> Result<Option<Arc<LogTail>>, StoreError> {
        if let Some(tail) = self.tails.get(session) {
            return Ok(Some(tail));
        }
        let head = self.store.log.head(session).await?;
        Ok(head.map(|head| self.tails.get_or_begin(session, head)))
    }

    /// The tail of a session that was just created with these entries.
    pub(crate) fn begin(&self, session: SessionId, entries: &[Arc<Entry>]) -> Arc<LogTail> {
        let tail = self.tails.get_or_begin(session, Seq::START);
        tail.push(entries);
        tail
    }

    /// Nothing more is written to the log of `session`: whoever waits for it is told why. A new writer is no failure.
    pub(crate) fn fail(&self, session: SessionId, error: &StoreError) {
        if !matches!(error, StoreError::Fenced(_))
            && let Some(tail) = self.tails.get(session)
        {
            tail.fail(error.to_string());
        }
    }

    /// Why the log of `session` could not be written, if that is so.
    pub(crate) fn failure(&self, session: SessionId) -> Option<String> {
        self.tails.get(session)?.failure()
    }

    /// Append, then wake.
    pub(crate) async fn append(
        &self,
        tail: &LogTail,
        session: SessionId,
        epoch: Epoch,
        entries: Vec<Arc<Entry>>,
        marks: Vec<TaskUpdate>,
    ) -> Result<(), StoreError> {
        self.store.log.append(EntryBatch { session, epoch, entries: entries.clone(), marks }).await?;
        tail.push(&entries);
        Ok(())
    }

    /// Entries after a cursor: from the tail while it has them, else from the log.
    pub(crate) async fn read(
        &self,
        tail: &LogTail,
        session: SessionId,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Arc<Entry>>, ReadError> {
        if after >= tail.head() {
            return Ok(Vec::new());
        }
        if let Some(entries) = tail.read(after, limit) {
            return Ok(entries);
        }
        self.store.log.read(session, after, limit).await.map_err(|error| read_error(&error))
    }
}

/// The error of a reader when the store cannot read.
pub(crate) fn read_error(error: &StoreError) -> ReadError {
    ReadError(format!("the log could not be read: {error}"))
}
