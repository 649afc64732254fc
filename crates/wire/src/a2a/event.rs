//! What a stream carries after the task itself.

use super::{Metadata, TaskStatus};
use serde::{Deserialize, Serialize};

/// Something about a task changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatusUpdateEvent {
    /// Always `status-update`.
    pub kind: StatusUpdateTag,
    /// The task.
    pub task_id: String,
    /// Its context.
    pub context_id: String,
    /// Where the task stands, and what is said.
    pub status: TaskStatus,
    /// Whether this is the last event of this stream.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// What kind of update it is, keyed by the extension's address.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
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
