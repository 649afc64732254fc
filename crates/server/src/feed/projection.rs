//! The frames that one part of a session becomes in one dialect: a function of the state and the next entry.

use super::frame_ring::FrameRing;
use crate::dialect::{Dialect, EntryFrames, PreviousStatus};
use crate::wire_state::{TaskScope, WireState};
use pollux_session::{Entry, Seq, SessionId};
use std::sync::Arc;

/// A part of a session, and the dialect in which it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Projection {
    pub(super) session: SessionId,
    pub(super) scope: TaskScope,
    pub(super) dialect: Dialect,
}

impl Projection {
    /// Show `entry`, which `state` already holds.
    pub(super) fn show(&self, before: &PreviousStatus, state: &WireState, entry: &Entry) -> EntryFrames {
        self.dialect.show(self.session, self.scope, before, state, entry)
    }
}

/// Makes frames away from the tail, with a state of its own.
pub(super) struct Projector {
    projection: Projection,
    state: Arc<WireState>,
}

impl Projector {
    pub(super) fn new(projection: Projection, state: Arc<WireState>) -> Projector {
        Projector { projection, state }
    }

    /// The newest entry that it knows.
    pub(super) fn head(&self) -> Seq {
        self.state.state.head
    }

    /// Fold an entry in that nobody needs to see.
    pub(super) fn skip(&mut self, entry: &Entry) {
        Arc::make_mut(&mut self.state).apply(entry);
    }

    /// Fold the next entry in, and show it.
    pub(super) fn show(&mut self, entry: &Entry) -> EntryFrames {
        let before = PreviousStatus::capture(&self.state, self.projection.scope);
        self.skip(entry);
        self.projection.show(&before, &self.state, entry)
    }
}

/// A ring that is filled before it joins those at the tail.
pub(super) struct RingBuilder {
    projector: Projector,
    /// The entry before the first one to show.
    start: Seq,
    ring: FrameRing,
}

impl RingBuilder {
    /// A ring of what comes after `start`, filled from a state that is not newer.
    pub(super) fn new(projection: Projection, state: Arc<WireState>, start: Seq) -> RingBuilder {
        RingBuilder { projector: Projector::new(projection, state), start, ring: FrameRing::starting_after(start) }
    }

    /// The newest entry that it knows.
    pub(super) fn head(&self) -> Seq {
        self.projector.head()
    }

    pub(super) fn extend(&mut self, entries: &[Arc<Entry>]) {
        for entry in entries {
            if entry.seq <= self.start {
                self.projector.skip(entry);
            } else {
                self.ring.push(self.projector.show(entry));
            }
        }
    }

    pub(super) fn finish(self) -> FrameRing {
        self.ring
    }
}
