//! Whole conversations of sessions that were asked for lately, so that who asks again waits only for what is new to be
//! folded. Bounded in sessions and in bytes.

use super::PAGE;
use crate::wire_state::WireState;
use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::{Entry, ReadError, Seat, SessionId, Transcript};
use std::sync::Arc;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// How many sessions are kept.
const KEPT: usize = 64;
/// How many bytes of conversation are kept, all sessions together.
const KEPT_BYTES: usize = 32 * 1024 * 1024;

/// A session folded up to an entry.
#[derive(Default)]
pub(crate) struct TaskHistory {
    /// What a dialect must know there.
    pub(crate) state: WireState,
    /// What was said and done until then.
    pub(crate) transcript: Transcript,
    bytes: usize,
}

/// The histories that are kept. The cache has no bound of its own: [`TaskHistoryCache::record_size`] holds both.
pub(super) struct TaskHistoryCache {
    histories: Mutex<LruCache<LogIncarnation, CachedHistory>>,
}

#[derive(Default)]
struct CachedHistory {
    history: Arc<AsyncMutex<TaskHistory>>,
    bytes: usize,
}

/// A session, and which life of its log.
type LogIncarnation = (SessionId, u32);

impl Default for TaskHistoryCache {
    fn default() -> TaskHistoryCache {
        TaskHistoryCache { histories: Mutex::new(LruCache::unbounded()) }
    }
}

impl TaskHistoryCache {
    /// The history of the seat's session up to its newest entry. Whoever else asks for the same session waits meanwhile,
    /// instead of folding the same entries.
    pub(super) async fn newest(&self, seat: &dyn Seat) -> Result<OwnedMutexGuard<TaskHistory>, ReadError> {
        let life = (seat.session(), seat.incarnation());
        let mut task_history = self.entry(life).lock_owned().await;
        loop {
            let page = seat.read(task_history.state.state.head, PAGE).await?;
            if page.is_empty() {
                break;
            }
            page.iter().for_each(|entry| task_history.apply(entry));
        }
        self.record_size(life, task_history.bytes);
        Ok(task_history)
    }

    /// The history as far as it is known.
    fn entry(&self, life: LogIncarnation) -> Arc<AsyncMutex<TaskHistory>> {
        Arc::clone(&self.histories.lock().get_or_insert(life, CachedHistory::default).history)
    }

    /// Note how large a history has become, and let go of the oldest ones that there is no room for.
    fn record_size(&self, life: LogIncarnation, bytes: usize) {
        let mut kept = self.histories.lock();
        if let Some(slot) = kept.peek_mut(&life) {
            slot.bytes = bytes;
        }
        let mut total: usize = kept.iter().map(|(_, slot)| slot.bytes).sum();
        while total > KEPT_BYTES || kept.len() > KEPT {
            let Some((_, oldest)) = kept.pop_lru() else { break };
            total -= oldest.bytes;
        }
    }
}

impl TaskHistory {
    fn apply(&mut self, entry: &Entry) {
        self.state.apply(entry);
        self.transcript.apply(entry);
        self.bytes += entry.weight();
    }
}

#[cfg(test)]
mod tests;
