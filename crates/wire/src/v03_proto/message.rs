//! A message and its parts.

use super::Role;
use crate::a2a::Metadata;
use crate::proto::{canonical_base64, or_default};
use serde::{Deserialize, Serialize};

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The message's own id.
    #[serde(default, alias = "message_id", deserialize_with = "or_default")]
    pub message_id: String,
    /// The context it belongs to.
    #[serde(default, alias = "context_id", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub context_id: String,
    /// The task it belongs to.
    #[serde(default, alias = "task_id", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub task_id: String,
    /// The speaker.
    pub role: Role,
    #[serde(default, deserialize_with = "or_default")]
    pub content: Vec<Part>,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The extensions it uses.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

/// One part of a message: exactly one content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PartFields")]
pub struct Part {
    #[serde(flatten)]
    pub content: Content,
    /// Free-form fields.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Content {
    /// Text.
    Text(String),
    File(FilePart),
    /// An object. On the wire it is in another one: `{"data": {"data": {…}}}`.
    Data {
        /// The object.
        data: Metadata,
    },
}

/// A file by value or by address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "FileFields", rename_all = "camelCase")]
pub struct FilePart {
    /// Where its bytes are.
    #[serde(flatten)]
    pub source: FileSource,
    /// Its media type.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mime_type: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// Where a file's bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FileSource {
    /// Elsewhere, at this address.
    FileWithUri(String),
    /// Here, in base64.
    FileWithBytes(String),
}

#[derive(Deserialize)]
struct PartFields {
    text: Option<String>,
    file: Option<FilePart>,
    data: Option<DataFields>,
    #[serde(default, deserialize_with = "or_default")]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct DataFields {
    #[serde(default, deserialize_with = "or_default")]
    data: Metadata,
}

impl TryFrom<PartFields> for Part {
    type Error = &'static str;

    fn try_from(fields: PartFields) -> Result<Part, &'static str> {
        let content = match (fields.text, fields.file, fields.data) {
            (Some(text), None, None) => Content::Text(text),
            (None, Some(file), None) => Content::File(file),
            (None, None, Some(data)) => Content::Data { data: data.data },
            (None, None, None) => return Err("a part needs one of `text`, `file` and `data`"),
            _ => return Err("a part holds only one of `text`, `file` and `data`"),
        };
        Ok(Part { content, metadata: fields.metadata })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileFields {
    #[serde(default, alias = "file_with_uri", deserialize_with = "or_default")]
    file_with_uri: String,
    #[serde(default, alias = "file_with_bytes")]
    file_with_bytes: Option<String>,
    #[serde(default, alias = "mime_type", deserialize_with = "or_default")]
    mime_type: String,
    #[serde(default, deserialize_with = "or_default")]
    name: String,
}

impl TryFrom<FileFields> for FilePart {
    type Error = &'static str;

    /// An empty address beside bytes is let through: the 0.3 test kit writes both.
    fn try_from(fields: FileFields) -> Result<FilePart, &'static str> {
        let source = match (fields.file_with_bytes, fields.file_with_uri.is_empty()) {
            (Some(bytes), true) => {
                FileSource::FileWithBytes(canonical_base64(bytes).ok_or("`fileWithBytes` must be base64")?)
            }
            (None, false) => FileSource::FileWithUri(fields.file_with_uri),
            (None, true) => return Err("a file needs `fileWithUri` or `fileWithBytes`"),
            (Some(_), false) => return Err("a file has only one of `fileWithUri` and `fileWithBytes`"),
        };
        Ok(FilePart { source, mime_type: fields.mime_type, name: fields.name })
    }
}
