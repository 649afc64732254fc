//! The checkpoints that a session can go back to, and how long the calls behind them went on.

use super::SessionState;
use crate::built_in_tool::BuiltInTool;
use crate::call::{CallPhase, CallState};
use crate::describe::{call_title, describe_change, format_age, runs_in_background};
use crate::event::WorkspaceCheckpoint;
use crate::ids::{Seq, UnixMillis};
use crate::sanitize::one_line;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many checkpoints can be gone back to.
const CHECKPOINTS_KEPT: usize = 256;

/// The most characters that tell how a call failed.
const RESULT_CHARS: usize = 60;

/// A checkpoint that can be gone back to. Its number is that of the call's entry, so it is the same for everybody and for
/// good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedCheckpoint {
    /// What was saved, and for which call.
    pub checkpoint: WorkspaceCheckpoint,
    /// The call on one line: `write_file src/main.rs`.
    pub call_title: String,
    /// The call's change in short (`+3 -1`), or its failure; empty while neither is known.
    pub call_result: String,
    /// When.
    pub at: UnixMillis,
    /// The newest entry before the step that made the call: going back there undoes the step.
    pub before_step: Seq,
    /// Since when the call changes nothing more; `None` while it may: it has not ended, or it started a command in the
    /// background, which goes on after it.
    pub ended: Option<UnixMillis>,
}

impl SavedCheckpoint {
    /// The number that a person may type instead of its name.
    pub fn number(&self) -> u64 {
        self.checkpoint.call.0.0
    }

    /// True if `word` is its number or its name.
    pub fn is_called(&self, word: &str) -> bool {
        self.checkpoint.name == word || word.parse() == Ok(self.number())
    }

    /// True if it was made for going back: going back to it undoes that.
    pub fn is_of_restore(&self) -> bool {
        self.call_title.split(' ').next() == Some(BuiltInTool::RestoreCheckpoint.name())
    }

    /// Its age, the call that it was made for, and the change: `2 min ago · write_file src/main.rs · +3 -1`.
    pub fn describe(&self, now: UnixMillis) -> String {
        let facts = [format_age(self.at, now), self.call_title.clone(), self.call_result.clone()];
        facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" · ")
    }
}

impl SessionState {
    pub(super) fn add_checkpoint(&mut self, checkpoint: &WorkspaceCheckpoint, seq: Seq, at: UnixMillis) {
        let before_step = self.turn.as_ref().map_or(seq, |turn| turn.before_step);
        let call = self.turn.as_ref().and_then(|turn| turn.calls.get(&checkpoint.call));
        let workspace = self.opened.as_ref().map_or("", |opened| &opened.workspace);
        let title = call.map(|call| call_title(&call.tool, &call.args, workspace));
        let call_title = title.unwrap_or_else(|| checkpoint.name.clone());
        let saved = SavedCheckpoint {
            checkpoint: checkpoint.clone(),
            call_title,
            call_result: String::new(),
            at,
            before_step,
            ended: None,
        };
        let checkpoints = Arc::make_mut(&mut self.checkpoints);
        checkpoints.push_back(saved);
        while checkpoints.len() > CHECKPOINTS_KEPT {
            checkpoints.pop_front();
        }
    }
}

/// `call` ended.
pub(super) fn end_checkpointed_call(known: &mut Arc<VecDeque<SavedCheckpoint>>, call: &CallState, at: UnixMillis) {
    let is_its = |kept: &SavedCheckpoint| kept.checkpoint.call == call.id;
    // Whoever holds the list makes a change of it a copy, so there is none without need.
    if !known.iter().any(is_its) {
        return;
    }
    let call_result = match &call.phase {
        CallPhase::Ended(outcome) => one_line(&describe_change(outcome), RESULT_CHARS),
        _ => String::new(),
    };
    for kept in Arc::make_mut(known).iter_mut().filter(|kept| is_its(kept)) {
        kept.call_result.clone_from(&call_result);
        kept.ended = (!runs_in_background(&call.args)).then_some(at);
    }
}
