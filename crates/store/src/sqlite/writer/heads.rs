//! Where each session stands, as the writer knows it. It is the only writer, so it need not ask the database again.

use crate::error::StoreError;
use crate::log::Epoch;
use crate::sqlite::write;
use lru::LruCache;
use pollux_session::{Seq, SessionId};
use rusqlite::Connection;
use std::num::NonZeroUsize;

/// The most sessions that are remembered. Forgetting one costs a look at the index.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sqlite) struct SessionHead {
    pub(in crate::sqlite) epoch: Epoch,
    pub(in crate::sqlite) seq: Seq,
}

/// Where the sessions stand that were written to lately, this transaction included.
pub(in crate::sqlite) struct SessionHeads(LruCache<SessionId, SessionHead>);

impl Default for SessionHeads {
    fn default() -> SessionHeads {
        SessionHeads(LruCache::sparse(REMEMBERED))
    }
}

impl SessionHeads {
    /// Where `session` stands; `None` when there is no such session.
    pub(in crate::sqlite) fn of(
        &mut self,
        conn: &Connection,
        session: SessionId,
    ) -> Result<Option<SessionHead>, StoreError> {
        if let Some(head) = self.0.get(&session) {
            return Ok(Some(*head));
        }
        let head = write::stored_head(conn, session)?;
        if let Some(head) = head {
            self.set(session, head);
        }
        Ok(head)
    }

    /// Note where `session` stands now. Only after its writes have succeeded.
    pub(in crate::sqlite) fn set(&mut self, session: SessionId, head: SessionHead) {
        self.0.put(session, head);
    }

    /// Forget everything: the transaction that it stood on is gone.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}
