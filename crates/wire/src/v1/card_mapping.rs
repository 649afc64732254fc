//! One card in both versions: what is built for 1.0 becomes a card of 0.3, and back.

use super::{AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill};
use crate::a2a;
use crate::proto::mapping::map_fields;

impl AgentCard {
    /// The card for clients of 0.3, with this card's interfaces beside their own; `None` when 0.3 is spoken at none of
    /// them. The signatures stay behind: they vouch for another text.
    pub fn to_v03(&self) -> Option<a2a::AgentCard> {
        let card = self.clone();
        let old: Vec<&AgentInterface> = self
            .supported_interfaces
            .iter()
            .filter(|interface| interface.protocol_version.starts_with("0.3"))
            .collect();
        let main = old.first()?;
        let capabilities = a2a::AgentCapabilities {
            streaming: card.capabilities.streaming.unwrap_or_default(),
            push_notifications: card.capabilities.push_notifications.unwrap_or_default(),
            state_transition_history: true,
            extensions: card.capabilities.extensions.into_iter().map(a2a::AgentExtension::from).collect(),
        };
        Some(a2a::AgentCard {
            protocol_version: a2a::PROTOCOL_VERSION.into(),
            name: card.name,
            description: card.description,
            url: main.url.clone(),
            preferred_transport: main.protocol_binding.clone(),
            additional_interfaces: old.into_iter().map(a2a::AgentInterface::from).collect(),
            supported_interfaces: card.supported_interfaces,
            provider: card.provider,
            version: card.version,
            documentation_url: card.documentation_url,
            icon_url: card.icon_url,
            capabilities,
            security_schemes: card.security_schemes.into_iter().map(|(name, scheme)| (name, scheme.into())).collect(),
            security: card.security_requirements.into_iter().map(a2a::SecurityRequirement::from).collect(),
            default_input_modes: card.default_input_modes,
            default_output_modes: card.default_output_modes,
            skills: card.skills.into_iter().map(a2a::AgentSkill::from).collect(),
            supports_authenticated_extended_card: card.capabilities.extended_agent_card.unwrap_or_default(),
            signatures: Vec::new(),
        })
    }
}

impl From<&AgentInterface> for a2a::AgentInterface {
    fn from(interface: &AgentInterface) -> a2a::AgentInterface {
        a2a::AgentInterface { url: interface.url.clone(), transport: interface.protocol_binding.clone() }
    }
}

map_fields!(a2a::AgentExtension, AgentExtension { uri: same, description: same, required: same, params: same });

impl From<AgentSkill> for a2a::AgentSkill {
    fn from(skill: AgentSkill) -> a2a::AgentSkill {
        a2a::AgentSkill {
            id: skill.id,
            name: skill.name,
            description: skill.description,
            tags: skill.tags,
            examples: skill.examples,
            input_modes: skill.input_modes,
            output_modes: skill.output_modes,
            security: skill.security_requirements.into_iter().map(a2a::SecurityRequirement::from).collect(),
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
            security_requirements: skill.security.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<a2a::AgentCard> for AgentCard {
    /// A hybrid card keeps its interfaces; a plain one of 0.3 has them made from its main and its other addresses.
    fn from(card: a2a::AgentCard) -> AgentCard {
        let mut interfaces = card.supported_interfaces;
        if interfaces.is_empty() {
            let main = a2a::AgentInterface { url: card.url, transport: card.preferred_transport };
            let others = card.additional_interfaces.into_iter().filter(|other| *other != main).collect::<Vec<_>>();
            interfaces = std::iter::once(main)
                .chain(others)
                .map(|interface| AgentInterface {
                    url: interface.url,
                    protocol_binding: interface.transport,
                    tenant: String::new(),
                    protocol_version: card.protocol_version.clone(),
                })
                .collect();
        }
        AgentCard {
            name: card.name,
            description: card.description,
            supported_interfaces: interfaces,
            provider: card.provider,
            version: card.version,
            documentation_url: card.documentation_url,
            capabilities: AgentCapabilities {
                streaming: Some(card.capabilities.streaming),
                push_notifications: Some(card.capabilities.push_notifications),
                extensions: card.capabilities.extensions.into_iter().map(AgentExtension::from).collect(),
                extended_agent_card: Some(card.supports_authenticated_extended_card),
            },
            security_schemes: card.security_schemes.into_iter().map(|(name, scheme)| (name, scheme.into())).collect(),
            security_requirements: card.security.into_iter().map(Into::into).collect(),
            default_input_modes: card.default_input_modes,
            default_output_modes: card.default_output_modes,
            skills: card.skills.into_iter().map(AgentSkill::from).collect(),
            signatures: Vec::new(),
            icon_url: card.icon_url,
        }
    }
}
