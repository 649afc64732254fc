//! Why a server is not there.

use super::meter::FloodError;
use std::time::Duration;
use thiserror::Error;

/// Why a server is not there. Each says what to do about it, where there is something.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum McpConnectionError {
    #[error("its entry names no `command`, `httpUrl` or `url`; give it one of them")]
    NoTransport,
    #[error("its tools would have the same names as those of the server `{0}`; rename one of the two")]
    SameName(String),
    #[error("`{url}` is not an http or https address: {why}")]
    BadUrl { url: String, why: String },
    #[error("`{url}` may not be used: {why}")]
    NotAllowed { url: String, why: String },
    #[error("its header `{0}` cannot be sent; check the name and the value for characters that headers do not allow")]
    BadHeader(String),
    #[error("`{command}` could not be started: {why}; check `command` in its entry")]
    Start { command: String, why: String },
    #[error("no client for HTTP could be made: {0}")]
    Client(String),
    #[error("it needs a login; {how}")]
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
    Flood(#[from] FloodError),
    #[error("it no longer answered, and was stopped")]
    Silent,
    #[error("it ended")]
    Ended,
    #[error("{failure}; the end of its error output: {words}")]
    WithStderr { failure: Box<McpConnectionError>, words: String },
}

impl McpConnectionError {
    /// The person has to sign in to `server`.
    pub(super) fn sign_in(server: &str) -> McpConnectionError {
        McpConnectionError::SignIn { how: format!("run: pollux mcp login {server}") }
    }

    /// The failure together with what the program printed last.
    pub(super) fn with_stderr(self, words: String) -> McpConnectionError {
        if words.is_empty() { self } else { McpConnectionError::WithStderr { failure: Box::new(self), words } }
    }

    /// What to do about a server that never worked, where the failure itself does not say it.
    pub(super) fn advice(&self) -> Option<&'static str> {
        match self {
            McpConnectionError::WithStderr { failure, .. } => failure.advice(),
            McpConnectionError::Ended | McpConnectionError::Slow(_) => {
                Some("correct its entry under `mcpServers` in settings.json, or try what it starts in a shell")
            }
            _ => None,
        }
    }

    /// True if trying again would only fail again.
    pub(super) fn is_lasting(&self) -> bool {
        match self {
            McpConnectionError::NoTransport
            | McpConnectionError::SameName(_)
            | McpConnectionError::BadUrl { .. }
            | McpConnectionError::NotAllowed { .. }
            | McpConnectionError::BadHeader(_)
            | McpConnectionError::Start { .. }
            | McpConnectionError::Client(_)
            | McpConnectionError::SignIn { .. }
            | McpConnectionError::BadToken
            | McpConnectionError::Forbidden => true,
            McpConnectionError::WithStderr { failure, .. } => failure.is_lasting(),
            McpConnectionError::Unreachable(_)
            | McpConnectionError::Status(_)
            | McpConnectionError::Slow(_)
            | McpConnectionError::Handshake(_)
            | McpConnectionError::Listing(_)
            | McpConnectionError::Flood(_)
            | McpConnectionError::Silent
            | McpConnectionError::Ended => false,
        }
    }
}
