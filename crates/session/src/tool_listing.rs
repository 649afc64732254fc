//! The commands as every surface lists them. Their work is the agent's.

use serde::{Deserialize, Serialize};

/// A command that a prompt can name: `/name sub words`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandInfo {
    /// Its name, without the slash; in a sub-command only its own word.
    pub name: String,
    /// One line.
    pub description: String,
    pub arguments: Vec<ArgumentInfo>,
    /// The commands below it.
    pub subcommands: Vec<CommandInfo>,
}

/// One thing that a command takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentInfo {
    pub name: String,
    /// Its purpose, in one line.
    pub description: String,
    pub required: bool,
}

impl CommandInfo {
    /// Its description and the names of the commands below it, in one line.
    pub fn summary(&self) -> String {
        let names: Vec<&str> = self.subcommands.iter().map(|sub| sub.name.as_str()).collect();
        if names.is_empty() { self.description.clone() } else { format!("{} ({})", self.description, names.join(", ")) }
    }

    /// All ways to use it, in a line: `/chat save TAG, /chat list`.
    pub fn usage(&self) -> String {
        let with = |name: &str, arguments: &[ArgumentInfo]| {
            let words = arguments.iter().map(|argument| match argument.required {
                true => format!(" {}", argument.name.to_uppercase()),
                false => format!(" [{}]", argument.name.to_uppercase()),
            });
            format!("/{name}{}", words.collect::<String>())
        };
        match self.subcommands.as_slice() {
            [] => with(&self.name, &self.arguments),
            subs => {
                let each = subs.iter().map(|sub| with(&format!("{} {}", self.name, sub.name), &sub.arguments));
                each.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// The command at `path` in `commands`: `["memory", "add"]` is the sub-command `add` of `memory`.
    pub fn at<'a>(commands: &'a [CommandInfo], path: &[&str]) -> Option<&'a CommandInfo> {
        let (first, rest) = path.split_first()?;
        let command = commands.iter().find(|command| command.name == *first)?;
        if rest.is_empty() { Some(command) } else { CommandInfo::at(&command.subcommands, rest) }
    }
}

/// The model, the tools and the servers of a session, as surfaces list them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionTools {
    /// The tools that the model may call.
    pub tools: Vec<ToolInfo>,
    /// The MCP servers, connected or not.
    pub servers: Vec<ServerInfo>,
}

/// A tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolInfo {
    pub name: String,
    pub description: String,
    /// The JSON schema of its arguments; null when nobody knows it.
    pub schema: serde_json::Value,
}

/// An MCP server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerInfo {
    pub name: String,
    pub status: ServerStatus,
    pub tools: Vec<ToolInfo>,
}

/// The state of an MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerStatus {
    /// It is being reached.
    Connecting,
    /// It answers.
    Connected,
    /// It does not.
    Disconnected,
}

impl ServerStatus {
    /// The word people see.
    pub fn name(self) -> &'static str {
        match self {
            ServerStatus::Connecting => "connecting",
            ServerStatus::Connected => "connected",
            ServerStatus::Disconnected => "disconnected",
        }
    }
}
