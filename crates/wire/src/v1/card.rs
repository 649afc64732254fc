//! The agent card.

use super::{SecurityRequirement, SecurityScheme, security_schemes};
use crate::a2a::Metadata;
use crate::proto::or_default;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the agent is and how to reach it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    /// The agent's name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Where and how it is spoken to, best first.
    #[serde(alias = "supported_interfaces")]
    pub supported_interfaces: Vec<AgentInterface>,
    /// Who offers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProvider>,
    /// The program's version.
    pub version: String,
    /// Where more is written about it.
    #[serde(default, alias = "documentation_url", skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// What it can do.
    pub capabilities: AgentCapabilities,
    /// The ways to sign in, by name.
    #[serde(
        default,
        alias = "security_schemes",
        deserialize_with = "security_schemes",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Which of them are needed; one of these suffices.
    #[serde(
        default,
        alias = "security_requirements",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub security_requirements: Vec<SecurityRequirement>,
    /// What it takes.
    #[serde(alias = "default_input_modes")]
    pub default_input_modes: Vec<String>,
    /// What it gives.
    #[serde(alias = "default_output_modes")]
    pub default_output_modes: Vec<String>,
    /// What it is good at.
    pub skills: Vec<AgentSkill>,
    /// Who vouches for the card.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<AgentCardSignature>,
    /// Its picture.
    #[serde(default, alias = "icon_url", skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
}

/// Where and how an agent is spoken to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentInterface {
    /// Where.
    pub url: String,
    /// How: `JSONRPC`, `HTTP+JSON` or `GRPC`.
    #[serde(alias = "protocol_binding")]
    pub protocol_binding: String,
    /// Which of the server's tenants.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// In which version.
    #[serde(alias = "protocol_version")]
    pub protocol_version: String,
}

/// Who offers an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentProvider {
    /// Their address.
    pub url: String,
    /// Their name.
    pub organization: String,
}

/// What an agent can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    /// Whether it streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Whether it calls back.
    #[serde(alias = "push_notifications", skip_serializing_if = "Option::is_none")]
    pub push_notifications: Option<bool>,
    /// The extensions it speaks.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<AgentExtension>,
    /// Whether whoever has signed in gets a longer card.
    #[serde(alias = "extended_agent_card", skip_serializing_if = "Option::is_none")]
    pub extended_agent_card: Option<bool>,
}

/// An extension an agent speaks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentExtension {
    /// Its address, which is also its name in metadata.
    #[serde(deserialize_with = "or_default")]
    pub uri: String,
    /// What it adds.
    #[serde(deserialize_with = "or_default")]
    pub description: String,
    /// Whether a client must speak it.
    #[serde(deserialize_with = "or_default")]
    pub required: bool,
    /// Its own fields.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub params: Metadata,
}

/// Something an agent is good at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSkill {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Things one might say.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// What it takes, where that differs from the agent.
    #[serde(default, alias = "input_modes", deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// What it gives, where that differs from the agent.
    #[serde(default, alias = "output_modes", deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// How one signs in for it, where that differs from the agent.
    #[serde(
        default,
        alias = "security_requirements",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub security_requirements: Vec<SecurityRequirement>,
}

/// Who vouches for a card: a detached JSON Web Signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCardSignature {
    /// The protected header, in base64.
    pub protected: String,
    /// The signature, in base64.
    pub signature: String,
    /// The header that is not protected.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub header: Metadata,
}
