//! Settings, thoughts, and what kind of update an event is.

use super::lent::{self, Hidden, LentServer};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A client's settings for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSettings {
    /// The absolute path of the workspace.
    #[serde(default, alias = "workspacePath", alias = "workspaceRoot", skip_serializing_if = "Option::is_none")]
    pub workspace_path: Option<String>,
    /// The model that answers, by the name a person would use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// True if tools of a new session run without asking: a standing approval.
    #[serde(default, alias = "autoExecute", skip_serializing_if = "Option::is_none")]
    pub auto_execute: Option<bool>,
    /// The only tools that a new session is offered. A tool that would not be offered anyway is not brought by it.
    #[serde(default, alias = "allowedTools", skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// The key that pays for the session's model calls.
    #[serde(default, alias = "apiKey", skip_serializing, deserialize_with = "lent::key")]
    pub api_key: Option<Hidden>,
    /// Tool servers that only this session has, by their names.
    #[serde(default, alias = "mcpServers", skip_serializing, deserialize_with = "lent::servers")]
    pub mcp_servers: BTreeMap<String, LentServer>,
    /// Read only to say that it is ignored: trust never comes from a request.
    #[serde(default, rename = "isTrusted", alias = "is_trusted", skip_serializing)]
    pub is_trusted: Option<bool>,
}

impl AgentSettings {
    /// Every setting, by the name that is written.
    pub const MEMBERS: [&'static str; 7] =
        ["workspace_path", "model", "auto_execute", "allowed_tools", "api_key", "mcp_servers", "isTrusted"];
    /// The other spellings that are read.
    const SPELLINGS: [&'static str; 7] =
        ["workspacePath", "workspaceRoot", "autoExecute", "allowedTools", "apiKey", "mcpServers", "is_trusted"];

    /// True if a member of this name, in any spelling, is a setting.
    pub fn knows(name: &str) -> bool {
        AgentSettings::MEMBERS.contains(&name) || AgentSettings::SPELLINGS.contains(&name)
    }
}

/// A thought of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentThought {
    /// Its title.
    pub subject: String,
    /// The rest.
    pub description: String,
}

/// The kind of update of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DevelopmentToolEvent {
    pub kind: EventKind,
    /// The model in use.
    pub model: String,
    /// The plan of the person, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_tier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Tokens of the turn that is over. Not in the extension: an addition of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
}

/// Tokens, counted as Google's API counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Sent, cached ones included.
    pub prompt_token_count: u64,
    /// Of those, taken from a cache.
    pub cached_content_token_count: u64,
    /// Received, thoughts excluded.
    pub candidates_token_count: u64,
    /// Spent on thoughts.
    pub thoughts_token_count: u64,
    /// Sent and received.
    pub total_token_count: u64,
}

/// The kinds of update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventKind {
    /// A client decided an ask. Only clients send it.
    ToolCallConfirmation,
    /// A tool call changed.
    ToolCallUpdate,
    /// More text.
    TextContent,
    /// The task stands elsewhere.
    StateChange,
    Thought,
}
