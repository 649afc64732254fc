//! The id of a tool call on the wire. Within a session a call is named by its entry, so `call-8` exists in many sessions;
//! on the wire the session's id stands before it, as base64url: clients hand these ids on to model APIs, which take at most
//! 40 letters, digits, `-` and `_`.

use crate::errors::RequestError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pollux_session::{CallId, SessionId};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// Where the session ends and the call begins.
const CALL_MARK: &str = "-call-";

/// A tool call as a client names it: with its session, or by the older spelling `call-8` without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireCallId {
    session: Option<SessionId>,
    call: CallId,
}

impl WireCallId {
    /// The id that clients are given for `call` of `session`.
    pub(crate) fn new(session: SessionId, call: CallId) -> WireCallId {
        WireCallId { session: Some(session), call }
    }

    /// The call that is meant in `session`. One of another session is an error.
    pub(crate) fn within(self, session: SessionId) -> Result<CallId, RequestError> {
        match self.session {
            Some(other) if other != session => Err(RequestError::invalid_params(format!(
                "tool call {self} belongs to session {other}, and this message goes to session {session}; send the answer \
                 with the `taskId` that the tool call came with"
            ))),
            Some(_) | None => Ok(self.call),
        }
    }

    /// True if both may name one call: an id without its session means the call of any.
    pub(crate) fn may_equal(self, other: WireCallId) -> bool {
        let same_session = match (self.session, other.session) {
            (Some(one), Some(another)) => one == another,
            (None, _) | (_, None) => true,
        };
        same_session && self.call == other.call
    }
}

impl From<CallId> for WireCallId {
    fn from(call: CallId) -> WireCallId {
        WireCallId { session: None, call }
    }
}

impl fmt::Display for WireCallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(session) = self.session {
            write!(f, "{}-", URL_SAFE_NO_PAD.encode(session.0.as_bytes()))?;
        }
        self.call.fmt(f)
    }
}

impl FromStr for WireCallId {
    type Err = ();

    fn from_str(text: &str) -> Result<WireCallId, ()> {
        if let Ok(call) = text.parse::<CallId>() {
            return Ok(call.into());
        }
        // Base64url may hold the mark itself, so the last one is meant.
        let at = text.rfind(CALL_MARK).ok_or(())?;
        let session = URL_SAFE_NO_PAD.decode(&text[..at]).map_err(|_| ())?;
        let session = SessionId(Uuid::from_slice(&session).map_err(|_| ())?);
        text[at + 1..].parse().map(|call| WireCallId::new(session, call))
    }
}

#[cfg(test)]
mod tests;
