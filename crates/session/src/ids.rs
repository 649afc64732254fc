//! Ids and time. Session, task and command ids arrive from outside; ids inside a session are the `seq` of the entry
//! that opened the thing, so they need no randomness and are the same after every fold.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// Milliseconds since the Unix epoch. Within one session it never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(pub u64);

/// The number of an entry in its session: from 1, gapless. `Seq(0)` is the cursor before the first entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// The cursor before the first entry.
    pub const START: Seq = Seq(0);

    /// The number after this one.
    pub fn next(self) -> Seq {
        Seq(self.0.saturating_add(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map($name)
            }
        }
    };
}

uuid_id!(
    /// One conversation with one workspace.
    SessionId
);
uuid_id!(
    /// One or more turns under one id.
    TaskId
);

impl SessionId {
    /// The open-ended task every session has: it carries the session's own id, the seeds' "virtual task id".
    pub fn main_task(self) -> TaskId {
        TaskId(self.0)
    }
}

macro_rules! seq_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Seq);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "-{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = ();
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let number = text.strip_prefix(concat!($prefix, "-")).ok_or(())?;
                if number.starts_with('0') || !number.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(());
                }
                number.parse().map(|seq| $name(Seq(seq))).map_err(|_| ())
            }
        }
    };
}

seq_id!(
    /// A prompt, by the entry that accepted it.
    PromptId,
    "prompt"
);
seq_id!(
    /// A turn, by the entry that started it.
    TurnId,
    "turn"
);
seq_id!(
    /// A piece of streamed text or thought, by the entry that opened it.
    ItemId,
    "item"
);
seq_id!(
    /// A tool call, by the entry that recorded it. It also names the call's ask: a call asks at most once.
    CallId,
    "call"
);

/// A client's own id for a command (A2A's `messageId`), or one made by the edge. Opaque text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommandId(pub String);

impl From<Uuid> for CommandId {
    fn from(id: Uuid) -> Self {
        CommandId(id.to_string())
    }
}

/// A label on sessions, per owner (A2A's `contextId`): opaque text of at most 128 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContextId(String);

impl ContextId {
    /// The longest label that is accepted, in characters.
    pub const MAX_CHARS: usize = 128;

    /// A label from the wire; `None` when it is empty, too long or holds a control character.
    pub fn new(text: &str) -> Option<ContextId> {
        let fits = !text.is_empty() && text.chars().count() <= Self::MAX_CHARS && !text.chars().any(char::is_control);
        fits.then(|| ContextId(text.to_owned()))
    }

    /// The label as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
