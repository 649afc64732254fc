//! The form of a request: what strict HTTP/1.1 leaves to the server, and what a body must be.
//!
//! Two of the rules, line ends and `Content-Length` with `Transfer-Encoding`, can only be seen in the raw bytes:
//! the listener checks those.

use super::denied::{Denied, Malformed};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Version};

/// The one path that takes a POST without a body: it opens a task with every default.
const BODYLESS_POST: &str = "/tasks";

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
        return if request.uri.path() == BODYLESS_POST { Ok(()) } else { Err(Denied::BodyMissing) };
    }
    let declared = only(&request.headers, &CONTENT_TYPE).ok_or(Denied::ContentType)?;
    let media = declared.split(';').next().unwrap_or_default().trim();
    let is_json = ["application/json", "application/a2a+json"].iter().any(|json| media.eq_ignore_ascii_case(json));
    if is_json { Ok(()) } else { Err(Denied::ContentType) }
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
