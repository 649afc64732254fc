//! The kinds of answers that a client can read: one document, or a stream of events.

use axum::http::{HeaderMap, HeaderValue, header};

/// The acceptance of events in `Accept`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SseAcceptance {
    /// Nothing: an answer is JSON.
    Unwanted,
    /// They are read as well as JSON.
    Welcome,
    /// They are all that is read: JSON, a refusal too, would not be seen.
    Only,
}

impl SseAcceptance {
    pub(crate) fn from_headers(headers: &HeaderMap) -> SseAcceptance {
        let accepted = headers.get_all(header::ACCEPT);
        let named = |kind| accepted.iter().any(|value| accepts_type(value, kind));
        match (named("text/event-stream"), named("application/json")) {
            (false, _) => SseAcceptance::Unwanted,
            (true, true) => SseAcceptance::Welcome,
            (true, false) => SseAcceptance::Only,
        }
    }
}

fn accepts_type(value: &HeaderValue, kind: &str) -> bool {
    let mut kinds = value.to_str().unwrap_or_default().split(',').filter_map(|named| named.split(';').next());
    kinds.any(|named| named.trim().eq_ignore_ascii_case(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_beside_events_is_read_in_any_order_and_any_number_of_headers() {
        let of = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            }
            SseAcceptance::from_headers(&headers)
        };
        assert_eq!(of(&[]), SseAcceptance::Unwanted);
        assert_eq!(of(&["*/*"]), SseAcceptance::Unwanted);
        assert_eq!(of(&["application/json"]), SseAcceptance::Unwanted);
        assert_eq!(of(&["text/event-stream"]), SseAcceptance::Only);
        assert_eq!(of(&["Text/Event-Stream;q=0.9"]), SseAcceptance::Only);
        assert_eq!(of(&["application/json-seq, text/event-stream"]), SseAcceptance::Only);
        assert_eq!(of(&["text/event-stream, application/json"]), SseAcceptance::Welcome);
        assert_eq!(of(&["application/json, text/event-stream"]), SseAcceptance::Welcome);
        assert_eq!(of(&["text/event-stream", "application/json"]), SseAcceptance::Welcome);
    }
}
