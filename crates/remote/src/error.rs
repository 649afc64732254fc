//! Why another agent could not be worked with.

use thiserror::Error;

/// Why another agent could not be worked with.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RemoteError {
    /// No agent can be there.
    #[error("{0:?} is not where an agent can be: write http:// or https:// and a host")]
    Address(String),
    /// A secret would travel in plain text.
    #[error("credentials are not sent to {host} in plain text; use https")]
    PlainText {
        /// Where it would go.
        host: String,
    },
    /// A credential holds what no header can.
    #[error("the credential for the agent holds characters that cannot be sent; check the variable it comes from")]
    Credential,
    /// Nobody answers there.
    #[error("cannot reach {host}: {why}")]
    Unreachable {
        /// Where.
        host: String,
        why: String,
    },
    /// It answered, with an HTTP error.
    #[error("{host} answered with HTTP status {status}{}", after_colon(.said))]
    Status {
        /// Where.
        host: String,
        status: u16,
        /// The beginning of what it said.
        said: String,
    },
    /// There is no card, or none that can be used.
    #[error("the agent card at {host} cannot be used: {why}")]
    Card {
        /// Where.
        host: String,
        why: String,
    },
    /// The agent refused.
    #[error("the agent answered with error {code}: {message}")]
    Refused {
        /// The JSON-RPC code, or the HTTP status.
        code: i64,
        /// Its sentence.
        message: String,
    },
    /// Its answer makes no sense.
    #[error("what the agent sent does not decode: {why}")]
    Garbled { why: String },
    /// It renamed what we are talking about.
    #[error("the agent changed the id of the {what} in the middle of the work, so its answers cannot be trusted")]
    ChangedId { what: &'static str },
    /// It asks what nobody can be shown.
    #[error("the question of the agent cannot be shown: {why}")]
    Question { why: String },
    /// It sent too much.
    #[error("the agent sent more than {limit} bytes at once")]
    TooMuch { limit: usize },
    /// It could not be followed to the end.
    #[error("the connection to the agent broke and could not be taken up again: {why}")]
    Broken {
        /// The last error.
        why: String,
    },
}

fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
