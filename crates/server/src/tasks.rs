//! The seeds' own routes for tasks: `POST /tasks`, lists and details of tasks, and messages to one task, in the flat dialect
//! of the endpoint guide or the named one of the server reference.

mod every_task;
mod execute;
mod list;
mod metadata;

pub(crate) use execute::execute;
pub(crate) use list::{list, show_task};
pub(crate) use metadata::{list_metadata as all_metadata, show_metadata as metadata};

use crate::dialect::{Dialect, MessageDialect, coder_edge, state_word, task_state};
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, MessageRules, UnknownMembers, read_context, settings_of};
use crate::router::{AppState, failure};
use crate::rpc::not_a_message;
use crate::session_access::{SessionAccess, UnaddressedMessage};
use crate::task_stream::{EventEnvelope, TaskStream, sse};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use pollux_session::Who;
use pollux_wire::devtool::AgentSettings;
use pollux_wire::jsonrpc::{self, Request};
use pollux_wire::named::TaskCreated;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) type RequestBody = Result<Bytes, BytesRejection>;
pub(crate) type TaskIdPath = Result<Path<String>, PathRejection>;

/// `POST /tasks`: the shared session, or a new one.
pub(crate) async fn create(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    body: RequestBody,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    tracing::debug!("[A2AService] POST /tasks from {}", who.label);
    open(&app, &who, &body).await.unwrap_or_else(RequestError::into_http_response)
}

async fn open(app: &AppState, who: &Who, body: &[u8]) -> Result<Response, RequestError> {
    let wanted = if body.trim_ascii().is_empty() { json!({}) } else { json_of(body)? };
    let Value::Object(wanted) = wanted else {
        return Err(RequestError::invalid_params("the body must be an object, or nothing at all"));
    };
    let given = given_settings(wanted.clone())?;
    let coder = given.as_ref().filter(|given| given.get("kind").is_some());
    let unknown = if coder.is_some() { UnknownMembers::Ignored } else { UnknownMembers::Refused };
    let settings = given.as_ref().map(|settings| settings_of("agentSettings", settings, unknown)).transpose()?;
    let settings = settings.unwrap_or_default().settings;
    app.check_client_credentials(&settings)?;
    let context = match wanted.get("contextId").or_else(|| wanted.get("context_id")) {
        None | Some(Value::Null) => None,
        Some(Value::String(context)) => Some(read_context(context)?),
        Some(_) => return Err(RequestError::invalid_params("`contextId` must be text")),
    };
    let edge = coder.map(coder_edge).unwrap_or_default();
    let (handle, opened) = app.sessions.open(&app.feeds, who, &settings, context, edge).await?;
    let id = handle.scope.wire_id();
    let status = match app.sessions {
        SessionAccess::Shared { .. } => StatusCode::OK,
        SessionAccess::Many { .. } => StatusCode::CREATED,
    };
    // Each document's client reads its own shape, and tells itself by what it sends.
    Ok(match &given {
        Some(settings) if settings.get("kind").is_some() => (StatusCode::CREATED, Json(id)).into_response(),
        Some(_) => {
            let wire_state = app.feeds.newest_state(&*handle.seat).await?;
            let state = state_word(task_state(&wire_state.status(handle.scope)));
            (status, Json(TaskCreated { task_id: id, state })).into_response()
        }
        None => {
            let mut body = json!({ "sessionId": id, "taskId": id });
            if status == StatusCode::CREATED {
                body["contextId"] = json!(opened.context.as_str());
            }
            (status, Json(body)).into_response()
        }
    })
}

/// The settings in the body of `POST /tasks`: a member of their own, or, as the protocol page has it, the body itself.
fn given_settings(mut body: Map<String, Value>) -> Result<Option<Value>, RequestError> {
    let mut given = None;
    for name in ["agentSettings", "agent_settings"] {
        given = given.or(body.shift_remove(name).filter(|settings| !settings.is_null()));
    }
    for name in ["contextId", "context_id"] {
        body.shift_remove(name);
    }
    match (given, body.keys().next()) {
        (given, None) => Ok(given),
        (None, Some(_)) => Ok(Some(Value::Object(body))),
        // Google's server takes any member beside its settings.
        (Some(given), Some(name)) if given.get("kind").is_some() && !AgentSettings::knows(name) => {
            tracing::warn!("[A2AService] POST /tasks holds {name:?}, which is not known here and was ignored");
            Ok(Some(given))
        }
        (Some(_), Some(name)) => Err(RequestError::invalid_params(format!(
            "the body holds {name:?} beside `agentSettings`; put settings into that member"
        ))),
    }
}

/// The id in the address and the body, or the answer that says what is wrong with either.
#[expect(clippy::result_large_err, reason = "the error is the response itself")]
pub(crate) fn read_address(id: TaskIdPath, body: RequestBody) -> Result<(String, Bytes), Response> {
    let Path(id) = id.map_err(|rejection| failure(rejection.status(), &rejection.body_text()))?;
    let body = body.map_err(|rejection| failure(rejection.status(), &rejection.body_text()))?;
    Ok((id, body))
}

/// `POST /tasks/{id}/messages/stream`: send a message and stream what follows.
pub(crate) async fn stream(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    id: TaskIdPath,
    body: RequestBody,
) -> Response {
    let (id, body) = match read_address(id, body) {
        Ok(both) => both,
        Err(response) => return response,
    };
    tracing::debug!("[A2AService] POST /tasks/{id}/messages/stream from {}", who.label);
    follow(&app, &who, id, &body).await.unwrap_or_else(RequestError::into_http_response)
}

async fn follow(app: &AppState, who: &Who, id: String, body: &[u8]) -> Result<Response, RequestError> {
    let inbound = InboundMessage::read(&params_of(json_of(body)?)?, MessageRules::Seeds)?;
    let mut inbound = inbound.in_dialect(MessageDialect::Flat);
    app.check_client_credentials(&inbound.settings)?;
    at_address(&mut inbound, id)?;
    let admitted = app.sessions.admit(&app.feeds, who, &inbound, None, UnaddressedMessage::Joins).await?;
    let stream = TaskStream::of_message(&app.feeds, &admitted, Dialect::Flat);
    Ok(sse(stream, EventEnvelope::Bare, app.shutdown.clone()))
}

/// A message to the task of the address, which must not name another one.
fn at_address(inbound: &mut InboundMessage, id: String) -> Result<(), RequestError> {
    if let Some(other) = inbound.task.as_ref().filter(|task| **task != id) {
        return Err(RequestError::invalid_params(format!(
            "`message.taskId` {other:?} is not the task of this address"
        )));
    }
    inbound.task = Some(id);
    Ok(())
}

/// The message's parameters, from a JSON-RPC frame, `{message}` or `{text}`.
fn params_of(body: Value) -> Result<Value, RequestError> {
    if body.get("jsonrpc").is_some() {
        let request = Request::from_value(body).map_err(|error| RequestError::new(error.code(), error.to_string()))?;
        return match request.method.as_str() {
            "message/stream" | "message/send" => Ok(request.params),
            method => Err(not_a_message(method)),
        };
    }
    match body.get("text") {
        Some(text) if body.get("message").is_none() => Ok(json!({ "message": { "content": { "text": text } } })),
        _ => Ok(body),
    }
}

pub(crate) fn json_of(body: &[u8]) -> Result<Value, RequestError> {
    let not_json = |error| RequestError::new(jsonrpc::PARSE_ERROR, format!("the body is not valid JSON: {error}"));
    serde_json::from_slice(body).map_err(not_json)
}
