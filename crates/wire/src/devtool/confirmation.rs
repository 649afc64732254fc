//! The question to a person before a call runs, and their answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationRequest {
    /// The choices.
    pub options: Vec<ConfirmationOption>,
    /// The action, beside the options.
    #[serde(flatten)]
    pub details: ConfirmationDetails,
}

/// One choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationOption {
    /// Its id: what an answer names.
    pub id: String,
    /// Its label.
    pub name: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The action that is about to happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmationDetails {
    /// A command.
    ExecuteDetails(ExecuteDetails),
    /// A change of a file.
    FileEditDetails(FileDiff),
    /// A call of an MCP tool.
    McpDetails(McpDetails),
    /// Anything else.
    GenericDetails(GenericDetails),
}

/// A command about to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecuteDetails {
    /// The whole command.
    pub command: String,
    /// Where it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// Its name as a person would write it.
    pub file_name: String,
    /// Its absolute path.
    pub file_path: String,
    /// Its content now, if it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_content: Option<String>,
    pub new_content: String,
    /// A unified diff for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formatted_diff: Option<String>,
}

/// A call of an MCP tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpDetails {
    /// The MCP server.
    pub server_name: String,
    pub tool_name: String,
}

/// Anything else about to happen, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenericDetails {
    /// The words.
    pub description: String,
    /// The JSON schema of what an answer may carry. Not in the extension: an addition of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// A person's answer, as a strict client writes it. The server reads many more spellings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallConfirmation {
    pub tool_call_id: String,
    /// The choice.
    pub selected_option_id: String,
    /// New content instead of what was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_details: Option<ModifiedFileDetails>,
    /// Answers in the shape of the schema that came with the request. Not in the extension: an addition of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Value>,
}

/// New content instead of what was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModifiedFileDetails {
    pub new_content: String,
}
