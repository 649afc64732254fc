//! The traits of every backend: keep entries, find sessions and tasks, and remember where their news goes.

use crate::error::StoreError;
use pollux_session::{
    BoxFuture, CheckpointLocation, CommandFingerprint, ContextId, Entry, Owner, PushTarget, Seq, SessionId,
    SessionSummary, TaskId, TaskKind, TaskMark, TaskPage, TaskQuery, UnixMillis,
};
use std::sync::Arc;
use uuid::Uuid;

/// The entries of many sessions. An acknowledged write survives a crash, and nobody reads an entry before it does.
pub trait Log: Send + Sync + 'static {
    /// Which life of the log its numbers belong to: another one after it was restored from a copy.
    fn incarnation(&self) -> u32;

    /// Create a session with its first entries. With [`NewSession::once`], the same owner and fingerprint within a day
    /// get the session that was opened first.
    fn create(&self, session: NewSession) -> BoxFuture<'_, Result<CreateOutcome, StoreError>>;

    /// Take in a session that was kept elsewhere, whole or not at all, with where its tasks have stood and since when.
    /// Nobody is its writer yet. The checkpoints it made are not here, and none of them is listed.
    fn adopt(&self, session: NewSession, marks: Vec<(UnixMillis, TaskUpdate)>)
    -> BoxFuture<'_, Result<(), StoreError>>;

    /// Become the only writer of a session: every epoch handed out before is void. `None` when there is no such session.
    fn claim(&self, session: SessionId) -> BoxFuture<'_, Result<Option<Epoch>, StoreError>>;

    /// Append entries, all or none. They are durable when this returns.
    fn append(&self, batch: EntryBatch) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Entries after a cursor, oldest first, at most `limit`. A page may hold fewer, to bound its bytes; only an empty
    /// one says that there are no more.
    fn read(&self, session: SessionId, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, StoreError>>;

    /// The number of the newest entry; `None` when there is no such session.
    fn head(&self, session: SessionId) -> BoxFuture<'_, Result<Option<Seq>, StoreError>>;

    /// Wait until another process has appended to a session after `head`; the number of its newest entry then. Where only this
    /// process writes, that is never.
    fn watch(&self, session: SessionId, head: Seq) -> BoxFuture<'_, Result<Seq, StoreError>> {
        let _ = (session, head);
        Box::pin(std::future::pending())
    }
}

/// Which sessions and tasks there are, whose they are and where they stand.
pub trait TaskIndex: Send + Sync + 'static {
    /// Find a session by its own id or by the id of one of its tasks. What belongs to another owner is not there.
    fn locate(&self, owner: &Owner, id: Uuid) -> BoxFuture<'_, Result<Option<LocatedTask>, StoreError>>;

    /// The session the owner opened last under this label.
    fn newest(&self, owner: &Owner, context: &ContextId) -> BoxFuture<'_, Result<Option<SessionId>, StoreError>>;

    /// The owner's sessions, newest change first. Streamed text alone does not count as a change.
    fn list(&self, owner: &Owner, limit: usize) -> BoxFuture<'_, Result<Vec<SessionSummary>, StoreError>>;

    /// The sessions of every owner, newest change first.
    fn everyones(&self) -> BoxFuture<'_, Result<Vec<SessionSummary>, StoreError>>;

    /// The owner's tasks, newest change of standing first.
    fn tasks(&self, owner: &Owner, query: TaskQuery) -> BoxFuture<'_, Result<TaskPage, StoreError>>;

    /// The checkpoints that the owner's sessions made of a workspace, newest first.
    fn checkpoints(
        &self,
        owner: &Owner,
        workspace: &str,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<CheckpointLocation>, StoreError>>;

    /// The sessions of every owner whose turn has not ended, oldest first: what a restarted process has to take up.
    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<SessionId>, StoreError>>;
}

/// Where the news of tasks is pushed to.
pub trait PushTargetStore: Send + Sync + 'static {
    /// Write down where a task's news is pushed to; one with the same owner, task and id is replaced.
    fn put_target(&self, target: PushTarget) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Where news is pushed to: of one task of one owner, or everywhere.
    fn targets(&self, of: Option<(&Owner, Uuid)>) -> BoxFuture<'_, Result<Vec<PushTarget>, StoreError>>;

    /// Forget a target; whether there was one.
    fn remove_target(&self, owner: &Owner, task: Uuid, id: &str) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Move a target's cursor; `false` when the target is gone.
    fn move_target(&self, owner: &Owner, task: Uuid, id: &str, to: Seq) -> BoxFuture<'_, Result<bool, StoreError>>;
}

/// A session about to be created.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSession {
    pub id: SessionId,
    /// Whose it is.
    pub owner: Owner,
    /// Its label.
    pub context: ContextId,
    /// The absolute path of its workspace.
    pub workspace: String,
    /// When.
    pub opened: UnixMillis,
    /// The message that opens it.
    pub once: Option<CommandFingerprint>,
    /// Its first entries, numbered from 1; the first is `SessionOpened`.
    pub entries: Vec<Arc<Entry>>,
    /// Where the tasks among them stand afterwards.
    pub marks: Vec<TaskUpdate>,
}

/// The result of creating a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// It is there, and the caller is its writer.
    New(Epoch),
    /// The message had opened this session before; nothing was written.
    Existing(SessionId),
}

/// The right to write to a session: the newest one handed out is the only one that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

/// Entries to append to one session.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryBatch {
    pub session: SessionId,
    /// The epoch its writer was given.
    pub epoch: Epoch,
    /// The entries, gapless, the first one right after the head.
    pub entries: Vec<Arc<Entry>>,
    /// Where the tasks among them stand afterwards. The store cannot know: it does not decide.
    pub marks: Vec<TaskUpdate>,
}

/// Where a task stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskUpdate {
    pub task: TaskId,
    pub kind: TaskKind,
    /// Where it stands.
    pub mark: TaskMark,
}

/// The session and task of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocatedTask {
    pub session: SessionId,
    /// The task of it that was named; `None` when the session itself was.
    pub task: Option<TaskId>,
}
