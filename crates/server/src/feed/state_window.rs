//! The state of a session at its newest entry, and how it came about lately: a stream about a message begins at the message,
//! which others may have gone on from. From the last checkpoint before it the state there is made again, without the log.

use super::frame_ring::KEPT_ENTRIES;
use crate::wire_state::WireState;
use pollux_session::{Entry, Seq};
use std::collections::VecDeque;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The most entries between two checkpoints.
const CHECKPOINT_ENTRIES: u64 = 512;
/// The most bytes of entries between two checkpoints.
const CHECKPOINT_BYTES: usize = 128 * 1024;
/// The most bytes of entries that are kept.
const KEPT_BYTES: usize = 512 * 1024;

/// The newest state and the newest entries. It reaches as far back as frames are kept, [`KEPT_ENTRIES`], unless the entries are
/// too large for that.
pub(super) struct StateWindow {
    /// Readers share it. It is copied only if somebody still reads it when the next entry comes.
    newest: Arc<WireState>,
    /// Earlier states, oldest first; never empty.
    checkpoints: VecDeque<Arc<WireState>>,
    /// The entries after the oldest checkpoint.
    entries: VecDeque<Arc<Entry>>,
    bytes: usize,
    /// Bytes of entries after the newest checkpoint.
    new_bytes: usize,
}

impl Default for StateWindow {
    fn default() -> StateWindow {
        let newest = Arc::<WireState>::default();
        let checkpoints = VecDeque::from([Arc::clone(&newest)]);
        StateWindow { newest, checkpoints, entries: VecDeque::new(), bytes: 0, new_bytes: 0 }
    }
}

impl StateWindow {
    /// The state at the newest entry.
    pub(super) fn newest(&self) -> &Arc<WireState> {
        &self.newest
    }

    /// The newest entry.
    pub(super) fn head(&self) -> Seq {
        self.newest.state.head
    }

    /// Fold one more entry in.
    pub(super) fn apply(&mut self, entry: &Arc<Entry>) {
        Arc::make_mut(&mut self.newest).apply(entry);
        self.bytes += entry.weight();
        self.new_bytes += entry.weight();
        self.entries.push_back(Arc::clone(entry));
        let checkpoint = self.checkpoints.back().map_or(Seq::START, |state| state.state.head);
        if self.head().0 - checkpoint.0 >= CHECKPOINT_ENTRIES || self.new_bytes >= CHECKPOINT_BYTES {
            self.checkpoints.push_back(Arc::clone(&self.newest));
            self.new_bytes = 0;
        }
        while self.bytes > KEPT_BYTES || self.head().0.saturating_sub(KEPT_ENTRIES as u64) >= self.second_checkpoint().0
        {
            if !self.drop_oldest_checkpoint() {
                break;
            }
        }
    }

    /// The newest state that is kept from `seq` or before.
    pub(super) fn state_before(&self, seq: Seq) -> Option<Arc<WireState>> {
        let states = std::iter::once(&self.newest).chain(self.checkpoints.iter().rev());
        states.into_iter().find(|state| state.state.head <= seq).cloned()
    }

    /// The entries after `seq`; `None` if some of them are not kept any more.
    pub(super) fn entries_after(&self, seq: Seq) -> Option<Vec<Arc<Entry>>> {
        let oldest = self.checkpoints.front()?.state.head;
        let skip = usize::try_from(seq.0.checked_sub(oldest.0)?).ok()?;
        Some(self.entries.iter().skip(skip).cloned().collect())
    }

    fn second_checkpoint(&self) -> Seq {
        self.checkpoints.get(1).map_or(Seq(u64::MAX), |state| state.state.head)
    }

    /// Forget the oldest checkpoint and the entries up to the next one. The newest two stay: however large an entry is, a
    /// stream can begin before it.
    fn drop_oldest_checkpoint(&mut self) -> bool {
        if self.checkpoints.len() <= 2 {
            return false;
        }
        self.checkpoints.pop_front();
        let start = self.checkpoints.front().map_or(Seq::START, |state| state.state.head);
        while let Some(oldest) = self.entries.pop_front_if(|entry| entry.seq <= start) {
            self.bytes -= oldest.weight();
        }
        true
    }
}
