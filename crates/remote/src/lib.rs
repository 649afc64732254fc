//! Reaches other agents: an A2A client for 0.3 and 1.0.
//!
//! [`RemoteAgent::reach`] reads an agent's card and chooses how to speak to it; an [`Exchange`] is one piece of work handed to
//! it, from the first message to the last word, with its questions on the way. A [`RemoteSeat`] is a place at a session of
//! another Pollux.

mod agent_address;
mod agent_update;
mod artifact_texts;
mod card;
mod error;
mod event_stream;
mod exchange;
mod exchange_state;
mod grpc;
mod http_client;
mod question;
mod remote_agent;
mod request_params;
mod seat;
mod stream_allowance;
mod v03_proto;

pub use agent_address::{AgentAddress, AgentCredential};
pub use card::addresses_in_card;
pub use error::RemoteError;
pub use exchange::{Exchange, ExchangeEvent, ExchangeOutcome, ExchangeResult};
pub use question::{AgentQuestion, AgentQuestionAnswer, QuestionOption};
pub use remote_agent::RemoteAgent;
pub use seat::{DisconnectReason, RemoteSeat, SeatAddress, SeatError, SeatLinkState};
