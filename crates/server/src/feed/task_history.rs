//! The conversation of a session, with the state at its end: a whole task is written from it.

use super::PAGE;
use crate::wire_state::WireState;
use pollux_session::{ReadError, Seat, Seq, Transcript};
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;

/// The transcript of a session up to an entry.
#[derive(Default)]
pub(super) struct FoldedTranscript {
    transcript: Transcript,
    head: Seq,
    bytes: usize,
}

/// A session folded up to an entry. Whoever else wants it waits while this is held.
pub(crate) struct TaskHistory {
    /// The state of a dialect there.
    pub(crate) state: Arc<WireState>,
    transcript: OwnedMutexGuard<FoldedTranscript>,
}

impl TaskHistory {
    pub(super) fn new(state: Arc<WireState>, transcript: OwnedMutexGuard<FoldedTranscript>) -> TaskHistory {
        TaskHistory { state, transcript }
    }

    /// The conversation until then.
    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript.transcript
    }
}

impl FoldedTranscript {
    /// About how many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Fold the log in up to `head`, which is there.
    pub(super) async fn read_until(&mut self, seat: &dyn Seat, head: Seq) -> Result<(), ReadError> {
        while self.head < head {
            let page = seat.read(self.head, PAGE).await?;
            if page.is_empty() {
                break;
            }
            for entry in page.iter().take_while(|entry| entry.seq <= head) {
                self.transcript.apply(entry);
                self.bytes += entry.weight();
                self.head = entry.seq;
            }
        }
        Ok(())
    }
}
