//! The conversation as a person sees it: entries in, items out. Pure, and the same for every surface: a screen, a page and an editor
//! draw from it and fold no events of their own.
//!
//! - [`SessionView::apply`] folds one entry in. The seat says whose doing it is ([`EntryOrigin`]): what is "mine" is the seat's. A view that
//!   several readers share is folded for nobody ([`EntryAuthor::Agent`], everything [`EntryOrigin::Other`]) and names everybody.
//! - [`SessionView::items`] is the end of the conversation: a bounded tail. An item has a stable [`ViewItemId`], and its revision is
//!   the newest entry that changed it, so that a revision is a cursor: it means the same after a restart and in every process.
//! - [`SessionView::changes_since`] is what a reader who has seen an entry has to draw and to remove; or, when that is not known any
//!   more, that they have to begin with the tail again.
//! - [`SessionView::page_before`] says which entries hold what is older, and [`SessionView::fold_page`] makes items of them. Pages begin
//!   where nothing is open, so each can be folded without those before it; what a page has to know of the time before is in the
//!   index, which is bounded too: when it is full, every other page is joined with its neighbour.
//! - Everything else a person sees is asked of the view: [`SessionView::asking`], [`SessionView::queue`], [`SessionView::mode`],
//!   [`SessionView::model`], [`SessionView::stats`] (tokens, cost, tool calls and changed lines, sub-agents included),
//!   [`SessionView::context_tokens`], [`SessionView::todos`], [`SessionView::activity`]. Prices and windows are the caller's.

mod activity;
mod call_fold;
mod conversation_stats;
mod entry_fold;
mod item;
mod item_tail;
mod page_index;
mod streamed;
mod thought_subjects;
mod turn_clock;
mod turn_progress;

pub use activity::CurrentActivity;
pub use conversation_stats::{ConversationStats, ModelCallPurpose, ModelCallStats, ToolCallStats, TurnStats};
pub use item::{
    CallProgress, CallRemark, CallView, ItemContent, OutputPiece, OutputTail, StreamedText, ViewItem, ViewItemId,
};
pub use item_tail::{ViewChanges, ViewLimits};
pub use page_index::ViewPage;
pub use thought_subjects::{ThoughtSubjects, split_thought};

use crate::call::{CallPhase, CallState, MediaContent};
use crate::describe::{EntryContext, EntryOrigin};
use crate::event::{ApprovalMode, Entry, EntryAuthor, Event};
use crate::ids::{CallId, PromptId, Seq, UnixMillis};
use crate::price_lookup::PriceLookup;
use crate::state::{QueuedPrompt, SessionState};
use item_tail::ItemTail;
use page_index::{PageIndex, PageSeed};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use turn_progress::TurnProgress;

/// The most waiting prompts that are kept, and the most that is in them: many times what a session takes.
const MOST_WAITING: usize = 1024;
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The fold of a session's entries for whoever reads.
#[derive(Clone, Debug)]
pub struct SessionView {
    reader: EntryAuthor,
    limits: ViewLimits,
    state: SessionState,
    /// Waiting prompts that were typed at the reader's seat.
    own_prompts: BTreeSet<PromptId>,
    tail: ItemTail,
    pages: PageIndex,
    /// The text that streams.
    open_text: Option<ViewItemId>,
    /// The thought that streams.
    open_thought: Option<(ViewItemId, ThoughtSubjects)>,
    /// Calls that are not over. The item of a call is the first of the entry that wants it.
    open_calls: BTreeSet<CallId>,
    turn: TurnProgress,
    stats: ConversationStats,
    turn_stats: TurnStats,
    context_tokens: u64,
    todos: Option<Value>,
}

impl SessionView {
    /// Nothing yet, for `reader`.
    pub fn new(reader: EntryAuthor) -> SessionView {
        SessionView::with_limits(reader, ViewLimits::default())
    }

    /// An empty view with other bounds.
    pub fn with_limits(reader: EntryAuthor, limits: ViewLimits) -> SessionView {
        SessionView {
            reader,
            limits,
            state: SessionState::default(),
            own_prompts: BTreeSet::new(),
            tail: ItemTail::new(limits),
            pages: PageIndex::new(limits),
            open_text: None,
            open_thought: None,
            open_calls: BTreeSet::new(),
            turn: TurnProgress::default(),
            stats: ConversationStats::default(),
            turn_stats: TurnStats::default(),
            context_tokens: 0,
            todos: None,
        }
    }

    /// The view, before anything has happened, with prices of tokens.
    #[must_use]
    pub fn with_prices(mut self, prices: Option<PriceLookup>) -> SessionView {
        self.stats = ConversationStats::new(prices.clone());
        self.turn_stats = TurnStats::new(prices);
        self
    }

    /// Fold one more entry in.
    pub fn apply(&mut self, entry: &Entry, origin: EntryOrigin) {
        let is_open = self.open_text.is_some() || self.open_thought.is_some() || !self.open_calls.is_empty();
        if !is_open
            && self.pages.is_due(entry.seq)
            && let Some(seed) = PageSeed::take(&self.state, &self.own_prompts, &self.turn)
        {
            self.pages.begin(entry.seq, seed);
        }
        self.fold_entry(entry, origin);
        self.state.apply(entry);
        if let Some(clock) = &mut self.turn.clock {
            clock.set_waiting(self.state.only_asks_remain(), entry.at);
        }
        if matches!(entry.event, Event::Prompted { .. } | Event::Requeued { .. }) {
            self.trim_queue();
        }
        self.stats.apply(entry);
        self.turn_stats.apply(entry);
    }

    /// The author as whom the reader is known.
    pub fn reader(&self) -> &EntryAuthor {
        &self.reader
    }

    /// The session's state.
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// The facts that a sentence about the next entry is made from.
    pub fn context<'a>(&'a self, entry: &'a Entry, origin: EntryOrigin) -> EntryContext<'a> {
        EntryContext { state: &self.state, entry, reader: &self.reader, origin }
    }

    /// The newest items, in the order of their ids.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = &Arc<ViewItem>> {
        self.tail.iter()
    }

    /// One of the newest items.
    pub fn item(&self, id: ViewItemId) -> Option<&Arc<ViewItem>> {
        self.tail.get(id)
    }

    /// The changes after the entry `seen`.
    pub fn changes_since(&self, seen: Seq) -> ViewChanges {
        self.tail.changes_since(seen)
    }

    /// The page that holds the items before `before`: read its entries and give them to [`SessionView::fold_page`]. `None` when there is
    /// nothing before it. A page may turn out to have no items; go on with [`ViewPage::first`].
    pub fn page_before(&self, before: ViewItemId) -> Option<ViewPage> {
        self.pages.page_before(before, self.state.head)
    }

    /// The items of a page, from its entries.
    pub fn fold_page<'a>(
        &self,
        page: &ViewPage,
        entries: impl IntoIterator<Item = (&'a Entry, EntryOrigin)>,
    ) -> Vec<Arc<ViewItem>> {
        // Of an item there is the same in a page as in the tail.
        let ViewLimits { text_bytes, output_bytes, .. } = self.limits;
        let limits = ViewLimits { text_bytes, output_bytes, ..ViewLimits::NONE };
        let mut view = SessionView {
            state: page.seed.state.clone(),
            own_prompts: page.seed.own_prompts.clone(),
            turn: page.seed.turn.clone(),
            ..SessionView::with_limits(self.reader.clone(), limits)
        };
        for (entry, origin) in entries {
            if page.after < entry.seq && entry.seq <= page.until {
                view.apply(entry, origin);
            }
        }
        view.items().filter(|item| item.id < page.before).cloned().collect()
    }

    /// The item of a call that is in sight.
    pub fn call_item(&self, call: CallId) -> Option<&Arc<ViewItem>> {
        self.tail.get(call_item(call))
    }

    /// A call that is in sight, as it is shown.
    pub fn call_view(&self, call: CallId) -> Option<&CallView> {
        self.tail.call(call_item(call))
    }

    /// A call of the running turn.
    pub fn call(&self, id: CallId) -> Option<&CallState> {
        self.state.turn.as_ref()?.calls.get(&id)
    }

    /// The calls that wait for a person, in the order of the calls. Calls are vetted side by side, so a later one may ask
    /// first; its ask waits here until it is known whether the calls before it ask too. A call that stands for a superseded
    /// one makes no other wait: what is on the screen stays there.
    pub fn asking(&self) -> impl Iterator<Item = &CallState> {
        let calls = self.state.turn.iter().flat_map(|turn| turn.calls_in_order());
        let is_known = |call: &&CallState| call.phase != CallPhase::Vetting || call.place != call.id;
        calls.take_while(is_known).filter(|call| is_asking(call))
    }

    /// True if a call waits for a person.
    pub fn is_asking(&self, id: CallId) -> bool {
        self.call(id).is_some_and(is_asking)
    }

    /// Prompts that wait, in the order in which they start.
    pub fn queue(&self) -> &VecDeque<QueuedPrompt> {
        &self.state.queue
    }

    /// True if a waiting prompt was typed at the reader's seat.
    pub fn is_mine(&self, prompt: PromptId) -> bool {
        self.own_prompts.contains(&prompt)
    }

    /// The milliseconds that a call has run at `now`; `None` when it never began.
    pub fn ran_for(&self, call: CallId, now: UnixMillis) -> Option<u64> {
        let started = self.call_view(call)?.started_at?;
        Some(now.0.saturating_sub(started.0))
    }

    /// True if nothing runs and nothing is about to.
    pub fn is_idle(&self) -> bool {
        let compacting = self.state.compact_wanted.is_some();
        self.state.turn.is_none() && !compacting && self.state.queue.iter().all(|waiting| waiting.held)
    }

    /// The approval mode.
    pub fn mode(&self) -> ApprovalMode {
        self.state.mode
    }

    /// The model that answers from the next turn on.
    pub fn model(&self) -> &str {
        self.state.model.as_deref().unwrap_or(&self.state.equipment.model)
    }

    /// Totals of the session so far: model calls with tokens and cost, tool calls, changed lines. Sub-agents are
    /// included.
    pub fn stats(&self) -> &ConversationStats {
        &self.stats
    }

    /// Totals of the newest turn that asked a model.
    pub fn turn_stats(&self) -> &ConversationStats {
        self.turn_stats.newest()
    }

    /// Tokens of the newest model call: what the next one is told at least.
    pub fn context_tokens(&self) -> u64 {
        self.context_tokens
    }

    /// Tokens that are left in a window of so many.
    pub fn context_left(&self, window: u64) -> u64 {
        window.saturating_sub(self.context_tokens)
    }

    /// The agent's to-do list in the running turn, as the arguments of the call that wrote it last.
    pub fn todos(&self) -> Option<&Value> {
        self.todos.as_ref()
    }

    /// The subjects of the thought that streams.
    pub fn open_thought(&self) -> Option<&ThoughtSubjects> {
        self.open_thought.as_ref().map(|(_, subjects)| subjects)
    }

    /// The newest text of the agent that is in sight.
    pub fn newest_answer(&self) -> Option<&str> {
        let text = self.items().rev().find_map(|item| {
            if let ItemContent::Text { text, .. } = &item.content { Some(text.text.trim()) } else { None }
        });
        text.filter(|text| !text.is_empty())
    }

    /// No session lets so much wait, but a server elsewhere may say that it does, without end. The oldest go: there is no
    /// truth to show of such a session, and this process stays alive.
    fn trim_queue(&mut self) {
        let queue = &mut self.state.queue;
        let mut bytes: usize = queue.iter().map(size).sum();
        while queue.len() > MOST_WAITING || bytes > MOST_BYTES {
            let Some(gone) = queue.pop_front() else { return };
            bytes -= size(&gone);
            self.own_prompts.remove(&gone.id);
        }
    }
}

/// The item of a call.
fn call_item(call: CallId) -> ViewItemId {
    ViewItemId { seq: call.0, part: 0 }
}

/// The bytes that a waiting prompt holds.
fn size(prompt: &QueuedPrompt) -> usize {
    let media = prompt
        .media
        .iter()
        .map(|media| size_of::<MediaContent>() + media.name.len() + media.blob.sha256.len() + media.blob.media.len());
    prompt.text.len() + media.sum::<usize>()
}

fn is_asking(call: &CallState) -> bool {
    matches!(call.phase, CallPhase::Asking { .. })
}

#[cfg(test)]
mod tests;
