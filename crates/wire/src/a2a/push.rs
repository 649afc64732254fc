//! Where a task's news is pushed to, and what the methods about that take.

use serde::{Deserialize, Serialize};

/// Where news is pushed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PushNotificationConfig {
    /// Its name among those of the task; the server makes one when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The address.
    pub url: String,
    /// Sent along, so that the receiver knows whose news it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The server's proof of itself to the receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<PushAuthentication>,
}

/// The server's proof of itself to a receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PushAuthentication {
    /// The schemes the receiver takes, best first (`Bearer`, `Basic`).
    pub schemes: Vec<String>,
    /// Sent with the scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
}

/// Where the news of one task is pushed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskPushNotificationConfig {
    pub task_id: String,
    /// Where to.
    pub push_notification_config: PushNotificationConfig,
}

/// The parameters of `tasks/pushNotificationConfig/get`, `/list` and `/delete`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PushConfigParams {
    /// The task.
    pub id: String,
    /// Which of its configurations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_notification_config_id: Option<String>,
}
