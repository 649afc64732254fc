//! The status of a call, as gRPC says it: a number, a sentence, and the details as `google.rpc.Status`.

use super::schema;
use crate::errors::{RequestError, v03_name};
use crate::gate::GateDenial;
use crate::version::A2aVersion;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use pollux_wire::jsonrpc;
use serde_json::json;

/// The longest sentence, in characters. Trailers are headers, and clients bound those.
const MAX_MESSAGE_CHARS: usize = 1024;
/// The longest details, in bytes.
const MAX_DETAILS: usize = 4 * 1024;

/// The numbers that are used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GrpcCode {
    Ok = 0,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    Unauthenticated = 16,
}

impl GrpcCode {
    /// The number of a fault: for 1.0 the table of its specification; for 0.3, which has none, what its SDKs and its test
    /// kit agree on.
    fn from_error_code(code: i64, version: A2aVersion) -> GrpcCode {
        match (code, version) {
            (jsonrpc::TASK_NOT_FOUND, _) => GrpcCode::NotFound,
            (jsonrpc::METHOD_NOT_FOUND, _) => GrpcCode::Unimplemented,
            (jsonrpc::BUSY, _) => GrpcCode::ResourceExhausted,
            (jsonrpc::INTERNAL_ERROR | jsonrpc::INVALID_AGENT_RESPONSE, _) => GrpcCode::Internal,
            (
                jsonrpc::PUSH_NOT_SUPPORTED | jsonrpc::UNSUPPORTED_OPERATION | jsonrpc::EXTENDED_CARD_NOT_CONFIGURED,
                A2aVersion::V03,
            ) => GrpcCode::Unimplemented,
            (
                jsonrpc::TASK_NOT_CANCELABLE
                | jsonrpc::PUSH_NOT_SUPPORTED
                | jsonrpc::UNSUPPORTED_OPERATION
                | jsonrpc::EXTENDED_CARD_NOT_CONFIGURED
                | jsonrpc::EXTENSION_SUPPORT_REQUIRED
                | jsonrpc::VERSION_NOT_SUPPORTED,
                _,
            ) => GrpcCode::FailedPrecondition,
            _ => GrpcCode::InvalidArgument,
        }
    }

    /// The number of what the gate or the listener denies.
    pub(super) fn from_denial(denied: GateDenial) -> GrpcCode {
        match denied {
            GateDenial::Unauthenticated(_) => GrpcCode::Unauthenticated,
            GateDenial::Host
            | GateDenial::Origin
            | GateDenial::CrossSite
            | GateDenial::Descendant
            | GateDenial::OwnConnection
            | GateDenial::Unidentified => GrpcCode::PermissionDenied,
            GateDenial::BodyTooLarge { .. } | GateDenial::TooManyAttempts { .. } => GrpcCode::ResourceExhausted,
            GateDenial::BodyStalled => GrpcCode::DeadlineExceeded,
            GateDenial::Busy => GrpcCode::Unavailable,
            GateDenial::Malformed(_)
            | GateDenial::Version
            | GateDenial::ContentType
            | GateDenial::ContentEncoding
            | GateDenial::RpcContentType
            | GateDenial::BodyMissing
            | GateDenial::RpcBodyMissing => GrpcCode::InvalidArgument,
        }
    }
}

/// The trailers of a call that went well.
pub(super) fn ok() -> HeaderMap {
    trailers(GrpcCode::Ok, "")
}

/// The trailers of a call that failed.
pub(super) fn error_trailers(fault: &RequestError, version: A2aVersion) -> HeaderMap {
    let code = GrpcCode::from_error_code(fault.code, version);
    // A call has no `params`.
    let text = fault.message.replace("`params.", "`").replace("`params`", "the request");
    let text = match (version, kit_word(fault.code)) {
        (A2aVersion::V03, Some(word)) => format!("{}: {text} ({word})", v03_name(fault.code)),
        (A2aVersion::V03, None) => format!("{}: {text}", v03_name(fault.code)),
        (A2aVersion::V10, _) => text,
    };
    let text = clip(&text);
    let mut trailers = trailers(code, &text);
    let status = json!({ "code": code as i32, "message": text, "details": fault.details() });
    if let Some(details) = schema::write("google.rpc.Status", &status).ok().filter(|bytes| bytes.len() <= MAX_DETAILS)
        && let Ok(value) = HeaderValue::from_str(&STANDARD_NO_PAD.encode(details))
    {
        trailers.insert("grpc-status-details-bin", value);
    }
    trailers
}

/// The trailers of a number and a sentence.
pub(super) fn trailers(code: GrpcCode, message: &str) -> HeaderMap {
    let mut trailers = HeaderMap::with_capacity(3);
    trailers.insert("grpc-status", HeaderValue::from(code as i32));
    if let Ok(message) = HeaderValue::from_str(&percent_encoded(&clip(message)))
        && !message.is_empty()
    {
        trailers.insert("grpc-message", message);
    }
    trailers
}

/// The word by which the test kit of 0.3 tells faults of one number apart; the SDKs go by the name before the sentence.
fn kit_word(code: i64) -> Option<&'static str> {
    Some(match code {
        jsonrpc::TASK_NOT_CANCELABLE => "TASK_NOT_CANCELABLE",
        jsonrpc::PUSH_NOT_SUPPORTED => "PUSH_NOTIFICATIONS_NOT_SUPPORTED",
        jsonrpc::UNSUPPORTED_OPERATION => "OPERATION_NOT_SUPPORTED",
        jsonrpc::CONTENT_TYPE_NOT_SUPPORTED => "CONTENT_TYPE_NOT_SUPPORTED",
        jsonrpc::EXTENDED_CARD_NOT_CONFIGURED => "AUTHENTICATED_CARD_NOT_CONFIGURED",
        jsonrpc::INVALID_AGENT_RESPONSE => "INVALID_AGENT_RESPONSE",
        _ => return None,
    })
}

fn clip(text: &str) -> String {
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}

/// Text as `grpc-message` carries it: printable ASCII as it is, the rest and `%` byte by byte.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'%' | 0..=0x1f | 0x7f.. => encoded.push_str(&format!("%{byte:02X}")),
            _ => encoded.push(char::from(byte)),
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
