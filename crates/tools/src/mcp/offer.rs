//! The offer of one server: tools, prompts and resources, each checked on its own, so that one bad one harms no other.

mod listing;
mod schema;

pub(super) use listing::list;
pub(super) use schema::checked;

use serde_json::Value;
use std::sync::Arc;

/// Everything a server offers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct McpServerOffer {
    pub(super) tools: Vec<OfferedTool>,
    /// A digest of all the tools: see [`super::digest`].
    pub(super) digest: String,
    pub(super) prompts: Vec<McpPrompt>,
    pub(super) resources: Vec<McpResource>,
    /// Entries that cannot be used and why, one sentence each.
    pub(super) left_out: Vec<String>,
}

/// A tool a server offers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OfferedTool {
    /// Its name with the server.
    pub(super) own_name: String,
    /// Its name with the model.
    pub(super) name: String,
    /// The server's description of it.
    pub(super) description: String,
    /// The JSON schema of its arguments.
    pub(super) parameters: Arc<Value>,
    /// True if the server claims that it only looks.
    pub(super) claims_to_read: bool,
    /// See [`super::digest`].
    pub(super) digest: String,
}

/// A prompt a server offers: the stuff of a slash command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPrompt {
    pub server: String,
    /// The prompt's name.
    pub name: String,
    /// The server's description.
    pub description: String,
    pub arguments: Vec<McpPromptArgument>,
}

/// An argument of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPromptArgument {
    pub name: String,
    /// The server's description.
    pub description: String,
    pub required: bool,
}

/// A resource a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpResource {
    pub server: String,
    /// Its address.
    pub uri: String,
    pub name: String,
    /// The server's description.
    pub description: String,
    /// Its media type, if the server says.
    pub media: Option<String>,
}
