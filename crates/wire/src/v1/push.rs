//! Where a task's news is pushed to.

use crate::proto::or_default;
use serde::{Deserialize, Serialize};

/// Where the news of one task is pushed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskPushNotificationConfig {
    /// Which of the server's tenants; there are none here.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// Its name among those of the task; the server makes one when it is empty.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub id: String,
    #[serde(default, alias = "task_id", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub task_id: String,
    /// The address.
    pub url: String,
    /// Sent along, so that the receiver knows whose news it is.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub token: String,
    /// The server's proof of itself to the receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<AuthenticationInfo>,
}

/// The server's proof of itself to a receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthenticationInfo {
    /// The scheme (`Bearer`, `Basic`).
    pub scheme: String,
    /// Sent with it.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub credentials: String,
}

/// A part of the list of places a task's news goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTaskPushNotificationConfigsResponse {
    /// The places.
    pub configs: Vec<TaskPushNotificationConfig>,
    /// Where the next part begins; empty at the end.
    #[serde(default, alias = "next_page_token", deserialize_with = "or_default")]
    pub next_page_token: String,
}
