//! Which entries are this seat's own. Labels are claimed, not proven: only a receipt tells.

use pollux_session::{CommandReceipt, Entry, EntryAuthor, EntryOrigin, Event, Seq};
use std::collections::BTreeMap;

/// Commands that this seat has sent and not seen yet.
#[derive(Debug, Default)]
pub(crate) struct OwnEntries {
    /// The newest entry there was when this seat was taken.
    joined_at: Seq,
    /// The first and the last entry of each command.
    receipts: BTreeMap<Seq, Seq>,
}

impl OwnEntries {
    /// The seat was taken when `head` was the newest entry.
    pub(crate) fn joined_at(head: Seq) -> OwnEntries {
        OwnEntries { joined_at: head, receipts: BTreeMap::new() }
    }

    /// A prompt, an answer or a message of both was accepted.
    pub(crate) fn record_receipt(&mut self, receipt: &CommandReceipt) {
        self.receipts.insert(receipt.seq, receipt.last.unwrap_or(receipt.seq));
    }

    /// Whose doing an entry is, seen from the seat of `me`. Each entry is asked about once.
    pub(crate) fn origin_of(&mut self, me: &EntryAuthor, entry: &Entry) -> EntryOrigin {
        if entry.by != *me {
            return EntryOrigin::Other;
        }
        if entry.seq <= self.joined_at {
            return EntryOrigin::Earlier;
        }
        let has_receipt = matches!(entry.event, Event::Prompted { .. } | Event::Answered { .. });
        if has_receipt && !self.takes_receipt(entry.seq) { EntryOrigin::Other } else { EntryOrigin::Typed }
    }

    /// Whether there is a receipt for an entry. It is kept until its last one is seen.
    fn takes_receipt(&mut self, seq: Seq) -> bool {
        let Some((first, last)) = self.receipts.range(..=seq).next_back().map(|(first, last)| (*first, *last)) else {
            return false;
        };
        if last == seq {
            self.receipts.remove(&first);
        }
        seq <= last
    }
}
