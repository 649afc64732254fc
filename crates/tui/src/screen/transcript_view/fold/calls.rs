//! The life of a call, from the moment it is wanted.

use super::TranscriptView;
use crate::screen::transcript_view::block::TranscriptBlock;
use crate::screen::transcript_view::call::{CallAppearance, CallProgress, TranscriptCall};
use crate::seat_view::SeatView;
use pollux_session::{CallId, Entry, EntryOrigin, Event, NoteTone};
use std::sync::Arc;

impl TranscriptView {
    /// The events of a call.
    pub(super) fn fold_call(&mut self, view: &SeatView, entry: &Arc<Entry>, whose: EntryOrigin) {
        match &entry.event {
            Event::Called { replaces, parent, .. } => self.called(view, entry, *replaces, *parent),
            Event::Allowed { call, kind, why, .. } => {
                if let Some(state) = self.call(*call) {
                    state.kind = *kind;
                    if matches!(state.progress, CallProgress::Asking) {
                        state.remarks.push((NoteTone::Info, format!("no answer needed any more: {why}")));
                    }
                    state.progress = CallProgress::Ready;
                }
            }
            Event::Asked { call, kind, .. } => {
                if let Some(state) = self.call(*call) {
                    state.kind = *kind;
                    state.progress = CallProgress::Asking;
                }
            }
            Event::Answered { call, .. } => self.answered(view, *call, entry, whose),
            Event::CallStarted { call } => {
                if let Some(state) = self.call(*call) {
                    state.progress = CallProgress::Running;
                    state.started_at = Some(entry.at);
                }
            }
            Event::Output { call, offset, text } => {
                if let Some(state) = self.call(*call) {
                    state.output.feed(*offset, text);
                }
            }
            Event::CallEnded { call, .. } => self.call_ended(*call, Some(entry)),
            // Those that `fold` deals with.
            Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Prompted { .. }
            | Event::TaskOpened { .. }
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::TurnStarted { .. }
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Said { .. }
            | Event::Piece { .. }
            | Event::ItemEnded { .. }
            | Event::Retrying { .. }
            | Event::FellBack { .. }
            | Event::StepEnded { .. }
            | Event::AskKept { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::Spent { .. }
            | Event::TurnEnded { .. }
            | Event::TaskClosed { .. } => {}
        }
        let is_waiting = self.only_asks();
        if let Some(clock) = &mut self.turn_clock {
            clock.set_waiting(is_waiting, entry.at);
        }
    }

    pub(super) fn called(
        &mut self,
        view: &SeatView,
        entry: &Arc<Entry>,
        replaces: Option<CallId>,
        parent: Option<CallId>,
    ) {
        let parent = parent.filter(|parent| self.calls.contains_key(parent));
        let depth = parent.and_then(|parent| self.calls.get(&parent)).map_or(0, |(above, _)| above.depth + 1);
        if let Some(parent) = parent {
            self.split_call(parent);
        }
        if let Some(old) = replaces.and_then(|old| self.call(old)) {
            old.remarks.push((NoteTone::Info, "the call below stands for it".into()));
        }
        let workspace = view.state.opened.as_ref().map_or("", |opened| &opened.workspace);
        let state = TranscriptCall::new(entry, depth, workspace, self.detail);
        let number = self.returned_blocks + self.blocks.len();
        self.calls.insert(state.id, (state, Some(number)));
        self.add(TranscriptBlock::Call(CallId(entry.seq)));
    }

    /// A call has another one made: its line so far is settled, and how it ends is said below what it had made.
    pub(super) fn split_call(&mut self, id: CallId) {
        let Some((state, number)) = self.calls.get_mut(&id) else { return };
        let Some(at) = number.take().and_then(|number| number.checked_sub(self.returned_blocks)) else { return };
        let call = Box::new(state.without_output());
        if let Some(block) = self.blocks.get_mut(at) {
            *block = TranscriptBlock::EndedCall { call, appearance: CallAppearance::Started };
        }
    }

    pub(super) fn call_ended(&mut self, id: CallId, entry: Option<&Arc<Entry>>) {
        let Some((mut state, number)) = self.calls.remove(&id) else { return };
        state.output.end();
        state.progress = CallProgress::Ended(entry.cloned());
        let done = TranscriptBlock::EndedCall { call: Box::new(state), appearance: CallAppearance::Ended };
        let place = number.and_then(|number| self.blocks.get_mut(number.checked_sub(self.returned_blocks)?));
        match place {
            Some(block) => *block = done,
            None => self.add(done),
        }
    }

    pub(super) fn call(&mut self, id: CallId) -> Option<&mut TranscriptCall> {
        self.calls.get_mut(&id).map(|(state, _)| state)
    }
}
