//! The tasks of an owner as a list: what is asked for, and what a page of it holds.

use crate::event::{TaskClosing, TaskKind, TurnOutcome};
use crate::ids::{ContextId, SessionId, TaskId, UnixMillis};
use crate::status::TaskStatus;
use serde::{Deserialize, Serialize};

/// Where a task stands, without the words around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskMark {
    /// Accepted, not begun.
    Submitted,
    /// Its turn runs.
    Working,
    /// Its turn cannot go on before a person answers.
    InputRequired,
    /// Its newest turn rested and it takes another prompt.
    Rested,
    /// Its newest turn was cancelled and it takes another prompt.
    RestedCancelled,
    /// Its newest turn failed and it takes another prompt.
    RestedFailed,
    /// Closed, its work done.
    Completed,
    /// Closed by a client.
    Cancelled,
    /// Closed, its work failed.
    Failed,
}

crate::all_variants! {
    /// Every mark there is.
    pub TaskMark:
        Submitted,
        Working,
        InputRequired,
        Rested,
        RestedCancelled,
        RestedFailed,
        Completed,
        Cancelled,
        Failed,
}

impl From<&TaskStatus> for TaskMark {
    fn from(status: &TaskStatus) -> TaskMark {
        match status {
            TaskStatus::Submitted => TaskMark::Submitted,
            TaskStatus::Working => TaskMark::Working,
            TaskStatus::InputRequired => TaskMark::InputRequired,
            TaskStatus::Resting(TurnOutcome::Rested) => TaskMark::Rested,
            TaskStatus::Resting(TurnOutcome::Cancelled) => TaskMark::RestedCancelled,
            TaskStatus::Resting(TurnOutcome::Failed { .. }) => TaskMark::RestedFailed,
            TaskStatus::Closed(TaskClosing::Completed) => TaskMark::Completed,
            TaskStatus::Closed(TaskClosing::Cancelled) => TaskMark::Cancelled,
            TaskStatus::Closed(TaskClosing::Failed) => TaskMark::Failed,
        }
    }
}

/// Which of an owner's tasks are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskQuery {
    /// Only those under this label.
    pub context: Option<ContextId>,
    /// Only those that stand so; empty means all.
    pub marks: Vec<TaskMark>,
    /// Only those that have stood so since this moment or later.
    pub since: Option<UnixMillis>,
    pub unprompted: UnpromptedTasks,
    /// Only those behind this place in the list.
    pub after: Option<TaskCursor>,
    pub limit: usize,
}

/// Tasks that were opened and that nobody has prompted yet. Each is the main task of its session, stands as submitted,
/// and has done so since the session was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnpromptedTasks {
    /// It has none of them.
    #[default]
    LeftOut,
    /// They are in it, among the others by their time.
    Listed,
}

/// A place in the list: newest change of standing first, then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskCursor {
    /// Since when the task stands as it does.
    pub since: UnixMillis,
    pub task: TaskId,
}

/// One task of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRow {
    pub task: TaskId,
    pub session: SessionId,
    /// Its label.
    pub context: ContextId,
    pub kind: TaskKind,
    /// Where it stands.
    pub mark: TaskMark,
    /// Since when.
    pub since: UnixMillis,
}

impl TaskRow {
    /// Its place in the list.
    pub fn place(&self) -> TaskCursor {
        TaskCursor { since: self.since, task: self.task }
    }
}

/// A part of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskPage {
    /// The tasks, newest change of standing first.
    pub rows: Vec<TaskRow>,
    /// The size of the whole list without unprompted tasks, which nobody counts.
    pub total: u64,
    /// Where the next page begins; `None` at the end.
    pub next: Option<TaskCursor>,
}
