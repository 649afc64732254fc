//! Which entries are this seat's own. Labels are claimed, not proven: only a receipt tells.

use crate::view::Whose;
use pollux_session::{By, Entry, Event, Receipt, Seq};
use std::collections::BTreeSet;

/// What this seat has sent and not seen yet.
#[derive(Debug, Default)]
pub(crate) struct Mine {
    /// The newest entry there was when this seat was taken.
    joined: Seq,
    receipts: BTreeSet<Seq>,
}

impl Mine {
    /// The seat was taken when `head` was the newest entry.
    pub(crate) fn since(head: Seq) -> Mine {
        Mine { joined: head, receipts: BTreeSet::new() }
    }

    /// A prompt or an answer of this seat was accepted.
    pub(crate) fn sent(&mut self, receipt: &Receipt) {
        self.receipts.insert(receipt.seq);
    }

    /// Whose doing an entry is, seen from the seat of `me`. Each entry is asked about once.
    pub(crate) fn whose(&mut self, me: &By, entry: &Entry) -> Whose {
        if entry.by != *me {
            return Whose::Other;
        }
        if entry.seq <= self.joined {
            return Whose::Earlier;
        }
        match entry.event {
            Event::Prompted { .. } | Event::Answered { .. } if !self.receipts.remove(&entry.seq) => Whose::Other,
            _ => Whose::Typed,
        }
    }
}
