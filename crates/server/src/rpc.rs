//! `POST /`: A2A over JSON-RPC, 0.3 and 1.0 alike. The version chooses the table of methods.
//!
//! A request without an id is a notification: it is done, and answered with nothing. Several requests may come at once.

mod commands;
mod v03;
mod v10;

pub use v03::METHODS as METHODS_V03;
pub use v10::METHODS as METHODS_V10;

use crate::accept::SseAcceptance;
use crate::dialect::EventEncoding;
use crate::errors::RequestError;
use crate::inbound::InboundMessage;
use crate::ops::{A2aOperations, RequestHead};
use crate::router::{AppState, failure};
use crate::task_stream::{EventEnvelope, TaskStream, sse, sse_fault};
use crate::version::A2aVersion;
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use pollux_session::Who;
use pollux_wire::jsonrpc::{self, Id, Malformed, Request};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The most requests that may come at once.
const MAX_BATCH: usize = 64;

/// One request being answered.
struct RpcRequest<'a> {
    ops: &'a A2aOperations,
    headers: &'a HeaderMap,
    request: Request,
    /// True if anybody waits for the answer.
    expects_answer: bool,
    /// True if it is one of several, which leaves no room for a stream.
    in_batch: bool,
}

/// The answer to a request.
pub(crate) enum RpcAnswer {
    Result(Box<RawValue>),
    /// A stream of them.
    Stream(Box<TaskStream>),
}

/// `POST /`
pub(crate) async fn answer(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    let value: Value = match serde_json::from_slice(&body) {
        Ok(value) => value,
        Err(error) => return malformed(&Malformed::NotJson(error.to_string())).into_rpc_response(Id::Null),
    };
    let version = match A2aVersion::from_request(&headers, query.as_deref()) {
        Ok(version) => version,
        Err(fault) => return fault.into_rpc_response(id_of(&value).as_written(&body)),
    };
    let ops = A2aOperations { app, who, version, head: RequestHead::from_headers(&headers) };
    match value {
        Value::Array(requests) => answer_batch(&ops, &headers, requests, &body).await,
        request => answer_one(&ops, &headers, request, &body).await,
    }
}

/// Answer one request of 0.3 that came over a socket, whose handshake had `headers`.
pub(crate) async fn answer_on_socket(
    ops: A2aOperations,
    headers: HeaderMap,
    request: Request,
) -> Result<RpcAnswer, RequestError> {
    RpcRequest { ops: &ops, headers: &headers, request, expects_answer: true, in_batch: false }.dispatch().await
}

/// Answer one request.
async fn answer_one(ops: &A2aOperations, headers: &HeaderMap, value: Value, text: &[u8]) -> Response {
    let asked = match RpcRequest::read(ops, headers, value, text) {
        Ok(asked) => asked,
        Err(not_a_request) => return malformed(&not_a_request).into_rpc_response(not_a_request.id().as_written(text)),
    };
    let (id, heard, in_events) = (asked.request.id.clone(), asked.expects_answer, asked.reads_only_events());
    match asked.dispatch().await {
        Err(fault) if in_events => sse_fault(fault, &EventEnvelope::Rpc(id)),
        // Whoever does not listen is told only what was refused: a mistake in silence helps nobody, and both the conformance
        // kit of 0.3 and Google's server have it so.
        Err(fault) => fault.into_rpc_response(id),
        Ok(_) if !heard => StatusCode::NO_CONTENT.into_response(),
        Ok(RpcAnswer::Result(result)) => Json(jsonrpc::Response::result(id, result)).into_response(),
        Ok(RpcAnswer::Stream(stream)) => sse(*stream, EventEnvelope::Rpc(id), ops.app.shutdown.clone()),
    }
}

/// Answer several requests, one after the other.
async fn answer_batch(ops: &A2aOperations, headers: &HeaderMap, requests: Vec<Value>, body: &[u8]) -> Response {
    if !(1..=MAX_BATCH).contains(&requests.len()) {
        let message = format!("a batch holds 1 to {MAX_BATCH} requests");
        return RequestError::new(jsonrpc::INVALID_REQUEST, message).into_rpc_response(Id::Null);
    }
    let mut answers = Vec::new();
    // It is a list of JSON, or there would be no values.
    let texts: Vec<&RawValue> = serde_json::from_slice(body).unwrap_or_default();
    for (value, text) in requests.into_iter().zip(texts) {
        let text = text.get().as_bytes();
        let asked = match RpcRequest::read(ops, headers, value, text) {
            Ok(asked) => asked,
            Err(not_a_request) => {
                let error = malformed(&not_a_request).into_error_object();
                answers.push(jsonrpc::Response::error(not_a_request.id().as_written(text), error));
                continue;
            }
        };
        let (id, heard) = (asked.request.id.clone(), asked.expects_answer);
        let answer = asked.dispatch_in_batch().await;
        if heard {
            answers.push(match answer {
                Ok(result) => jsonrpc::Response::result(id, result),
                Err(fault) => jsonrpc::Response::error(id, fault.into_error_object()),
            });
        }
    }
    if answers.is_empty() { StatusCode::NO_CONTENT.into_response() } else { Json(answers).into_response() }
}

impl<'a> RpcRequest<'a> {
    fn read(
        ops: &'a A2aOperations,
        headers: &'a HeaderMap,
        value: Value,
        text: &[u8],
    ) -> Result<RpcRequest<'a>, Malformed> {
        let heard = value.get("id").is_some();
        let mut request = Request::from_value(value)?;
        request.id = request.id.as_written(text);
        tracing::debug!("[A2AService] {} from {}", request.method, ops.who.label);
        Ok(RpcRequest { ops, headers, request, expects_answer: heard, in_batch: false })
    }

    async fn dispatch(self) -> Result<RpcAnswer, RequestError> {
        let (methods, version) = (self.methods(), self.ops.version);
        if !matches!(self.request.params, Value::Object(_) | Value::Null) {
            return Err(RequestError::invalid_params("`params` must be an object"));
        }
        // What is not offered is not read either.
        if methods.contains(&self.request.method.as_str()) && self.request.method.contains("ushNotificationConfig") {
            self.ops.push()?;
        }
        let answer = match version {
            A2aVersion::V03 => self.dispatch_v03().await,
            A2aVersion::V10 => self.dispatch_v10().await,
        };
        answer.inspect_err(|fault| tracing::debug!("[A2AService] refused: {fault}"))
    }

    /// The methods of its version.
    fn methods(&self) -> &'static [&'static str] {
        match self.ops.version {
            A2aVersion::V03 => &v03::METHODS,
            A2aVersion::V10 => &v10::METHODS,
        }
    }

    async fn dispatch_in_batch(mut self) -> Result<Box<RawValue>, RequestError> {
        self.in_batch = true;
        let method = self.request.method.clone();
        let alone = || {
            let message = format!("{method} answers with a stream, which has no place in a batch: send it by itself");
            RequestError::new(jsonrpc::INVALID_REQUEST, message)
        };
        if v03::STREAMING.contains(&method.as_str()) || v10::STREAMING.contains(&method.as_str()) {
            return Err(alone());
        }
        match self.dispatch().await? {
            RpcAnswer::Result(result) => Ok(result),
            RpcAnswer::Stream(_) => Err(alone()),
        }
    }

    /// True if even a refusal is a stream. Clients of 0.3 that read nothing else would not see what was wrong.
    fn reads_only_events(&self) -> bool {
        self.ops.version == A2aVersion::V03
            && v03::STREAMING.contains(&self.request.method.as_str())
            && SseAcceptance::from_headers(self.headers) == SseAcceptance::Only
    }

    /// True if a stream may be sent where an answer would do.
    fn takes_events(&self) -> bool {
        SseAcceptance::from_headers(self.headers) != SseAcceptance::Unwanted && self.expects_answer && !self.in_batch
    }

    /// The message as it is sent: nobody waits for a notification's turn.
    fn without_waiting(&self, mut inbound: InboundMessage) -> InboundMessage {
        if !self.expects_answer {
            inbound.configuration.blocking = Some(false);
        }
        inbound
    }

    /// The form in which this version writes its events.
    fn form(&self) -> EventEncoding {
        self.ops.version.into()
    }

    /// The cursor that the client goes on from, if it names one.
    fn cursor(&self) -> Option<String> {
        let in_header = self.headers.get("last-event-id").and_then(|value| value.to_str().ok());
        let in_params = || self.request.params.get("metadata")?.get("lastEventId")?.as_str();
        in_header.or_else(in_params).map(str::to_owned)
    }
}

/// A result, written as JSON once. Our own types always encode.
fn result(result: impl Serialize) -> Result<RpcAnswer, RequestError> {
    let written = serde_json::value::to_raw_value(&result);
    written.map(RpcAnswer::Result).map_err(|error| RequestError::new(jsonrpc::INTERNAL_ERROR, error.to_string()))
}

fn malformed(malformed: &Malformed) -> RequestError {
    RequestError::new(malformed.code(), malformed.to_string())
}

/// The id of what may be a request.
fn id_of(value: &Value) -> Id {
    value.get("id").and_then(Id::of).unwrap_or_default()
}

/// No such method in this version.
fn unknown_method(method: &str, methods: &[&str], hint: &str) -> RequestError {
    let message = format!("no method {method:?}; there are {}{hint}", methods.join(", "));
    RequestError::new(jsonrpc::METHOD_NOT_FOUND, message)
}

/// A method that the endpoint guide's routes do not take.
pub(crate) fn not_a_message(method: &str) -> RequestError {
    unknown_method(method, &v03::METHODS, "")
}
