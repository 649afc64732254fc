//! Settings, thoughts, and what kind of update an event is.

use serde::{Deserialize, Serialize};

/// What a client sets for a new session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSettings {
    /// The absolute path of the workspace.
    #[serde(default, alias = "workspacePath", skip_serializing_if = "Option::is_none")]
    pub workspace_path: Option<String>,
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
