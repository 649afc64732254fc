//! The newest entries of a watched session, and the wake-up when there are more. Watching needs no actor.

use parking_lot::{Mutex, MutexGuard};
use pollux_session::{Entry, ReadError, Seq, SessionId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};
use tokio::sync::watch;

/// The most entries of a tail.
const ENTRIES_KEPT: usize = 512;
/// About how many bytes of text they may hold together.
const BYTES_KEPT: usize = 1024 * 1024;
/// Dead entries of the directory are swept when it has grown past this, and past twice what the last sweep left.
const SWEEP_AT: usize = 256;

/// The newest entries of one session.
pub(crate) struct LogTail {
    ring: Mutex<Ring>,
    head: watch::Sender<Seq>,
    /// Why nothing more comes: the log could not be written.
    failure: watch::Sender<Option<String>>,
}

#[derive(Default)]
struct Ring {
    entries: VecDeque<Arc<Entry>>,
    bytes: usize,
}

impl LogTail {
    fn new(head: Seq) -> Arc<LogTail> {
        Arc::new(LogTail { ring: Mutex::default(), head: watch::Sender::new(head), failure: watch::Sender::new(None) })
    }

    /// The newest number.
    pub(crate) fn head(&self) -> Seq {
        *self.head.borrow()
    }

    /// Add entries that are durable now, and wake everybody. Entries the tail has are passed over; after a gap it begins
    /// anew, and whoever is before that reads the log.
    pub(crate) fn push(&self, entries: &[Arc<Entry>]) {
        let Some(last) = entries.last() else { return };
        {
            let mut ring = self.ring.lock();
            let head = self.head();
            let new = entries.partition_point(|entry| entry.seq <= head);
            let Some(first) = entries.get(new) else { return };
            if first.seq != head.next() {
                *ring = Ring::default();
            }
            for entry in &entries[new..] {
                ring.bytes += entry.weight();
                ring.entries.push_back(entry.clone());
            }
            while ring.entries.len() > ENTRIES_KEPT || (ring.bytes > BYTES_KEPT && ring.entries.len() > 1) {
                let Some(oldest) = ring.entries.pop_front() else { break };
                ring.bytes -= oldest.weight();
            }
        }
        self.head.send_replace(last.seq);
    }

    /// Entries after `after`, when the tail still has them all; `None` sends the reader to the log.
    pub(crate) fn read(&self, after: Seq, limit: usize) -> Option<Vec<Arc<Entry>>> {
        let ring = self.ring.lock();
        let oldest = ring.entries.front()?.seq;
        let skip = usize::try_from((after.0 + 1).checked_sub(oldest.0)?).ok()?;
        Some(ring.entries.iter().skip(skip).take(limit).cloned().collect())
    }

    /// Wait for an entry after `after`; returns the newest number. An error: none comes, because the log cannot be written.
    pub(crate) async fn changed(&self, after: Seq) -> Result<Seq, ReadError> {
        let (mut head, mut failure) = (self.head.subscribe(), self.failure.subscribe());
        // The senders live as long as `self`, so waiting cannot fail.
        tokio::select! {
            biased;
            newest = head.wait_for(|head| *head > after) => Ok(newest.map_or(after, |head| *head)),
            failed = failure.wait_for(Option::is_some) => {
                Err(ReadError(failed.ok().and_then(|failed| failed.clone()).unwrap_or_default()))
            }
        }
    }

    /// The log could not be written, and whoever wrote it has stopped: whoever waits would wait for ever.
    pub(crate) fn fail(&self, why: String) {
        self.failure.send_replace(Some(why));
    }

    /// Somebody writes the log again.
    pub(crate) fn mend(&self) {
        self.failure.send_if_modified(|failure| failure.take().is_some());
    }

    /// Why the log could not be written, if that is so.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }
}

/// The tails of the sessions that somebody watches or an actor writes.
#[derive(Default)]
pub(crate) struct LogTails {
    directory: Mutex<Directory>,
}

#[derive(Default)]
struct Directory {
    by_session: HashMap<SessionId, Weak<LogTail>>,
    /// The number of tails that were alive after the last sweep.
    swept: usize,
}

impl LogTails {
    /// The tail of `session` if it has one.
    pub(crate) fn get(&self, session: SessionId) -> Option<Arc<LogTail>> {
        self.directory().by_session.get(&session).and_then(Weak::upgrade)
    }

    /// The tail of `session`, begun at `head` if it has none.
    pub(crate) fn get_or_begin(&self, session: SessionId, head: Seq) -> Arc<LogTail> {
        let mut directory = self.directory();
        let Directory { by_session, swept } = &mut *directory;
        if let Some(tail) = by_session.get(&session).and_then(Weak::upgrade) {
            return tail;
        }
        if by_session.len() >= SWEEP_AT.max(2 * *swept) {
            by_session.retain(|_, tail| tail.strong_count() > 0);
            *swept = by_session.len();
        }
        let tail = LogTail::new(head);
        by_session.insert(session, Arc::downgrade(&tail));
        tail
    }

    fn directory(&self) -> MutexGuard<'_, Directory> {
        self.directory.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollux_session::{EntryAuthor, Event, ItemKind, UnixMillis};

    fn entry(seq: u64, text: &str) -> Arc<Entry> {
        let event = Event::Said { kind: ItemKind::Text, text: text.into(), response: None };
        Arc::new(Entry { seq: Seq(seq), at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event })
    }

    #[test]
    fn a_tail_answers_only_what_it_holds_whole() {
        let tail = LogTail::new(Seq(3));
        assert_eq!(tail.read(Seq(3), 10), None);
        tail.push(&[entry(4, "a"), entry(5, "b")]);
        assert_eq!(tail.read(Seq(2), 10), None);
        assert_eq!(tail.read(Seq(3), 1), Some(vec![entry(4, "a")]));
        assert_eq!(tail.read(Seq(4), 10), Some(vec![entry(5, "b")]));
        assert_eq!(tail.read(Seq(5), 10), Some(vec![]));
        assert_eq!(tail.head(), Seq(5));
    }

    #[test]
    fn entries_come_once_and_a_gap_sends_readers_to_the_log() {
        let tail = LogTail::new(Seq(0));
        tail.push(&[entry(1, "a"), entry(2, "b"), entry(3, "c")]);
        tail.push(&[entry(1, "a"), entry(2, "b")]);
        assert_eq!((tail.head(), tail.read(Seq(2), 10)), (Seq(3), Some(vec![entry(3, "c")])));
        tail.push(&[entry(5, "e")]);
        assert_eq!((tail.head(), tail.read(Seq(3), 10)), (Seq(5), None));
        assert_eq!(tail.read(Seq(4), 10), Some(vec![entry(5, "e")]));
    }

    #[tokio::test]
    async fn whoever_waits_is_told_that_nothing_more_comes() {
        let tail = LogTail::new(Seq(3));
        let full = || Err(ReadError("the disk is full".into()));
        tail.fail("the disk is full".into());
        assert_eq!(tail.changed(Seq(3)).await, full());
        // What there is can still be read.
        assert_eq!(tail.changed(Seq(2)).await, Ok(Seq(3)));
        assert_eq!(tail.failure().as_deref(), Some("the disk is full"));
        tail.mend();
        tail.push(&[entry(4, "a")]);
        assert_eq!((tail.changed(Seq(3)).await, tail.failure()), (Ok(Seq(4)), None));
    }

    #[test]
    fn a_tail_stays_bounded() {
        let tail = LogTail::new(Seq(0));
        let big = "x".repeat(BYTES_KEPT / 4);
        for seq in 1..=100 {
            tail.push(&[entry(seq, &big)]);
        }
        let ring = tail.ring.lock();
        assert!(ring.bytes <= BYTES_KEPT);
        assert_eq!(ring.entries.back().unwrap().seq, Seq(100));
    }
}
