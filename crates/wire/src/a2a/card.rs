//! The agent card of 0.3. With `supportedInterfaces` it is the hybrid card, which clients of both versions can read.

use super::{AgentCardSignature, AgentProvider, Metadata, SecurityRequirement, SecurityScheme};
use crate::v1;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The agent's description and addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    /// The protocol's version.
    pub protocol_version: String,
    /// The agent's name.
    pub name: String,
    /// Its purpose, and the model that answers.
    pub description: String,
    /// Where it is.
    pub url: String,
    /// The transport there.
    pub preferred_transport: String,
    /// Where and how else. The main one is listed here too, as the specification advises.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_interfaces: Vec<AgentInterface>,
    /// The interfaces for clients of 1.0, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supported_interfaces: Vec<v1::AgentInterface>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProvider>,
    /// The program's version.
    pub version: String,
    /// Where more is written about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    pub capabilities: AgentCapabilities,
    /// The ways to sign in, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Which of them are needed; one of these suffices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<SecurityRequirement>,
    pub default_input_modes: Vec<String>,
    pub default_output_modes: Vec<String>,
    pub skills: Vec<AgentSkill>,
    /// True if whoever has signed in gets a longer card.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supports_authenticated_extended_card: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<AgentCardSignature>,
}

/// Where and how else an agent is spoken to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentInterface {
    /// Where.
    pub url: String,
    /// `JSONRPC`, `HTTP+JSON` or `GRPC`.
    pub transport: String,
}

/// The capabilities of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    pub streaming: bool,
    pub push_notifications: bool,
    /// True if a task's history is kept.
    pub state_transition_history: bool,
    /// The extensions it speaks.
    pub extensions: Vec<AgentExtension>,
}

/// An extension an agent speaks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentExtension {
    /// Its address, which is also its name in metadata.
    pub uri: String,
    pub description: String,
    /// True if a client must speak it.
    pub required: bool,
    /// Its own fields.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub params: Metadata,
}

/// Something an agent is good at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentSkill {
    pub id: String,
    pub name: String,
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Things one might say.
    pub examples: Vec<String>,
    /// Where they differ from the agent's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Where they differ from the agent's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// Where it differs from the agent's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<SecurityRequirement>,
}
