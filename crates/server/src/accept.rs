//! What a client can read of an answer that may be a stream of events.

use axum::http::{HeaderMap, HeaderValue, header};

/// What `Accept` says of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Events {
    /// Nothing: an answer is JSON.
    Unwanted,
    /// They are read as well as JSON.
    Welcome,
    /// They are all that is read: JSON, a refusal too, would not be seen.
    Only,
}

impl Events {
    pub(crate) fn of(headers: &HeaderMap) -> Events {
        let accepted = headers.get_all(header::ACCEPT);
        let named = |kind| accepted.iter().any(|value| names(value, kind));
        match (named("text/event-stream"), named("application/json")) {
            (false, _) => Events::Unwanted,
            (true, true) => Events::Welcome,
            (true, false) => Events::Only,
        }
    }
}

fn names(value: &HeaderValue, kind: &str) -> bool {
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
            Events::of(&headers)
        };
        assert_eq!(of(&[]), Events::Unwanted);
        assert_eq!(of(&["*/*"]), Events::Unwanted);
        assert_eq!(of(&["application/json"]), Events::Unwanted);
        assert_eq!(of(&["text/event-stream"]), Events::Only);
        assert_eq!(of(&["Text/Event-Stream;q=0.9"]), Events::Only);
        assert_eq!(of(&["application/json-seq, text/event-stream"]), Events::Only);
        assert_eq!(of(&["text/event-stream, application/json"]), Events::Welcome);
        assert_eq!(of(&["application/json, text/event-stream"]), Events::Welcome);
        assert_eq!(of(&["text/event-stream", "application/json"]), Events::Welcome);
    }
}
