//! The newest entries as shown, for everybody at the tail. Bounded in entries and in bytes.

use crate::dialect::EntryFrames;
use pollux_session::{ReadError, Seq};
use std::collections::VecDeque;
use std::sync::Arc;

/// How many entries are kept.
pub(super) const KEPT_ENTRIES: usize = 1024;
/// How many bytes of frames are kept.
const KEPT_BYTES: usize = 4 * 1024 * 1024;

pub(super) struct FrameRing {
    /// The entry before the first one kept.
    start: Seq,
    shown: VecDeque<Arc<EntryFrames>>,
    bytes: usize,
    failure: Option<ReadError>,
}

/// What lies after a cursor.
pub(super) enum RingLookup {
    /// This.
    Found(Arc<EntryFrames>),
    /// Something the ring no longer holds.
    Behind,
    /// Nothing yet.
    NotYet,
    /// The log cannot be read.
    Failed(ReadError),
}

impl FrameRing {
    pub(super) fn starting_after(start: Seq) -> FrameRing {
        FrameRing { start, shown: VecDeque::new(), bytes: 0, failure: None }
    }

    pub(super) fn look(&self, cursor: Seq) -> RingLookup {
        if cursor < self.start {
            return RingLookup::Behind;
        }
        let place = usize::try_from(cursor.0 - self.start.0).unwrap_or(usize::MAX);
        match (self.shown.get(place), &self.failure) {
            (Some(shown), _) => RingLookup::Found(Arc::clone(shown)),
            (None, Some(error)) => RingLookup::Failed(error.clone()),
            (None, None) => RingLookup::NotYet,
        }
    }

    /// Begin later than was planned; whoever is before that is behind.
    pub(super) fn skip_to(&mut self, start: Seq) {
        self.start = start;
    }

    pub(super) fn push(&mut self, shown: EntryFrames) {
        self.bytes += weight(&shown);
        self.shown.push_back(Arc::new(shown));
        while self.shown.len() > KEPT_ENTRIES || (self.bytes > KEPT_BYTES && self.shown.len() > 1) {
            if let Some(oldest) = self.shown.pop_front() {
                self.bytes -= weight(&oldest);
                self.start = oldest.seq;
            }
        }
    }

    pub(super) fn fail(&mut self, error: ReadError) {
        self.failure = Some(error);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}

fn weight(shown: &EntryFrames) -> usize {
    let frames = shown.frames.iter().chain(&shown.closing);
    frames.map(|frame| frame.json.len() + frame.last.as_ref().map_or(0, bytes::Bytes::len)).sum()
}
