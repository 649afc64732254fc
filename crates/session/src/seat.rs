//! A place at a session. The terminal, a socket and an editor all sit on the same trait, so nobody has a private
//! channel.

use crate::client_credentials::ClientCredentials;
use crate::command::{Command, CommandFingerprint};
use crate::event::{Entry, SessionOverrides};
use crate::ids::{CommandId, ContextId, PromptId, Seq, SessionId, TaskId, UnixMillis};
use crate::listing::{TaskPage, TaskQuery};
use crate::notice::NoticeFeed;
use crate::refusal::Refusal;
use crate::who::{Owner, Who};
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use thiserror::Error;
use uuid::Uuid;

/// A boxed future, so that the traits here are object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A place at one session, for one [`Who`].
pub trait Seat: Send + Sync {
    /// The session.
    fn session(&self) -> SessionId;

    /// The client that sits here.
    fn who(&self) -> &Who;

    /// Which life of the log its numbers belong to; it changes when a log is restored from a copy.
    fn incarnation(&self) -> u32;

    /// Send a command. The receipt comes when its entries are durable.
    fn send(&self, id: CommandId, command: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>>;

    /// Send a command, and lend the session credentials for as long as this process lives if the command is accepted.
    fn send_lending(
        &self,
        id: CommandId,
        command: Command,
        lent: ClientCredentials,
    ) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        if lent.is_empty() {
            return self.send(id, command);
        }
        Box::pin(async { Err(Refusal::NotLent { why: "nothing can be lent to a session here".into() }.into()) })
    }

    /// Entries after a cursor, oldest first, at most `limit`; empty when there are none yet.
    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>>;

    /// Wait until there is an entry after the cursor; returns the newest number.
    fn changed(&self, after: Seq) -> BoxFuture<'_, Result<Seq, ReadError>>;

    /// Notices from now on.
    fn notices(&self) -> Box<dyn NoticeFeed>;
}

/// The sessions of a process.
pub trait Roster: Send + Sync {
    /// Open a session and sit down at it.
    fn open<'a>(
        &'a self,
        who: &'a Who,
        opening: OpenSessionRequest,
    ) -> BoxFuture<'a, Result<Arc<dyn Seat>, RosterError>>;

    /// Open a session with its first command, in one commit where that is possible. An error says that no session was
    /// opened.
    fn open_with<'a>(
        &'a self,
        who: &'a Who,
        opening: OpenSessionRequest,
        id: CommandId,
        command: Command,
    ) -> BoxFuture<'a, Result<BegunSession, RosterError>> {
        Box::pin(async move {
            let seat = self.open(who, opening).await?;
            let sent = seat.send(id, command).await;
            Ok(BegunSession { seat, sent })
        })
    }

    /// Check that `who` may lend a session of theirs these credentials. They are vetted before the session is opened,
    /// so that a request which is refused leaves none behind. An error is a sentence for the client.
    fn check_lent(&self, who: &Who, lent: ClientCredentials) -> Result<(), String> {
        let _ = (who, lent);
        Err("nothing can be lent to a session here".to_owned())
    }

    /// Lend a session something for as long as this process lives, besides what was lent before: a key takes the place of
    /// the last one, a server that is there stays. An error is a sentence for the client, and nothing was changed.
    fn entrust<'a>(
        &'a self,
        who: &'a Who,
        session: SessionId,
        lent: ClientCredentials,
    ) -> BoxFuture<'a, Result<(), String>> {
        let _ = (who, session, lent);
        Box::pin(async { Err("nothing can be lent to a session here".to_owned()) })
    }

    /// Sit down at a session that exists. What belongs to another owner is not found.
    fn find<'a>(
        &'a self,
        who: &'a Who,
        target: &'a SessionLookup,
    ) -> BoxFuture<'a, Result<Option<FoundSession>, RosterError>>;

    /// The owner's sessions, newest change first.
    fn list<'a>(&'a self, who: &'a Who, limit: usize) -> BoxFuture<'a, Result<Vec<SessionSummary>, RosterError>>;

    /// The owner's tasks, newest change of standing first.
    fn tasks<'a>(&'a self, who: &'a Who, query: TaskQuery) -> BoxFuture<'a, Result<TaskPage, RosterError>>;

    /// The newest checkpoints that the owner's sessions made of a workspace, newest first.
    fn checkpoints<'a>(
        &'a self,
        who: &'a Who,
        workspace: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<CheckpointLocation>, RosterError>>;
}

/// The key of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionLookup {
    /// A session's or a task's id.
    Id(Uuid),
    /// The owner's newest session with this label.
    Context(ContextId),
}

/// A session that was found.
pub struct FoundSession {
    /// A seat at it.
    pub seat: Arc<dyn Seat>,
    /// The task that was named; `None` when the session itself was.
    pub task: Option<TaskId>,
}

/// A session that was opened with a command.
pub struct BegunSession {
    /// A seat at it.
    pub seat: Arc<dyn Seat>,
    pub sent: Result<CommandReceipt, SendError>,
}

/// A checkpoint and whose it is: going back to it is a matter of that task's session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointLocation {
    /// The task whose call it was made for.
    pub task: TaskId,
    /// A name for people.
    pub name: String,
}

/// The settings of a new session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSessionRequest {
    /// Its id, a fresh UUIDv7 made by the edge.
    pub id: SessionId,
    /// Its label.
    pub context: ContextId,
    /// The absolute path of its workspace.
    pub workspace: String,
    /// Settings that differ from the defaults.
    pub overrides: SessionOverrides,
    /// Data that the edge wants to find again in [`crate::SessionOpened`].
    pub edge: serde_json::Value,
    /// The message that opens it: the same one within a day finds the session it opened.
    pub once: Option<CommandFingerprint>,
}

/// An accepted command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandReceipt {
    /// The entry that accepted it. For a command that changed nothing, the newest entry.
    pub seq: Seq,
    /// The task and the prompt it concerned; `None` for a command about the session itself.
    pub about: Option<(TaskId, PromptId)>,
    /// The entry that accepted the last thing it says, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Seq>,
}

impl CommandReceipt {
    /// A command that one entry accepted.
    pub fn new(seq: Seq, about: Option<(TaskId, PromptId)>) -> CommandReceipt {
        CommandReceipt { seq, about, last: None }
    }

    /// The entry that accepted the last thing it says.
    pub fn settled(&self) -> Seq {
        self.last.unwrap_or(self.seq)
    }
}

/// Why a command was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SendError {
    /// It may not happen.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The session is not there to decide it: its store failed or the process is stopping. Whether it was recorded only
    /// the log can tell; sending it again under the same id is safe.
    #[error("the session could not take the command: {0}")]
    Lost(String),
}

/// Why entries could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ReadError(pub String);

/// Why a session could not be opened or found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RosterError {
    /// The workspace cannot be used.
    #[error("{0}")]
    Workspace(String),
    /// The session cannot be narrowed to the tools that are named.
    #[error("{0}")]
    Tools(String),
    /// The message that opens it has the id of an earlier one, which opened a session with other settings.
    #[error(
        "the message's id was used before for the same message with other settings, which opened a session: give this \
         message an id of its own"
    )]
    UsedId,
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(String),
}

/// One line of a list of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSummary {
    pub id: SessionId,
    /// Whose it is.
    pub owner: Owner,
    /// Its label.
    pub context: ContextId,
    pub workspace: String,
    /// Its first prompt, shortened; empty before that.
    pub title: String,
    /// When it was opened.
    pub opened: UnixMillis,
    /// When it changed last.
    pub changed: UnixMillis,
    /// Its newest entry.
    pub head: Seq,
}
