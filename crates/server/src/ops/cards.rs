//! The extended card, and what the card promises of the operations.

use super::A2aOperations;
use crate::card::ExtendedCard;
use crate::errors::RequestError;
use crate::extensions::{self, DeclaredExtensions};
use pollux_wire::jsonrpc;
use pollux_wire::v1::{self, HybridCard};

impl A2aOperations {
    /// The card with tools, MCP servers and commands in it. Whoever passed the gate is known, and so may see it.
    pub(crate) fn extended_card(&self) -> Result<v1::AgentCard, RequestError> {
        let (card_config, host) = (&self.app.card_config, self.head.host.as_deref());
        match &card_config.extended {
            ExtendedCard::NotOffered => {
                let message = "there is no extended card; the card at /.well-known/agent-card.json says it all";
                Err(RequestError::new(jsonrpc::UNSUPPORTED_OPERATION, message))
            }
            ExtendedCard::NotConfigured => {
                let message = "the extended card has not been configured; use the one at /.well-known/agent-card.json";
                Err(RequestError::new(jsonrpc::EXTENDED_CARD_NOT_CONFIGURED, message))
            }
            ExtendedCard::Listing(catalogue) => Ok(card_config.card(host, self.app.push.is_some(), Some(&catalogue()))),
        }
    }

    /// The extended card for clients of 0.3. Those that read it by the `.proto` of 0.3 (a2a-js over HTTP+JSON) find the
    /// ways to sign in where 1.0 has them.
    pub(crate) fn extended_card_v03(&self) -> Result<HybridCard, RequestError> {
        let missing =
            || RequestError::new(jsonrpc::INTERNAL_ERROR, "the card has no interface of A2A 0.3; use the one of 1.0");
        HybridCard::new(self.extended_card()?).ok_or_else(missing)
    }

    /// Check that a message declares the extensions that it must, in versions that are spoken here.
    pub(super) fn check_extensions(&self, message: &DeclaredExtensions) -> Result<(), RequestError> {
        extensions::check(&self.app.card_config, self.version, &self.head.extensions, message)
    }

    /// Check that tasks can be streamed and followed, as the card says.
    pub(crate) fn check_streaming(&self) -> Result<(), RequestError> {
        if self.app.card_config.streaming {
            return Ok(());
        }
        let message = "streaming is not offered; send the message without it, or ask for the task";
        Err(RequestError::new(jsonrpc::UNSUPPORTED_OPERATION, message))
    }
}
