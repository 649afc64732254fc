//! The extended card, and what the card promises of the operations.

use super::Ops;
use crate::card::ExtendedCard;
use crate::errors::Fault;
use crate::extensions::{self, Declared};
use pollux_wire::jsonrpc;
use pollux_wire::v1::{self, HybridCard};

impl Ops {
    /// The card with tools, MCP servers and commands in it. Whoever passed the gate is known, and so may see it.
    pub(crate) fn extended_card(&self) -> Result<v1::AgentCard, Fault> {
        let (face, host) = (&self.hall.face, self.head.host.as_deref());
        match &face.extended {
            ExtendedCard::NotOffered => {
                let message = "there is no extended card; the card at /.well-known/agent-card.json says it all";
                Err(Fault::new(jsonrpc::UNSUPPORTED_OPERATION, message))
            }
            ExtendedCard::NotConfigured => {
                let message = "the extended card has not been configured; use the one at /.well-known/agent-card.json";
                Err(Fault::new(jsonrpc::EXTENDED_CARD_NOT_CONFIGURED, message))
            }
            ExtendedCard::Listing(catalogue) => Ok(face.card(host, self.hall.push.is_some(), Some(&catalogue()))),
        }
    }

    /// The same for clients of 0.3. Those that read it by the `.proto` of 0.3 (a2a-js over HTTP+JSON) find the ways to sign
    /// in where 1.0 has them.
    pub(crate) fn extended_card_v03(&self) -> Result<HybridCard, Fault> {
        let missing =
            || Fault::new(jsonrpc::INTERNAL_ERROR, "the card has no interface of A2A 0.3; use the one of 1.0");
        HybridCard::new(self.extended_card()?).ok_or_else(missing)
    }

    /// Whether a message declares the extensions that it must, in versions that are spoken here.
    pub(super) fn check_extensions(&self, message: &Declared) -> Result<(), Fault> {
        extensions::check(&self.hall.face, self.version, &self.head.extensions, message)
    }

    /// Whether tasks can be streamed and followed, as the card says.
    pub(crate) fn check_streaming(&self) -> Result<(), Fault> {
        if self.hall.face.streaming {
            return Ok(());
        }
        let message = "streaming is not offered; send the message without it, or ask for the task";
        Err(Fault::new(jsonrpc::UNSUPPORTED_OPERATION, message))
    }
}
