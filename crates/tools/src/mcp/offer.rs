//! What one server offers: tools, prompts and resources, each checked on its own, so that one bad one harms no other.

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
    /// What cannot be used and why, one sentence each.
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
    /// Whether the server claims that it only looks.
    pub(super) claims_to_read: bool,
    /// See [`super::digest`].
    pub(super) digest: String,
}

/// A prompt a server offers: the stuff of a slash command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPrompt {
    /// The server.
    pub server: String,
    /// The prompt's name.
    pub name: String,
    /// What the server says of it.
    pub description: String,
    /// What it takes, in order.
    pub arguments: Vec<McpPromptArgument>,
}

/// What a prompt takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPromptArgument {
    /// Its name.
    pub name: String,
    /// What the server says of it.
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
}

/// A resource a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpResource {
    /// The server.
    pub server: String,
    /// Its address.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What the server says of it.
    pub description: String,
    /// Its media type, if the server says.
    pub media: Option<String>,
}
