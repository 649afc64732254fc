//! The card itself, made from what is really served.

use super::advertised_address::{AdvertisedAddress, is_loopback};
use super::catalogue::SkillCatalogue;
use super::config::{CardConfig, CardSecurity, ExtendedCard};
use axum::http::uri::Authority;
use pollux_wire::v1;
use std::collections::BTreeMap;

/// The media types that the agent takes: text, and the answers to its asks as data.
pub(crate) const INPUT_MODES: [&str; 2] = ["text/plain", "application/json"];
/// The media types that it gives: text, and its tool calls and thoughts as data.
pub(crate) const OUTPUT_MODES: [&str; 2] = ["text/plain", "application/json"];

/// The name of the one way to sign in.
const BEARER: &str = "bearer";

impl CardConfig {
    /// The card for a client that came by `host`, of 1.0 and signed where there is a key. With a catalogue it is the
    /// extended one.
    pub(crate) fn card(&self, host: Option<&str>, push: bool, catalogue: Option<&SkillCatalogue>) -> v1::AgentCard {
        let (security_schemes, security_requirements) = self.security.requirements();
        let mut card = v1::AgentCard {
            name: self.name.clone(),
            description: self.description(),
            supported_interfaces: self.interfaces(&AdvertisedAddress::seen_by(self, host)),
            provider: self
                .provider
                .clone()
                .map(|provider| v1::AgentProvider { organization: provider.organization, url: provider.url }),
            version: self.version.clone(),
            documentation_url: self.documentation_url.clone(),
            capabilities: v1::AgentCapabilities {
                streaming: Some(self.streaming),
                push_notifications: Some(push),
                extensions: self.listed_extensions().map(v1::AgentExtension::from).collect(),
                // Left out where there is none, so that whoever reads the hybrid card as one of 1.0 gets this very card.
                extended_agent_card: match self.extended {
                    ExtendedCard::NotOffered => None,
                    ExtendedCard::NotConfigured | ExtendedCard::Listing(_) => Some(true),
                },
            },
            security_schemes,
            security_requirements,
            default_input_modes: INPUT_MODES.map(str::to_owned).into_iter().chain(self.files.clone()).collect(),
            default_output_modes: OUTPUT_MODES.map(str::to_owned).into(),
            skills: std::iter::once(code_generation())
                .chain(catalogue.into_iter().flat_map(SkillCatalogue::skills))
                .collect(),
            signatures: Vec::new(),
            icon_url: None,
        };
        if let Some(key) = &self.signing {
            card.signatures = key.sign(&card);
        }
        card
    }

    fn description(&self) -> String {
        let what =
            "A coding agent that reads, writes and runs code in a workspace and asks before it changes anything.";
        if self.model.is_empty() { what.to_owned() } else { format!("{what} Model: {}.", self.model) }
    }

    /// Where and how the agent is spoken to, 1.0 before 0.3. A client of 0.3 puts the `/v1` of its HTTP+JSON behind the
    /// address by itself.
    fn interfaces(&self, address: &AdvertisedAddress) -> Vec<v1::AgentInterface> {
        let root = &address.root;
        let grpc = self.grpc_url.as_ref().filter(|target| address.is_loopback || !is_loopback_target(target));
        let here = |version: &str, binding: &str, url: &str| v1::AgentInterface {
            url: url.to_owned(),
            protocol_binding: binding.to_owned(),
            tenant: String::new(),
            protocol_version: version.to_owned(),
        };
        let mut interfaces = Vec::new();
        for (version, rest) in [("1.0", format!("{root}a2a/v1")), ("0.3", root.clone())] {
            interfaces.push(here(version, "JSONRPC", root));
            interfaces.push(here(version, "HTTP+JSON", &rest));
            interfaces.extend(grpc.map(|url| here(version, "GRPC", url)));
        }
        interfaces
    }
}

impl CardSecurity {
    /// The ways to sign in, and which of them suffice.
    fn requirements(self) -> (BTreeMap<String, v1::SecurityScheme>, Vec<v1::SecurityRequirement>) {
        match self {
            CardSecurity::Undeclared => (BTreeMap::new(), Vec::new()),
            CardSecurity::Token => {
                let scheme = v1::SecurityScheme::HttpAuthSecurityScheme {
                    description: "The token that the person who runs the agent gives out.".to_owned(),
                    scheme: "Bearer".into(),
                    bearer_format: String::new(),
                };
                let schemes = [(BEARER.to_owned(), v1::StringList::default())].into();
                ([(BEARER.to_owned(), scheme)].into(), vec![v1::SecurityRequirement { schemes }])
            }
        }
    }
}

/// True if a gRPC target is a loopback one, which means nothing to those who came from elsewhere.
fn is_loopback_target(target: &str) -> bool {
    target.parse::<Authority>().is_ok_and(|authority| is_loopback(authority.host()))
}

fn code_generation() -> v1::AgentSkill {
    v1::AgentSkill {
        id: "code_generation".into(),
        name: "Code Generation".into(),
        description: "Writes, changes and explains code on request, with the tools of a workspace.".into(),
        tags: ["code", "development", "programming"].map(str::to_owned).into(),
        examples: vec![
            "Write a Python function that calculates Fibonacci numbers.".into(),
            "Find out why the tests fail and fix it.".into(),
        ],
        ..v1::AgentSkill::default()
    }
}
