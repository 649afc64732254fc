//! When streamed text is committed: the first piece at once, then one commit in flight, the next after 25 ms or twice
//! what the last one took, whichever is longer. A slow disk is thus asked less often, never more.

use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between two commits of one stream.
const GAP: Duration = Duration::from_millis(25);

/// The pace of one stream.
pub(crate) struct CommitPacer {
    ready: Instant,
}

impl CommitPacer {
    pub(crate) fn new() -> CommitPacer {
        CommitPacer { ready: Instant::now() }
    }

    /// When the next commit may begin.
    pub(crate) fn ready(&self) -> Instant {
        self.ready
    }

    /// A commit that began at `began` is durable now.
    pub(crate) fn committed(&mut self, began: Instant) {
        self.ready = began + GAP.max(2 * began.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_slow_commit_widens_the_gap() {
        let mut pace = CommitPacer::new();
        let began = Instant::now();
        assert_eq!(pace.ready(), began);
        pace.committed(began);
        assert_eq!(pace.ready(), began + GAP);
        tokio::time::advance(Duration::from_millis(40)).await;
        pace.committed(began);
        assert_eq!(pace.ready(), began + Duration::from_millis(80));
    }
}
