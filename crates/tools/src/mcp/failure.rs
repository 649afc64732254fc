//! Why a server is not there.

use super::meter::Flood;
use std::time::Duration;
use thiserror::Error;

/// Why a server is not there. Each says what to do about it, where there is something.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Failure {
    #[error("its entry names no `command`, `httpUrl` or `url`; give it one of them")]
    NoWay,
    #[error("its tools would have the same names as those of the server `{0}`; rename one of the two")]
    SameName(String),
    #[error("`{url}` is not an http or https address: {why}")]
    BadUrl { url: String, why: String },
    #[error("`{url}` may not be used: {why}")]
    NotAllowed { url: String, why: String },
    #[error("its header `{0}` cannot be sent; check the name and the value for characters that headers do not allow")]
    BadHeader(String),
    #[error("`{command}` could not be started: {why}")]
    Start { command: String, why: String },
    #[error("no client for HTTP could be made: {0}")]
    Client(String),
    #[error("it wants a sign-in; {how}")]
    SignIn { how: String },
    #[error("it does not take the `Authorization` header of its entry (HTTP 401); check the token there")]
    BadToken,
    #[error("it refuses us (HTTP 403); check the token in the `headers` of its entry")]
    Forbidden,
    #[error("it cannot be reached: {0}; check its address and whether it runs")]
    Unreachable(String),
    #[error("it answered with HTTP {0}; check its address")]
    Status(u16),
    #[error("it was not ready within {} seconds", .0.as_secs_f64())]
    Slow(Duration),
    #[error("it could not be agreed with how to talk: {0}")]
    Handshake(String),
    #[error("it does not say what it offers: {0}")]
    Listing(String),
    #[error("{0}, and was stopped")]
    Flood(#[from] Flood),
    #[error("it no longer answered, and was stopped")]
    Silent,
    #[error("it ended")]
    Ended,
    #[error("{failure}; its last words were: {words}")]
    WithWords { failure: Box<Failure>, words: String },
}

impl Failure {
    /// The person has to sign in to `server`.
    pub(super) fn sign_in(server: &str) -> Failure {
        Failure::SignIn { how: format!("run: pollux mcp login {server}") }
    }

    /// The failure together with what the program printed last.
    pub(super) fn with_words(self, words: String) -> Failure {
        if words.is_empty() { self } else { Failure::WithWords { failure: Box::new(self), words } }
    }

    /// Whether trying again would only fail again.
    pub(super) fn is_lasting(&self) -> bool {
        match self {
            Failure::NoWay
            | Failure::SameName(_)
            | Failure::BadUrl { .. }
            | Failure::NotAllowed { .. }
            | Failure::BadHeader(_)
            | Failure::Start { .. }
            | Failure::Client(_)
            | Failure::SignIn { .. }
            | Failure::BadToken
            | Failure::Forbidden => true,
            Failure::WithWords { failure, .. } => failure.is_lasting(),
            Failure::Unreachable(_)
            | Failure::Status(_)
            | Failure::Slow(_)
            | Failure::Handshake(_)
            | Failure::Listing(_)
            | Failure::Flood(_)
            | Failure::Silent
            | Failure::Ended => false,
        }
    }
}
