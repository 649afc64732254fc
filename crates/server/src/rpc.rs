//! `POST /`: A2A 0.3 over JSON-RPC, in the rfc dialect.

mod message;
mod task;

use crate::errors::Fault;
use crate::router::{Hall, failure};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use pollux_session::Who;
use pollux_wire::jsonrpc::{self, Request};
use serde::Serialize;
use std::sync::Arc;

/// The methods that are answered.
pub(crate) const METHODS: [&str; 5] =
    ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"];

/// One request being answered.
struct Asked {
    hall: Arc<Hall>,
    who: Who,
    headers: HeaderMap,
    request: Request,
}

/// `POST /`
pub(crate) async fn answer(
    State(hall): State<Arc<Hall>>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    let request = match Request::parse(&body) {
        Ok(request) => request,
        Err(malformed) => return Fault::new(malformed.code(), malformed.to_string()).rpc(malformed.id()),
    };
    tracing::debug!("[A2AService] {} from {}", request.method, who.label);
    let id = request.id.clone();
    let asked = Asked { hall, who, headers, request };
    asked.dispatch().await.unwrap_or_else(|fault| {
        tracing::debug!("[A2AService] refused: {fault}");
        fault.rpc(id)
    })
}

impl Asked {
    async fn dispatch(self) -> Result<Response, Fault> {
        match self.request.method.as_str() {
            "message/send" => self.send().await,
            "message/stream" => self.stream().await,
            "tasks/get" => self.get().await,
            "tasks/cancel" => self.cancel().await,
            "tasks/resubscribe" => self.resubscribe().await,
            method if method.starts_with("tasks/pushNotificationConfig/") => Err(Fault::new(
                jsonrpc::PUSH_NOT_SUPPORTED,
                "push notifications are not offered; use tasks/resubscribe",
            )),
            method => Err(unknown_method(method)),
        }
    }

    fn result(self, result: impl Serialize) -> Response {
        Json(jsonrpc::Response::result(self.request.id, result)).into_response()
    }
}

/// No such method.
pub(crate) fn unknown_method(method: &str) -> Fault {
    let message = format!("no method {method:?}; there are {}", METHODS.join(", "));
    Fault::new(jsonrpc::METHOD_NOT_FOUND, message)
}
