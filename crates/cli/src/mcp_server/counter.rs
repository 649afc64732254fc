//! Where the client's calls wait until somebody attends to them, and how one of them is taken back.

use pollux_session::{CallId, NewCall};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How many calls may wait.
const WAITING: usize = 256;

/// Calls that wait, and whether somebody sees to them.
#[derive(Default)]
pub(super) struct Counter {
    state: Mutex<Waiting>,
    arrived: Notify,
    /// Cancelled when the session cannot take calls any more.
    pub(super) broken: CancellationToken,
}

#[derive(Default)]
struct Waiting {
    calls: VecDeque<NewCall>,
    /// Whether a turn runs, or is on its way, that will take them.
    attended: bool,
    closed: bool,
}

/// What became of a call that was put down.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Put {
    /// Somebody sees to it.
    Attended,
    /// Nobody does yet: a turn has to be begun.
    Unattended,
    /// There are too many, or no more are taken.
    Refused,
}

impl Counter {
    /// Put a call down.
    pub(super) fn put(&self, call: NewCall) -> Put {
        let mut state = self.lock();
        if state.closed || state.calls.len() >= WAITING {
            return Put::Refused;
        }
        state.calls.push_back(call);
        self.arrived.notify_one();
        if std::mem::replace(&mut state.attended, true) { Put::Attended } else { Put::Unattended }
    }

    /// The turn that was to be begun could not be: whoever waits here waits in vain.
    pub(super) fn give_up(&self) {
        self.close();
        self.broken.cancel();
    }

    /// Whether a call waits.
    pub(super) fn waits(&self) -> bool {
        !self.lock().calls.is_empty()
    }

    /// The next call.
    pub(super) fn take(&self) -> Option<NewCall> {
        let mut state = self.lock();
        let call = state.calls.pop_front();
        state.attended |= call.is_some();
        call
    }

    /// Until a call may have come, or no more will.
    pub(super) async fn arrived(&self) {
        self.arrived.notified().await;
    }

    /// Stop attending, unless a call has come.
    pub(super) fn leave(&self) -> bool {
        let mut state = self.lock();
        let may = state.calls.is_empty();
        state.attended &= !may;
        may
    }

    /// Whoever attends does so no more when the guard is dropped, however it comes to that.
    pub(super) fn attended(&self) -> Attended<'_> {
        Attended(self)
    }

    /// Take no more calls.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_one();
    }

    /// Whether no more calls are taken.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody attends to a counter.
pub(super) struct Attended<'a>(&'a Counter);

impl Drop for Attended<'_> {
    fn drop(&mut self) {
        self.0.lock().attended = false;
    }
}

/// Calls that may be taken back one by one: a session itself knows only whole turns.
#[derive(Default)]
pub(super) struct Recalls(Mutex<HashMap<CallId, CancellationToken>>);

impl Recalls {
    /// Cancelled when `call` is taken back.
    pub(super) fn of(&self, call: CallId) -> CancellationToken {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(call).or_default().clone()
    }

    /// The call is over.
    pub(super) fn forget(&self, call: CallId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&call);
    }
}

#[cfg(test)]
mod tests;
