//! The follower of one feed: the only one that projects at its tail.

use super::frame_ring::KEPT_ENTRIES;
use super::{Feed, FeedKey, PAGE, SessionFeeds};
use crate::dialect::PreviousStatus;
use crate::wire_state::WireState;
use pollux_session::{Entry, ReadError, Seat, Seq};
use std::sync::{Arc, Weak};
use tokio_util::sync::CancellationToken;

/// Follow the log until nobody watches any more.
pub(super) async fn follow(
    feeds: Arc<SessionFeeds>,
    feed: Weak<Feed>,
    seat: Arc<dyn Seat>,
    after: Seq,
    stop: CancellationToken,
) {
    let mut wire_state =
        feeds.view_cache.newest(seat.session(), seat.incarnation()).filter(|wire_state| wire_state.state.head <= after);
    let mut wire_state = wire_state.take().unwrap_or_default();
    let outcome = tokio::select! {
        biased;
        () = stop.cancelled() => Ok(()),
        outcome = run(&feed, &*seat, after, &mut wire_state) => outcome,
    };
    feeds.view_cache.store(seat.session(), seat.incarnation(), &wire_state);
    if let (Err(error), Some(feed)) = (outcome, feed.upgrade()) {
        tracing::warn!("[A2AService] stopped following session {}: {error}", seat.session());
        feed.ring().fail(error);
        feed.steps.send_modify(|steps| *steps += 1);
    }
}

async fn run(feed: &Weak<Feed>, seat: &dyn Seat, after: Seq, wire_state: &mut WireState) -> Result<(), ReadError> {
    let newest = seat.changed(after).await?;
    // Whoever starts long ago reads the log alone: the ring could not hold that much.
    let from = after.max(Seq(newest.0.saturating_sub(KEPT_ENTRIES as u64)));
    if from > after {
        let Some(feed) = feed.upgrade() else { return Ok(()) };
        feed.ring().skip_to(from);
        feed.steps.send_modify(|steps| *steps += 1);
    }
    loop {
        let page = seat.read(wire_state.state.head, PAGE).await?;
        if page.is_empty() {
            seat.changed(wire_state.state.head).await?;
            continue;
        }
        let Some(feed) = feed.upgrade() else { return Ok(()) };
        for entry in &page {
            step(&feed, wire_state, entry, from);
        }
        feed.steps.send_modify(|steps| *steps += 1);
    }
}

fn step(feed: &Feed, wire_state: &mut WireState, entry: &Entry, from: Seq) {
    if entry.seq <= from {
        wire_state.apply(entry);
        return;
    }
    let FeedKey { session, view, dialect, .. } = feed.key;
    let was = PreviousStatus::capture(wire_state, view);
    wire_state.apply(entry);
    feed.ring().push(dialect.show(session, view, &was, wire_state, entry));
}
