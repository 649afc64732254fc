//! Where a task's news is pushed to: kept beside the log, each with a cursor of its own.

use crate::ids::Seq;
use crate::seat::{BoxFuture, RosterError};
use crate::who::{Owner, Who};
use serde_json::Value;
use uuid::Uuid;

/// One place that wants a task's news.
#[derive(Clone, Debug, PartialEq)]
pub struct PushTarget {
    /// Whose task it is.
    pub owner: Owner,
    /// The task's id, or its session's.
    pub task: Uuid,
    /// Its name among the targets of the task.
    pub id: String,
    /// The address, in the form of whoever delivers. It may hold secrets.
    pub form: Value,
    /// The newest entry that was delivered, or passed over because it came before the target did.
    pub cursor: Seq,
}

/// Keeps the targets.
pub trait PushTargets: Send + Sync {
    /// Write a target down; one with the same owner, task and id is replaced, its cursor too.
    fn put(&self, target: PushTarget) -> BoxFuture<'_, Result<(), RosterError>>;

    /// The targets of a task, by id.
    fn of<'a>(&'a self, who: &'a Who, task: Uuid) -> BoxFuture<'a, Result<Vec<PushTarget>, RosterError>>;

    /// Forget a target; whether there was one.
    fn remove<'a>(&'a self, who: &'a Who, task: Uuid, id: &'a str) -> BoxFuture<'a, Result<bool, RosterError>>;

    /// Every owner's targets: what a deliverer takes up when it starts.
    fn all(&self) -> BoxFuture<'_, Result<Vec<PushTarget>, RosterError>>;

    /// Move a target's cursor; `false` when the target is gone.
    fn delivered<'a>(
        &'a self,
        owner: &'a Owner,
        task: Uuid,
        id: &'a str,
        cursor: Seq,
    ) -> BoxFuture<'a, Result<bool, RosterError>>;
}
