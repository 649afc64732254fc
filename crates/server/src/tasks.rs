//! The endpoint guide's HTTP routes: `POST /tasks` and `POST /tasks/{id}/messages/stream`, in the flat dialect.

use crate::dialect::Dialect;
use crate::errors::Fault;
use crate::inbound::{Inbound, MessageIds, read_context, settings_of};
use crate::rooms::Rooms;
use crate::router::{Hall, failure};
use crate::rpc::not_a_message;
use crate::stream::{Stream, Wrap, sse};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use pollux_session::{TaskKind, Who};
use pollux_wire::devtool::AgentSettings;
use pollux_wire::jsonrpc::{self, Request};
use serde_json::{Value, json};
use std::sync::Arc;

type Body = Result<Bytes, BytesRejection>;

/// `POST /tasks`: the shared session, or a new one.
pub(crate) async fn create(State(hall): State<Arc<Hall>>, Extension(who): Extension<Who>, body: Body) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    tracing::debug!("[A2AService] POST /tasks from {}", who.label);
    open(&hall, &who, &body).await.unwrap_or_else(Fault::http)
}

async fn open(hall: &Hall, who: &Who, body: &[u8]) -> Result<Response, Fault> {
    let wanted = if body.trim_ascii().is_empty() { json!({}) } else { json_of(body)? };
    if !wanted.is_object() {
        return Err(Fault::params("the body must be an object, or nothing at all"));
    }
    let settings = match wanted.get("agentSettings").or_else(|| wanted.get("agent_settings")) {
        Some(settings) => settings_of("agentSettings", settings)?,
        None => AgentSettings::default(),
    };
    let context = match wanted.get("contextId").or_else(|| wanted.get("context_id")) {
        None | Some(Value::Null) => None,
        Some(Value::String(context)) => Some(read_context(context)?),
        Some(_) => return Err(Fault::params("`contextId` must be text")),
    };
    let (place, opened) = hall.rooms.open(&hall.feeds, who, &settings, context).await?;
    let id = place.view.wire_id();
    Ok(match hall.rooms {
        Rooms::Shared { .. } => Json(json!({ "sessionId": id, "taskId": id })).into_response(),
        Rooms::Many { .. } => {
            let body = json!({ "sessionId": id, "taskId": id, "contextId": opened.context.as_str() });
            (StatusCode::CREATED, Json(body)).into_response()
        }
    })
}

/// `POST /tasks/{id}/messages/stream`: send a message and stream what follows.
pub(crate) async fn stream(
    State(hall): State<Arc<Hall>>,
    Extension(who): Extension<Who>,
    id: Result<Path<String>, PathRejection>,
    body: Body,
) -> Response {
    let (Path(id), body) = match (id, body) {
        (Ok(id), Ok(body)) => (id, body),
        (Err(rejection), _) => return failure(rejection.status(), &rejection.body_text()),
        (_, Err(rejection)) => return failure(rejection.status(), &rejection.body_text()),
    };
    tracing::debug!("[A2AService] POST /tasks/{id}/messages/stream from {}", who.label);
    follow(&hall, &who, id, &body).await.unwrap_or_else(Fault::http)
}

async fn follow(hall: &Hall, who: &Who, id: String, body: &[u8]) -> Result<Response, Fault> {
    let mut inbound = Inbound::read(&params_of(json_of(body)?)?, MessageIds::Optional)?;
    if let Some(other) = inbound.task.as_ref().filter(|task| **task != id) {
        return Err(Fault::params(format!("`message.taskId` {other:?} is not the task of this address")));
    }
    inbound.task = Some(id);
    let admitted = hall.rooms.admit(&hall.feeds, who, &inbound, None, TaskKind::OpenEnded).await?;
    let stream = Stream::of_message(&hall.feeds, &admitted, Dialect::Flat);
    Ok(sse(stream, Wrap::Bare, hall.shutdown.clone()))
}

/// The message's parameters, from a JSON-RPC frame, `{message}` or `{text}`.
fn params_of(body: Value) -> Result<Value, Fault> {
    if body.get("jsonrpc").is_some() {
        let request = Request::from_value(body).map_err(|error| Fault::new(error.code(), error.to_string()))?;
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

fn json_of(body: &[u8]) -> Result<Value, Fault> {
    let not_json = |error| Fault::new(jsonrpc::PARSE_ERROR, format!("the body is not valid JSON: {error}"));
    serde_json::from_slice(body).map_err(not_json)
}
