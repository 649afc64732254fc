//! What happened, kept so that all of it can be shown again. The entries are shared with whoever else holds them, and
//! there is a bound: the oldest go first.

use pollux_session::{Entry, EntryAuthor, EntryOrigin, NoteTone};
use std::collections::VecDeque;
use std::sync::Arc;

/// How many bytes are kept.
const MAX_KEPT_BYTES: usize = 64 * 1024 * 1024;
/// About what a record takes besides its text.
const FIXED: usize = 64;

/// Something that is in the transcript.
#[derive(Clone, Debug)]
pub(super) enum TranscriptRecord {
    Greeting(Vec<String>),
    Entry(Arc<Entry>, EntryOrigin),
    Note(NoteTone, String),
}

impl TranscriptRecord {
    fn weight(&self) -> usize {
        let text = match self {
            TranscriptRecord::Greeting(lines) => lines.iter().map(String::len).sum(),
            TranscriptRecord::Entry(entry, _) => entry.weight(),
            TranscriptRecord::Note(_, text) => text.len(),
        };
        text + FIXED
    }
}

/// The newest records.
#[derive(Clone, Debug)]
pub(super) struct TranscriptRecords {
    kept: VecDeque<(TranscriptRecord, usize)>,
    bytes: usize,
    limit: usize,
    is_cut: bool,
    /// Who sits here.
    me: EntryAuthor,
}

impl Default for TranscriptRecords {
    fn default() -> TranscriptRecords {
        TranscriptRecords::new(MAX_KEPT_BYTES)
    }
}

impl TranscriptRecords {
    /// As many as take about `limit` bytes.
    pub(super) fn new(limit: usize) -> TranscriptRecords {
        TranscriptRecords { kept: VecDeque::new(), bytes: 0, limit, is_cut: false, me: EntryAuthor::Agent }
    }

    pub(super) fn keep(&mut self, record: TranscriptRecord) {
        let weight = record.weight();
        self.bytes += weight;
        self.kept.push_back((record, weight));
        while self.bytes > self.limit
            && let Some((_, weight)) = self.kept.pop_front()
        {
            self.bytes -= weight;
            self.is_cut = true;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &TranscriptRecord> {
        self.kept.iter().map(|(record, _)| record)
    }

    /// Whether the oldest ones are gone.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Who sits here, as the first entry finds it.
    pub(super) fn set_seat(&mut self, me: &EntryAuthor) {
        if self.me != *me {
            self.me = me.clone();
        }
    }

    pub(super) fn me(&self) -> &EntryAuthor {
        &self.me
    }
}

#[cfg(test)]
mod tests {
    use super::{TranscriptRecord, TranscriptRecords};
    use pollux_session::NoteTone;

    #[test]
    fn the_oldest_go_first_and_it_is_said() {
        let mut records = TranscriptRecords::new(300);
        for text in ["one", "two", "three", "four", "five"] {
            records.keep(TranscriptRecord::Note(NoteTone::Info, text.into()));
        }
        let kept: Vec<String> = records
            .iter()
            .filter_map(|record| if let TranscriptRecord::Note(_, text) = record { Some(text.clone()) } else { None })
            .collect();
        assert_eq!((kept, records.is_cut()), (["two", "three", "four", "five"].map(String::from).to_vec(), true));
    }
}
