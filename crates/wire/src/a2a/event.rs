//! The events of a stream after the task itself.

use super::{Artifact, Message, Metadata, Task, TaskStatus};
use crate::proto::or_default;
use serde::{Deserialize, Serialize};

/// One event of a stream, whatever it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StreamEvent {
    /// The task itself.
    Task(Box<Task>),
    /// A message outside any task.
    Message(Message),
    /// A change of where the task stands, or what is said on the way.
    Status(TaskStatusUpdateEvent),
    /// Something the task has made, or a piece of it.
    Artifact(TaskArtifactUpdateEvent),
}

/// A task has made something, or a piece of something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskArtifactUpdateEvent {
    /// Always `artifact-update`.
    pub kind: ArtifactUpdateTag,
    pub task_id: String,
    pub context_id: String,
    pub artifact: Artifact,
    /// True if it goes on with an artifact of the same id.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub append: bool,
    /// True if the artifact is whole now.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub last_chunk: bool,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// The literal `artifact-update`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArtifactUpdateTag {
    /// `artifact-update`
    #[default]
    #[serde(rename = "artifact-update")]
    ArtifactUpdate,
}

/// Something about a task changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatusUpdateEvent {
    /// Always `status-update`.
    pub kind: StatusUpdateTag,
    pub task_id: String,
    pub context_id: String,
    /// Where the task stands, and what is said.
    pub status: TaskStatus,
    /// True if this is the last event of this stream.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// The kind of update, keyed by the extension's address.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// The literal `status-update`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StatusUpdateTag {
    /// `status-update`
    #[default]
    #[serde(rename = "status-update")]
    StatusUpdate,
}
