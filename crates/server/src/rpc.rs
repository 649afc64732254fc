//! `POST /`: A2A over JSON-RPC, 0.3 and 1.0 alike. The version chooses the table of methods.
//!
//! A request without an id is a notification: it is done, and answered with nothing. Several requests may come at once.

mod commands;
mod v03;
mod v10;

pub use v03::METHODS as METHODS_V03;
pub use v10::METHODS as METHODS_V10;

use crate::accept::Events;
use crate::dialect::Form;
use crate::errors::Fault;
use crate::inbound::Inbound;
use crate::ops::{Head, Ops};
use crate::router::{Hall, failure};
use crate::stream::{Stream, Wrap, sse, sse_fault};
use crate::version::Version;
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

/// How many requests may come at once.
const MAX_BATCH: usize = 64;

/// One request being answered.
struct Asked<'a> {
    ops: &'a Ops,
    headers: &'a HeaderMap,
    request: Request,
    /// Whether anybody waits for the answer.
    heard: bool,
    /// Whether it is one of several, which leaves no room for a stream.
    in_batch: bool,
}

/// What a request is answered with.
pub(crate) enum RpcAnswer {
    /// A result.
    Result(Box<RawValue>),
    /// A stream of them.
    Stream(Box<Stream>),
}

/// `POST /`
pub(crate) async fn answer(
    State(hall): State<Arc<Hall>>,
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
        Err(error) => return malformed(&Malformed::NotJson(error.to_string())).rpc(Id::Null),
    };
    let version = match Version::of(&headers, query.as_deref()) {
        Ok(version) => version,
        Err(fault) => return fault.rpc(id_of(&value).as_written(&body)),
    };
    let ops = Ops { hall, who, version, head: Head::of(&headers) };
    match value {
        Value::Array(requests) => all(&ops, &headers, requests, &body).await,
        request => one(&ops, &headers, request, &body).await,
    }
}

/// Answer one request of 0.3 that came over a socket, whose handshake had `headers`.
pub(crate) async fn answer_on_socket(ops: Ops, headers: HeaderMap, request: Request) -> Result<RpcAnswer, Fault> {
    Asked { ops: &ops, headers: &headers, request, heard: true, in_batch: false }.dispatch().await
}

/// Answer one request.
async fn one(ops: &Ops, headers: &HeaderMap, value: Value, text: &[u8]) -> Response {
    let asked = match Asked::read(ops, headers, value, text) {
        Ok(asked) => asked,
        Err(not_a_request) => return malformed(&not_a_request).rpc(not_a_request.id().as_written(text)),
    };
    let (id, heard, in_events) = (asked.request.id.clone(), asked.heard, asked.reads_only_events());
    match asked.dispatch().await {
        Err(fault) if in_events => sse_fault(fault, &Wrap::Rpc(id)),
        // Whoever does not listen is told only what was refused: a mistake in silence helps nobody, and both the conformance
        // kit of 0.3 and Google's server have it so.
        Err(fault) => fault.rpc(id),
        Ok(_) if !heard => StatusCode::NO_CONTENT.into_response(),
        Ok(RpcAnswer::Result(result)) => Json(jsonrpc::Response::result(id, result)).into_response(),
        Ok(RpcAnswer::Stream(stream)) => sse(*stream, Wrap::Rpc(id), ops.hall.shutdown.clone()),
    }
}

/// Answer several requests, one after the other.
async fn all(ops: &Ops, headers: &HeaderMap, requests: Vec<Value>, body: &[u8]) -> Response {
    if !(1..=MAX_BATCH).contains(&requests.len()) {
        let message = format!("a batch holds 1 to {MAX_BATCH} requests");
        return Fault::new(jsonrpc::INVALID_REQUEST, message).rpc(Id::Null);
    }
    let mut answers = Vec::new();
    // It is a list of JSON, or there would be no values.
    let texts: Vec<&RawValue> = serde_json::from_slice(body).unwrap_or_default();
    for (value, text) in requests.into_iter().zip(texts) {
        let text = text.get().as_bytes();
        let asked = match Asked::read(ops, headers, value, text) {
            Ok(asked) => asked,
            Err(not_a_request) => {
                let error = malformed(&not_a_request).object();
                answers.push(jsonrpc::Response::error(not_a_request.id().as_written(text), error));
                continue;
            }
        };
        let (id, heard) = (asked.request.id.clone(), asked.heard);
        let answer = asked.dispatch_in_batch().await;
        if heard {
            answers.push(match answer {
                Ok(result) => jsonrpc::Response::result(id, result),
                Err(fault) => jsonrpc::Response::error(id, fault.object()),
            });
        }
    }
    if answers.is_empty() { StatusCode::NO_CONTENT.into_response() } else { Json(answers).into_response() }
}

impl<'a> Asked<'a> {
    fn read(ops: &'a Ops, headers: &'a HeaderMap, value: Value, text: &[u8]) -> Result<Asked<'a>, Malformed> {
        let heard = value.get("id").is_some();
        let mut request = Request::from_value(value)?;
        request.id = request.id.as_written(text);
        tracing::debug!("[A2AService] {} from {}", request.method, ops.who.label);
        Ok(Asked { ops, headers, request, heard, in_batch: false })
    }

    async fn dispatch(self) -> Result<RpcAnswer, Fault> {
        let (methods, version) = (self.methods(), self.ops.version);
        if !matches!(self.request.params, Value::Object(_) | Value::Null) {
            return Err(Fault::params("`params` must be an object"));
        }
        // What is not offered is not read either.
        if methods.contains(&self.request.method.as_str()) && self.request.method.contains("ushNotificationConfig") {
            self.ops.push()?;
        }
        let answer = match version {
            Version::V03 => self.dispatch_v03().await,
            Version::V10 => self.dispatch_v10().await,
        };
        answer.inspect_err(|fault| tracing::debug!("[A2AService] refused: {fault}"))
    }

    /// The methods of its version.
    fn methods(&self) -> &'static [&'static str] {
        match self.ops.version {
            Version::V03 => &v03::METHODS,
            Version::V10 => &v10::METHODS,
        }
    }

    async fn dispatch_in_batch(mut self) -> Result<Box<RawValue>, Fault> {
        self.in_batch = true;
        let method = self.request.method.clone();
        let alone = || {
            let message = format!("{method} answers with a stream, which has no place in a batch: send it by itself");
            Fault::new(jsonrpc::INVALID_REQUEST, message)
        };
        if v03::STREAMING.contains(&method.as_str()) || v10::STREAMING.contains(&method.as_str()) {
            return Err(alone());
        }
        match self.dispatch().await? {
            RpcAnswer::Result(result) => Ok(result),
            RpcAnswer::Stream(_) => Err(alone()),
        }
    }

    /// Whether even a refusal is a stream. Clients of 0.3 that read nothing else would not see what was wrong.
    fn reads_only_events(&self) -> bool {
        self.ops.version == Version::V03
            && v03::STREAMING.contains(&self.request.method.as_str())
            && Events::of(self.headers) == Events::Only
    }

    /// Whether a stream may be sent where an answer would do.
    fn takes_events(&self) -> bool {
        Events::of(self.headers) != Events::Unwanted && self.heard && !self.in_batch
    }

    /// The message as it is sent: nobody waits for a notification's turn.
    fn unhurried(&self, mut inbound: Inbound) -> Inbound {
        if !self.heard {
            inbound.configuration.blocking = Some(false);
        }
        inbound
    }

    /// How this version writes its events.
    fn form(&self) -> Form {
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
fn result(result: impl Serialize) -> Result<RpcAnswer, Fault> {
    let written = serde_json::value::to_raw_value(&result);
    written.map(RpcAnswer::Result).map_err(|error| Fault::new(jsonrpc::INTERNAL_ERROR, error.to_string()))
}

fn malformed(malformed: &Malformed) -> Fault {
    Fault::new(malformed.code(), malformed.to_string())
}

/// The id of what may be a request.
fn id_of(value: &Value) -> Id {
    value.get("id").and_then(Id::of).unwrap_or_default()
}

/// No such method in this version.
fn unknown_method(method: &str, methods: &[&str], hint: &str) -> Fault {
    let message = format!("no method {method:?}; there are {}{hint}", methods.join(", "));
    Fault::new(jsonrpc::METHOD_NOT_FOUND, message)
}

/// A method that the endpoint guide's routes do not take.
pub(crate) fn not_a_message(method: &str) -> Fault {
    unknown_method(method, &v03::METHODS, "")
}
