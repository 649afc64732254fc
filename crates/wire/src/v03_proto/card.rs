//! The agent card, as the extended one is answered here. The ways to sign in have the shape of 1.0.

use crate::a2a;
use crate::proto::or_default;
use crate::v1::{
    AgentCardSignature, AgentExtension, AgentProvider, SecurityRequirement, SecurityScheme, security_schemes,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The agent's description and addresses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCard {
    /// The protocol's version.
    pub protocol_version: String,
    /// The agent's name.
    pub name: String,
    pub description: String,
    /// Where it is.
    pub url: String,
    /// The transport there.
    pub preferred_transport: String,
    /// Where and how else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_interfaces: Vec<AgentInterface>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProvider>,
    /// The program's version.
    pub version: String,
    /// Where more is written about it.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "or_default")]
    pub documentation_url: String,
    pub capabilities: AgentCapabilities,
    /// The ways to sign in, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "security_schemes")]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Which of them are needed; one of these suffices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<SecurityRequirement>,
    pub default_input_modes: Vec<String>,
    pub default_output_modes: Vec<String>,
    pub skills: Vec<AgentSkill>,
    /// True if whoever has signed in gets a longer card.
    pub supports_authenticated_extended_card: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<AgentCardSignature>,
    /// Its picture.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "or_default")]
    pub icon_url: String,
}

/// Where and how else an agent is spoken to.
pub type AgentInterface = a2a::AgentInterface;

/// The capabilities of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    pub streaming: bool,
    pub push_notifications: bool,
    /// The extensions it speaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<AgentExtension>,
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
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

impl From<a2a::AgentCard> for AgentCard {
    /// `supportedInterfaces` and `stateTransitionHistory` have no place in the `.proto` of 0.3.
    fn from(card: a2a::AgentCard) -> AgentCard {
        AgentCard {
            protocol_version: card.protocol_version,
            name: card.name,
            description: card.description,
            url: card.url,
            preferred_transport: card.preferred_transport,
            additional_interfaces: card.additional_interfaces,
            provider: card.provider,
            version: card.version,
            documentation_url: card.documentation_url.unwrap_or_default(),
            capabilities: AgentCapabilities {
                streaming: card.capabilities.streaming,
                push_notifications: card.capabilities.push_notifications,
                extensions: card.capabilities.extensions.into_iter().map(AgentExtension::from).collect(),
            },
            security_schemes: card.security_schemes.into_iter().map(|(name, scheme)| (name, scheme.into())).collect(),
            security: card.security.into_iter().map(SecurityRequirement::from).collect(),
            default_input_modes: card.default_input_modes,
            default_output_modes: card.default_output_modes,
            skills: card.skills.into_iter().map(AgentSkill::from).collect(),
            supports_authenticated_extended_card: card.supports_authenticated_extended_card,
            signatures: card.signatures,
            icon_url: card.icon_url.unwrap_or_default(),
        }
    }
}

impl From<a2a::AgentSkill> for AgentSkill {
    fn from(skill: a2a::AgentSkill) -> AgentSkill {
        AgentSkill {
            id: skill.id,
            name: skill.name,
            description: skill.description,
            tags: skill.tags,
            examples: skill.examples,
            input_modes: skill.input_modes,
            output_modes: skill.output_modes,
            security: skill.security.into_iter().map(SecurityRequirement::from).collect(),
        }
    }
}
