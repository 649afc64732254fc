//! Where older pages begin, and what each has to know of the time before it. A page begins where nothing is open, so that it can be
//! folded without the pages before it.

use super::item::ViewItemId;
use super::item_tail::ViewLimits;
use super::turn_progress::TurnProgress;
use crate::ids::{PromptId, Seq};
use crate::state::SessionState;
use std::collections::BTreeSet;
use std::sync::Arc;

/// No page begins while more than this many bytes wait in the queue: every page has to know what waits.
const MOST_QUEUE_BYTES: usize = 64 * 1024;

/// The facts from before a page that its items are made from.
#[derive(Clone, Debug)]
pub(super) struct PageSeed {
    pub(super) state: SessionState,
    pub(super) own_prompts: BTreeSet<PromptId>,
    pub(super) turn: TurnProgress,
}

/// A stretch of older entries that is folded at once.
#[derive(Clone, Debug)]
pub struct ViewPage {
    /// Its entries come after this one.
    pub after: Seq,
    /// Its newest entry.
    pub until: Seq,
    /// Its items come before this one.
    pub(super) before: ViewItemId,
    pub(super) seed: Arc<PageSeed>,
}

impl ViewPage {
    /// Where to ask for the page before this one.
    pub fn first(&self) -> ViewItemId {
        ViewItemId { seq: self.after.next(), part: 0 }
    }
}

/// Where pages begin.
#[derive(Clone, Debug)]
pub(super) struct PageIndex {
    /// The first entry of each page, oldest first.
    marks: Vec<(Seq, Arc<PageSeed>)>,
    page_entries: u64,
    most: usize,
}

impl PageIndex {
    pub(super) fn new(limits: ViewLimits) -> PageIndex {
        PageIndex { marks: Vec::new(), page_entries: limits.page_entries.max(1), most: limits.pages.max(1) }
    }

    /// True if a page would begin with the entry `seq`, if it can.
    pub(super) fn is_due(&self, seq: Seq) -> bool {
        self.marks.last().is_none_or(|(first, _)| seq.0.saturating_sub(first.0) >= self.page_entries)
    }

    /// Begin a page with the entry `seq`.
    pub(super) fn begin(&mut self, seq: Seq, seed: PageSeed) {
        self.marks.push((seq, Arc::new(seed)));
        if self.marks.len() > self.most {
            let mut at = 0;
            self.marks.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.page_entries = self.page_entries.saturating_mul(2);
        }
    }

    /// The page with the items before `before`, where `head` is the newest entry.
    pub(super) fn page_before(&self, before: ViewItemId, head: Seq) -> Option<ViewPage> {
        let begins_before = |first: Seq| ViewItemId { seq: first, part: 0 } < before;
        let at = self.marks.iter().rposition(|(first, _)| begins_before(*first))?;
        let (first, seed) = &self.marks[at];
        let until = self.marks.get(at + 1).map_or(head, |(next, _)| Seq(next.0.saturating_sub(1)));
        Some(ViewPage { after: Seq(first.0.saturating_sub(1)), until, before, seed: seed.clone() })
    }
}

impl PageSeed {
    /// The facts from before the next entry; `None` while something is open.
    pub(super) fn take(
        state: &SessionState,
        own_prompts: &BTreeSet<PromptId>,
        turn: &TurnProgress,
    ) -> Option<PageSeed> {
        let is_open =
            |turn: &crate::TurnState| turn.item.is_some() || turn.declined || turn.open_calls().next().is_some();
        let queued: usize = state.queue.iter().map(|waiting| waiting.text.len()).sum();
        if state.turn.as_ref().is_some_and(is_open) || queued > MOST_QUEUE_BYTES {
            return None;
        }
        let mut running = state.turn.clone();
        if let Some(running) = &mut running {
            running.calls.clear();
            running.printed.clear();
        }
        let state = SessionState {
            head: state.head,
            at: state.at,
            opened: state.opened.clone(),
            equipment: state.equipment.clone(),
            mode: state.mode,
            model: state.model.clone(),
            compact_wanted: state.compact_wanted,
            queue: state.queue.clone(),
            turn: running,
            ..SessionState::default()
        };
        Some(PageSeed { state, own_prompts: own_prompts.clone(), turn: turn.clone() })
    }
}
