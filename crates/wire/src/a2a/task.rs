//! A task and where it stands.

use super::{Artifact, Message, Metadata};
use crate::proto::or_default;
use serde::{Deserialize, Serialize};

/// A task, whole or bare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Always `task`.
    pub kind: TaskTag,
    pub id: String,
    /// The label of its session.
    pub context_id: String,
    /// Where it stands.
    pub status: TaskStatus,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Oldest first.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// The literal `task`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskTag {
    /// `task`
    #[default]
    #[serde(rename = "task")]
    Task,
}

/// Where a task stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatus {
    /// The word for it.
    pub state: TaskState,
    /// A message about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Since when, in ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

/// The word for where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// Accepted, not begun.
    Submitted,
    /// At work.
    Working,
    /// Waits for a person.
    InputRequired,
    /// Done.
    Completed,
    /// Stopped by a client.
    Canceled,
    /// Could not go on.
    Failed,
    /// Refused by the agent.
    Rejected,
    /// Waits for credentials.
    AuthRequired,
    /// Nobody knows.
    Unknown,
}
