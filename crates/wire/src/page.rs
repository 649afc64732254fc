//! The events of the protocol page, for `POST /message/stream`: one JSON object each, `{kind, …, taskId, contextId}`.

use crate::a2a::TaskState;
use crate::devtool::ToolCallStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// What it says.
    #[serde(flatten)]
    pub body: Body,
    /// The task.
    pub task_id: String,
    /// Its context.
    pub context_id: String,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Body {
    /// A tool call waits for a person.
    ToolCallConfirmation(ToolCallConfirmation),
    /// A tool call changed.
    ToolCallUpdate(ToolCallUpdate),
    /// More text of the agent.
    TextContent {
        /// The text.
        text: String,
    },
    /// The task stands elsewhere.
    StateChange {
        /// Where.
        state: TaskState,
        /// What there is to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A thought of the agent.
    Thought {
        /// All of it.
        text: String,
    },
    /// Sources of what was said.
    Citation {
        /// One a line.
        text: String,
    },
}

/// A tool call waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallConfirmation {
    /// The call.
    pub tool_call_id: String,
    /// Its tool.
    pub tool_name: String,
    /// The arguments as the model gave them.
    pub input_parameters: Value,
    /// What the person is asked.
    pub confirmation_request: ConfirmationRequest,
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationRequest {
    /// What is about to happen, in a few words.
    pub title: String,
    /// All of it.
    pub prompt: String,
    /// How much can go wrong.
    #[serde(rename = "type")]
    pub kind: Severity,
}

/// How much can go wrong when a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is changed, or only a question is asked.
    Info,
    /// Something is changed that can be looked at first.
    Warning,
    /// A program runs.
    Danger,
}

/// A tool call changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallUpdate {
    /// The call.
    pub tool_call_id: String,
    /// Its tool.
    pub tool_name: String,
    /// Where it is in its life.
    pub status: ToolCallStatus,
    /// The arguments as the model gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_parameters: Option<Value>,
    /// What came of it; while it runs, what it has printed so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
