//! Errors, as HTTP+JSON says them: in 1.0 the body of AIP-193, in 0.3 an error object of its own.

use super::route::version_of;
use super::{PATHS, media_type};
use crate::dialect::encode;
use crate::errors::{RequestError, v03_name};
use crate::gate::GateDenial;
use crate::version::A2aVersion;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use pollux_wire::jsonrpc::{self, ErrorInfo, ErrorObject};
use serde_json::json;

/// A request that is not done, and how HTTP says so.
pub(super) struct RestError {
    pub(super) fault: RequestError,
    /// Where the fault alone does not say it.
    pub(super) status: Option<StatusCode>,
    /// The methods that the address takes.
    pub(super) allow: Option<String>,
}

impl From<RequestError> for RestError {
    fn from(fault: RequestError) -> RestError {
        RestError { fault, status: None, allow: None }
    }
}

impl From<BytesRejection> for RestError {
    fn from(rejection: BytesRejection) -> RestError {
        let fault = RequestError::new(jsonrpc::INVALID_REQUEST, rejection.body_text());
        RestError { fault, status: Some(rejection.status()), allow: None }
    }
}

impl RestError {
    /// The answer.
    pub(super) fn respond(self, version: A2aVersion) -> Response {
        let status = self.status.unwrap_or_else(|| status_of(self.fault.code, version));
        let body = body(&self.fault.into_error_object(), version, status);
        let mut response = (status, [(CONTENT_TYPE, media_type(version))], body).into_response();
        if let Some(allow) = self.allow.and_then(|allow| HeaderValue::from_str(&allow).ok()) {
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }
}

/// A fault as the last event of a stream.
pub(crate) fn write_stream_error(fault: RequestError, version: A2aVersion) -> Bytes {
    let status = status_of(fault.code, version);
    body(&fault.into_error_object(), version, status)
}

/// True if an address is one of HTTP+JSON.
pub(crate) fn is_rest_path(path: &str) -> bool {
    PATHS.iter().any(|prefix| path.starts_with(prefix.trim_end_matches("{*rest}")))
}

/// The refusal of the gate or the listener, as the addresses of HTTP+JSON say it: the media type and the body; `None`
/// for any other address.
pub(crate) fn denial_body(denied: GateDenial, path: &str) -> Option<(HeaderValue, Bytes)> {
    let version = is_rest_path(path).then(|| version_of(path).0)?;
    let code = match denied {
        GateDenial::ContentType => jsonrpc::CONTENT_TYPE_NOT_SUPPORTED,
        _ => jsonrpc::INVALID_REQUEST,
    };
    let info = ErrorInfo::new(&denied.code().to_uppercase(), []);
    let fault = RequestError { info: Some(Box::new(info)), ..RequestError::new(code, denied.to_string()) };
    let error = if denied == GateDenial::ContentType { fault.unread_object() } else { fault.into_error_object() };
    Some((HeaderValue::from_static(media_type(version)), body(&error, version, denied.status())))
}

fn body(error: &ErrorObject, version: A2aVersion, status: StatusCode) -> Bytes {
    let code = error.code;
    // What is read from a body or an address is in no `params`.
    let message = error.message.replace("`params.", "`").replace("`params`", "the body");
    match version {
        A2aVersion::V03 => {
            // The Python SDK goes by `type`; the one in Java, and the test kit, by the name of a Java class.
            let name = v03_name(code);
            let class = format!("io.a2a.spec.{name}");
            encode(&json!({ "code": code, "message": message, "data": error.data, "type": name, "error": class }))
        }
        A2aVersion::V10 => {
            let (code, status) = (status.as_u16(), canonical_code(code, status));
            encode(&json!({ "error": { "code": code, "status": status, "message": message, "details": error.data } }))
        }
    }
}

/// The HTTP status of a fault: for 1.0 the table of its specification; 0.3 has none, so what its two SDKs agree on.
fn status_of(code: i64, version: A2aVersion) -> StatusCode {
    match (code, version) {
        (jsonrpc::TASK_NOT_FOUND | jsonrpc::METHOD_NOT_FOUND, _) => StatusCode::NOT_FOUND,
        (jsonrpc::BUSY, _) => StatusCode::TOO_MANY_REQUESTS,
        (jsonrpc::INTERNAL_ERROR | jsonrpc::INVALID_AGENT_RESPONSE, _) => StatusCode::INTERNAL_SERVER_ERROR,
        (jsonrpc::TASK_NOT_CANCELABLE, A2aVersion::V03) => StatusCode::CONFLICT,
        (jsonrpc::CONTENT_TYPE_NOT_SUPPORTED, A2aVersion::V03) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        (jsonrpc::EXTENDED_CARD_NOT_CONFIGURED, A2aVersion::V03) => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// The canonical name of a fault's kind.
fn canonical_code(code: i64, status: StatusCode) -> &'static str {
    match (status, code) {
        (StatusCode::UNAUTHORIZED, _) => "UNAUTHENTICATED",
        (StatusCode::FORBIDDEN, _) => "PERMISSION_DENIED",
        (StatusCode::NOT_FOUND, _) => "NOT_FOUND",
        (StatusCode::TOO_MANY_REQUESTS, _) => "RESOURCE_EXHAUSTED",
        (StatusCode::INTERNAL_SERVER_ERROR, _) => "INTERNAL",
        (StatusCode::SERVICE_UNAVAILABLE, _) => "UNAVAILABLE",
        (_, jsonrpc::CONTENT_TYPE_NOT_SUPPORTED) => "INVALID_ARGUMENT",
        // All other errors of A2A's own are about what is possible now.
        (_, jsonrpc::VERSION_NOT_SUPPORTED..=jsonrpc::TASK_NOT_FOUND) => "FAILED_PRECONDITION",
        _ => "INVALID_ARGUMENT",
    }
}

#[cfg(test)]
mod tests;
