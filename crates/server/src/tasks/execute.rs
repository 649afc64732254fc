//! `POST /tasks/{id}/execute`: a message to a task in the server reference's form, and what follows in its named events.

use super::{Body, Id, addressed, at_address, json_of};
use crate::dialect::{Dialect, MessageDialect};
use crate::errors::Fault;
use crate::page::message_of;
use crate::rooms::Unnamed;
use crate::router::Hall;
use crate::stream::{Stream, Wrap, sse};
use axum::extract::{Extension, State};
use axum::response::Response;
use pollux_session::Who;
use std::sync::Arc;

/// `POST /tasks/{id}/execute`
pub(crate) async fn execute(
    State(hall): State<Arc<Hall>>,
    Extension(who): Extension<Who>,
    id: Id,
    body: Body,
) -> Response {
    let (id, body) = match addressed(id, body) {
        Ok(both) => both,
        Err(response) => return response,
    };
    tracing::debug!("[A2AService] POST /tasks/{id}/execute from {}", who.label);
    run(&hall, &who, id, &body).await.unwrap_or_else(Fault::http)
}

async fn run(hall: &Hall, who: &Who, id: String, body: &[u8]) -> Result<Response, Fault> {
    let mut inbound = message_of(json_of(body)?, "message")?.in_dialect(MessageDialect::Named);
    hall.check_lent(&inbound.settings)?;
    at_address(&mut inbound, id)?;
    let admitted = hall.rooms.admit(&hall.feeds, who, &inbound, None, Unnamed::Joins).await?;
    let stream = Stream::of_message(&hall.feeds, &admitted, Dialect::Named);
    Ok(sse(stream, Wrap::Named, hall.shutdown.clone()))
}
