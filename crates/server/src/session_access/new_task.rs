//! A message that names no task, where there are many: a new task, most often in a new session.

use super::client_tools::ToolRestriction;
use super::deliver::{deliver, prompt};
use super::{
    AcceptedMessage, TaskHandle, UnaddressedMessage, check_fit, client_tools, edge_of, may_prompt, mode_conflict,
    settings,
};
use crate::errors::RequestError;
use crate::feed::SessionFeeds;
use crate::inbound::{InboundContent, InboundMessage};
use crate::wire_state::TaskScope;
use crate::workspace::WorkspaceRoots;
use pollux_session::{
    BegunSession, CommandFingerprint, CommandId, ContextId, OpenSessionRequest, PromptTarget, Refusal, Roster,
    SessionId, SessionLookup, SessionOverrides, TaskId, TaskKind, Who,
};
use pollux_wire::devtool::AgentSettings;
use pollux_wire::jsonrpc;
use serde_json::Value;
use uuid::Uuid;

/// The workspace of sessions that name none, and where clients may name others.
pub(super) type WorkspaceDefaults<'a> = (&'a String, &'a WorkspaceRoots);

/// A message that names no task: a new task in the newest session with its label, or in a new one.
pub(super) async fn begin(
    feeds: &SessionFeeds,
    roster: &dyn Roster,
    workspaces: WorkspaceDefaults<'_>,
    who: &Who,
    inbound: &InboundMessage,
    unnamed: UnaddressedMessage,
) -> Result<AcceptedMessage, RequestError> {
    let task = TaskId(Uuid::now_v7());
    let kind = match unnamed {
        UnaddressedMessage::Joins => TaskKind::OpenEnded,
        UnaddressedMessage::Begins(kind) => kind,
    };
    // What is to be found again, a session of its own remembers for all its tasks.
    let target = PromptTarget::New { task, kind, edge: Value::Null };
    // In the coder dialect a label is only a label: every new task is a session of its own.
    let known = match &inbound.context {
        Some(context) if inbound.coder.is_none() => roster.find(who, &SessionLookup::Context(context.clone())).await?,
        Some(_) | None => None,
    };
    let (seat, receipt) = match (known, &inbound.content) {
        (Some(found), _) => {
            let handle = TaskHandle { scope: TaskScope::Session(found.seat.session()), seat: found.seat };
            check_fit(feeds, &handle, &inbound.settings, None).await?;
            if let Some(conflict) = mode_conflict(feeds, &handle, &inbound.settings).await? {
                return Err(RequestError::invalid_params(conflict));
            }
            let receipt = deliver(feeds, &*handle.seat, inbound, target).await?;
            (handle.seat, receipt)
        }
        (None, InboundContent::Answers { .. }) => {
            return Err(RequestError::invalid_params(
                "`message.taskId` is missing: say which task's tool call this answers",
            ));
        }
        (None, InboundContent::Prompt(words)) => {
            // What the session would refuse is refused before there is one, so that nothing is created.
            may_prompt(who)?;
            if words.is_empty() {
                return Err(Refusal::EmptyPrompt.into());
            }
            let command = prompt(feeds, who, target, words, inbound.dialect).await?;
            let once =
                inbound.given_id.as_ref().map(|id| CommandFingerprint::of(&id_in_context(id, inbound), &command));
            let (context, edge) = (inbound.context.clone(), edge_of(inbound));
            let opening = opening(workspaces, who, &inbound.settings, context, once, edge).await?;
            client_tools::check_credentials(roster, who, &inbound.settings)?;
            let id = inbound.command_id();
            let lent = client_tools::client_credentials(&inbound.settings);
            let BegunSession { seat, sent } = match lent.is_empty() {
                true => roster.open_with(who, opening, id, command).await?,
                // What is lent is lent to a session that is there.
                false => {
                    let seat = roster.open(who, opening).await?;
                    let sent = seat.send_lending(id, command, lent).await;
                    BegunSession { seat, sent }
                }
            };
            (seat, sent?)
        }
    };
    // A retry is answered with the task that its first copy began.
    let view = receipt.about.map_or(TaskScope::Session(seat.session()), |(task, _)| TaskScope::Task(task));
    Ok(AcceptedMessage { task: TaskHandle { seat, scope: view }, receipt })
}

/// The id under which a retry of a message that opens a session is recognised: with another label it is another message.
fn id_in_context(id: &CommandId, inbound: &InboundMessage) -> CommandId {
    match &inbound.context {
        Some(context) => CommandId(format!("{}\u{1f}{}", id.0, context.as_str())),
        None => id.clone(),
    }
}

/// The settings with which a session is opened, in the workspace that `settings` name or the default one.
pub(super) async fn opening(
    (default, roots): WorkspaceDefaults<'_>,
    who: &Who,
    settings: &AgentSettings,
    context: Option<ContextId>,
    once: Option<CommandFingerprint>,
    edge: Value,
) -> Result<OpenSessionRequest, RequestError> {
    let workspace = match &settings.workspace_path {
        Some(path) => roots.admit(path).await?,
        None => default.to_owned(),
    };
    let context = match context {
        Some(context) => context,
        None => fresh_context()?,
    };
    let id = SessionId(Uuid::now_v7());
    let (ToolRestriction { only, grants }, lent) =
        (client_tools::tool_restriction(who, settings)?, client_tools::has_credentials(settings));
    let overrides = SessionOverrides { only_tools: only, grants, lent, ..settings::overrides(who, settings)? };
    Ok(OpenSessionRequest { id, context, workspace, overrides, once, edge })
}

fn fresh_context() -> Result<ContextId, RequestError> {
    let label = Uuid::now_v7().to_string();
    ContextId::new(&label).ok_or_else(|| RequestError::new(jsonrpc::INTERNAL_ERROR, "no context could be made"))
}
