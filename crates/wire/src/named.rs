//! The events of the server reference, for `POST /tasks/{id}/execute`: an SSE event has the name that its `type` says.

use crate::a2a::TaskState;
use crate::page::ConfirmationRequest;
use serde::{Deserialize, Serialize};

/// One event. `type` always comes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The task stands elsewhere.
    StateChange {
        /// Where.
        state: State,
        /// Since when, ISO 8601.
        timestamp: String,
        /// A message about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A tool call changed.
    ToolCallUpdate(ToolCallUpdate),
    /// More text of the agent.
    TextContent { text: String },
    /// A thought of the agent.
    Thought { thought: String },
    /// The subject of a thought.
    ThoughtSummary {
        /// In a few words.
        summary: String,
    },
}

impl Event {
    /// The name of its SSE event.
    pub fn name(&self) -> &'static str {
        match self {
            Event::StateChange { .. } => "state_change",
            Event::ToolCallUpdate(_) => "tool_call_update",
            Event::TextContent { .. } => "text_content",
            Event::Thought { .. } => "thought",
            Event::ThoughtSummary { .. } => "thought_summary",
        }
    }
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits, works, or waits for a person.
    Running,
    /// Its newest turn did its work.
    Completed,
    /// Its newest turn did not.
    Error,
}

/// Where a task stands, in the words of whoever wrote to it last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StandingWord {
    /// The reference's.
    Named(State),
    /// A2A's.
    A2a(TaskState),
}

/// A tool call changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallUpdate {
    pub tool_call_id: String,
    /// Where it is in its life.
    pub status: CallStatus,
    /// Its tool. The reference's own example leaves it out once.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool_name: String,
    /// While it runs, its output so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Why it failed, or was not to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The open question to a person. Not in the reference: an addition of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation_request: Option<ConfirmationRequest>,
}

/// Where a tool call is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallStatus {
    /// It waits: for a person when there is a confirmation request, else for its turn to run.
    Requested,
    /// It runs.
    Executing,
    /// It did its work.
    Completed,
    /// It did not, or was not to.
    Error,
}

/// A task in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskLine {
    pub id: String,
    pub context_id: String,
    /// Where it stands.
    pub state: State,
}

/// A task, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskDetails {
    pub id: String,
    pub context_id: String,
    /// Where it stands.
    pub state: StandingWord,
    /// Since when, ISO 8601.
    pub timestamp: String,
    /// Further facts about it.
    pub metadata: crate::a2a::Metadata,
    /// Oldest first.
    pub history: Vec<crate::a2a::Message>,
    pub artifacts: Vec<crate::a2a::Artifact>,
}

/// The answer of `POST /tasks` to a request with the reference's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskCreated {
    pub task_id: String,
    /// Where it stands.
    pub state: State,
}
