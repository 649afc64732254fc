//! Slash commands on the wire: the extension's `commands/get` and `command/execute` in snake_case, and the routes of
//! Google's server in camelCase, where a sub-command has its whole name.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The answer to `commands/get`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetAllSlashCommandsResponse {
    pub commands: Vec<SlashCommand>,
}

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlashCommand {
    /// Its own word.
    pub name: String,
    pub description: String,
    #[serde(default)]
    pub arguments: Vec<SlashCommandArgument>,
    /// The commands below it.
    #[serde(default)]
    pub sub_commands: Vec<SlashCommand>,
}

/// An argument of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlashCommandArgument {
    pub name: String,
    pub description: String,
    /// True if the command cannot do without it.
    #[serde(default)]
    pub is_required: bool,
}

/// The parameters of `command/execute`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecuteSlashCommandRequest {
    /// The words of the command: `["memory", "add"]`.
    #[serde(alias = "commandPath")]
    pub command_path: Vec<String>,
    /// The text after them.
    #[serde(default)]
    pub args: String,
    /// A task of the session to run it in. Not in the extension: an addition of ours.
    #[serde(default, alias = "taskId", skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The label of that session. Not in the extension: an addition of ours.
    #[serde(default, alias = "contextId", skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
}

/// The state of a command so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CommandExecutionStatus {
    /// It runs, or has run.
    Started,
    /// There is no such command, or it cannot be run so.
    FailedToStart,
    /// A person has to confirm a shell command first.
    AwaitingShellConfirmation,
    /// A person has to confirm something else first.
    AwaitingActionConfirmation,
}

/// The answer to `command/execute`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecuteSlashCommandResponse {
    /// The task that the command is; empty when none was begun.
    pub execution_id: String,
    pub status: CommandExecutionStatus,
    /// A message about that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// The answer to `GET /listCommands`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedCommands {
    pub commands: Vec<ListedCommand>,
}

/// A command as `GET /listCommands` shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCommand {
    /// Its whole name: `memory show`.
    pub name: String,
    pub description: String,
    pub arguments: Vec<ListedArgument>,
    /// The commands below it.
    pub sub_commands: Vec<ListedCommand>,
}

/// An argument of a command, as `GET /listCommands` shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedArgument {
    pub name: String,
    pub description: String,
    /// True if the command cannot do without it.
    pub is_required: bool,
}

/// The answer to `POST /executeCommand`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Executed {
    /// The command that ran, with its sub-command.
    pub name: String,
    /// Its output.
    pub data: Value,
}
