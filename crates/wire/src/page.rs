//! The events of the protocol page, for `POST /message/stream`: one JSON object each, `{kind, …, taskId, contextId}`.

use crate::a2a::TaskState;
use crate::devtool::ToolCallStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    #[serde(flatten)]
    pub body: Body,
    pub task_id: String,
    pub context_id: String,
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Body {
    /// A tool call waits for a person.
    ToolCallConfirmation(ToolCallConfirmation),
    /// A tool call changed.
    ToolCallUpdate(ToolCallUpdate),
    /// More text of the agent.
    TextContent { text: String },
    /// The task stands elsewhere.
    StateChange {
        /// Where.
        state: TaskState,
        /// A message about it.
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
    pub tool_call_id: String,
    pub tool_name: String,
    /// The arguments as the model gave them.
    pub input_parameters: Value,
    pub confirmation_request: ConfirmationRequest,
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationRequest {
    /// The action, in a few words.
    pub title: String,
    /// All of it.
    pub prompt: String,
    #[serde(rename = "type")]
    pub kind: Severity,
}

/// The harm that a call can do.
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
    pub tool_call_id: String,
    pub tool_name: String,
    /// Where it is in its life.
    pub status: ToolCallStatus,
    /// The arguments as the model gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_parameters: Option<Value>,
    /// While it runs, its output so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
