//! The operator's settings of the agent card.

use super::catalogue::SkillCatalogue;
use super::signing::SigningKey;
use crate::extensions::CardExtension;
use std::sync::Arc;

/// The agent's name for others, and its promises.
#[derive(Clone)]
pub struct CardConfig {
    /// The agent's name.
    pub name: String,
    /// The model that answers, as the card's description shows it.
    pub model: String,
    /// Where the server itself is reached. The card's addresses follow the `Host` by which a client came; a request
    /// without one gets these.
    pub url: String,
    /// The scheme of hosts that are not this machine's own loopback names.
    pub outside_scheme: UrlScheme,
    /// Where gRPC is spoken, as `host:port`, the form that gRPC clients take. A loopback one is shown only to those who
    /// came by a loopback name.
    pub grpc_url: Option<String>,
    /// The program's version.
    pub version: String,
    /// The proof that the gate in front of the router demands.
    pub security: CardSecurity,
    /// True if tasks can be streamed and followed.
    pub streaming: bool,
    /// The longer card for those whom the gate knows.
    pub extended: ExtendedCard,
    /// True if clients must speak the `development-tool` extension.
    pub extension_required: bool,
    /// Extensions beside it.
    pub extensions: Vec<CardExtension>,
    /// Where more is written about the agent.
    pub documentation_url: Option<String>,
    pub provider: Option<CardProvider>,
    /// The card for those who name no version of A2A.
    pub without_version: CardForm,
    /// The key that vouches for the card.
    pub signing: Option<Arc<SigningKey>>,
    /// The media types of files that it takes with a message.
    pub files: Vec<String>,
}

/// The provider of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardProvider {
    /// Their name.
    pub organization: String,
    /// Their address.
    pub url: String,
}

/// The scheme by which a host is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UrlScheme {
    /// In plain text.
    #[default]
    Http,
    /// Over TLS, which somebody in front ends.
    Https,
}

/// The proof that the gate demands, as the card says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CardSecurity {
    /// The card says nothing of it: programs of the user who runs the server are let in by themselves, and nobody else
    /// was given a token. A requirement that can be left out is one that some clients refuse to go without.
    #[default]
    Undeclared,
    /// The bearer token, always.
    Token,
}

/// Which shape a card has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CardForm {
    /// The members of 0.3 and of 1.0 in one object: clients of both versions can read it.
    #[default]
    Hybrid,
    /// That of 1.0 and nothing else.
    Pure,
}

/// The longer card for those whom the gate knows.
#[derive(Clone, Default)]
pub enum ExtendedCard {
    /// There is none.
    #[default]
    NotOffered,
    /// The card promises one, and nobody has said what is in it.
    NotConfigured,
    /// It lists what there is at the moment of asking.
    Listing(Arc<dyn Fn() -> SkillCatalogue + Send + Sync>),
}

impl Default for CardConfig {
    fn default() -> CardConfig {
        CardConfig {
            name: "Gemini CLI Agent".into(),
            model: String::new(),
            url: "http://localhost/".into(),
            outside_scheme: UrlScheme::default(),
            grpc_url: None,
            version: env!("CARGO_PKG_VERSION").into(),
            security: CardSecurity::default(),
            streaming: true,
            extended: ExtendedCard::default(),
            extension_required: false,
            extensions: Vec::new(),
            documentation_url: None,
            provider: None,
            without_version: CardForm::default(),
            signing: None,
            files: Vec::new(),
        }
    }
}
