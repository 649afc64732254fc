//! The extensions of Google's a2a-server on top of A2A 0.3: the kind of an event's update under `coderAgent` in its
//! metadata, tool calls as that server's scheduler has them, and a task that always shows its history.

mod tool_call;

pub use tool_call::{
    CallStatus, ConfirmationDetails, DiffStat, Display, DisplayResult, FunctionResponse, Request, Response,
    ResponsePart, Tool, ToolCall, ToolFileDiff,
};

use crate::a2a::{self, Artifact, ArtifactUpdateTag, Message, Metadata, TaskStatus, TaskTag};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The member of the metadata that everything of this dialect is in.
pub const KEY: &str = "coderAgent";

/// The `kind` of a client's settings.
pub const AGENT_SETTINGS: &str = "agent-settings";

/// The member of a task's metadata that holds what was set for it.
pub const PERSISTED: &str = "__persistedState";

/// The member of a task's metadata that names the settings which have no effect. Not in the original: an addition of ours.
pub const IGNORED: &str = "_ignoredSettings";

/// The kind of update of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A tool call waits for a person, or a person has decided it.
    ToolCallConfirmation,
    /// A tool call changed.
    ToolCallUpdate,
    /// More text.
    TextContent,
    /// The task stands elsewhere.
    StateChange,
    Thought,
    /// Sources of what was said.
    Citation,
}

/// The details of an event beside its kind and its model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateDetails {
    /// The plan of the person.
    pub user_tier: Option<String>,
    pub error: Option<String>,
    /// The provider's name for the answer that it is about.
    pub trace: Option<String>,
    /// Tokens of the newest model call.
    pub usage: Option<UsageMetadata>,
}

/// Tokens of one model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageMetadata {
    /// Sent, cached ones included.
    pub prompt_token_count: u64,
    /// Received, thoughts excluded.
    pub candidates_token_count: u64,
    /// Sent and received.
    pub total_token_count: u64,
    /// Of those sent, taken from a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_content_token_count: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The metadata of an event.
pub fn metadata(kind: Kind, model: &str, told: UpdateDetails) -> Metadata {
    let mut metadata = Metadata::new();
    metadata.insert(KEY.into(), json!({ "kind": kind }));
    metadata.insert("model".into(), model.into());
    let UpdateDetails { user_tier, error, trace, usage } = told;
    metadata.extend(user_tier.map(|tier| ("userTier".into(), tier.into())));
    metadata.extend(error.map(|error| ("error".into(), error.into())));
    metadata.extend(trace.map(|trace| ("traceId".into(), trace.into())));
    metadata.extend(usage.map(|usage| ("usageMetadata".into(), json!(usage))));
    metadata
}

/// The metadata of a task: what was set for it, where it stands, its context, and which of the settings have no effect.
pub fn task_metadata(settings: &Value, ignored: &[String], state: a2a::TaskState, context: &str) -> Metadata {
    let mut metadata = Metadata::new();
    metadata.insert(PERSISTED.into(), json!({ "_agentSettings": settings, "_taskState": state }));
    metadata.insert("_contextId".into(), context.into());
    if !ignored.is_empty() {
        metadata.insert(IGNORED.into(), json!(ignored));
    }
    metadata
}

/// A task, whole: what is empty is there all the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: String,
    pub context_id: String,
    /// Always `task`.
    pub kind: TaskTag,
    /// Where it stands.
    pub status: TaskStatus,
    /// Its settings.
    pub metadata: Metadata,
    /// Oldest first.
    pub history: Vec<Message>,
    /// The output of its commands.
    pub artifacts: Vec<Artifact>,
}

impl From<a2a::Task> for Task {
    fn from(task: a2a::Task) -> Task {
        let a2a::Task { kind, id, context_id, status, artifacts, history, metadata } = task;
        Task { id, context_id, kind, status, metadata, history, artifacts }
    }
}

/// The output of a running call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactUpdate {
    /// Always `artifact-update`.
    pub kind: ArtifactUpdateTag,
    pub task_id: String,
    pub context_id: String,
    /// All of it so far.
    pub artifact: Artifact,
    /// Always true, although the text is whole each time.
    pub append: bool,
    /// Always false.
    pub last_chunk: bool,
}

impl From<a2a::TaskArtifactUpdateEvent> for ArtifactUpdate {
    fn from(event: a2a::TaskArtifactUpdateEvent) -> ArtifactUpdate {
        let a2a::TaskArtifactUpdateEvent { kind, task_id, context_id, artifact, append, last_chunk, .. } = event;
        ArtifactUpdate { kind, task_id, context_id, artifact, append, last_chunk }
    }
}

#[cfg(test)]
mod tests;
