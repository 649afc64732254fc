//! Media types that are taken, and some that are not.

use super::{is_output, is_read};

#[test]
fn text_and_what_is_written_as_text_is_read() {
    for media in ["", "text", "text/plain; charset=utf-8", "TEXT/Markdown", "application/json", "application/ld+json"] {
        assert!(is_read(media), "{media}");
    }
    for media in ["application/x-unsupported", "image/png", "application/pdf", "json", "application/+"] {
        assert!(!is_read(media), "{media}");
    }
}

#[test]
fn the_agent_says_text() {
    for media in ["*/*", "text", "text/plain", "application/json"] {
        assert!(is_output(media), "{media}");
    }
    for media in ["", "image/png", "text/html", "application/x-else"] {
        assert!(!is_output(media), "{media}");
    }
}
