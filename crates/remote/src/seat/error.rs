//! Why a seat elsewhere cannot be taken, or not any more.

use thiserror::Error;

/// Why a seat elsewhere cannot be taken.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SeatError {
    /// No session can be there.
    #[error("{0:?} is not where a session can be: write http://HOST:PORT or ws://HOST:PORT")]
    Address(String),
    /// TLS is not spoken here.
    #[error(
        "{host} is behind TLS, which attaching does not speak yet: forward a port, for example with ssh -L, and join that"
    )]
    Tls {
        /// Where.
        host: String,
    },
    /// A secret would travel in plain text.
    #[error("the token is not sent to {host} in plain text: forward a port, for example with ssh -L, and join that")]
    PlainText {
        /// Where it would go.
        host: String,
    },
    /// The token holds what no header can.
    #[error("the token holds characters that cannot be sent; copy it again from the session's terminal")]
    Token,
    /// Nobody answers there.
    #[error("cannot reach {host}: {why}")]
    Unreachable {
        /// Where.
        host: String,
        why: String,
    },
    /// It answered, and does not let us in.
    #[error("{host} answered with HTTP status {status}{}", after_colon(.said))]
    Denied {
        /// Where.
        host: String,
        status: u16,
        /// Its sentence.
        said: String,
    },
    /// The session is not there: another one may have taken its port.
    #[error("that session is no longer served there; `pollux sessions --all` lists what there is")]
    Gone,
    /// Whatever is there knows nothing of seats.
    #[error("{host} offers no seats: is it a pollux of this release or a newer one?")]
    NoSeats {
        /// Where.
        host: String,
    },
    /// Its answer makes no sense.
    #[error("what {host} sent does not decode: {why}")]
    Garbled {
        /// Where.
        host: String,
        why: String,
    },
    /// It was closed where it runs, and not opened again.
    #[error("it was closed where it runs, and nobody opened it again within a minute")]
    Closed,
    /// Another session is there, or another life of this one.
    #[error("{0}")]
    Changed(String),
}

impl SeatError {
    /// True if trying again later may help.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            SeatError::Unreachable { .. } | SeatError::Garbled { .. } => true,
            SeatError::Denied { status, .. } => matches!(status, 408 | 429 | 500..),
            SeatError::Address(_)
            | SeatError::Tls { .. }
            | SeatError::PlainText { .. }
            | SeatError::Token
            | SeatError::Gone
            | SeatError::NoSeats { .. }
            | SeatError::Closed
            | SeatError::Changed(_) => false,
        }
    }
}

fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
