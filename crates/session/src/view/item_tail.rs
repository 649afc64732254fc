//! The end of the conversation: the newest items, and what changed last. Everything has a bound.

use super::item::{CallView, ItemContent, ViewItem, ViewItemId};
use crate::ask::FileDiff;
use crate::call::{CallOutcome, ResultDisplay};
use crate::ids::{Seq, UnixMillis};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// The most that is kept of the end of a conversation. Items that can still change are kept whatever they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewLimits {
    /// The most items.
    pub items: usize,
    /// About the most bytes in settled ones.
    pub bytes: usize,
    /// The most bytes of one text or thought. Of a longer one the end is kept.
    pub text_bytes: usize,
    /// The most bytes of one call's output. Of more the end is kept.
    pub output_bytes: usize,
    /// The most changes that are remembered for readers who are behind.
    pub changes: usize,
    /// The fewest entries in a page of what is older.
    pub page_entries: u64,
    /// The most pages. When there are more, neighbours are joined.
    pub pages: usize,
}

impl Default for ViewLimits {
    fn default() -> ViewLimits {
        ViewLimits {
            items: 1_000,
            bytes: 16 * 1024 * 1024,
            text_bytes: 4 * 1024 * 1024,
            output_bytes: 64 * 1024,
            changes: 4_096,
            page_entries: 512,
            pages: 1_024,
        }
    }
}

impl ViewLimits {
    /// All of a conversation, for whoever holds all of its entries anyway.
    pub const NONE: ViewLimits = ViewLimits {
        items: usize::MAX,
        bytes: usize::MAX,
        text_bytes: usize::MAX,
        output_bytes: usize::MAX,
        changes: 1,
        page_entries: u64::MAX,
        pages: 1,
    };
}

/// The changes that a reader has to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewChanges {
    /// Draw these, in the order of their ids, and forget those.
    Since {
        /// New or changed.
        items: Vec<Arc<ViewItem>>,
        /// Gone for good.
        removed: Vec<ViewItemId>,
    },
    /// The changes since then are not known any more: begin again with the tail.
    Gap,
}

/// The newest items.
#[derive(Clone, Debug)]
pub(super) struct ItemTail {
    limits: ViewLimits,
    /// In the order of their ids, with what those that are settled weigh.
    items: VecDeque<(Arc<ViewItem>, usize)>,
    bytes: usize,
    /// Which entry changed which item, oldest first. A change that another one of the same item follows at once is left out.
    changes: VecDeque<(Seq, ViewItemId)>,
    /// Whoever has not seen this entry cannot be told what changed.
    forgotten: Seq,
}

impl ItemTail {
    pub(super) fn new(limits: ViewLimits) -> ItemTail {
        ItemTail { limits, items: VecDeque::new(), bytes: 0, changes: VecDeque::new(), forgotten: Seq::START }
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<ViewItem>> {
        self.items.iter().map(|(item, _)| item)
    }

    pub(super) fn get(&self, id: ViewItemId) -> Option<&Arc<ViewItem>> {
        self.position(id).map(|at| &self.items[at].0)
    }

    pub(super) fn call(&self, id: ViewItemId) -> Option<&CallView> {
        self.get(id)?.content.as_call()
    }

    /// Put an item at the end.
    pub(super) fn push(&mut self, id: ViewItemId, at: UnixMillis, settled: bool, content: ItemContent) {
        let item = ViewItem { id, revision: id.seq, at, settled: false, content };
        self.items.push_back((Arc::new(item), 0));
        self.record_change(id.seq, id);
        if settled {
            self.change(id, id.seq, |item| item.settled = true);
        }
    }

    /// Change an item, which the entry `seq` does.
    pub(super) fn change(&mut self, id: ViewItemId, seq: Seq, change: impl FnOnce(&mut ViewItem)) {
        let Some(at) = self.position(id) else { return };
        let (item, weight) = &mut self.items[at];
        let item = Arc::make_mut(item);
        change(item);
        item.revision = seq;
        if item.settled && *weight == 0 {
            *weight = weigh(&item.content);
            self.bytes += *weight;
        }
        self.record_change(seq, id);
        self.evict();
    }

    /// Take an item away, which the entry `seq` does.
    pub(super) fn remove(&mut self, id: ViewItemId, seq: Seq) {
        let Some((_, weight)) = self.position(id).and_then(|at| self.items.remove(at)) else { return };
        self.bytes -= weight;
        self.record_change(seq, id);
    }

    pub(super) fn changes_since(&self, seen: Seq) -> ViewChanges {
        if seen < self.forgotten {
            return ViewChanges::Gap;
        }
        let newer = self.changes.iter().rev().take_while(|(seq, _)| *seq > seen);
        let ids: BTreeSet<ViewItemId> = newer.map(|(_, id)| *id).collect();
        let (mut items, mut removed) = (Vec::new(), Vec::new());
        for id in ids {
            match self.get(id) {
                Some(item) => items.push(item.clone()),
                None => removed.push(id),
            }
        }
        ViewChanges::Since { items, removed }
    }

    fn position(&self, id: ViewItemId) -> Option<usize> {
        self.items.binary_search_by_key(&id, |(item, _)| item.id).ok()
    }

    fn record_change(&mut self, seq: Seq, id: ViewItemId) {
        match self.changes.back_mut() {
            Some((newest, same)) if *same == id => *newest = seq,
            Some(_) | None => self.changes.push_back((seq, id)),
        }
        while self.changes.len() > self.limits.changes
            && let Some((seq, _)) = self.changes.pop_front()
        {
            self.forgotten = self.forgotten.max(seq);
        }
    }

    /// Let the oldest settled ones go.
    fn evict(&mut self) {
        while self.items.len() > self.limits.items || self.bytes > self.limits.bytes {
            let Some(oldest) = self.items.iter().position(|(item, _)| item.settled) else { return };
            if let Some((item, weight)) = self.items.remove(oldest) {
                self.bytes -= weight;
                self.forgotten = self.forgotten.max(item.revision);
            }
        }
    }
}

/// About how many bytes an item takes.
fn weigh(content: &ItemContent) -> usize {
    const FIXED: usize = 200;
    let text = match content {
        ItemContent::Prompt { text, media, .. } => text.len() + media.iter().map(String::len).sum::<usize>(),
        ItemContent::Text { text, .. } => text.text.len(),
        ItemContent::Thought { text, subjects } => {
            text.text.len() + subjects.iter().map(|subject| subject.len() + 24).sum::<usize>()
        }
        ItemContent::Note { text, .. } | ItemContent::Attachment { text } => text.len(),
        ItemContent::Summary { heading, text } => heading.len() + text.len(),
        ItemContent::Call(call) => {
            let output: usize = call.output.pieces.iter().map(|piece| piece.text.len()).sum();
            call.args.to_string().len() + output + call.outcome.as_ref().map_or(0, weigh_outcome)
        }
    };
    FIXED + text
}

fn weigh_outcome(outcome: &CallOutcome) -> usize {
    let Some(result) = outcome.result() else { return 0 };
    let shown = match &result.display {
        Some(ResultDisplay::Text { text }) => text.len(),
        Some(shown @ (ResultDisplay::Diff(_) | ResultDisplay::Patch { .. })) => {
            shown.file_diffs().map(FileDiff::weight).sum()
        }
        None => 0,
    };
    result.text.len() + shown + result.structured.as_ref().map_or(0, |data| data.to_string().len())
}
