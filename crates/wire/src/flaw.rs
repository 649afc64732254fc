//! A flaw of something that was read: where it is, and what would be right. The server picks the code.

use std::fmt::Display;
use thiserror::Error;

/// The most characters that an id may have.
const MAX_ID_CHARS: usize = 128;

/// A rule of the protocol that a value breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{path}` {why}")]
pub struct Flaw {
    /// The place, such as `message.parts[0].url`.
    pub path: String,
    /// The rest of the sentence, such as `must not be empty`.
    pub why: String,
}

impl Flaw {
    /// A flaw at a place.
    pub fn new(path: impl Into<String>, why: impl Into<String>) -> Flaw {
        Flaw { path: path.into(), why: why.into() }
    }

    /// The flaw, seen from further out.
    pub fn within(mut self, outer: impl Display) -> Flaw {
        self.path = match self.path.chars().next() {
            None => outer.to_string(),
            Some('[') => format!("{outer}{}", self.path),
            Some(_) => format!("{outer}.{}", self.path),
        };
        self
    }
}

/// An id that must be there.
pub(crate) fn check_id(path: &str, id: &str) -> Result<(), Flaw> {
    if id.is_empty() {
        return Err(Flaw::new(path, "must not be empty"));
    }
    check_text(path, id)
}

/// An id that may be empty, which means there is none.
pub(crate) fn check_text(path: &str, id: &str) -> Result<(), Flaw> {
    if id.chars().nth(MAX_ID_CHARS).is_some() || id.chars().any(char::is_control) {
        return Err(Flaw::new(path, format!("must have at most {MAX_ID_CHARS} characters and no control characters")));
    }
    Ok(())
}

/// An address with a scheme.
pub(crate) fn check_address(path: &str, address: &str) -> Result<(), Flaw> {
    let fits = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    };
    match address.split_once(':') {
        Some((scheme, rest)) if fits(scheme) && !rest.is_empty() && !address.contains(unfit) => Ok(()),
        _ => Err(Flaw::new(path, "must be an absolute address such as https://example.com/file")),
    }
}

/// An address that can be called over HTTP. Whether it may be is for the server to say.
pub(crate) fn check_webhook(path: &str, address: &str) -> Result<(), Flaw> {
    let rest = match address.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") => rest,
        _ => return Err(Flaw::new(path, "must begin with https:// or http://")),
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || host.starts_with(':') || address.contains(unfit) {
        return Err(Flaw::new(path, "must name a host, such as https://example.com/hook"));
    }
    Ok(())
}

fn unfit(letter: char) -> bool {
    letter.is_control() || letter.is_whitespace()
}

/// Something that goes into one line of an HTTP header.
pub(crate) fn check_header(path: &str, text: &str) -> Result<(), Flaw> {
    if text.chars().any(char::is_control) {
        return Err(Flaw::new(path, "must not have control characters"));
    }
    Ok(())
}
