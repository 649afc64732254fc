//! Slash commands for other programs. A command is a prompt that begins with `/`, and its execution is a task of its own:
//! whoever knows the task's id can follow it, answer what it asks and cancel it like any other.

mod http;
mod landmarks;
mod line;
mod listing;
mod modes;
mod watch;

pub(crate) use http::{execute, list};
pub(crate) use line::Arguments;
pub(crate) use listing::{listed, offered as slash_commands};
pub(crate) use modes::{mode_command, set_mode, wanted_mode};
pub(crate) use watch::{News, Watcher};

use crate::errors::Fault;
use crate::inbound::{Inbound, MessageRules, read_context};
use crate::rooms::{Admitted, Place, Rooms, Unnamed, opened};
use crate::router::Hall;
use crate::scene::View;
use pollux_session::{CommandInfo, Pending, Target, TaskKind, Who};
use serde_json::json;
use std::sync::Arc;

/// Says which commands there are in a workspace.
pub type CommandSource = Arc<dyn Fn(&str) -> Pending<'static, Vec<CommandInfo>> + Send + Sync>;

/// A command that somebody wants to run.
pub(crate) struct Wanted {
    /// Its words: `["memory", "add"]`.
    pub(crate) path: Vec<String>,
    /// What comes after them.
    pub(crate) arguments: Arguments,
    /// Who wants it.
    pub(crate) caller: Caller,
    /// A task of the session to run it in.
    pub(crate) task: Option<String>,
    /// The label of that session.
    pub(crate) context: Option<String>,
}

/// Whose client wants a command to run. Its task goes on in that client's dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// The extension's: the task is over with the command.
    Rfc,
    /// Google's a2a-server's: the task waits for more, as all of its tasks do.
    Coder,
}

/// What became of a command that is to run.
pub(crate) enum Begun {
    /// It is a task now.
    Running(Box<Admitted>),
    /// There is no such command.
    Unknown,
}

/// The commands there are where `task` or `context` point, or where others would begin.
pub(crate) async fn at_hand(
    hall: &Hall,
    who: &Who,
    task: Option<&str>,
    context: Option<&str>,
) -> Result<Vec<CommandInfo>, Fault> {
    let place = place(hall, who, task, context).await?;
    commands(hall, place.as_ref()).await
}

/// The same for programs that have no terminal: with the commands that a terminal has itself. `workspace` says where
/// others would begin.
pub(crate) async fn offered_to_programs(
    hall: &Hall,
    who: &Who,
    task: Option<&str>,
    context: Option<&str>,
    workspace: Option<&str>,
) -> Result<Vec<CommandInfo>, Fault> {
    let mut offered = match (place(hall, who, task, context).await?, workspace) {
        (Some(place), workspace) => {
            hall.rooms.check_workspace(&place, workspace).await?;
            commands(hall, Some(&place)).await?
        }
        (None, Some(workspace)) => commands_in(hall, &hall.rooms.admit_workspace(workspace).await?).await,
        (None, None) => commands(hall, None).await?,
    };
    if !offered.is_empty() && offered.iter().all(|command| command.name != mode_command().name) {
        offered.push(mode_command());
    }
    Ok(offered)
}

/// Run a command as a task of its own: in the session that is named, the shared one, or a new one.
pub(crate) async fn begin(hall: &Hall, who: &Who, wanted: &Wanted) -> Result<Begun, Fault> {
    let here = match place(hall, who, wanted.task.as_deref(), wanted.context.as_deref()).await? {
        Some(here) => Some(here),
        None => landmarks::place(hall, who, wanted).await?,
    };
    let offered = commands(hall, here.as_ref()).await?;
    let path: Vec<&str> = wanted.path.iter().map(String::as_str).collect();
    let Some(command) = CommandInfo::at(&offered, &path) else { return Ok(Begun::Unknown) };
    let line = format!("/{} {}", wanted.path.join(" "), wanted.arguments.typed_after(command));
    let mut message = json!({ "content": { "text": line.trim_end() } });
    if let Some(context) = &wanted.context {
        message["contextId"] = json!(context);
    }
    let (kind, coder) = match wanted.caller {
        Caller::Rfc => (TaskKind::Once, None),
        Caller::Coder => (TaskKind::OpenEnded, Some(json!({}))),
    };
    let inbound = Inbound { coder, ..Inbound::read(&json!({ "message": message }), MessageRules::Seeds)? };
    let admitted = hall.rooms.admit(&hall.feeds, who, &inbound, here.as_ref(), Unnamed::Begins(kind)).await?;
    Ok(Begun::Running(Box::new(admitted)))
}

/// The session that is meant, if there is one already.
pub(crate) async fn place(
    hall: &Hall,
    who: &Who,
    task: Option<&str>,
    context: Option<&str>,
) -> Result<Option<Place>, Fault> {
    if let Some(task) = task {
        return hall.rooms.find(who, task).await.map(Some);
    }
    if let Some(place) = hall.rooms.only(who).await? {
        return Ok(Some(place));
    }
    let Some(context) = context else { return Ok(None) };
    let found = hall.rooms.roster().find(who, &Target::Context(read_context(context)?)).await?;
    Ok(found.map(|found| Place { view: View::Session(found.seat.session()), seat: found.seat }))
}

async fn commands(hall: &Hall, place: Option<&Place>) -> Result<Vec<CommandInfo>, Fault> {
    let workspace = match (place, &hall.rooms) {
        (Some(place), _) => opened(&*place.seat).await?.workspace,
        (None, Rooms::Shared { workspace, .. } | Rooms::Many { workspace, .. }) => workspace.clone(),
    };
    Ok(commands_in(hall, &workspace).await)
}

async fn commands_in(hall: &Hall, workspace: &str) -> Vec<CommandInfo> {
    match &hall.commands {
        Some(source) => source(workspace).await,
        None => Vec::new(),
    }
}
