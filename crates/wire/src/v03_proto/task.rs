//! A task, where it stands and what comes of it.

use super::{Message, Part};
use crate::a2a::Metadata;
use crate::proto::{or_default, proto_enum};
use serde::{Deserialize, Serialize};

/// A task, whole or bare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: String,
    /// The label of its session.
    #[serde(default, alias = "context_id", deserialize_with = "or_default")]
    pub context_id: String,
    /// Where it stands.
    pub status: TaskStatus,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Oldest first.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// Where a task stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatus {
    /// The word for it.
    pub state: TaskState,
    /// The `.proto` calls it `update`.
    #[serde(default, alias = "update", skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Since when, in ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

proto_enum! {
    /// The word for where a task stands.
    TaskState {
        /// Nobody knows.
        Unspecified = 0, "TASK_STATE_UNSPECIFIED";
        /// Accepted, not begun.
        Submitted = 1, "TASK_STATE_SUBMITTED";
        /// At work.
        Working = 2, "TASK_STATE_WORKING";
        /// Done.
        Completed = 3, "TASK_STATE_COMPLETED";
        /// Could not go on.
        Failed = 4, "TASK_STATE_FAILED";
        /// Stopped by a client; 1.0 spells it with one L.
        Cancelled = 5, "TASK_STATE_CANCELLED" | "TASK_STATE_CANCELED";
        /// Waits for a person.
        InputRequired = 6, "TASK_STATE_INPUT_REQUIRED";
        /// Refused by the agent.
        Rejected = 7, "TASK_STATE_REJECTED";
        /// Waits for credentials.
        AuthRequired = 8, "TASK_STATE_AUTH_REQUIRED";
    }
}

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
    #[serde(default, deserialize_with = "or_default")]
    pub parts: Vec<Part>,
    /// Free-form fields.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The extensions it uses.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}
