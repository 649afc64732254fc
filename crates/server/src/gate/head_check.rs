//! The form of a request: what strict HTTP/1.1 leaves to the server, and what a body must be.
//!
//! Two of the rules, line ends and `Content-Length` with `Transfer-Encoding`, can only be seen in the raw bytes:
//! the listener checks those.

use super::denial::{GateDenial, MalformedHead};
use crate::rest;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Version};

/// True for a path that takes a POST without a body: a task with every default is opened, or the address says it all.
/// HTTP+JSON knows for itself which of its addresses do, and which are none.
fn needs_no_body(path: &str) -> bool {
    path == "/tasks" || path == "/executeCommand" || rest::is_rest_path(path)
}

/// Checks version, method and target; the answer is the request's one `Host`.
pub(super) fn check(request: &Parts) -> Result<&str, GateDenial> {
    if request.version != Version::HTTP_11 {
        return Err(GateDenial::Version);
    }
    if matches!(request.method, Method::CONNECT | Method::TRACE) {
        return Err(GateDenial::Malformed(MalformedHead::Method));
    }
    let host = single_header(&request.headers, &HOST).ok_or(GateDenial::Malformed(MalformedHead::Host))?;
    match request.uri.authority() {
        Some(authority) if !authority.as_str().eq_ignore_ascii_case(host) => {
            Err(GateDenial::Malformed(MalformedHead::Authority))
        }
        Some(_) | None => Ok(host),
    }
}

/// A page can send any other kind of body across sites without asking; JSON it cannot.
pub(super) fn check_content(request: &Parts) -> Result<(), GateDenial> {
    if request.method != Method::POST {
        return Ok(());
    }
    if !has_body(&request.headers) {
        return match request.uri.path() {
            "/" => Err(GateDenial::RpcBodyMissing),
            path if needs_no_body(path) => Ok(()),
            _ => Err(GateDenial::BodyMissing),
        };
    }
    check_encoding(&request.headers)?;
    let denied = if request.uri.path() == "/" { GateDenial::RpcContentType } else { GateDenial::ContentType };
    let declared = single_header(&request.headers, &CONTENT_TYPE).ok_or(denied)?;
    let media = declared.split(';').next().unwrap_or_default().trim();
    let is_json = ["application/json", "application/a2a+json"].iter().any(|json| media.eq_ignore_ascii_case(json));
    if is_json { Ok(()) } else { Err(denied) }
}

/// Checks method and target of a call over HTTP/2; the answer is the authority it names.
#[cfg(feature = "grpc")]
pub(super) fn check_call(request: &Parts) -> Result<&str, GateDenial> {
    if request.version != Version::HTTP_2 {
        return Err(GateDenial::Version);
    }
    if request.method != Method::POST {
        return Err(GateDenial::Malformed(MalformedHead::Method));
    }
    let host = request.headers.contains_key(HOST).then(|| single_header(&request.headers, &HOST));
    match (request.uri.authority(), host) {
        (Some(authority), None) => Ok(authority.as_str()),
        (Some(authority), Some(Some(host))) if authority.as_str().eq_ignore_ascii_case(host) => Ok(host),
        (None, Some(Some(host))) => Ok(host),
        (Some(_), Some(Some(_))) => Err(GateDenial::Malformed(MalformedHead::Authority)),
        (_, Some(None)) | (None, None) => Err(GateDenial::Malformed(MalformedHead::Host)),
    }
}

/// Protobuf, as gRPC declares it: no page can send that across sites without asking.
#[cfg(feature = "grpc")]
pub(super) fn check_protobuf(request: &Parts) -> Result<(), GateDenial> {
    check_encoding(&request.headers)?;
    let declared = single_header(&request.headers, &CONTENT_TYPE).ok_or(GateDenial::ContentType)?;
    let media = declared.split(';').next().unwrap_or_default().trim();
    let is_grpc = ["application/grpc", "application/grpc+proto"].iter().any(|grpc| media.eq_ignore_ascii_case(grpc));
    if is_grpc { Ok(()) } else { Err(GateDenial::ContentType) }
}

/// Nothing here decodes a body, so an encoded one would be read as it is not.
fn check_encoding(headers: &HeaderMap) -> Result<(), GateDenial> {
    let is_plain = |value: &HeaderValue| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity");
    if headers.get_all(CONTENT_ENCODING).iter().all(is_plain) { Ok(()) } else { Err(GateDenial::ContentEncoding) }
}

fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING) || headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
}

/// The value of a header that is there exactly once and is text.
fn single_header<'a>(headers: &'a HeaderMap, name: &axum::http::HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        (None | Some(_), _) => None,
    }
}
