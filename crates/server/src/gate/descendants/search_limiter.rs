//! How often `/proc` is searched, and for how many connections at once. A search costs milliseconds of a core, and whoever
//! connects can cause one, so nobody's connections may keep others from theirs.

use super::verdict::ConnectionVerdict;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

/// Searches at one time.
const SEARCHES: usize = 2;
/// How long a descendant may hide its descriptors before a connection that nobody is seen to hold is refused.
const HIDDEN_LIMIT: Duration = Duration::from_millis(250);
/// The time between the first two searches because of that. It doubles each time.
const HIDDEN_PAUSE: Duration = Duration::from_millis(10);
/// How many connections may wait for that at one time. All of one process that hides would wait, so the limit keeps their
/// further searches few. Beyond it a hidden descendant counts at once.
const HIDDEN_WAITING: usize = 8;

/// The searches of one listener.
pub(super) struct ProcSearchLimiter {
    running: Semaphore,
    waiting: Semaphore,
}

impl ProcSearchLimiter {
    pub(super) fn new() -> ProcSearchLimiter {
        ProcSearchLimiter { running: Semaphore::new(SEARCHES), waiting: Semaphore::new(HIDDEN_WAITING) }
    }

    /// The verdict of `search`. Every process hides for a moment: a supervisor's child until it runs its program, and
    /// whatever is about to end. So the search is repeated before a hidden descendant counts.
    pub(super) async fn repeat_while_hidden(
        &self,
        search: impl Fn() -> ConnectionVerdict + Send + Sync + 'static,
    ) -> ConnectionVerdict {
        let search = Arc::new(search);
        let mut verdict = self.run(search.clone()).await;
        if !matches!(verdict, ConnectionVerdict::Hidden { .. }) {
            return verdict;
        }
        let Ok(_place) = self.waiting.try_acquire() else { return verdict };
        let (deadline, mut pause) = (Instant::now() + HIDDEN_LIMIT, HIDDEN_PAUSE);
        while matches!(verdict, ConnectionVerdict::Hidden { .. }) && Instant::now() < deadline {
            sleep(pause).await;
            pause *= 2;
            verdict = self.run(search.clone()).await;
        }
        verdict
    }

    /// One search. Its place is free again as soon as it is done, not when the connection is judged.
    async fn run(&self, search: Arc<impl Fn() -> ConnectionVerdict + Send + Sync + 'static>) -> ConnectionVerdict {
        // The semaphore is never closed, so the permit is always there.
        let _permit = self.running.acquire().await.ok();
        tokio::task::spawn_blocking(move || search()).await.unwrap_or(ConnectionVerdict::Unidentified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const HIDDEN: ConnectionVerdict = ConnectionVerdict::Hidden { pid: 7 };

    #[tokio::test]
    async fn a_hidden_descendant_is_looked_at_again_for_a_while() {
        let searches = ProcSearchLimiter::new();
        let verdicts = Mutex::new([HIDDEN, HIDDEN, ConnectionVerdict::Outsider].into_iter());
        assert_eq!(
            searches.repeat_while_hidden(move || verdicts.lock().unwrap().next().unwrap()).await,
            ConnectionVerdict::Outsider
        );
        let (start, looks) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
        let counted = looks.clone();
        let hidden = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            HIDDEN
        };
        assert_eq!(searches.repeat_while_hidden(hidden).await, HIDDEN);
        assert!(start.elapsed() >= HIDDEN_LIMIT && looks.load(Ordering::SeqCst) > 2, "{looks:?} looks");
    }

    /// Time stands still until everybody waits, so this measures the pauses that a client is kept for.
    #[tokio::test(start_paused = true)]
    async fn connections_that_hide_keep_nobody_else_waiting() {
        let searches = Arc::new(ProcSearchLimiter::new());
        let hiding: Vec<_> = (0..200)
            .map(|_| {
                let searches = searches.clone();
                tokio::spawn(async move { searches.repeat_while_hidden(|| HIDDEN).await })
            })
            .collect();
        tokio::task::yield_now().await;
        let start = Instant::now();
        assert_eq!(searches.repeat_while_hidden(|| ConnectionVerdict::Outsider).await, ConnectionVerdict::Outsider);
        assert!(start.elapsed() < HIDDEN_LIMIT, "{:?}", start.elapsed());
        for hidden in hiding {
            assert_eq!(hidden.await.unwrap(), HIDDEN);
        }
        // And not one after the other.
        assert!(start.elapsed() < HIDDEN_LIMIT * 3, "{:?}", start.elapsed());
    }
}
