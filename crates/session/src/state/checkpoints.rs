//! The checkpoints that a session can go back to, and how long the calls behind them went on.

use super::SessionState;
use crate::call::CallState;
use crate::describe::runs_in_background;
use crate::event::WorkspaceCheckpoint;
use crate::ids::{Seq, UnixMillis};
use std::collections::VecDeque;
use std::sync::Arc;

/// How many checkpoints can be gone back to.
const CHECKPOINTS_KEPT: usize = 256;

/// A checkpoint that can be gone back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedCheckpoint {
    /// What was saved, and for which call.
    pub checkpoint: WorkspaceCheckpoint,
    /// When.
    pub at: UnixMillis,
    /// The newest entry before the step that made the call: going back there undoes the step.
    pub before_step: Seq,
    /// Since when the call changes nothing more; `None` while it may: it has not ended, or it started a command in the
    /// background, which goes on after it.
    pub ended: Option<UnixMillis>,
}

impl SessionState {
    pub(super) fn add_checkpoint(&mut self, checkpoint: &WorkspaceCheckpoint, seq: Seq, at: UnixMillis) {
        let before_step = self.turn.as_ref().map_or(seq, |turn| turn.before_step);
        let checkpoints = Arc::make_mut(&mut self.checkpoints);
        checkpoints.push_back(SavedCheckpoint { checkpoint: checkpoint.clone(), at, before_step, ended: None });
        while checkpoints.len() > CHECKPOINTS_KEPT {
            checkpoints.pop_front();
        }
    }
}

/// `call` ended.
pub(super) fn end_checkpointed_call(known: &mut Arc<VecDeque<SavedCheckpoint>>, call: &CallState, at: UnixMillis) {
    let is_its = |kept: &SavedCheckpoint| kept.checkpoint.call == call.id;
    // Whoever holds the list makes a change of it a copy, so there is none without need.
    if runs_in_background(&call.args) || !known.iter().any(is_its) {
        return;
    }
    for kept in Arc::make_mut(known).iter_mut().filter(|kept| is_its(kept)) {
        kept.ended = Some(at);
    }
}
