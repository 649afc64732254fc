//! A message and its parts.

use crate::a2a::Metadata;
use crate::proto::{canonical_base64, or_default, present, proto_enum};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The message's own id.
    #[serde(alias = "message_id")]
    pub message_id: String,
    /// The context it belongs to.
    #[serde(default, alias = "context_id", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub context_id: String,
    /// The task it belongs to.
    #[serde(default, alias = "task_id", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub task_id: String,
    /// The speaker.
    pub role: Role,
    pub parts: Vec<Part>,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The extensions it uses.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Other tasks it speaks of.
    #[serde(
        default,
        alias = "reference_task_ids",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub reference_task_ids: Vec<String>,
}

proto_enum! {
    /// The speaker.
    Role {
        /// A client.
        User = 1, "ROLE_USER";
        /// The agent.
        Agent = 2, "ROLE_AGENT";
    }
}

/// One part of a message: exactly one content, and what is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "PartFields")]
pub struct Part {
    /// Reading one with none or several of them is an error.
    #[serde(flatten)]
    pub content: Content,
    /// Free-form fields.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The name of the file it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub filename: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub media_type: String,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Content {
    /// Text.
    Text(String),
    /// Bytes, in base64 of the standard alphabet with padding, whatever came in.
    Raw(String),
    /// The address of a file.
    Url(String),
    /// Any JSON.
    Data(Value),
}

impl From<Content> for Part {
    fn from(content: Content) -> Part {
        Part { content, metadata: Metadata::new(), filename: String::new(), media_type: String::new() }
    }
}

/// A part as it comes. `null` is no content, except as data, where it is a value like any other.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PartFields {
    text: Option<String>,
    raw: Option<String>,
    url: Option<String>,
    #[serde(default, deserialize_with = "present")]
    data: Option<Value>,
    #[serde(default, deserialize_with = "or_default")]
    metadata: Metadata,
    #[serde(default, deserialize_with = "or_default")]
    filename: String,
    #[serde(default, alias = "media_type", deserialize_with = "or_default")]
    media_type: String,
}

/// Why something is no part.
#[derive(Debug, Error)]
enum NoPart {
    #[error("a part needs one of `text`, `raw`, `url` and `data`")]
    Empty,
    #[error("a part holds only one of `text`, `raw`, `url` and `data`; this one has {0}")]
    Several(String),
    #[error("`raw` must be base64")]
    NotBase64,
}

impl TryFrom<PartFields> for Part {
    type Error = NoPart;

    fn try_from(fields: PartFields) -> Result<Part, NoPart> {
        let PartFields { text, raw, url, data, metadata, filename, media_type } = fields;
        let content = match (text, raw, url, data) {
            (Some(text), None, None, None) => Content::Text(text),
            (None, Some(raw), None, None) => Content::Raw(canonical_base64(raw).ok_or(NoPart::NotBase64)?),
            (None, None, Some(url), None) => Content::Url(url),
            (None, None, None, Some(data)) => Content::Data(data),
            (None, None, None, None) => return Err(NoPart::Empty),
            (text, raw, url, data) => {
                let there = [text.map(|_| "text"), raw.map(|_| "raw"), url.map(|_| "url"), data.map(|_| "data")];
                let names: Vec<String> = there.into_iter().flatten().map(|name| format!("`{name}`")).collect();
                return Err(NoPart::Several(names.join(", ")));
            }
        };
        Ok(Part { content, metadata, filename, media_type })
    }
}
