//! A message and its parts.

use super::Metadata;
use crate::proto::or_default;
use serde::{Deserialize, Serialize};

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Always `message`.
    pub kind: MessageTag,
    /// The speaker.
    pub role: Role,
    pub parts: Vec<Part>,
    /// The message's own id.
    pub message_id: String,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The context it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    /// The extensions it uses.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Other tasks it speaks of.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub reference_task_ids: Vec<String>,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// The literal `message`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageTag {
    /// `message`
    #[default]
    #[serde(rename = "message")]
    Message,
}

/// The speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A client.
    User,
    Agent,
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        text: String,
        /// Free-form fields.
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    File {
        file: FileContent,
        /// Free-form fields.
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    /// An object.
    Data {
        /// The object.
        data: serde_json::Value,
        /// Free-form fields.
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Part {
        Part::Text { text: text.into(), metadata: Metadata::new() }
    }

    /// A part that holds an object.
    pub fn data(data: serde_json::Value) -> Part {
        Part::Data { data, metadata: Metadata::new() }
    }

    /// A part that holds a file.
    pub fn file(file: FileContent) -> Part {
        Part::File { file, metadata: Metadata::new() }
    }
}

/// A file by value or by address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileContent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its bytes, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

impl FileContent {
    /// True if it has neither bytes nor an address: it says only that there is a file.
    pub fn is_elsewhere(&self) -> bool {
        self.bytes.is_none() && self.uri.is_none()
    }
}
