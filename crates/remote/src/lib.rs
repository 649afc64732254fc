//! Reaches other agents: an A2A client for 0.3 and 1.0.
//!
//! [`Peer::reach`] reads an agent's card and chooses how to speak to it; an [`Exchange`] is one piece of work handed to
//! it, from the first message to the last word, with its questions on the way. A [`RemoteSeat`] is a place at a session of
//! another Pollux.

mod address;
mod allowance;
mod artifacts;
mod call;
mod card;
mod error;
mod events;
mod exchange;
mod grpc;
mod hearing;
mod message;
mod peer;
mod proto03;
mod question;
mod reading;
mod seat;

pub use address::{AgentAddress, AgentCredential};
pub use card::addresses_in_card;
pub use error::RemoteError;
pub use exchange::{Exchange, ExchangeEvent, ExchangeOutcome, ExchangeResult};
pub use peer::RemoteAgent;
pub use question::{AgentQuestion, AgentQuestionAnswer, QuestionOption};
pub use seat::{DisconnectReason, RemoteSeat, SeatAddress, SeatError, SeatLinkState};
