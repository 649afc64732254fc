//! A tool call as that server's scheduler has it, whole each time.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The model's request.
    pub request: Request,
    /// Where it is in its life.
    pub status: CallStatus,
    /// Details for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation_details: Option<ConfirmationDetails>,
    /// Its output so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_output: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// The choice of a person or of policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    pub tool: Tool,
}

/// The model's request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The call's id, which an answer names.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub args: Value,
    /// The call in words.
    pub display: Display,
    /// Always false: models call tools, clients do not.
    pub is_client_initiated: bool,
    /// The prompt it works for.
    #[serde(rename = "prompt_id")]
    pub prompt_id: String,
    /// The provider's name for the answer it came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The checkpoint of the workspace before it, for `restore`: known once that is saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// The task that runs it.
    pub scheduler_id: String,
}

/// Where a call is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It is looked at, or waits for others.
    Scheduled,
    /// A person has to decide.
    AwaitingApproval,
    /// It runs.
    Executing,
    /// It ran.
    Success,
    /// It could not run, or failed.
    Error,
    /// A person stopped it.
    Cancelled,
}

/// A call, or what came of it, in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Display {
    /// The tool's name.
    pub name: String,
    /// The subject of the call.
    pub description: String,
    /// The result, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_summary: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<DisplayResult>,
}

/// The result of a call, for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DisplayResult {
    /// A changed file.
    Diff {
        /// Its absolute path.
        path: String,
        before_text: String,
        after_text: String,
    },
    /// Text.
    Text { text: String },
}

/// The details that a person is shown before a call runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ConfirmationDetails {
    /// A change of a file.
    Edit {
        /// A line above it.
        title: String,
        /// The file, as a person would write it.
        file_name: String,
        /// Its absolute path.
        file_path: String,
        /// A unified diff.
        file_diff: String,
        /// Empty when the file does not exist.
        original_content: String,
        new_content: String,
    },
    /// A shell command.
    Exec {
        /// A line above it.
        title: String,
        /// The whole command.
        command: String,
        /// The programs it starts, in order.
        root_command: String,
        /// The commands without arguments, each once.
        root_commands: Vec<String>,
    },
    /// A tool of an MCP server.
    Mcp {
        /// A line above it.
        title: String,
        server_name: String,
        tool_name: String,
        /// The tool, for people.
        tool_display_name: String,
    },
    /// Anything else, in words.
    Info {
        /// A line above it.
        title: String,
        /// The action, or the question.
        prompt: String,
        /// The schema of the answers that are asked for. An addition of ours: that server cannot be answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
    },
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The call's id.
    pub call_id: String,
    /// An empty object when it went wrong; [`Self::error_type`] says how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// The parts for the model.
    pub response_parts: Vec<ResponsePart>,
    /// It, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<Display>,
    /// Text for a person, or a [`ToolFileDiff`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_display: Option<Value>,
    /// A short word for what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_type: Option<String>,
    /// The number of characters for the model.
    pub content_length: usize,
    /// For programs: the exit code of a command that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// One part of what the model is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponsePart {
    /// The answer to its call.
    pub function_response: FunctionResponse,
}

/// The answer to a model's call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionResponse {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// `output`, or `error`.
    pub response: Value,
}

/// A changed file, for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFileDiff {
    /// A unified diff.
    pub file_diff: String,
    /// The file, as a person would write it.
    pub file_name: String,
    /// Its absolute path.
    pub file_path: String,
    /// Empty when it did not exist.
    pub original_content: String,
    pub new_content: String,
    pub diff_stat: DiffStat,
    /// True if the call made it; nothing for a change that did not happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_new_file: Option<bool>,
}

/// The size of the model's change, and of the changes that a person made to it before it happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffStat {
    /// Lines that the model added.
    pub model_added_lines: usize,
    /// Lines that it took away.
    pub model_removed_lines: usize,
    /// The characters of the first, without line ends.
    pub model_added_chars: usize,
    /// The characters of the second.
    pub model_removed_chars: usize,
    /// Lines that the person added.
    pub user_added_lines: usize,
    /// Lines that they took away.
    pub user_removed_lines: usize,
    /// The characters of the first.
    pub user_added_chars: usize,
    /// The characters of the second.
    pub user_removed_chars: usize,
}

/// A tool. Its description and schema are not repeated in every event: `GET /tasks/{id}/metadata` has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    pub name: String,
    /// A name for people.
    pub display_name: String,
    pub kind: String,
    /// True if its output is Markdown.
    pub is_output_markdown: bool,
    /// True if it prints while it runs.
    pub can_update_output: bool,
}
