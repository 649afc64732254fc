//! Limits the searches of `/proc`, and the connections they answer at once. A search costs milliseconds of a core, and
//! whoever connects can cause one, so nobody's connections may keep others from theirs: one search at a time answers
//! all connections that wait. So each waits for two at most, the one that it came too late for and its own, however
//! many there are.

use super::verdict::ConnectionVerdict;
use crate::gate::connection_ends::ConnectionEnds;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, sleep};

/// The time that a descendant may hide its descriptors before a connection that nobody is seen to hold is refused.
const HIDDEN_LIMIT: Duration = Duration::from_millis(250);
/// The time between the first two searches because of that. It doubles each time.
const HIDDEN_PAUSE: Duration = Duration::from_millis(10);
/// The most connections that may wait for that at one time. All of one process that hides would wait, so the limit
/// keeps their further searches few. Beyond it a hidden descendant counts at once.
const HIDDEN_WAITING: usize = 8;

/// One search for all these connections: their verdicts in their order.
type Search = dyn Fn(&[ConnectionEnds]) -> Vec<ConnectionVerdict> + Send + Sync;

/// The searches of one listener.
pub(super) struct ProcSearchLimiter {
    queue: Arc<SearchQueue>,
    running: Arc<Semaphore>,
    hidden: Semaphore,
}

struct SearchQueue {
    search: Box<Search>,
    waiting: Mutex<Vec<WaitingConnections>>,
}

/// Connections whose verdicts somebody waits for.
struct WaitingConnections {
    ends: Vec<ConnectionEnds>,
    verdicts: oneshot::Sender<Vec<ConnectionVerdict>>,
}

impl ProcSearchLimiter {
    pub(super) fn new(
        search: impl Fn(&[ConnectionEnds]) -> Vec<ConnectionVerdict> + Send + Sync + 'static,
    ) -> ProcSearchLimiter {
        ProcSearchLimiter {
            queue: Arc::new(SearchQueue { search: Box::new(search), waiting: Mutex::default() }),
            running: Arc::new(Semaphore::new(1)),
            hidden: Semaphore::new(HIDDEN_WAITING),
        }
    }

    /// The verdict on a connection. Every process hides for a moment: a supervisor's child until it runs its program, and
    /// whatever is about to end. So the search is repeated before a hidden descendant counts.
    pub(super) async fn repeat_while_hidden(&self, ends: ConnectionEnds) -> ConnectionVerdict {
        let mut verdict = self.judge(ends).await;
        if !matches!(verdict, ConnectionVerdict::Hidden { .. }) {
            return verdict;
        }
        let Ok(_place) = self.hidden.try_acquire() else { return verdict };
        let (deadline, mut pause) = (Instant::now() + HIDDEN_LIMIT, HIDDEN_PAUSE);
        while matches!(verdict, ConnectionVerdict::Hidden { .. }) && Instant::now() < deadline {
            sleep(pause).await;
            pause *= 2;
            verdict = self.judge(ends).await;
        }
        verdict
    }

    async fn judge(&self, ends: ConnectionEnds) -> ConnectionVerdict {
        self.judge_all(vec![ends]).await.pop().unwrap_or(ConnectionVerdict::Unidentified)
    }

    /// The verdicts of the next search in the order of `ends`, which this begins unless one is running. None where it failed.
    pub(super) async fn judge_all(&self, ends: Vec<ConnectionEnds>) -> Vec<ConnectionVerdict> {
        let (sender, mut verdicts) = oneshot::channel();
        self.queue.waiting.lock().push(WaitingConnections { ends, verdicts: sender });
        tokio::select! {
            biased;
            verdicts = &mut verdicts => return verdicts.unwrap_or_default(),
            permit = Arc::clone(&self.running).acquire_owned() => {
                let queue = Arc::clone(&self.queue);
                // The permit goes with the search: this future may be dropped before it ends. The semaphore is never closed.
                tokio::task::spawn_blocking(move || queue.search_until_empty(permit.ok()));
            }
        }
        verdicts.await.unwrap_or_default()
    }
}

impl SearchQueue {
    /// Whoever comes after the last look at the queue gets the permit and begins again.
    fn search_until_empty(&self, permit: Option<OwnedSemaphorePermit>) {
        loop {
            let mut batch = std::mem::take(&mut *self.waiting.lock());
            if batch.is_empty() {
                break;
            }
            // Those whose client has left need no verdict.
            batch.retain(|connections| !connections.verdicts.is_closed());
            let ends: Vec<ConnectionEnds> = batch.iter().flat_map(|connections| &connections.ends).copied().collect();
            let verdicts = if ends.is_empty() { Vec::new() } else { (self.search)(&ends) };
            let mut verdicts = verdicts.into_iter();
            for WaitingConnections { ends, verdicts: sender } in batch {
                // They may have left meanwhile.
                let _ = sender.send(verdicts.by_ref().take(ends.len()).collect());
            }
        }
        drop(permit);
    }
}

#[cfg(test)]
mod tests;
