//! `restore` for clients that name no task, as Google's server takes it: every checkpoint of the workspace is at hand,
//! and going back to one happens in the session that made it.

use super::CommandRequest;
use crate::errors::RequestError;
use crate::router::AppState;
use crate::session_access::{SessionAccess, TaskHandle};
use pollux_session::{CheckpointLocation, Who};
use serde_json::json;

/// The most checkpoints that are listed and looked through.
const LIMIT: usize = 1000;

/// The command.
pub(super) const RESTORE: &str = "restore";

/// The answer that needs no session, if that is what is wanted: the list, or that a name is missing.
pub(super) async fn answer_restore(
    app: &AppState,
    who: &Who,
    wanted: &CommandRequest,
) -> Result<Option<Result<String, String>>, RequestError> {
    let Some(workspace) = workspace(app, wanted) else { return Ok(None) };
    let path: Vec<&str> = wanted.path.iter().map(String::as_str).collect();
    Ok(match path[..] {
        [RESTORE, "list"] => Some(Ok(write_checkpoints(&newest_checkpoints(app, who, workspace).await?))),
        [RESTORE] | [RESTORE, RESTORE] if wanted.arguments.line().is_empty() => {
            Some(Err("Which checkpoint? `restore list` has their names.".to_owned()))
        }
        _ => None,
    })
}

/// The session whose checkpoint is meant.
pub(super) async fn find_restore_task(
    app: &AppState,
    who: &Who,
    wanted: &CommandRequest,
) -> Result<Option<TaskHandle>, RequestError> {
    let Some(workspace) = workspace(app, wanted) else { return Ok(None) };
    let found = newest_checkpoints(app, who, workspace).await?;
    let name = wanted.arguments.line();
    match found.iter().find(|landmark| landmark.name == name) {
        Some(landmark) => app.sessions.find(who, &landmark.task.to_string()).await.map(Some),
        None => Ok(None),
    }
}

/// Where to look, if the command is this one and names no session.
fn workspace<'a>(app: &'a AppState, wanted: &CommandRequest) -> Option<&'a str> {
    let meant =
        wanted.path.first().is_some_and(|word| word == RESTORE) && wanted.task.is_none() && wanted.context.is_none();
    match &app.sessions {
        SessionAccess::Many { workspace, .. } if meant => Some(workspace),
        SessionAccess::Many { .. } | SessionAccess::Shared { .. } => None,
    }
}

async fn newest_checkpoints(
    app: &AppState,
    who: &Who,
    workspace: &str,
) -> Result<Vec<CheckpointLocation>, RequestError> {
    Ok(app.sessions.roster().checkpoints(who, workspace, LIMIT).await?)
}

/// The list as the original writes it: a text of JSON. Its `messageId` begins with the id of the task, ours is that id.
fn write_checkpoints(found: &[CheckpointLocation]) -> String {
    let listed = found.iter().map(|landmark| json!({ "messageId": landmark.task, "checkpoint": landmark.name }));
    serde_json::Value::from_iter(listed).to_string()
}
