//! A count of the sessions that have work under way, so that a process that is to stop knows when it can.

use tokio::sync::watch;

/// The count.
#[derive(Default)]
pub(crate) struct BusySessions(watch::Sender<usize>);

/// One session at work. It is counted until this is dropped.
pub(crate) struct BusyGuard(watch::Sender<usize>);

impl BusySessions {
    /// Count one more.
    pub(crate) fn begin(&self) -> BusyGuard {
        self.0.send_modify(|count| *count += 1);
        BusyGuard(self.0.clone())
    }

    /// Wait until none is left.
    pub(crate) async fn over(&self) {
        // The sender is here, so the wait ends with what is waited for.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
