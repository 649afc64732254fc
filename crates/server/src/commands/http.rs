//! `GET /listCommands` and `POST /executeCommand`, as Google's server has them: errors are `{"error": "…"}`.

use super::restore::{self, RESTORE};
use super::{
    Arguments, CommandCaller, CommandRequest, CommandStart, CommandUpdate, CommandWatcher, begin_command, find_task,
    list_commands_for_programs, set_mode, to_listed_command, wanted_mode,
};
use crate::accept::SseAcceptance;
use crate::dialect::{Dialect, EventEncoding};
use crate::errors::RequestError;
use crate::rest::QueryParameters;
use crate::router::{AppState, failure};
use crate::session_access::AcceptedMessage;
use crate::task_snapshot;
use crate::task_stream::{EventEnvelope, TaskStream, sse};
use crate::tasks::{RequestBody, json_of};
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use pollux_session::{TurnOutcome, Who};
use pollux_wire::a2a::StreamEvent;
use pollux_wire::commands::{Executed, ListedCommands};
use pollux_wire::jsonrpc::Id;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The silence of a command after which its answer becomes a stream.
const STREAM_AFTER: Duration = Duration::from_secs(2);
/// The command that Google's server streams whatever comes of it, so that its clients read nothing else.
const ALWAYS_STREAMS: &str = "init";

/// `GET /listCommands`
pub(crate) async fn list(State(app): State<Arc<AppState>>, Extension(who): Extension<Who>, uri: Uri) -> Response {
    let commands = async {
        let query = QueryParameters::from_uri(&uri)?;
        let workspace = query.text("workspacePath");
        list_commands_for_programs(&app, &who, query.text("taskId"), query.text("contextId"), workspace).await
    };
    match commands.await {
        Ok(commands) => {
            Json(ListedCommands { commands: commands.iter().map(to_listed_command).collect() }).into_response()
        }
        Err(fault) => request_error_response(fault),
    }
}

/// `POST /executeCommand`
pub(crate) async fn execute(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
    body: RequestBody,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    tracing::debug!("[A2AService] POST /executeCommand from {}", who.label);
    // Clients of Google's server accept both and are answered with JSON where there is nothing to follow.
    let streams = SseAcceptance::from_headers(&headers) == SseAcceptance::Only;
    run(&app, &who, &body, streams).await.unwrap_or_else(request_error_response)
}

async fn run(app: &AppState, who: &Who, body: &[u8], streams: bool) -> Result<Response, RequestError> {
    let body = if body.trim_ascii().is_empty() { Value::Null } else { json_of(body)? };
    let wanted = read(&body)?;
    let name = wanted.path.join(" ");
    if let Some(mode) = wanted_mode(&wanted.path, &wanted.arguments.line()) {
        let handle = find_task(app, who, wanted.task.as_deref(), wanted.context.as_deref()).await?;
        let data = match (mode, handle) {
            (Ok(mode), Some(handle)) => {
                set_mode(&handle, mode).await?;
                Value::from(format!("The mode is {}.", mode.name()))
            }
            (Ok(_), None) => message("error", "Name the session whose mode to set: by taskId or contextId."),
            (Err(why), _) => message("error", &why),
        };
        return Ok(Json(Executed { name, data }).into_response());
    }
    if let Some(told) = restore::answer_restore(app, who, &wanted).await? {
        let data = match told {
            Ok(list) => message("info", &list),
            Err(why) => message("error", &why),
        };
        return Ok(Json(Executed { name, data }).into_response());
    }
    let admitted = match begin_command(app, who, &wanted).await? {
        CommandStart::Running(admitted) => admitted,
        CommandStart::Unknown => return Ok(error(StatusCode::NOT_FOUND, &format!("Command not found: {name}"))),
    };
    if streams || name == ALWAYS_STREAMS {
        return stream(app, &admitted).await;
    }
    let mut watcher = CommandWatcher::new(&admitted);
    let news = tokio::select! {
        news = watcher.next() => news?,
        // It waits for a turn, or for a person: the client learns that it does, and what comes of it.
        () = tokio::time::sleep(STREAM_AFTER) => return stream(app, &admitted).await,
        () = app.shutdown.cancelled() => return stream(app, &admitted).await,
    };
    let name = watcher.name.as_deref().map_or(name, google_command_name);
    let data = match news {
        CommandUpdate::Asks { .. } | CommandUpdate::ModelCalled => return stream(app, &admitted).await,
        // Google's server wraps what this command says in a message, and what it did in a list of them.
        CommandUpdate::Ended(TurnOutcome::Rested) if name == RESTORE => json!([message("info", watcher.output())]),
        CommandUpdate::Ended(TurnOutcome::Rested) if wanted.path[0] == RESTORE => message("info", watcher.output()),
        CommandUpdate::Ended(TurnOutcome::Rested) => output_data(watcher.output()),
        CommandUpdate::Ended(TurnOutcome::Failed { failure }) => message("error", &failure.message),
        CommandUpdate::Ended(TurnOutcome::Cancelled) => message("error", "The command was cancelled."),
    };
    Ok(Json(Executed { name, data }).into_response())
}

/// The name of a command as Google's server has it: there a group does itself what its sub-command of the same name does.
fn google_command_name(name: &str) -> String {
    match name.split_once(' ') {
        Some((group, sub)) if group == sub => group.to_owned(),
        _ => name.to_owned(),
    }
}

fn read(body: &Value) -> Result<CommandRequest, RequestError> {
    let Some(Value::String(command)) = body.get("command") else {
        return Err(RequestError::invalid_params("Invalid \"command\" field."));
    };
    let args = match body.get("args") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(args)) => {
            let args: Option<Vec<String>> = args.iter().map(|arg| arg.as_str().map(str::to_owned)).collect();
            args.ok_or_else(|| RequestError::invalid_params("\"args\" field must hold text only."))?
        }
        Some(_) => return Err(RequestError::invalid_params("\"args\" field must be an array.")),
    };
    let path: Vec<String> = command.trim_start_matches('/').split_whitespace().map(str::to_owned).collect();
    if path.is_empty() {
        return Err(RequestError::invalid_params("Invalid \"command\" field."));
    }
    let id = |name: &str| match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => Ok(Some(id.clone())),
        Some(_) => Err(RequestError::invalid_params(format!("\"{name}\" field must be text."))),
    };
    let (task, context) = (id("taskId")?, id("contextId")?);
    Ok(CommandRequest { path, arguments: Arguments::Each(args), caller: CommandCaller::Coder, task, context })
}

/// The command as a task in the dialect of this route's clients, from its first entry.
async fn stream(app: &AppState, admitted: &AcceptedMessage) -> Result<Response, RequestError> {
    let (dialect, seq) = (Dialect::Coder(EventEncoding::Json03), admitted.receipt.seq);
    let mut stream = TaskStream::of_message(&app.feeds, admitted, dialect);
    if let Some(task) = task_snapshot::submitted_task(&app.feeds, &admitted.task, seq, dialect).await? {
        stream.begin_with(dialect.write(StreamEvent::Task(Box::new(task))), Some(seq));
    }
    let id = Id::Text(admitted.task.scope.wire_id());
    Ok(sse(stream, EventEnvelope::Rpc(id), app.shutdown.clone()))
}

/// The output of a command. Data for programs is given as data.
fn output_data(said: &str) -> Value {
    let data = serde_json::from_str(said).ok().filter(|data: &Value| data.is_object() || data.is_array());
    data.unwrap_or_else(|| said.into())
}

fn message(kind: &str, content: &str) -> Value {
    json!({ "type": "message", "messageType": kind, "content": content })
}

/// A fault as this route's clients read it.
fn request_error_response(fault: RequestError) -> Response {
    let message = fault.message.clone();
    error(fault.into_http_response().status(), &message)
}

fn error(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": message }))).into_response()
}
