//! The request to send a message.

use super::{Message, PushNotificationConfig};
use crate::a2a::Metadata;
use crate::proto::{int, or_default};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Send a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendMessageRequest {
    /// The message. The `.proto` calls it `request`.
    #[serde(alias = "request")]
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
    #[serde(alias = "push_notification", skip_serializing_if = "Option::is_none")]
    pub push_notification: Option<PushNotificationConfig>,
    /// The most messages of the answer: the newest; zero is no wish.
    #[serde(alias = "history_length", deserialize_with = "int")]
    pub history_length: i32,
    /// True if the answer waits until the turn rests or only asks remain.
    #[serde(deserialize_with = "or_default")]
    pub blocking: bool,
}

/// True if a body is the JSON of the JSON-RPC binding instead: some clients send that to 0.3's routes too.
pub fn is_plain(body: &Value) -> bool {
    body.get("message").is_some_and(|message| message.get("kind").is_some() || message.get("parts").is_some())
}
