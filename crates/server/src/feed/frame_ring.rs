//! The newest entries as shown, for everybody at the tail. Bounded in entries and in bytes.

use crate::dialect::EntryFrames;
use pollux_session::Seq;
use std::collections::VecDeque;
use std::sync::Arc;

/// The most entries that are kept.
pub(super) const KEPT_ENTRIES: usize = 1024;
/// The most bytes of frames that are kept.
const KEPT_BYTES: usize = 4 * 1024 * 1024;

pub(super) struct FrameRing {
    /// The entry before the first one kept.
    start: Seq,
    shown: VecDeque<Arc<EntryFrames>>,
    bytes: usize,
}

/// The frames after a cursor.
pub(super) enum RingLookup {
    /// This.
    Found(Arc<EntryFrames>),
    /// Something the ring no longer holds.
    Behind,
    /// Nothing yet.
    NotYet,
}

impl FrameRing {
    pub(super) fn starting_after(start: Seq) -> FrameRing {
        FrameRing { start, shown: VecDeque::new(), bytes: 0 }
    }

    pub(super) fn look(&self, cursor: Seq) -> RingLookup {
        if cursor < self.start {
            return RingLookup::Behind;
        }
        let index = usize::try_from(cursor.0 - self.start.0).unwrap_or(usize::MAX);
        self.shown.get(index).map_or(RingLookup::NotYet, |shown| RingLookup::Found(Arc::clone(shown)))
    }

    pub(super) fn push(&mut self, shown: EntryFrames) {
        self.bytes += weight(&shown);
        self.shown.push_back(Arc::new(shown));
        while self.shown.len() > KEPT_ENTRIES || (self.bytes > KEPT_BYTES && self.shown.len() > 1) {
            if let Some(oldest) = self.shown.pop_front() {
                self.bytes -= weight(&oldest);
                self.start = oldest.seq();
            }
        }
    }
}

fn weight(shown: &EntryFrames) -> usize {
    let frames = shown.frames.iter().chain(&shown.closing);
    frames.map(|frame| frame.json.len() + frame.last.as_ref().map_or(0, bytes::Bytes::len)).sum()
}
