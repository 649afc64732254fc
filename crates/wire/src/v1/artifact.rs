//! The result of a task.

use super::Part;
use crate::a2a::Metadata;
use crate::proto::or_default;
use serde::{Deserialize, Serialize};

/// Something a task has made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Its id, unique in the task.
    #[serde(alias = "artifact_id")]
    pub artifact_id: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub parts: Vec<Part>,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The extensions it uses.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}
