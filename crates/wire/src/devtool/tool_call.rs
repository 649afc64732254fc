//! A tool call, sent whole on every update.

use super::{ConfirmationRequest, FileDiff};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool call. `C` is how its dialect writes the confirmation request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall<C = ConfirmationRequest> {
    /// Its id, which correlates the answer.
    pub tool_call_id: String,
    /// Where it is in its life.
    pub status: ToolCallStatus,
    pub tool_name: String,
    /// Its purpose, when the model said so.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The arguments as the model gave them.
    #[serde(default)]
    pub input_parameters: Value,
    /// The newest part of its output so far.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub live_content: Option<String>,
    #[serde(flatten, default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub result: Option<ToolCallResult>,
    /// The open question to a person.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub confirmation_request: Option<C>,
}

impl<C> ToolCall<C> {
    /// The call with its confirmation request written another way.
    pub fn map_request<D>(self, respell: impl FnOnce(C) -> D) -> ToolCall<D> {
        ToolCall {
            tool_call_id: self.tool_call_id,
            status: self.status,
            tool_name: self.tool_name,
            description: self.description,
            input_parameters: self.input_parameters,
            live_content: self.live_content,
            result: self.result,
            confirmation_request: self.confirmation_request.map(respell),
        }
    }
}

/// Where a tool call is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ToolCallStatus {
    /// It waits: for a person when there is a confirmation request, else for its turn to run.
    Pending,
    /// It runs.
    Executing,
    /// It did its work.
    Succeeded,
    /// It did not.
    Failed,
    /// It was not to run, or not to go on.
    Cancelled,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallResult {
    /// It did its work.
    Output(ToolOutput),
    /// It did not.
    Error(ErrorDetails),
}

/// The output of a successful call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutput {
    /// Text.
    Text(String),
    /// A changed file.
    Diff(FileDiff),
    /// Any other object.
    StructuredData(Value),
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorDetails {
    /// A sentence for people.
    pub message: String,
    /// A word for programs.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The exit code of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<i32>,
}
