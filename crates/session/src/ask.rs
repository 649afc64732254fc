//! What a call shows a person before it runs, and what they may choose.

use crate::built_in_tool::BuiltInTool;
use crate::describe::describe_reach;
use crate::patched_file::PatchedFile;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// A call waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// What is about to happen. It never changes: if the world does, the call is superseded and a new one asks.
    pub details: AskDetails,
    /// The choices, in the order they are shown.
    pub options: Vec<AskOption>,
    /// SHA-256 of the details, in hex: what was shown is what runs.
    pub hash: String,
    /// Why it asks, for people, where the call itself does not show it: the folder is not trusted, for example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Ask {
    /// An ask about `details`. The hash is made here, so it cannot disagree.
    pub fn new(details: AskDetails, options: Vec<AskOption>) -> Ask {
        use sha2::{Digest, Sha256};
        let text = serde_json::to_vec(&details).unwrap_or_default();
        let hash = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        Ask { details, options, hash, reason: None }
    }

    /// The same ask, with why it asks.
    #[must_use]
    pub fn with_reason(self, reason: Option<String>) -> Ask {
        Ask { reason, ..self }
    }
}

/// What a call is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AskDetails {
    /// Run a shell command.
    Execute {
        /// The whole command.
        command: String,
        /// The directory it runs in.
        directory: String,
    },
    /// Change a file.
    Edit(FileDiff),
    /// Change, add, move or delete files, all of them or none.
    Patch {
        /// The files, in the order of the patch.
        files: Vec<PatchedFile>,
    },
    /// Anything else, in words: a fetch, a question, a plan.
    Generic {
        /// What will happen, or what is asked.
        description: String,
        /// The JSON schema of what a person may send along with the answer, when they are asked for something.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
    },
    /// Call a tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// Its tool.
        tool: String,
        /// What the tool was when the call was vetted. Logs before it was recorded have none.
        #[serde(default, skip_serializing_if = "McpToolVersion::is_unknown")]
        version: McpToolVersion,
    },
}

/// Tells a tool of an MCP server from what the server may turn it into: a server can change its tools at any time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpToolVersion {
    /// SHA-256, in hex, of how the server is reached and of the tool's name, description and input schema.
    pub tool_digest: String,
    /// SHA-256, in hex, of how the server is reached and of all the tools it offers.
    pub server_digest: String,
    /// Whether somebody had allowed the tool or its server for good, and the server has changed it since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

impl McpToolVersion {
    fn is_unknown(&self) -> bool {
        *self == McpToolVersion::default()
    }

    /// What a person is told who is asked about a tool that was allowed before.
    pub fn change_notice(&self) -> Option<&'static str> {
        self.changed.then_some("The server has changed its tools since this was allowed.")
    }

    /// Whether both are the same version of one tool. What is not known is the same as nothing.
    pub fn is_same_tool(&self, other: &McpToolVersion) -> bool {
        !self.tool_digest.is_empty() && self.tool_digest == other.tool_digest
    }
}

/// Tells an agent that work is handed to from what its file may turn it into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvokedAgent {
    /// Its name.
    pub name: String,
    /// SHA-256, in hex, of all that decides who gets the work: its name, its address and secret or its prompt and tools.
    pub digest: String,
    /// Whether the workspace brings its file. Then nothing is allowed for longer than the session: whoever writes into the
    /// workspace decides what the agent is.
    pub is_workspaces: bool,
}

impl AskDetails {
    /// Something in words that asks for nothing but a choice.
    pub fn generic(description: impl Into<String>) -> AskDetails {
        AskDetails::Generic { description: description.into(), schema: None }
    }
}

/// A change of one file, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// The path as a person would write it: relative to the workspace.
    pub name: String,
    /// The absolute path.
    pub path: String,
    /// What the file holds now; `None` when it does not exist.
    pub old: Option<String>,
    /// What it will hold.
    pub new: String,
    /// A unified diff for display.
    pub patch: String,
}

impl FileDiff {
    /// About how many bytes it takes.
    pub fn weight(&self) -> usize {
        self.old.as_ref().map_or(0, String::len) + self.new.len() + self.patch.len() + self.name.len()
    }

    /// The numbers of lines that it adds and removes. The two header lines of the patch are no lines of the file.
    pub fn changed_lines(&self) -> (u64, u64) {
        let body = self.patch.lines().skip_while(|line| !line.starts_with("@@"));
        body.fold((0, 0), |(added, removed), line| match line.as_bytes().first() {
            Some(b'+') => (added + 1, removed),
            Some(b'-') => (added, removed + 1),
            _ => (added, removed),
        })
    }
}

/// One option of an ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskOption {
    /// Google's outcome string: `proceed_once`, `proceed_always`, `cancel`.
    pub id: String,
    /// The label. It says exactly what is granted.
    pub name: String,
    /// Whether choosing it lets the call run.
    pub allows: bool,
    /// What else it allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<Grant>,
    /// How far that goes.
    #[serde(default, skip_serializing_if = "GrantScope::is_session")]
    pub reach: GrantScope,
}

/// How far a grant goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// Until the session ends.
    #[default]
    Session,
    /// For this workspace, in every session.
    Workspace,
    /// Everywhere, for good.
    Always,
}

impl GrantScope {
    pub(crate) fn is_session(&self) -> bool {
        *self == GrantScope::Session
    }
}

/// Run this call, once.
pub fn once_choice() -> AskOption {
    AskOption {
        id: "proceed_once".into(),
        name: "Allow once".into(),
        allows: true,
        grant: None,
        reach: GrantScope::Session,
    }
}

/// Run this call and, for the rest of the session, everything `grant` covers. The label says what that is.
pub fn session_choice(grant: Grant) -> AskOption {
    let name = format!("Allow {grant} {}", describe_reach(GrantScope::Session));
    AskOption { id: "proceed_always".into(), name, allows: true, grant: Some(grant), reach: GrantScope::Session }
}

/// Run this call and, in every session of this workspace or everywhere, everything `grant` covers.
pub fn lasting_choice(grant: Grant, reach: GrantScope) -> AskOption {
    let id = match reach {
        GrantScope::Session => return session_choice(grant),
        GrantScope::Workspace => "proceed_always_workspace",
        GrantScope::Always => "proceed_always_and_save",
    };
    let name = format!("Allow {grant} {}", describe_reach(reach));
    AskOption { id: id.into(), name, allows: true, grant: Some(grant), reach }
}

/// Do not run it.
pub fn cancel_choice() -> AskOption {
    AskOption { id: "cancel".into(), name: "Cancel".into(), allows: false, grant: None, reach: GrantScope::Session }
}

/// The workspace itself, as the directory of a grant.
pub const WORKSPACE_DIRECTORY: &str = ".";

/// A standing permission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Grant {
    /// Every call of one tool. It covers no tool of an MCP server and no agent: see [`Grant::McpTool`] and [`Grant::Agent`].
    Tool {
        /// The tool's name.
        tool: String,
    },
    /// Every call of the tools that only change files as shown: [`crate::BuiltInTool::changes_file`]. They reach no file outside the workspace.
    FileChanges,
    /// One shell command, to the letter.
    Command {
        /// The command.
        command: String,
        /// The directory it was shown with: relative to the workspace, `.` for the workspace itself, absolute outside it. A
        /// grant from before directories were recorded has none, and covers nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
    },
    /// Every plain shell command that begins with these words and has no other options than harmless ones and those that
    /// were shown.
    Prefix {
        /// The words.
        words: Vec<String>,
        /// The options that were shown and are not known to be harmless, each with the word behind it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        /// As for [`Grant::Command`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
    },
    /// Every tool of one MCP server, whatever it becomes. Only old logs have it, and it covers nothing any more.
    Server {
        /// The server.
        server: String,
    },
    /// Every call of one tool of an MCP server, until the server changes that tool.
    McpTool {
        /// The tool's name, as a model calls it.
        tool: String,
        /// See [`McpToolVersion::tool_digest`].
        digest: String,
    },
    /// Every tool of one MCP server, until the server changes any of them or offers others.
    McpServer {
        /// The server.
        server: String,
        /// See [`McpToolVersion::server_digest`].
        digest: String,
    },
    /// Every job for one agent, until its file makes another agent of it.
    Agent {
        /// The agent.
        agent: String,
        /// See [`InvokedAgent::digest`].
        digest: String,
    },
    /// Reading, listing and searching one directory outside the workspace, with everything below it. It lasts for a session at
    /// most, covers no sub-agent, and files with protected names ask all the same.
    ReadDirectory {
        /// Its real path.
        directory: String,
    },
}

impl Grant {
    /// Whether it can be given for longer than a session.
    pub fn can_last(&self) -> bool {
        !matches!(self, Grant::ReadDirectory { .. })
    }

    /// Whether it allows tools to change files: all of them, or one.
    pub(crate) fn allows_file_changes(&self) -> bool {
        match self {
            Grant::FileChanges => true,
            Grant::Tool { tool } => BuiltInTool::from_name(tool).is_some_and(BuiltInTool::changes_file),
            Grant::Command { .. }
            | Grant::Prefix { .. }
            | Grant::Server { .. }
            | Grant::McpTool { .. }
            | Grant::McpServer { .. }
            | Grant::Agent { .. }
            | Grant::ReadDirectory { .. } => false,
        }
    }
}

/// Where a grant holds, if that is not the workspace itself.
struct InDirectory<'a>(Option<&'a str>);

impl fmt::Display for InDirectory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None | Some(WORKSPACE_DIRECTORY) => Ok(()),
            Some(directory) => write!(f, " in {directory}"),
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grant::Tool { tool } => write!(f, "every {tool}"),
            Grant::FileChanges => f.write_str("every file write and edit"),
            Grant::Command { command, directory } => write!(f, "`{command}`{}", InDirectory(directory.as_deref())),
            Grant::Prefix { words, options, directory } => {
                write!(f, "every command that begins with `{}`", words.join(" "))?;
                match options.as_slice() {
                    [] => f.write_str(" (with another option it asks)")?,
                    options => write!(f, " (also with {}; with another option it asks)", options.join(", "))?,
                }
                write!(f, "{}", InDirectory(directory.as_deref()))
            }
            Grant::Server { server } => write!(f, "every tool of the MCP server {server}"),
            Grant::McpTool { tool, .. } => write!(f, "every {tool} (as it is now)"),
            Grant::McpServer { server, .. } => write!(f, "every tool of the MCP server {server} (as they are now)"),
            Grant::Agent { agent, .. } => write!(f, "every job for the agent {agent} (as it is now)"),
            Grant::ReadDirectory { directory } => write!(f, "reading in {directory}"),
        }
    }
}

/// A file of a patch as a person wants it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedFile {
    /// The absolute path that it was shown with.
    pub path: String,
    /// What gets written instead.
    pub new: String,
}

/// What a person changed before they allowed a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerEdit {
    /// The file's new content.
    Content {
        /// What gets written instead.
        new: String,
    },
    /// The new content of some files of a patch. The others stay as they were shown.
    Files {
        /// The files that were changed.
        files: Vec<EditedFile>,
    },
    /// What they were asked for: answers to questions, feedback on a plan.
    Answers {
        /// In the shape the ask's schema gives.
        answers: Value,
    },
}
