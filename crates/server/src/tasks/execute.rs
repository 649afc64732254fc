//! `POST /tasks/{id}/execute`: a message to a task in the server reference's form, and what follows in its named events.

use super::{RequestBody, TaskIdPath, at_address, json_of, read_address};
use crate::dialect::{Dialect, MessageDialect};
use crate::errors::RequestError;
use crate::page_route::message_of;
use crate::router::AppState;
use crate::session_access::UnaddressedMessage;
use crate::task_stream::{EventEnvelope, TaskStream, sse};
use axum::extract::{Extension, State};
use axum::response::Response;
use pollux_session::Who;
use std::sync::Arc;

/// `POST /tasks/{id}/execute`
pub(crate) async fn execute(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    id: TaskIdPath,
    body: RequestBody,
) -> Response {
    let (id, body) = match read_address(id, body) {
        Ok(both) => both,
        Err(response) => return response,
    };
    tracing::debug!("[A2AService] POST /tasks/{id}/execute from {}", who.label);
    run(&app, &who, id, &body).await.unwrap_or_else(RequestError::into_http_response)
}

async fn run(app: &AppState, who: &Who, id: String, body: &[u8]) -> Result<Response, RequestError> {
    let mut inbound = message_of(json_of(body)?, "message")?.in_dialect(MessageDialect::Named);
    app.check_client_credentials(&inbound.settings)?;
    at_address(&mut inbound, id)?;
    let admitted = app.sessions.admit(&app.feeds, who, &inbound, None, UnaddressedMessage::Joins).await?;
    let stream = TaskStream::of_message(&app.feeds, &admitted, Dialect::Named);
    Ok(sse(stream, EventEnvelope::Named, app.shutdown.clone()))
}
