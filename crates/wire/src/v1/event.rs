//! The events of a stream, and the answer to a sent message.

use super::{Artifact, Message, Task, TaskStatus};
use crate::a2a::Metadata;
use crate::proto::or_default;
use serde::{Deserialize, Serialize};

/// One event of a stream. Nothing in it says that it is the last: the end of the stream does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "StreamFields")]
pub enum StreamResponse {
    /// The task itself.
    Task(Box<Task>),
    /// A message outside any task.
    Message(Message),
    /// A change of where the task stands, or what is said on the way.
    StatusUpdate(TaskStatusUpdateEvent),
    /// Something the task has made, or a piece of it.
    ArtifactUpdate(TaskArtifactUpdateEvent),
}

/// The answer to a sent message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "StreamFields")]
pub enum SendMessageResponse {
    /// The task it became.
    Task(Box<Task>),
    /// A message, and no task.
    Message(Box<Message>),
}

/// Something about a task changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatusUpdateEvent {
    #[serde(alias = "task_id")]
    pub task_id: String,
    #[serde(alias = "context_id")]
    pub context_id: String,
    /// Where the task stands, and what is said.
    pub status: TaskStatus,
    /// The kind of update, keyed by the extension's address.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// A task has made something, or a piece of something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskArtifactUpdateEvent {
    #[serde(alias = "task_id")]
    pub task_id: String,
    #[serde(alias = "context_id")]
    pub context_id: String,
    pub artifact: Artifact,
    /// True if it goes on with an artifact of the same id.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub append: bool,
    /// True if the artifact is whole now.
    #[serde(
        default,
        alias = "last_chunk",
        deserialize_with = "or_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub last_chunk: bool,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StreamFields {
    task: Option<Box<Task>>,
    message: Option<Box<Message>>,
    #[serde(alias = "status_update")]
    status_update: Option<Box<TaskStatusUpdateEvent>>,
    #[serde(alias = "artifact_update")]
    artifact_update: Option<Box<TaskArtifactUpdateEvent>>,
}

impl TryFrom<StreamFields> for StreamResponse {
    type Error = &'static str;

    fn try_from(fields: StreamFields) -> Result<StreamResponse, &'static str> {
        match (fields.task, fields.message, fields.status_update, fields.artifact_update) {
            (Some(task), None, None, None) => Ok(StreamResponse::Task(task)),
            (None, Some(message), None, None) => Ok(StreamResponse::Message(*message)),
            (None, None, Some(update), None) => Ok(StreamResponse::StatusUpdate(*update)),
            (None, None, None, Some(update)) => Ok(StreamResponse::ArtifactUpdate(*update)),
            _ => Err("an event is exactly one of `task`, `message`, `statusUpdate` and `artifactUpdate`"),
        }
    }
}

impl TryFrom<StreamFields> for SendMessageResponse {
    type Error = &'static str;

    fn try_from(fields: StreamFields) -> Result<SendMessageResponse, &'static str> {
        match (fields.task, fields.message) {
            (Some(task), None) => Ok(SendMessageResponse::Task(task)),
            (None, Some(message)) => Ok(SendMessageResponse::Message(message)),
            _ => Err("an answer is exactly one of `task` and `message`"),
        }
    }
}
