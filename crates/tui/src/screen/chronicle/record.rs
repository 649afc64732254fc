//! What happened, kept so that all of it can be shown again. The entries are shared with whoever else holds them, and
//! there is a bound: the oldest go first.

use super::paint::Tone;
use crate::view::Whose;
use pollux_session::{By, Entry};
use std::collections::VecDeque;
use std::sync::Arc;

/// How many bytes are kept.
const KEPT: usize = 64 * 1024 * 1024;
/// About what a record takes besides its text.
const FIXED: usize = 64;

/// Something that is in the transcript.
#[derive(Clone, Debug)]
pub(super) enum Record {
    Greeting(Vec<String>),
    Entry(Arc<Entry>, Whose),
    Said(Tone, String),
}

impl Record {
    fn weight(&self) -> usize {
        let text = match self {
            Record::Greeting(lines) => lines.iter().map(String::len).sum(),
            Record::Entry(entry, _) => entry.weight(),
            Record::Said(_, text) => text.len(),
        };
        text + FIXED
    }
}

/// The newest records.
#[derive(Clone, Debug)]
pub(super) struct Records {
    kept: VecDeque<(Record, usize)>,
    weight: usize,
    limit: usize,
    is_cut: bool,
    /// Who sits here.
    me: By,
}

impl Default for Records {
    fn default() -> Records {
        Records::new(KEPT)
    }
}

impl Records {
    /// As many as take about `limit` bytes.
    pub(super) fn new(limit: usize) -> Records {
        Records { kept: VecDeque::new(), weight: 0, limit, is_cut: false, me: By::Agent }
    }

    pub(super) fn keep(&mut self, record: Record) {
        let weight = record.weight();
        self.weight += weight;
        self.kept.push_back((record, weight));
        while self.weight > self.limit
            && let Some((_, weight)) = self.kept.pop_front()
        {
            self.weight -= weight;
            self.is_cut = true;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Record> {
        self.kept.iter().map(|(record, _)| record)
    }

    /// Whether the oldest ones are gone.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Who sits here, as the first entry finds it.
    pub(super) fn seat(&mut self, me: &By) {
        if self.me != *me {
            self.me = me.clone();
        }
    }

    pub(super) fn me(&self) -> &By {
        &self.me
    }
}

#[cfg(test)]
mod tests {
    use super::{Record, Records};
    use crate::screen::chronicle::Tone;

    #[test]
    fn the_oldest_go_first_and_it_is_said() {
        let mut records = Records::new(300);
        for text in ["one", "two", "three", "four", "five"] {
            records.keep(Record::Said(Tone::Info, text.into()));
        }
        let kept: Vec<String> = records
            .iter()
            .filter_map(|record| if let Record::Said(_, text) = record { Some(text.clone()) } else { None })
            .collect();
        assert_eq!((kept, records.is_cut()), (["two", "three", "four", "five"].map(String::from).to_vec(), true));
    }
}
