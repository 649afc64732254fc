//! The agent card.

use super::{SecurityRequirement, SecurityScheme, security_schemes};
use crate::a2a::Metadata;
use crate::proto::or_default;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The agent's description and addresses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    /// The agent's name.
    pub name: String,
    pub description: String,
    /// Where and how it is spoken to, best first.
    #[serde(alias = "supported_interfaces")]
    pub supported_interfaces: Vec<AgentInterface>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProvider>,
    /// The program's version.
    pub version: String,
    /// Where more is written about it.
    #[serde(default, alias = "documentation_url", skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
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
    #[serde(alias = "default_input_modes")]
    pub default_input_modes: Vec<String>,
    #[serde(alias = "default_output_modes")]
    pub default_output_modes: Vec<String>,
    pub skills: Vec<AgentSkill>,
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
    /// `JSONRPC`, `HTTP+JSON` or `GRPC`.
    #[serde(alias = "protocol_binding")]
    pub protocol_binding: String,
    /// Which of the server's tenants.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// In which version.
    #[serde(alias = "protocol_version")]
    pub protocol_version: String,
}

/// The provider of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentProvider {
    /// Their address.
    pub url: String,
    /// Their name.
    pub organization: String,
}

/// The capabilities of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    #[serde(alias = "push_notifications", skip_serializing_if = "Option::is_none")]
    pub push_notifications: Option<bool>,
    /// The extensions it speaks.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<AgentExtension>,
    /// True if whoever has signed in gets a longer card.
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
    #[serde(deserialize_with = "or_default")]
    pub description: String,
    /// True if a client must speak it.
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
    pub id: String,
    pub name: String,
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Things one might say.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Where they differ from the agent's.
    #[serde(default, alias = "input_modes", deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Where they differ from the agent's.
    #[serde(default, alias = "output_modes", deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// Where it differs from the agent's.
    #[serde(
        default,
        alias = "security_requirements",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub security_requirements: Vec<SecurityRequirement>,
}

/// A signature of a card: a detached JSON Web Signature.
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
