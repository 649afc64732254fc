//! The headers that every response carries, so that no browser reads an answer as something else, keeps it, or shows it inside
//! another site's page.

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue, Response};

/// The headers and their values.
pub(crate) const SECURITY_HEADERS: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("frame-ancestors 'none'")),
];

/// Adds them. A response that says how it may be kept, as the public card does, is the same for everyone.
pub(super) fn add_security_headers<B>(mut response: Response<B>) -> Response<B> {
    for (name, value) in SECURITY_HEADERS {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}
