//! The parameters of the methods. `tenant` is read and must be what the card says: nothing.

use super::{Message, Task, TaskPushNotificationConfig, TaskState};
use crate::a2a::Metadata;
use crate::proto::{int, maybe_int, or_default};
use serde::{Deserialize, Serialize};

/// Send a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendMessageRequest {
    /// Which of the server's tenants.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    pub message: Message,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<SendMessageConfiguration>,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// A client's wishes for the treatment of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendMessageConfiguration {
    /// The media types the client takes.
    #[serde(alias = "accepted_output_modes", deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub accepted_output_modes: Vec<String>,
    /// Where the task's news is pushed to from now on.
    #[serde(alias = "task_push_notification_config", skip_serializing_if = "Option::is_none")]
    pub task_push_notification_config: Option<TaskPushNotificationConfig>,
    /// The most messages of the answer: the newest.
    #[serde(alias = "history_length", deserialize_with = "maybe_int", skip_serializing_if = "Option::is_none")]
    pub history_length: Option<i32>,
    /// True if the answer comes at once instead of when the turn rests or waits for people.
    #[serde(alias = "return_immediately", deserialize_with = "or_default")]
    pub return_immediately: bool,
}

/// Look at a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetTaskRequest {
    /// Which of the server's tenants.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// The task.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
    /// The most messages of the answer: the newest.
    #[serde(alias = "history_length", deserialize_with = "maybe_int", skip_serializing_if = "Option::is_none")]
    pub history_length: Option<i32>,
}

/// List tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTasksRequest {
    /// Which of the server's tenants.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// Only those of this context.
    #[serde(alias = "context_id", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub context_id: String,
    /// Only those that stand so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskState>,
    #[serde(alias = "page_size", deserialize_with = "maybe_int", skip_serializing_if = "Option::is_none")]
    pub page_size: Option<i32>,
    /// Where the page begins.
    #[serde(alias = "page_token", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub page_token: String,
    /// The most messages of each task: the newest.
    #[serde(alias = "history_length", deserialize_with = "maybe_int", skip_serializing_if = "Option::is_none")]
    pub history_length: Option<i32>,
    /// Only those that have stood so since then, in ISO 8601.
    #[serde(alias = "status_timestamp_after", skip_serializing_if = "Option::is_none")]
    pub status_timestamp_after: Option<String>,
    #[serde(alias = "include_artifacts", skip_serializing_if = "Option::is_none")]
    pub include_artifacts: Option<bool>,
}

/// A part of the list of tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTasksResponse {
    /// The tasks, newest change first.
    pub tasks: Vec<Task>,
    /// Where the next page begins; empty at the end.
    #[serde(alias = "next_page_token")]
    pub next_page_token: String,
    /// The most tasks of a page.
    #[serde(alias = "page_size", deserialize_with = "int")]
    pub page_size: i32,
    /// The size of the whole list.
    #[serde(alias = "total_size", deserialize_with = "int")]
    pub total_size: i32,
}

/// Stop a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelTaskRequest {
    /// Which of the server's tenants.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// The task.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
    /// Free-form fields.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// Follow a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscribeToTaskRequest {
    /// Which of the server's tenants.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// The task.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
    /// Free-form fields; `lastEventId` goes on after a cursor. The `.proto` has no such field, so only JSON carries it.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// Look at, or forget, one place that a task's news goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PushConfigRequest {
    /// Which of the server's tenants.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    #[serde(alias = "task_id", deserialize_with = "or_default")]
    pub task_id: String,
    /// Which of its places.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
}

/// List the places that a task's news goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTaskPushNotificationConfigsRequest {
    /// Which of the server's tenants.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    #[serde(alias = "task_id", deserialize_with = "or_default")]
    pub task_id: String,
    #[serde(alias = "page_size", deserialize_with = "int", skip_serializing_if = "is_zero")]
    pub page_size: i32,
    /// Where the page begins.
    #[serde(alias = "page_token", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub page_token: String,
}

/// Look at the extended card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetExtendedAgentCardRequest {
    /// Which of the server's tenants.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}
