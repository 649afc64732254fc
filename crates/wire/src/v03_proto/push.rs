//! Where a task's news is pushed to.

use super::names::read_push_name;
use crate::a2a;
use crate::proto::or_default;
use serde::{Deserialize, Serialize};

/// Where news is pushed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PushNotificationConfig {
    /// Its name among those of the task; the server makes one when it is empty.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The address.
    #[serde(default, deserialize_with = "or_default")]
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
    /// The schemes the receiver takes, best first.
    #[serde(default, deserialize_with = "or_default")]
    pub schemes: Vec<String>,
    /// Sent with the scheme.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub credentials: String,
}

/// Where the news of one task is pushed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskPushNotificationConfig {
    /// `tasks/{task}/pushNotificationConfigs/{id}`.
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    /// Where to.
    #[serde(default, alias = "push_notification_config", deserialize_with = "or_default")]
    pub push_notification_config: PushNotificationConfig,
}

/// Push a task's news from now on. Clients send this whole (Python) or only what is in `config` (JavaScript, and the
/// `.proto`); both are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "CreateFields")]
pub struct CreateTaskPushNotificationConfigRequest {
    /// `tasks/{task}`; the path says it too.
    pub parent: String,
    /// Its name among those of the task.
    pub config_id: String,
    /// Where to.
    pub config: TaskPushNotificationConfig,
}

impl CreateTaskPushNotificationConfigRequest {
    /// The configuration for the task that the path names. The id is the request's own, or that in the name, or that
    /// inside.
    pub fn for_task(self, task: &str) -> a2a::TaskPushNotificationConfig {
        let mut push_notification_config = a2a::PushNotificationConfig::from(self.config.push_notification_config);
        let named = read_push_name(&self.config.name).and_then(|(_, id)| id).unwrap_or_default();
        if let Some(id) = [self.config_id.as_str(), named].into_iter().find(|id| !id.is_empty()) {
            push_notification_config.id = Some(id.to_owned());
        }
        a2a::TaskPushNotificationConfig { task_id: task.to_owned(), push_notification_config }
    }

    /// The task that the request itself names, for the binding that has no path.
    pub fn task(&self) -> Option<&str> {
        read_push_name(&self.parent).or_else(|| read_push_name(&self.config.name)).map(|(task, _)| task)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateFields {
    #[serde(default, deserialize_with = "or_default")]
    parent: String,
    #[serde(default, alias = "config_id", deserialize_with = "or_default")]
    config_id: String,
    config: Option<TaskPushNotificationConfig>,
    #[serde(default, deserialize_with = "or_default")]
    name: String,
    #[serde(default, alias = "push_notification_config", deserialize_with = "or_default")]
    push_notification_config: PushNotificationConfig,
}

impl From<CreateFields> for CreateTaskPushNotificationConfigRequest {
    fn from(fields: CreateFields) -> CreateTaskPushNotificationConfigRequest {
        let CreateFields { parent, config_id, config, name, push_notification_config } = fields;
        let config = config.unwrap_or(TaskPushNotificationConfig { name, push_notification_config });
        CreateTaskPushNotificationConfigRequest { parent, config_id, config }
    }
}

/// A part of the list of places a task's news goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTaskPushNotificationConfigResponse {
    /// The places.
    #[serde(default, deserialize_with = "or_default")]
    pub configs: Vec<TaskPushNotificationConfig>,
    /// Where the next part begins; empty at the end.
    #[serde(default, alias = "next_page_token", deserialize_with = "or_default")]
    pub next_page_token: String,
}
