//! Slash commands for other programs. A command is a prompt that begins with `/`, and its execution is a task of its own:
//! whoever knows the task's id can follow it, answer what it asks and cancel it like any other.

mod arguments;
mod http;
mod listing;
mod modes;
mod restore;
mod watch;

pub(crate) use arguments::Arguments;
pub(crate) use http::{execute, list};
pub(crate) use listing::{to_listed_command, to_slash_command as slash_commands};
pub(crate) use modes::{mode_command, set_mode, wanted_mode};
pub(crate) use watch::{CommandUpdate, CommandWatcher};

use crate::errors::RequestError;
use crate::inbound::{InboundMessage, MessageRules, read_context};
use crate::router::AppState;
use crate::session_access::{AcceptedMessage, SessionAccess, TaskHandle, UnaddressedMessage, read_opened};
use crate::wire_state::TaskScope;
use pollux_session::{BoxFuture, CommandInfo, SessionLookup, TaskKind, Who};
use serde_json::json;
use std::sync::Arc;

/// Says which commands there are in a workspace.
pub type CommandSource = Arc<dyn Fn(&str) -> BoxFuture<'static, Vec<CommandInfo>> + Send + Sync>;

/// A command that somebody wants to run.
pub(crate) struct CommandRequest {
    /// Its words: `["memory", "add"]`.
    pub(crate) path: Vec<String>,
    pub(crate) arguments: Arguments,
    pub(crate) caller: CommandCaller,
    /// A task of the session to run it in.
    pub(crate) task: Option<String>,
    /// The label of that session.
    pub(crate) context: Option<String>,
}

/// Whose client wants a command to run. Its task goes on in that client's dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandCaller {
    /// The extension's: the task is over with the command.
    Rfc,
    /// Google's a2a-server's: the task waits for more, as all of its tasks do.
    Coder,
}

/// The start of a command.
pub(crate) enum CommandStart {
    /// It is a task now.
    Running(Box<AcceptedMessage>),
    /// There is no such command.
    Unknown,
}

/// The commands there are where `task` or `context` point, or where others would begin.
pub(crate) async fn list_commands(
    app: &AppState,
    who: &Who,
    task: Option<&str>,
    context: Option<&str>,
) -> Result<Vec<CommandInfo>, RequestError> {
    let handle = find_task(app, who, task, context).await?;
    commands(app, handle.as_ref()).await
}

/// The commands for programs that have no terminal: with those that a terminal has itself. `workspace` says where
/// others would begin.
pub(crate) async fn list_commands_for_programs(
    app: &AppState,
    who: &Who,
    task: Option<&str>,
    context: Option<&str>,
    workspace: Option<&str>,
) -> Result<Vec<CommandInfo>, RequestError> {
    let mut offered = match (find_task(app, who, task, context).await?, workspace) {
        (Some(handle), workspace) => {
            app.sessions.check_workspace(&handle, workspace).await?;
            commands(app, Some(&handle)).await?
        }
        (None, Some(workspace)) => commands_in(app, &app.sessions.admit_workspace(workspace).await?).await,
        (None, None) => commands(app, None).await?,
    };
    if !offered.is_empty() && offered.iter().all(|command| command.name != mode_command().name) {
        offered.push(mode_command());
    }
    Ok(offered)
}

/// Run a command as a task of its own: in the session that is named, the shared one, or a new one.
pub(crate) async fn begin_command(
    app: &AppState,
    who: &Who,
    wanted: &CommandRequest,
) -> Result<CommandStart, RequestError> {
    let here = match find_task(app, who, wanted.task.as_deref(), wanted.context.as_deref()).await? {
        Some(here) => Some(here),
        None => restore::find_restore_task(app, who, wanted).await?,
    };
    let offered = commands(app, here.as_ref()).await?;
    let path: Vec<&str> = wanted.path.iter().map(String::as_str).collect();
    let Some(command) = CommandInfo::at(&offered, &path) else { return Ok(CommandStart::Unknown) };
    let line = format!("/{} {}", wanted.path.join(" "), wanted.arguments.typed_after(command));
    let mut message = json!({ "content": { "text": line.trim_end() } });
    if let Some(context) = &wanted.context {
        message["contextId"] = json!(context);
    }
    let (kind, coder) = match wanted.caller {
        CommandCaller::Rfc => (TaskKind::Once, None),
        CommandCaller::Coder => (TaskKind::OpenEnded, Some(json!({}))),
    };
    let inbound =
        InboundMessage { coder, ..InboundMessage::read(&json!({ "message": message }), MessageRules::Seeds)? };
    let admitted =
        app.sessions.admit(&app.feeds, who, &inbound, here.as_ref(), UnaddressedMessage::Begins(kind)).await?;
    Ok(CommandStart::Running(Box::new(admitted)))
}

/// The session that is meant, if there is one already.
pub(crate) async fn find_task(
    app: &AppState,
    who: &Who,
    task: Option<&str>,
    context: Option<&str>,
) -> Result<Option<TaskHandle>, RequestError> {
    if let Some(task) = task {
        return app.sessions.find(who, task).await.map(Some);
    }
    if let Some(handle) = app.sessions.shared_session(who).await? {
        return Ok(Some(handle));
    }
    let Some(context) = context else { return Ok(None) };
    let found = app.sessions.roster().find(who, &SessionLookup::Context(read_context(context)?)).await?;
    Ok(found.map(|found| TaskHandle { scope: TaskScope::Session(found.seat.session()), seat: found.seat }))
}

async fn commands(app: &AppState, handle: Option<&TaskHandle>) -> Result<Vec<CommandInfo>, RequestError> {
    let workspace = match (handle, &app.sessions) {
        (Some(handle), _) => read_opened(&*handle.seat).await?.workspace,
        (None, SessionAccess::Shared { workspace, .. } | SessionAccess::Many { workspace, .. }) => workspace.clone(),
    };
    Ok(commands_in(app, &workspace).await)
}

async fn commands_in(app: &AppState, workspace: &str) -> Vec<CommandInfo> {
    match &app.commands {
        Some(source) => source(workspace).await,
        None => Vec::new(),
    }
}
