//! `POST /message/stream`: a message in the protocol page's form, and what follows in its events.

use crate::dialect::{Dialect, MessageDialect};
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, MessageRules, UnknownMembers, settings_of};
use crate::router::{AppState, failure};
use crate::session_access::UnaddressedMessage;
use crate::task_stream::{EventEnvelope, TaskStream, sse};
use crate::tasks::{RequestBody, json_of};
use axum::extract::{Extension, State};
use axum::response::Response;
use pollux_session::Who;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `POST /message/stream`
pub(crate) async fn stream(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    body: RequestBody,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    tracing::debug!("[A2AService] POST /message/stream from {}", who.label);
    follow(&app, &who, &body).await.unwrap_or_else(RequestError::into_http_response)
}

async fn follow(app: &AppState, who: &Who, body: &[u8]) -> Result<Response, RequestError> {
    let inbound = message_of(json_of(body)?, "userMessage")?.in_dialect(MessageDialect::Page);
    app.check_client_credentials(&inbound.settings)?;
    let admitted = app.sessions.admit(&app.feeds, who, &inbound, None, UnaddressedMessage::Joins).await?;
    let stream = TaskStream::of_message(&app.feeds, &admitted, Dialect::Page);
    Ok(sse(stream, EventEnvelope::Page, app.shutdown.clone()))
}

/// The message in the member `said` of a body that names its task, its context and its settings beside: text, an object
/// with text or parts, or an answer to an ask. An answer may also be the body itself.
pub(crate) fn message_of(body: Value, said: &str) -> Result<InboundMessage, RequestError> {
    let Value::Object(mut body) = body else { return Err(RequestError::invalid_params("the body must be an object")) };
    let what = body.remove(said).filter(|what| !what.is_null());
    let mut message = match what {
        Some(Value::String(text)) => Map::from_iter([("content".into(), json!({ "text": text }))]),
        Some(Value::Object(what)) => object(what),
        Some(_) => return Err(RequestError::invalid_params(format!("`{said}` must be text or an object"))),
        None if answers(&body) => {
            let is_of_answer = |name: &str| !["agentSettings", "agent_settings"].contains(&name);
            object(body.clone().into_iter().filter(|(name, _)| is_of_answer(name)).collect())
        }
        None => {
            return Err(RequestError::invalid_params(format!(
                "`{said}` is missing: say something, or answer a tool call"
            )));
        }
    };
    let settings = body.get("agentSettings").or_else(|| body.get("agent_settings")).filter(|given| !given.is_null());
    let settings =
        settings.map(|settings| settings_of("agentSettings", settings, UnknownMembers::Refused)).transpose()?;
    for name in ["taskId", "contextId", "messageId"] {
        if let Some(id) = body.remove(name) {
            message.insert(name.into(), id);
        }
    }
    let read = InboundMessage::read(&json!({ "message": message }), MessageRules::Seeds);
    let mut inbound = read.map_err(|fault| rename_place(fault, said))?;
    if let Some(settings) = settings {
        inbound.settings = settings.settings;
    }
    Ok(inbound)
}

/// True if an object answers an ask.
fn answers(object: &Map<String, Value>) -> bool {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    kind.replace('-', "_").eq_ignore_ascii_case("tool_call_confirmation")
        || ["toolCallId", "tool_call_id", "callId", "call_id"].iter().any(|name| object.contains_key(*name))
}

/// An object as a message: an answer, something with text, or a message already.
fn object(mut what: Map<String, Value>) -> Map<String, Value> {
    if answers(&what) {
        what.insert("kind".into(), json!("TOOL_CALL_CONFIRMATION"));
        return Map::from_iter([("content".into(), json!({ "data": what }))]);
    }
    if let Some(text) = what.remove("text") {
        what.insert("content".into(), json!({ "text": text }));
    }
    what
}

/// The fault, with the place named as it is here.
fn rename_place(fault: RequestError, said: &str) -> RequestError {
    let message = fault.message.replace("`params.message", &format!("`{said}")).replace(".content.data", "");
    let message = message.replace(".content.text", ".text");
    RequestError { message, ..fault }
}
