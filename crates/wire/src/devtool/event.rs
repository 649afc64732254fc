//! Settings, thoughts, and what kind of update an event is.

use serde::{Deserialize, Serialize};

/// What a client sets for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSettings {
    /// The absolute path of the workspace.
    #[serde(default, alias = "workspacePath", skip_serializing_if = "Option::is_none")]
    pub workspace_path: Option<String>,
    /// The model that answers, by the name a person would use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether tools of a new session run without asking: a standing approval.
    #[serde(default, alias = "autoExecute", skip_serializing_if = "Option::is_none")]
    pub auto_execute: Option<bool>,
    /// Read only to say that it is ignored: trust never comes from a request.
    #[serde(default, rename = "isTrusted", alias = "is_trusted", skip_serializing)]
    pub is_trusted: Option<bool>,
}

/// A thought of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentThought {
    /// Its title.
    pub subject: String,
    /// The rest.
    pub description: String,
}

/// What kind of update an event is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DevelopmentToolEvent {
    /// The kind.
    pub kind: EventKind,
    /// The model in use.
    pub model: String,
    /// What went wrong, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the turn that is over has cost. Not in the extension: an addition of ours.
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
    /// A thought.
    Thought,
}
