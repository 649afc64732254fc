//! What the terminal knows of the session: the fold of the entries, and the little that drawing needs besides.

use pollux_session::{
    CallId, CallPhase, CallState, Entry, EntryAuthor, EntryContext, EntryOrigin, Event, ItemKind, MediaContent,
    PromptId, QueuedPrompt, SessionState, ThoughtSubjects, UnixMillis,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most waiting prompts that are kept, and the most that is in them: many times what a session takes.
const MOST_WAITING: usize = 1024;
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The fold of a session's entries for one seat.
#[derive(Clone, Debug)]
pub(crate) struct SeatView {
    /// Who sits here.
    pub(crate) me: EntryAuthor,
    /// The session's state.
    pub(crate) state: SessionState,
    /// The thought being streamed.
    pub(crate) thought: Option<ThoughtSubjects>,
    started: BTreeMap<CallId, UnixMillis>,
    own_prompts: BTreeSet<PromptId>,
}

impl SeatView {
    pub(crate) fn new(me: EntryAuthor) -> SeatView {
        SeatView {
            me,
            state: SessionState::default(),
            thought: None,
            started: BTreeMap::new(),
            own_prompts: BTreeSet::new(),
        }
    }

    /// The model that answers from the next turn on.
    pub(crate) fn model(&self) -> &str {
        self.state.model.as_deref().unwrap_or(&self.state.equipment.model)
    }

    /// What there is to know to tell of an entry, seen from the view just before it.
    pub(crate) fn context<'a>(&'a self, entry: &'a Entry, origin: EntryOrigin) -> EntryContext<'a> {
        EntryContext { state: &self.state, entry, reader: &self.me, origin }
    }

    /// Fold one more entry in.
    pub(crate) fn apply(&mut self, entry: &Entry, whose: EntryOrigin) {
        match &entry.event {
            Event::Prompted { .. } if whose != EntryOrigin::Other => {
                self.own_prompts.insert(PromptId(entry.seq));
            }
            Event::Unqueued { prompt } | Event::TurnStarted { prompt, .. } => {
                self.own_prompts.remove(prompt);
            }
            Event::Said { kind: ItemKind::Thought, text, .. } => {
                let mut thought = ThoughtSubjects::default();
                thought.add(text);
                self.thought = Some(thought);
            }
            Event::Piece { text, .. } => {
                if let Some(thought) = &mut self.thought {
                    thought.add(text);
                }
            }
            Event::ItemEnded { .. } => self.thought = None,
            Event::CallStarted { call } => {
                self.started.insert(*call, entry.at);
            }
            Event::CallEnded { call, .. } => {
                self.started.remove(call);
            }
            Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Prompted { .. }
            | Event::TaskOpened { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Said { .. }
            | Event::Retrying { .. }
            | Event::FellBack { .. }
            | Event::StepEnded { .. }
            | Event::Called { .. }
            | Event::Allowed { .. }
            | Event::Asked { .. }
            | Event::AskKept { .. }
            | Event::Answered { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::Output { .. }
            | Event::Spent { .. }
            | Event::TurnEnded { .. }
            | Event::TaskClosed { .. } => {}
        }
        self.state.apply(entry);
        if matches!(entry.event, Event::Prompted { .. } | Event::Requeued { .. }) {
            self.trim_queue();
        }
    }

    /// No session lets so much wait, but a server elsewhere may say that it does, without end. The oldest go: there is no
    /// truth to show of such a session, and this terminal stays alive.
    fn trim_queue(&mut self) {
        let queue = &mut self.state.queue;
        let mut bytes: usize = queue.iter().map(size).sum();
        while queue.len() > MOST_WAITING || bytes > MOST_BYTES {
            let Some(gone) = queue.pop_front() else { return };
            bytes -= size(&gone);
            self.own_prompts.remove(&gone.id);
        }
    }

    /// A call of the running turn.
    pub(crate) fn call(&self, id: CallId) -> Option<&CallState> {
        self.state.turn.as_ref()?.calls.get(&id)
    }

    /// The calls that wait for a person, in the order of the calls. Calls are vetted side by side, so a later one may ask
    /// first; its ask waits here until it is known whether the calls before it ask too.
    pub(crate) fn asking(&self) -> impl Iterator<Item = &CallState> {
        let calls = self.state.turn.iter().flat_map(|turn| turn.calls.values());
        calls.take_while(|call| call.phase != CallPhase::Vetting).filter(|call| is_asking(call))
    }

    /// Whether a call waits for a person.
    pub(crate) fn is_asking(&self, id: CallId) -> bool {
        self.call(id).is_some_and(is_asking)
    }

    /// Whether a waiting prompt was typed at this seat.
    pub(crate) fn is_mine(&self, prompt: PromptId) -> bool {
        self.own_prompts.contains(&prompt)
    }

    /// How many milliseconds a call has run at `now`; `None` when it never began.
    pub(crate) fn ran_for(&self, call: CallId, now: UnixMillis) -> Option<u64> {
        self.started.get(&call).map(|then| now.0.saturating_sub(then.0))
    }

    /// Whether nothing runs and nothing is about to.
    pub(crate) fn is_idle(&self) -> bool {
        let compacting = self.state.compact_wanted.is_some();
        self.state.turn.is_none() && !compacting && self.state.queue.iter().all(|waiting| waiting.held)
    }
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
