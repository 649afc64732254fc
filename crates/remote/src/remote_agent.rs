//! An agent whose card has been read.

use crate::agent_address::AgentAddress;
use crate::card::AgentCardSummary;
use crate::error::RemoteError;
use crate::http_client::{AgentHttpClient, AgentOperation, AgentResponse};
use crate::question::OutgoingPart;
use crate::request_params::{MessageTarget, send_params, task_params};
use crate::stream_allowance::StreamAllowance;

/// An agent that can be spoken to.
pub struct RemoteAgent {
    pub(crate) card: AgentCardSummary,
    caller: AgentHttpClient,
}

impl RemoteAgent {
    /// Read the agent's card and choose how to speak to it.
    pub async fn reach(address: &AgentAddress) -> Result<RemoteAgent, RemoteError> {
        let caller = AgentHttpClient::new(address)?;
        let card = caller.card(address).await?;
        let unusable = |why| RemoteError::Card { host: address.host(), why };
        Ok(RemoteAgent { card: AgentCardSummary::read(&card, address).map_err(unusable)?, caller })
    }

    /// The agent at `address` whose card is this JSON.
    pub fn with_card(card: &str, address: &AgentAddress) -> Result<RemoteAgent, RemoteError> {
        let unusable = |why| RemoteError::Card { host: address.host(), why };
        let card = serde_json::from_str(card).map_err(|error| unusable(format!("it is not JSON ({error})")))?;
        Ok(RemoteAgent {
            card: AgentCardSummary::read(&card, address).map_err(unusable)?,
            caller: AgentHttpClient::new(address)?,
        })
    }

    /// The name that it gives itself.
    pub fn name(&self) -> &str {
        &self.card.name
    }

    /// The description that it gives of itself.
    pub fn description(&self) -> &str {
        &self.card.description
    }

    /// Send a message, and be told of what follows: in a stream, if both sides can.
    pub(crate) async fn send(
        &self,
        thread: &MessageTarget<'_>,
        reply: &OutgoingPart,
        allowance: &StreamAllowance,
    ) -> Result<AgentResponse, RemoteError> {
        if self.card.streaming {
            let params = send_params(&self.card.interface, self.card.devtool, thread, reply, false);
            return self.call(AgentOperation::Stream, &params, None, allowance).await;
        }
        let params = send_params(&self.card.interface, self.card.devtool, thread, reply, true);
        self.call(AgentOperation::Send, &params, None, allowance).await
    }

    /// Ask something about a task.
    pub(crate) async fn request_task(
        &self,
        operation: AgentOperation,
        task: &str,
        cursor: Option<&str>,
        allowance: &StreamAllowance,
    ) -> Result<AgentResponse, RemoteError> {
        self.call(operation, &task_params(&self.card.interface, task), cursor, allowance).await
    }

    async fn call(
        &self,
        operation: AgentOperation,
        params: &serde_json::Value,
        cursor: Option<&str>,
        allowance: &StreamAllowance,
    ) -> Result<AgentResponse, RemoteError> {
        self.caller.call(&self.card.interface, self.card.devtool, operation, params, cursor, allowance).await
    }
}
