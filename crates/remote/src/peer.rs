//! An agent whose card has been read.

use crate::address::Address;
use crate::allowance::StreamAllowance;
use crate::call::{Answered, Caller, Operation};
use crate::card::Card;
use crate::error::RemoteError;
use crate::message::{Thread, send_params, task_params};
use crate::question::Reply;

/// An agent that can be spoken to.
pub struct Peer {
    pub(crate) card: Card,
    caller: Caller,
}

impl Peer {
    /// Read the agent's card and choose how to speak to it.
    pub async fn reach(address: &Address) -> Result<Peer, RemoteError> {
        let caller = Caller::new(address)?;
        let card = caller.card(address).await?;
        let unusable = |why| RemoteError::Card { host: address.host(), why };
        Ok(Peer { card: Card::read(&card, address).map_err(unusable)?, caller })
    }

    /// The agent at `address` whose card is this JSON.
    pub fn with_card(card: &str, address: &Address) -> Result<Peer, RemoteError> {
        let unusable = |why| RemoteError::Card { host: address.host(), why };
        let card = serde_json::from_str(card).map_err(|error| unusable(format!("it is not JSON ({error})")))?;
        Ok(Peer { card: Card::read(&card, address).map_err(unusable)?, caller: Caller::new(address)? })
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.card.name
    }

    /// What it says it does.
    pub fn description(&self) -> &str {
        &self.card.description
    }

    /// Send a message, and be told of what follows: in a stream, if both sides can.
    pub(crate) async fn send(
        &self,
        thread: &Thread<'_>,
        reply: &Reply,
        allowance: &StreamAllowance,
    ) -> Result<Answered, RemoteError> {
        if self.card.streaming {
            let params = send_params(&self.card.line, self.card.devtool, thread, reply, false);
            return self.call(Operation::Stream, &params, None, allowance).await;
        }
        let params = send_params(&self.card.line, self.card.devtool, thread, reply, true);
        self.call(Operation::Send, &params, None, allowance).await
    }

    /// Ask something about a task.
    pub(crate) async fn about(
        &self,
        operation: Operation,
        task: &str,
        cursor: Option<&str>,
        allowance: &StreamAllowance,
    ) -> Result<Answered, RemoteError> {
        self.call(operation, &task_params(&self.card.line, task), cursor, allowance).await
    }

    async fn call(
        &self,
        operation: Operation,
        params: &serde_json::Value,
        cursor: Option<&str>,
        allowance: &StreamAllowance,
    ) -> Result<Answered, RemoteError> {
        self.caller.call(&self.card.line, self.card.devtool, operation, params, cursor, allowance).await
    }
}
