//! Where a prompt or a task stands: what streams end on and statuses are made of.

use crate::call::CallPhase;
use crate::event::{TaskClosing, TurnOutcome};
use crate::ids::{PromptId, TaskId};
use crate::next::{Effect, for_turn};
use crate::state::SessionState;

/// Where a prompt stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptStatus {
    /// It waits in the queue.
    Waiting,
    /// Its turn runs.
    Busy,
    /// Its turn cannot go on before a person answers.
    OnlyAsks,
    /// Its turn is over, or it was taken out of the queue.
    Over,
}

/// Where a task, or the whole session, stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    /// Accepted, not begun.
    Submitted,
    /// Its turn runs.
    Working,
    /// Its turn cannot go on before a person answers.
    InputRequired,
    /// Its newest turn is over and it takes another prompt.
    Resting(TurnOutcome),
    /// It takes no more prompts.
    Closed(TaskClosing),
}

impl SessionState {
    /// True if the running turn waits for nothing but people. A turn without open calls does not: it is about to go on
    /// or to end, which a reader between two entries of one commit may see. A call that has others made for it waits
    /// for those.
    pub fn only_asks_remain(&self) -> bool {
        let Some(turn) = &self.turn else { return false };
        let waits_for_its_own = |effect: &Effect| match effect {
            Effect::Run { call } => turn.open_calls().any(|other| other.parent == Some(*call)),
            Effect::Think { .. } | Effect::Vet { .. } | Effect::Compact { .. } | Effect::Keep { .. } => false,
        };
        let asks = turn.open_calls().any(|call| matches!(call.phase, CallPhase::Asking { .. }));
        asks && for_turn(self, turn).iter().all(waits_for_its_own)
    }

    /// Where `prompt` stands.
    pub fn standing(&self, prompt: PromptId) -> PromptStatus {
        if self.queue.iter().any(|waiting| waiting.id == prompt) {
            return PromptStatus::Waiting;
        }
        match &self.turn {
            Some(turn) if turn.prompt == prompt && self.only_asks_remain() => PromptStatus::OnlyAsks,
            Some(turn) if turn.prompt == prompt => PromptStatus::Busy,
            _ => PromptStatus::Over,
        }
    }

    /// Where `task` stands; `None` when the session has no such task.
    pub fn task_status(&self, task: TaskId) -> Option<TaskStatus> {
        let known = self.tasks.get(&task)?;
        if let Some(closing) = known.closed {
            return Some(TaskStatus::Closed(closing));
        }
        Some(match &self.turn {
            Some(turn) if turn.task == task => self.turn_status(),
            _ if self.queue.iter().any(|waiting| waiting.task == task) => TaskStatus::Submitted,
            _ => known.last.clone().map_or(TaskStatus::Submitted, TaskStatus::Resting),
        })
    }

    /// Where the session as a whole stands: the seeds' virtual task.
    pub fn session_status(&self) -> TaskStatus {
        if self.turn.is_some() {
            return self.turn_status();
        }
        // What is held does not go on by itself: the session rests as the cancel or the no left it.
        let last =
            self.ended.filter(|_| self.queue.iter().all(|waiting| waiting.held)).and_then(|id| self.tasks.get(&id));
        last.and_then(|task| task.last.clone()).map_or(TaskStatus::Submitted, TaskStatus::Resting)
    }

    fn turn_status(&self) -> TaskStatus {
        if self.only_asks_remain() { TaskStatus::InputRequired } else { TaskStatus::Working }
    }
}
