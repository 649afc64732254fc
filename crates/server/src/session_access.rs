//! From the ids of a message to a seat at a session.

mod answer_options;
mod client_tools;
mod deliver;
mod new_task;
mod settings;

use crate::client_profile::ToolExtension;
use crate::dialect::{CoderClientSettings, Dialect, EventEncoding, coder_edge};
use crate::errors::RequestError;
use crate::feed::SessionFeeds;
use crate::inbound::{InboundMessage, check_id};
use crate::log_context::record_task;
use crate::version::A2aVersion;
use crate::wire_state::TaskScope;
use crate::workspace::{self, WorkspaceRoots};
use deliver::deliver;
use new_task::{begin, opening};
use pollux_session::{
    Command, CommandReceipt, ContextId, Event, PromptTarget, Refusal, Right, Roster, Seat, Seq, SessionId,
    SessionLookup, SessionOpened, TaskId, TaskKind, Who,
};
use pollux_wire::devtool::AgentSettings;
use pollux_wire::jsonrpc;
use serde_json::Value;
use std::sync::Arc;
use uuid::Uuid;

/// Which sessions the server admits others to.
#[derive(Clone)]
pub enum SessionAccess {
    /// `--a2a-port`: one session that everybody shares. A message without ids, or with the session's id, joins it;
    /// frames carry the session's id as their task id; a cancel ends the turn only.
    Shared {
        /// The process's sessions.
        roster: Arc<dyn Roster>,
        /// The one that is shared.
        session: SessionId,
        /// Its workspace; a different one is refused.
        workspace: String,
    },
    /// `serve`: many sessions.
    Many {
        /// The process's sessions.
        roster: Arc<dyn Roster>,
        /// The workspace of sessions that name none.
        workspace: String,
        /// Where clients may name others.
        roots: WorkspaceRoots,
    },
}

/// A seat at a session, and which part of the session is meant.
#[derive(Clone)]
pub(crate) struct TaskHandle {
    pub(crate) seat: Arc<dyn Seat>,
    pub(crate) scope: TaskScope,
}

/// The target of a message that names no task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaddressedMessage {
    /// It goes on with what there is, or begins an open-ended task where there is nothing.
    Joins,
    /// It begins a task of this kind.
    Begins(TaskKind),
}

/// A message that was accepted.
pub(crate) struct AcceptedMessage {
    pub(crate) task: TaskHandle,
    /// The first entry that accepted any of it.
    pub(crate) receipt: CommandReceipt,
}

impl AcceptedMessage {
    /// The newest entry of which its sender has read the asks: whoever answers has read what is open.
    pub(crate) fn known_asks(&self) -> Seq {
        let is_prompt = self.receipt.about.is_some_and(|(_, prompt)| prompt.0 == self.receipt.settled());
        if is_prompt { Seq::START } else { self.receipt.seq }
    }
}

impl TaskHandle {
    /// The dialect that the events of A2A are told in here, to a reader who has `asked` for the extension or not.
    pub(crate) async fn dialect(
        &self,
        feeds: &SessionFeeds,
        form: EventEncoding,
        asked: ToolExtension,
    ) -> Result<Dialect, RequestError> {
        let wire_state = feeds.newest_state(&*self.seat).await?;
        // That server's dialect is one of 0.3.
        if form.version() == A2aVersion::V03 && wire_state.coder_settings(self.scope).is_some() {
            return Ok(Dialect::Coder(form));
        }
        Ok(Dialect::Rfc(form, asked.or(wire_state.declared(self.scope))))
    }

    /// The extension as a reader who has `asked` for it or not gets it here: what a message of a task has declared
    /// holds for all that follows in it.
    pub(crate) async fn extension(
        &self,
        feeds: &SessionFeeds,
        asked: ToolExtension,
    ) -> Result<ToolExtension, RequestError> {
        match asked {
            ToolExtension::Declared => Ok(asked),
            ToolExtension::Unknown => Ok(feeds.newest_state(&*self.seat).await?.declared(self.scope)),
        }
    }
}

impl SessionAccess {
    /// A task, by its id or its session's.
    pub(crate) async fn find(&self, who: &Who, id: &str) -> Result<TaskHandle, RequestError> {
        check_id("taskId", id)?;
        let unknown = || RequestError::unknown_task(id);
        let uuid = Uuid::parse_str(id).map_err(|_| unknown())?;
        let found = self.roster().find(who, &SessionLookup::Id(uuid)).await?.ok_or_else(unknown)?;
        if !self.admits(found.seat.session()) {
            return Err(unknown());
        }
        let view = match (found.task, self) {
            (Some(task), _) => TaskScope::Task(task),
            (None, SessionAccess::Shared { session, .. }) => TaskScope::Session(*session),
            (None, SessionAccess::Many { .. }) => scope_of(&read_opened(&*found.seat).await?, found.seat.session()),
        };
        let handle = TaskHandle { scope: view, seat: found.seat };
        record_task(&handle);
        Ok(handle)
    }

    /// The process's sessions.
    pub(crate) fn roster(&self) -> &dyn Roster {
        match self {
            SessionAccess::Shared { roster, .. } | SessionAccess::Many { roster, .. } => roster.as_ref(),
        }
    }

    /// True if a session is one that others are admitted to.
    pub(crate) fn admits(&self, other: SessionId) -> bool {
        match self {
            SessionAccess::Shared { session, .. } => *session == other,
            SessionAccess::Many { .. } => true,
        }
    }

    /// The shared session, which needs no naming, if there is one.
    pub(crate) async fn shared_session(&self, who: &Who) -> Result<Option<TaskHandle>, RequestError> {
        match self {
            SessionAccess::Shared { roster, session, .. } => join_shared(&**roster, *session, who).await.map(Some),
            SessionAccess::Many { .. } => Ok(None),
        }
    }

    /// The directory of a workspace that a client names for a session to come.
    pub(crate) async fn admit_workspace(&self, path: &str) -> Result<String, RequestError> {
        match self {
            SessionAccess::Many { roots, .. } => roots.admit(path).await,
            SessionAccess::Shared { workspace, .. } => {
                check_same_workspace(path, workspace).await?;
                Ok(workspace.clone())
            }
        }
    }

    /// Check that `path`, if one is named, is the workspace of its session.
    pub(crate) async fn check_workspace(&self, handle: &TaskHandle, path: Option<&str>) -> Result<(), RequestError> {
        let Some(path) = path else { return Ok(()) };
        check_same_workspace(path, &read_opened(&*handle.seat).await?.workspace).await
    }

    /// Open a session for a client that says nothing yet, or a task of the shared one where `edge` is to be found again.
    pub(crate) async fn open(
        &self,
        feeds: &SessionFeeds,
        who: &Who,
        settings: &AgentSettings,
        context: Option<ContextId>,
        edge: Value,
    ) -> Result<(TaskHandle, SessionOpened), RequestError> {
        let handle = match self {
            SessionAccess::Shared { roster, session, .. } => {
                let handle = join_shared(&**roster, *session, who).await?;
                check_fit(feeds, &handle, settings, context.as_ref()).await?;
                self.check_mode(feeds, &handle, settings, !edge.is_null()).await?;
                client_tools::check_credential_right(who, settings)?;
                client_tools::check_credentials(&**roster, who, settings)?;
                let view = match edge {
                    Value::Null => handle.scope,
                    edge => {
                        let task = TaskId(Uuid::now_v7());
                        let command = Command::OpenTask { task, kind: TaskKind::OpenEnded, edge };
                        handle.seat.send(Uuid::now_v7().into(), command).await?;
                        TaskScope::Task(task)
                    }
                };
                settings::choose_model(feeds, &*handle.seat, settings).await?;
                client_tools::apply_credentials(&**roster, who, &*handle.seat, settings).await?;
                TaskHandle { scope: view, ..handle }
            }
            SessionAccess::Many { roster, workspace, roots } => {
                may_prompt(who)?;
                let opening = opening((workspace, roots), who, settings, context, None, edge).await?;
                client_tools::check_credentials(&**roster, who, settings)?;
                let seat = roster.open(who, opening).await?;
                client_tools::apply_credentials(&**roster, who, &*seat, settings).await?;
                TaskHandle { scope: TaskScope::Session(seat.session()), seat }
            }
        };
        let opened = read_opened(&*handle.seat).await?;
        let view = match self {
            SessionAccess::Shared { .. } => handle.scope,
            SessionAccess::Many { .. } => scope_of(&opened, handle.seat.session()),
        };
        let handle = TaskHandle { scope: view, ..handle };
        record_task(&handle);
        Ok((handle, opened))
    }

    /// Check that a message's wish to run without asking, or to be asked, is what holds in a session that exists.
    /// Clients of Google's a2a-server send theirs with every message: they are told that it has no effect.
    async fn check_mode(
        &self,
        feeds: &SessionFeeds,
        handle: &TaskHandle,
        settings: &AgentSettings,
        is_coder: bool,
    ) -> Result<(), RequestError> {
        match mode_conflict(feeds, handle, settings).await? {
            Some(conflict) if is_coder => tracing::warn!("[A2AService] ignored in a message: {conflict}"),
            Some(conflict) => return Err(RequestError::invalid_params(conflict)),
            None => {}
        }
        Ok(())
    }

    /// Send what `inbound` says to where it belongs, or to `here` when it names no task.
    pub(crate) async fn admit(
        &self,
        feeds: &SessionFeeds,
        who: &Who,
        inbound: &InboundMessage,
        here: Option<&TaskHandle>,
        unnamed: UnaddressedMessage,
    ) -> Result<AcceptedMessage, RequestError> {
        let admitted = self.deliver_message(feeds, who, inbound, here, unnamed).await?;
        record_task(&admitted.task);
        let message = inbound.given_id.as_ref().map_or("without an id", |id| id.0.as_str());
        tracing::debug!("[A2AService] message {message:?} was accepted at entry {}", admitted.receipt.seq);
        Ok(admitted)
    }

    async fn deliver_message(
        &self,
        feeds: &SessionFeeds,
        who: &Who,
        inbound: &InboundMessage,
        here: Option<&TaskHandle>,
        unnamed: UnaddressedMessage,
    ) -> Result<AcceptedMessage, RequestError> {
        let named = match (&inbound.task, here) {
            (Some(task), _) => Some(self.find(who, task).await?),
            (None, Some(here)) => Some(here.clone()),
            (None, None) => self.shared_session(who).await?,
        };
        match (named, self) {
            (Some(handle), _) => {
                check_fit(feeds, &handle, &inbound.settings, inbound.context.as_ref()).await?;
                self.check_mode(feeds, &handle, &inbound.settings, inbound.coder.is_some()).await?;
                let target = match unnamed {
                    // Who wants a task that ends gets one of their own in the session that all share.
                    UnaddressedMessage::Begins(kind) if inbound.task.is_none() => {
                        PromptTarget::New { task: TaskId(Uuid::now_v7()), kind, edge: edge_of(inbound) }
                    }
                    UnaddressedMessage::Begins(_) | UnaddressedMessage::Joins => {
                        PromptTarget::Existing { task: handle.scope.task() }
                    }
                };
                let begins = matches!(target, PromptTarget::New { .. });
                let receipt = deliver(feeds, &*handle.seat, inbound, target).await?;
                let view = match receipt.about {
                    Some((task, _)) if begins => TaskScope::Task(task),
                    Some(_) | None => handle.scope,
                };
                Ok(AcceptedMessage { task: TaskHandle { scope: view, ..handle }, receipt })
            }
            (None, SessionAccess::Many { roster, workspace, roots }) => {
                begin(feeds, &**roster, (workspace, roots), who, inbound, unnamed).await
            }
            (None, SessionAccess::Shared { session, .. }) => Err(RequestError::unknown_task(&session.to_string())),
        }
    }
}

/// Sit down at the shared session.
async fn join_shared(roster: &dyn Roster, session: SessionId, who: &Who) -> Result<TaskHandle, RequestError> {
    let found = roster.find(who, &SessionLookup::Id(session.0)).await?;
    let found = found.ok_or_else(|| RequestError::unknown_task(&session.to_string()))?;
    Ok(TaskHandle { seat: found.seat, scope: TaskScope::Session(session) })
}

/// The scope of a session's id where there are many: to clients of Google's a2a-server a task like any other, to all
/// others the whole session.
fn scope_of(opened: &SessionOpened, session: SessionId) -> TaskScope {
    if CoderClientSettings::detect(opened, &Value::Null).is_some() {
        TaskScope::Task(opened.main_task)
    } else {
        TaskScope::Session(session)
    }
}

/// The data that the edge finds again of the task that `inbound` begins.
fn edge_of(inbound: &InboundMessage) -> Value {
    inbound.coder.as_ref().map(coder_edge).unwrap_or_default()
}

fn may_prompt(who: &Who) -> Result<(), RequestError> {
    let right = Right::Prompt;
    if who.rights.allow(right) { Ok(()) } else { Err(Refusal::NotAllowed { right }.into()) }
}

/// Check that a message that asks for this workspace and this context may go to `handle`.
async fn check_fit(
    feeds: &SessionFeeds,
    handle: &TaskHandle,
    settings: &AgentSettings,
    context: Option<&ContextId>,
) -> Result<(), RequestError> {
    if settings.workspace_path.is_none() && context.is_none() && settings.allowed_tools.is_none() {
        return Ok(());
    }
    let opened = read_opened(&*handle.seat).await?;
    client_tools::check_same_tools(&opened, settings)?;
    // Clients of Google's a2a-server may send any label with a task: the task keeps its own.
    if let Some(context) = context.filter(|context| **context != opened.context)
        && feeds.newest_state(&*handle.seat).await?.coder_settings(handle.scope).is_none()
    {
        return Err(RequestError::invalid_params(format!(
            "`contextId` {:?} is not this task's context; it is {:?}, or leave it out",
            context.as_str(),
            opened.context.as_str()
        )));
    }
    match &settings.workspace_path {
        Some(path) => check_same_workspace(path, &opened.workspace).await,
        None => Ok(()),
    }
}

/// Check that `path` is the workspace `own`. Of every other one the same is said, whether something is there or not.
async fn check_same_workspace(path: &str, own: &str) -> Result<(), RequestError> {
    workspace::check_form(path)?;
    if !workspace::is_same_directory(path, own).await {
        return Err(other_workspace(path, own));
    }
    workspace::check_usable(path).await
}

fn other_workspace(path: &str, own: &str) -> RequestError {
    RequestError::invalid_params(format!(
        "`workspace_path` {path:?} is not this session's workspace; it is {own:?}, or leave it out"
    ))
}

/// Why `auto_execute` in a message has no effect on this task, if it has none.
pub(crate) async fn mode_conflict(
    feeds: &SessionFeeds,
    handle: &TaskHandle,
    settings: &AgentSettings,
) -> Result<Option<String>, RequestError> {
    let Some(wanted) = settings.auto_execute else { return Ok(None) };
    Ok(settings::mode_conflict(&feeds.newest_state(&*handle.seat).await?.state, wanted))
}

/// The entry with which a session began.
pub(crate) async fn read_opened(seat: &dyn Seat) -> Result<SessionOpened, RequestError> {
    let first = seat.read(Seq::START, 1).await?;
    match first.first().map(|entry| &entry.event) {
        Some(Event::Opened(opened)) => Ok(opened.clone()),
        _ => Err(RequestError::new(jsonrpc::INTERNAL_ERROR, "the session's log does not begin with its opening")),
    }
}
