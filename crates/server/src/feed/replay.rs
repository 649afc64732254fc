//! A watcher that is behind reads the log by itself, with pieces that lie side by side merged.

use super::PAGE;
use super::projection::Projector;
use crate::dialect::EntryFrames;
use pollux_session::{Entry, Event, ReadError, Seat, Seq};
use std::collections::VecDeque;
use std::sync::Arc;

/// The most entries that a watcher holds that may never read them.
const HELD: usize = 16;
/// The longest merged text.
const MERGED_BYTES: usize = 64 * 1024;

pub(super) struct LogReplay {
    projector: Projector,
    page: VecDeque<Arc<Entry>>,
}

impl LogReplay {
    pub(super) fn new(projector: Projector) -> LogReplay {
        LogReplay { projector, page: VecDeque::new() }
    }

    /// The entry after `after` as shown; `None` when the end of the log is reached. `after` never goes back.
    pub(super) async fn next(&mut self, seat: &dyn Seat, after: Seq) -> Result<Option<EntryFrames>, ReadError> {
        loop {
            if self.page.is_empty() {
                let limit = if self.projector.head() < after { PAGE } else { HELD };
                self.page = seat.read(self.projector.head(), limit).await?.into();
            }
            let Some(entry) = self.page.pop_front() else { return Ok(None) };
            if entry.seq <= after {
                self.projector.skip(&entry);
                continue;
            }
            let entry = self.merge(entry);
            return Ok(Some(self.projector.show(&entry)));
        }
    }

    /// `entry` with what directly continues it. The merged entry has the number of its last part.
    fn merge(&mut self, mut entry: Arc<Entry>) -> Arc<Entry> {
        while let Some(next) = self.page.front() {
            let Some(event) = join_pieces(&entry.event, &next.event) else { break };
            entry = Arc::new(Entry { event, ..Entry::clone(next) });
            self.page.pop_front();
        }
        entry
    }
}

/// Two pieces of one text, or of one call's output, as one.
fn join_pieces(first: &Event, second: &Event) -> Option<Event> {
    if let Event::Piece { item, offset, text } = first
        && let Event::Piece { item: same, text: more, .. } = second
        && item == same
    {
        return Some(Event::Piece { item: *item, offset: *offset, text: join_texts(text, more)? });
    }
    if let Event::Output { call, offset, text } = first
        && let Event::Output { call: same, offset: then, text: more } = second
        && call == same
        && *then == offset + text.len() as u64
    {
        return Some(Event::Output { call: *call, offset: *offset, text: join_texts(text, more)? });
    }
    None
}

fn join_texts(first: &str, second: &str) -> Option<String> {
    (first.len() + second.len() <= MERGED_BYTES).then(|| format!("{first}{second}"))
}
