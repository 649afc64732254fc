//! The frames of the seat dialect: what travels between a session and a seat at it that is elsewhere. Entries travel as
//! they are in the log, so both sides fold the same facts.

use crate::command::Command;
use crate::event::Entry;
use crate::ids::{CommandId, Seq, SessionId, UnixMillis};
use crate::notice::Notice;
use crate::refusal::{Refusal, Right};
use crate::seat::{CommandReceipt, SessionSummary};
use crate::tool_listing::CommandInfo;
use crate::upcast::decode;
use crate::who::{Owner, Rights, Who};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// The WebSocket subprotocol that speaks these frames.
pub const SEAT_PROTOCOL: &str = "pollux.seat.v1";

/// The longest frame a seat may send. A file that was edited before it is approved has to fit.
pub const SEAT_FRAME_BYTES: usize = 8 * 1024 * 1024;

/// A request of a seat. `request` is the seat's own number; the answer carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SeatRequest {
    /// Entries after a cursor. A page may hold fewer than `limit` although there are more.
    Read {
        /// The number of this request.
        request: u64,
        /// The cursor.
        after: Seq,
        limit: usize,
    },
    /// A command. The same id with the same content is a retry.
    Send {
        /// The number of this request.
        request: u64,
        /// The command's id.
        id: CommandId,
        command: Box<Command>,
    },
    /// The commands that a prompt can name.
    Commands {
        /// The number of this request.
        request: u64,
    },
    /// The models that can be chosen.
    Models {
        /// The number of this request.
        request: u64,
    },
    /// The sessions of the same owner that can be joined here.
    Sessions {
        /// The number of this request.
        request: u64,
    },
    /// List the clients that are connected to this session.
    Clients {
        /// The number of this request.
        request: u64,
    },
    /// Have a client leave. Needs the right to approve.
    Remove {
        /// The number of this request.
        request: u64,
        /// The client, by the number it has in the list.
        client: u64,
    },
}

impl SeatRequest {
    /// The number of the request.
    pub fn request(&self) -> u64 {
        match self {
            SeatRequest::Read { request, .. }
            | SeatRequest::Send { request, .. }
            | SeatRequest::Commands { request }
            | SeatRequest::Models { request }
            | SeatRequest::Sessions { request }
            | SeatRequest::Clients { request }
            | SeatRequest::Remove { request, .. } => *request,
        }
    }
}

/// A message to a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SeatMessage {
    /// Always the first frame.
    Welcome(SeatWelcome),
    /// The answer to [`SeatRequest::Read`].
    Entries {
        /// The request it answers.
        request: u64,
        /// The entries, oldest first.
        entries: Vec<Arc<Entry>>,
    },
    /// There are entries up to this number now.
    Head {
        /// The newest one.
        seq: Seq,
    },
    /// The command was accepted, and its entries are durable.
    Receipt {
        /// The request it answers.
        request: u64,
        #[serde(flatten)]
        receipt: CommandReceipt,
    },
    /// The command may not happen.
    Refused {
        /// The request it answers.
        request: u64,
        /// Why, for programs.
        refusal: Refusal,
        /// Why, for people.
        message: String,
    },
    /// It is not known if the command was taken; it may be sent again under the same id.
    Lost {
        /// The request it answers.
        request: u64,
        message: String,
    },
    /// The answer to [`SeatRequest::Commands`].
    Commands {
        /// The request it answers.
        request: u64,
        commands: Vec<CommandInfo>,
    },
    /// The answer to [`SeatRequest::Models`].
    Models {
        /// The request it answers.
        request: u64,
        /// A line for each model, with the name that chooses it first.
        models: Vec<String>,
    },
    /// The answer to [`SeatRequest::Sessions`].
    Sessions {
        /// The request it answers.
        request: u64,
        /// The sessions, newest change first.
        sessions: Vec<SessionSummary>,
    },
    /// The answer to [`SeatRequest::Clients`].
    Clients {
        /// The request it answers.
        request: u64,
        /// The clients, in the order in which they came.
        clients: Vec<ConnectedClient>,
    },
    /// The client was told to leave.
    Removed {
        /// The request it answers.
        request: u64,
    },
    /// A line for a console.
    Notice(Notice),
    /// A frame could not be read or answered. Nothing is lost, and the connection stays.
    Error {
        /// The request that failed, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<u64>,
        /// The problem and the way to solve it.
        message: String,
    },
}

/// The first message to a seat that has been taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatWelcome {
    pub session: SessionId,
    /// The client that sits there, as the gate sees it.
    pub who: WhoFrame,
    /// Which life of the log the numbers belong to.
    pub incarnation: u32,
    /// The newest entry.
    pub head: Seq,
    /// The session's workspace, on the machine where it runs.
    pub workspace: String,
    /// The release of the program that holds the session.
    pub release: String,
}

/// A client that is connected to a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectedClient {
    /// Names it in [`SeatRequest::Remove`].
    pub id: u64,
    pub who: WhoFrame,
    /// The connection, in a word for people.
    pub how: String,
    /// Since when.
    pub since: UnixMillis,
}

/// A [`Who`] as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhoFrame {
    /// Whose sessions it sees.
    pub owner: Owner,
    /// Proven by the gate.
    pub principal: String,
    /// Claimed by the client.
    pub label: String,
    pub rights: Vec<Right>,
}

impl From<&Who> for WhoFrame {
    fn from(who: &Who) -> WhoFrame {
        let all = [Right::Observe, Right::Prompt, Right::Approve];
        WhoFrame {
            owner: who.owner.clone(),
            principal: who.principal.clone(),
            label: who.label.clone(),
            rights: all.into_iter().filter(|right| who.rights.allow(*right)).collect(),
        }
    }
}

impl From<WhoFrame> for Who {
    fn from(sitter: WhoFrame) -> Who {
        let WhoFrame { owner, principal, label, rights } = sitter;
        Who { owner, principal, label, rights: Rights::of(rights) }
    }
}

/// The fields of every frame.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
}

/// A page whose entries are not yet understood.
#[derive(Deserialize)]
struct Page<'a> {
    request: u64,
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

impl SeatMessage {
    /// A frame as it came. Entries of older releases are brought to today's shape; a page that cannot be understood is an
    /// [`SeatMessage::Error`] for its request.
    pub fn parse(text: &str) -> Result<SeatMessage, serde_json::Error> {
        let head: Head<'_> = serde_json::from_str(text)?;
        if head.kind != "entries" {
            return serde_json::from_str(text);
        }
        let Page { request, entries } = serde_json::from_str(text)?;
        let entries: Result<Vec<_>, _> =
            entries.iter().map(|entry| decode(entry.get().as_bytes()).map(Arc::new)).collect();
        Ok(match entries {
            Ok(entries) => SeatMessage::Entries { request, entries },
            Err(error) => SeatMessage::Error { request: Some(request), message: error.to_string() },
        })
    }

    /// The request it answers.
    pub fn request(&self) -> Option<u64> {
        match self {
            SeatMessage::Entries { request, .. }
            | SeatMessage::Receipt { request, .. }
            | SeatMessage::Refused { request, .. }
            | SeatMessage::Lost { request, .. }
            | SeatMessage::Commands { request, .. }
            | SeatMessage::Models { request, .. }
            | SeatMessage::Sessions { request, .. }
            | SeatMessage::Clients { request, .. }
            | SeatMessage::Removed { request } => Some(*request),
            SeatMessage::Error { request, .. } => *request,
            SeatMessage::Welcome(_) | SeatMessage::Head { .. } | SeatMessage::Notice(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
