//! The form of a request: what strict HTTP/1.1 leaves to the server, and what a body must be.
//!
//! Two of the rules, line ends and `Content-Length` with `Transfer-Encoding`, can only be seen in the raw bytes:
//! the listener checks those.

use super::denied::{Denied, Malformed};
use crate::rest;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Version};

/// What takes a POST without a body: a task with every default is opened, or the address says it all. HTTP+JSON knows for
/// itself which of its addresses do, and which are none.
fn needs_no_body(path: &str) -> bool {
    path == "/tasks" || path == "/executeCommand" || rest::leads_here(path)
}

/// Checks version, method and target; the answer is the request's one `Host`.
pub(super) fn check(request: &Parts) -> Result<&str, Denied> {
    if request.version != Version::HTTP_11 {
        return Err(Denied::Version);
    }
    if matches!(request.method, Method::CONNECT | Method::TRACE) {
        return Err(Denied::Malformed(Malformed::Method));
    }
    let host = only(&request.headers, &HOST).ok_or(Denied::Malformed(Malformed::Host))?;
    match request.uri.authority() {
        Some(authority) if !authority.as_str().eq_ignore_ascii_case(host) => {
            Err(Denied::Malformed(Malformed::Authority))
        }
        Some(_) | None => Ok(host),
    }
}

/// A page can send any other kind of body across sites without asking; JSON it cannot.
pub(super) fn check_content(request: &Parts) -> Result<(), Denied> {
    if request.method != Method::POST {
        return Ok(());
    }
    if !has_body(&request.headers) {
        return match request.uri.path() {
            "/" => Err(Denied::RpcBodyMissing),
            path if needs_no_body(path) => Ok(()),
            _ => Err(Denied::BodyMissing),
        };
    }
    check_encoding(&request.headers)?;
    let denied = if request.uri.path() == "/" { Denied::RpcContentType } else { Denied::ContentType };
    let declared = only(&request.headers, &CONTENT_TYPE).ok_or(denied)?;
    let media = declared.split(';').next().unwrap_or_default().trim();
    let is_json = ["application/json", "application/a2a+json"].iter().any(|json| media.eq_ignore_ascii_case(json));
    if is_json { Ok(()) } else { Err(denied) }
}

/// Checks method and target of a call over HTTP/2; the answer is the authority it names.
#[cfg(feature = "grpc")]
pub(super) fn check_call(request: &Parts) -> Result<&str, Denied> {
    if request.version != Version::HTTP_2 {
        return Err(Denied::Version);
    }
    if request.method != Method::POST {
        return Err(Denied::Malformed(Malformed::Method));
    }
    let host = request.headers.contains_key(HOST).then(|| only(&request.headers, &HOST));
    match (request.uri.authority(), host) {
        (Some(authority), None) => Ok(authority.as_str()),
        (Some(authority), Some(Some(host))) if authority.as_str().eq_ignore_ascii_case(host) => Ok(host),
        (None, Some(Some(host))) => Ok(host),
        (Some(_), Some(Some(_))) => Err(Denied::Malformed(Malformed::Authority)),
        (_, Some(None)) | (None, None) => Err(Denied::Malformed(Malformed::Host)),
    }
}

/// Protobuf, as gRPC declares it: no page can send that across sites without asking.
#[cfg(feature = "grpc")]
pub(super) fn check_protobuf(request: &Parts) -> Result<(), Denied> {
    check_encoding(&request.headers)?;
    let declared = only(&request.headers, &CONTENT_TYPE).ok_or(Denied::ContentType)?;
    let media = declared.split(';').next().unwrap_or_default().trim();
    let is_grpc = ["application/grpc", "application/grpc+proto"].iter().any(|grpc| media.eq_ignore_ascii_case(grpc));
    if is_grpc { Ok(()) } else { Err(Denied::ContentType) }
}

/// Nothing here decodes a body, so an encoded one would be read as it is not.
fn check_encoding(headers: &HeaderMap) -> Result<(), Denied> {
    let is_plain = |value: &HeaderValue| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity");
    if headers.get_all(CONTENT_ENCODING).iter().all(is_plain) { Ok(()) } else { Err(Denied::ContentEncoding) }
}

fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING) || headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
}

/// The value of a header that is there exactly once and is text.
fn only<'a>(headers: &'a HeaderMap, name: &axum::http::HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        (None | Some(_), _) => None,
    }
}
