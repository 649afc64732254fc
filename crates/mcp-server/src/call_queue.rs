//! Where the client's calls wait until a turn takes them, and how one of them is taken back.

use parking_lot::{Mutex, MutexGuard};
use pollux_session::{CallId, NewCall};
use std::collections::{HashMap, VecDeque};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The most calls that may wait.
const WAITING: usize = 256;

/// Calls that wait, and whether somebody sees to them.
#[derive(Default)]
pub(super) struct CallQueue {
    state: Mutex<CallQueueState>,
    arrived: Notify,
    /// Cancelled when the session cannot take calls any more.
    pub(super) broken: CancellationToken,
}

#[derive(Default)]
struct CallQueueState {
    calls: VecDeque<NewCall>,
    /// True if a turn runs, or is on its way, that will take them.
    turn_running: bool,
    closed: bool,
}

/// The result of queueing a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EnqueueResult {
    /// Somebody sees to it.
    TurnRunning,
    /// Nobody does yet: a turn has to be begun.
    TurnNeeded,
    /// There are too many, or no more are taken.
    Refused,
}

impl CallQueue {
    /// Put a call down.
    pub(super) fn enqueue(&self, call: NewCall) -> EnqueueResult {
        let mut state = self.lock();
        if state.closed || state.calls.len() >= WAITING {
            return EnqueueResult::Refused;
        }
        state.calls.push_back(call);
        self.arrived.notify_one();
        if std::mem::replace(&mut state.turn_running, true) {
            EnqueueResult::TurnRunning
        } else {
            EnqueueResult::TurnNeeded
        }
    }

    /// The turn that was to be begun could not be: whoever waits here waits in vain.
    pub(super) fn give_up(&self) {
        self.close();
        self.broken.cancel();
    }

    /// True if a call waits.
    pub(super) fn has_waiting(&self) -> bool {
        !self.lock().calls.is_empty()
    }

    /// The next call.
    pub(super) fn take(&self) -> Option<NewCall> {
        let mut state = self.lock();
        let call = state.calls.pop_front();
        state.turn_running |= call.is_some();
        call
    }

    /// Until a call may have come, or no more will.
    pub(super) async fn wait_for_call(&self) {
        self.arrived.notified().await;
    }

    /// End the turn that takes them, unless a call has come.
    pub(super) fn stop_if_empty(&self) -> bool {
        let mut state = self.lock();
        let may = state.calls.is_empty();
        state.turn_running &= !may;
        may
    }

    /// No turn takes calls any more when the guard is dropped, however it comes to that.
    pub(super) fn guard(&self) -> CallQueueGuard<'_> {
        CallQueueGuard(self)
    }

    /// Take no more calls.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_one();
    }

    /// True if no more calls are taken.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    fn lock(&self) -> MutexGuard<'_, CallQueueState> {
        self.state.lock()
    }
}

/// A turn that takes calls.
pub(super) struct CallQueueGuard<'a>(&'a CallQueue);

impl Drop for CallQueueGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().turn_running = false;
    }
}

/// Calls that may be taken back one by one: a session itself knows only whole turns.
#[derive(Default)]
pub(super) struct CallCancellations(Mutex<HashMap<CallId, CancellationToken>>);

impl CallCancellations {
    /// Cancelled when `call` is taken back.
    pub(super) fn token(&self, call: CallId) -> CancellationToken {
        self.0.lock().entry(call).or_default().clone()
    }

    /// The call is over.
    pub(super) fn forget(&self, call: CallId) {
        self.0.lock().remove(&call);
    }
}

#[cfg(test)]
mod tests;
