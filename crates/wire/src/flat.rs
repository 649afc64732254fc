//! The frames of the endpoint guide: one JSON object each, `{kind, …, taskId, seq}`.

use crate::a2a::TaskState;
use crate::devtool::{AgentThought, ConfirmationDetails, ConfirmationOption, TokenUsage, ToolCall};
use serde::{Deserialize, Serialize};

/// One frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    #[serde(flatten)]
    pub body: Body,
    /// The task, or the session that stands for it; absent before a connection follows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The entry it comes from; for what is not in the log, the newest entry before it.
    pub seq: u64,
}

/// The content of a frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Body {
    /// More text of the agent.
    TextContent { content: Text },
    /// A thought of the agent.
    Thought { content: AgentThought },
    /// A tool call changed.
    ToolCallUpdate(Box<ToolCall<ConfirmationRequest>>),
    /// Somebody else sent a prompt.
    UserMessage {
        /// The prompt.
        content: Text,
        sender: Sender,
    },
    /// The task stands elsewhere.
    StateChange {
        /// Where.
        state: TaskState,
        /// True if the turn has come to rest, or only asks remain.
        #[serde(rename = "final")]
        is_final: bool,
        /// A message about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<Text>,
        /// Tokens of the turn that is over.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<TokenUsage>,
    },
    /// A line for the console.
    ConsoleLog { content: LogLine },
    /// A frame without a JSON-RPC id was refused.
    Error {
        /// The JSON-RPC code.
        code: i64,
        /// Why.
        message: String,
        /// The client that decided the ask first.
        #[serde(skip_serializing_if = "Option::is_none")]
        decided_by: Option<String>,
    },
    /// Entries between the cursor the client gave and here cannot be shown.
    Gap {
        /// Why.
        message: String,
    },
}

/// Text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    pub text: String,
}

/// The sender of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sender {
    /// The name that it gives itself.
    pub label: String,
    /// The proven name.
    pub principal: String,
}

/// A line for the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// `debug`, `info`, `warn` or `error`.
    pub level: String,
    /// The line.
    pub text: String,
}

/// A question to a person, with the details in a wrapper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationRequest {
    /// The choices.
    pub options: Vec<ConfirmationOption>,
    /// The action that is about to happen.
    pub details: ConfirmationDetails,
}

impl From<crate::devtool::ConfirmationRequest> for ConfirmationRequest {
    fn from(request: crate::devtool::ConfirmationRequest) -> Self {
        ConfirmationRequest { options: request.options, details: request.details }
    }
}
