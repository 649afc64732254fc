//! The life of a call, from the moment it is wanted.

use super::Chronicle;
use crate::screen::chronicle::block::Block;
use crate::screen::chronicle::call::{CallState, Look, Phase};
use crate::screen::chronicle::paint::Tone;
use crate::view::{View, Whose};
use pollux_session::{CallId, Entry, Event};
use std::sync::Arc;

impl Chronicle {
    /// The events of a call.
    pub(super) fn fold_call(&mut self, view: &View, entry: &Arc<Entry>, whose: Whose) {
        match &entry.event {
            Event::Called { replaces, parent, .. } => self.called(view, entry, *replaces, *parent),
            Event::Allowed { call, kind, why, .. } => {
                if let Some(state) = self.call(*call) {
                    state.kind = *kind;
                    if matches!(state.phase, Phase::Asking) {
                        state.remarks.push((Tone::Info, format!("no answer needed any more: {why}")));
                    }
                    state.phase = Phase::Ready;
                }
            }
            Event::Asked { call, kind, .. } => {
                if let Some(state) = self.call(*call) {
                    state.kind = *kind;
                    state.phase = Phase::Asking;
                }
            }
            Event::Answered { call, .. } => self.answered(view, *call, entry, whose),
            Event::CallStarted { call } => {
                if let Some(state) = self.call(*call) {
                    state.phase = Phase::Running;
                    state.began = Some(entry.at);
                }
            }
            Event::Output { call, offset, text } => {
                if let Some(state) = self.call(*call) {
                    state.output.feed(*offset, text);
                }
            }
            Event::CallEnded { call, .. } => self.call_ended(*call, Some(entry)),
            _ => {}
        }
    }

    pub(super) fn called(&mut self, view: &View, entry: &Arc<Entry>, replaces: Option<CallId>, parent: Option<CallId>) {
        let parent = parent.filter(|parent| self.calls.contains_key(parent));
        let depth = parent.and_then(|parent| self.calls.get(&parent)).map_or(0, |(above, _)| above.depth + 1);
        if let Some(parent) = parent {
            self.part(parent);
        }
        if let Some(old) = replaces.and_then(|old| self.call(old)) {
            old.remarks.push((Tone::Info, "the call below stands for it".into()));
        }
        let workspace = view.state.opened.as_ref().map_or("", |opened| &opened.workspace);
        let state = CallState::new(entry, depth, workspace, self.detail);
        let number = self.returned + self.blocks.len();
        self.calls.insert(state.id, (state, Some(number)));
        self.add(Block::Call(CallId(entry.seq)));
    }

    /// A call has another one made: its line so far is settled, and how it ends is said below what it had made.
    pub(super) fn part(&mut self, id: CallId) {
        let Some((state, number)) = self.calls.get_mut(&id) else { return };
        let Some(at) = number.take().and_then(|number| number.checked_sub(self.returned)) else { return };
        let call = Box::new(state.without_output());
        if let Some(block) = self.blocks.get_mut(at) {
            *block = Block::Done { call, look: Look::Begun };
        }
    }

    pub(super) fn call_ended(&mut self, id: CallId, entry: Option<&Arc<Entry>>) {
        let Some((mut state, number)) = self.calls.remove(&id) else { return };
        state.output.end();
        state.phase = Phase::Ended(entry.cloned());
        let done = Block::Done { call: Box::new(state), look: Look::Over };
        let place = number.and_then(|number| self.blocks.get_mut(number.checked_sub(self.returned)?));
        match place {
            Some(block) => *block = done,
            None => self.add(done),
        }
    }

    pub(super) fn call(&mut self, id: CallId) -> Option<&mut CallState> {
        self.calls.get_mut(&id).map(|(state, _)| state)
    }
}
