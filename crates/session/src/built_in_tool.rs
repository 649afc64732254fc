//! The tools that come with Pollux, in one table: what they are called, what they do to the world and how people read them.
//! Whoever treats some of them in a special way matches over the enum, so that a new tool is met there by the compiler.

use crate::{ToolKind, all_variants};

/// A tool of Pollux's own. Tools of MCP servers are none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltInTool {
    ApplyPatch,
    AskUser,
    Elicitation,
    EnterPlanMode,
    ExitPlanMode,
    Glob,
    GoogleWebSearch,
    GrepSearch,
    InvokeAgent,
    ListBackgroundProcesses,
    ListDirectory,
    ListMcpResources,
    ReadBackgroundOutput,
    ReadFile,
    ReadMcpResource,
    RemoteAsk,
    Replace,
    RestoreCheckpoint,
    RunShellCommand,
    SaveMemory,
    WebFetch,
    WriteBackgroundInput,
    WriteFile,
    WriteTodos,
}

/// A row of the table.
struct ToolFacts {
    name: &'static str,
    /// A name that it had before, here or in Gemini CLI; settings and rules may still use it.
    former_name: Option<&'static str>,
    kind: ToolKind,
    /// The heading of its ask: `Run a command`.
    action: &'static str,
    /// The noun in a grant of all its calls: every `command`.
    calls: &'static str,
}

all_variants! {
    /// All of them.
    pub BuiltInTool:
        ApplyPatch,
        AskUser,
        Elicitation,
        EnterPlanMode,
        ExitPlanMode,
        Glob,
        GoogleWebSearch,
        GrepSearch,
        InvokeAgent,
        ListBackgroundProcesses,
        ListDirectory,
        ListMcpResources,
        ReadBackgroundOutput,
        ReadFile,
        ReadMcpResource,
        RemoteAsk,
        Replace,
        RestoreCheckpoint,
        RunShellCommand,
        SaveMemory,
        WebFetch,
        WriteBackgroundInput,
        WriteFile,
        WriteTodos,
}

impl BuiltInTool {
    const fn facts(self) -> ToolFacts {
        use ToolKind::{Converse, Delegate, Edit, Execute, Fetch, Read};
        let (name, kind, action, calls) = match self {
            BuiltInTool::ApplyPatch => ("apply_patch", Edit, "Change files", "patch"),
            BuiltInTool::AskUser => ("ask_user", Converse, "Question", "question"),
            BuiltInTool::Elicitation => {
                ("elicitation", Converse, "Question of an MCP server", "question of an MCP server")
            }
            BuiltInTool::EnterPlanMode => ("enter_plan_mode", Converse, "Plan first", "start of planning"),
            BuiltInTool::ExitPlanMode => ("exit_plan_mode", Converse, "Approve a plan", "plan"),
            BuiltInTool::Glob => ("glob", Read, "Find files", "search for files"),
            BuiltInTool::GoogleWebSearch => ("google_web_search", Fetch, "Search the web", "web search"),
            BuiltInTool::GrepSearch => ("grep_search", Read, "Search in files", "search in files"),
            BuiltInTool::InvokeAgent => ("invoke_agent", Delegate, "Run an agent", "run of an agent"),
            BuiltInTool::ListBackgroundProcesses => {
                ("list_background_processes", Read, "List background commands", "listing of background commands")
            }
            BuiltInTool::ListDirectory => ("list_directory", Read, "List a folder", "folder listing"),
            BuiltInTool::ListMcpResources => {
                ("list_mcp_resources", Fetch, "List MCP resources", "listing of MCP resources")
            }
            BuiltInTool::ReadBackgroundOutput => (
                "read_background_output",
                Read,
                "Read a background command's output",
                "reading of a background command's output",
            ),
            BuiltInTool::ReadFile => ("read_file", Read, "Read a file", "file read"),
            BuiltInTool::ReadMcpResource => {
                ("read_mcp_resource", Fetch, "Read an MCP resource", "reading of an MCP resource")
            }
            BuiltInTool::RemoteAsk => {
                ("remote_ask", Converse, "Question of another agent", "question of another agent")
            }
            BuiltInTool::Replace => ("replace", Edit, "Edit a file", "file edit"),
            BuiltInTool::RestoreCheckpoint => ("restore_checkpoint", Edit, "Restore files", "restoring of files"),
            BuiltInTool::RunShellCommand => ("run_shell_command", Execute, "Run a command", "command"),
            BuiltInTool::SaveMemory => ("save_memory", Edit, "Remember a fact", "fact to remember"),
            BuiltInTool::WebFetch => ("web_fetch", Fetch, "Fetch a web page", "fetch of a web page"),
            BuiltInTool::WriteBackgroundInput => (
                "write_background_input",
                Execute,
                "Send input to a background command",
                "input to a background command",
            ),
            BuiltInTool::WriteFile => ("write_file", Edit, "Write a file", "file write"),
            BuiltInTool::WriteTodos => ("write_todos", Read, "Update the to-do list", "update of the to-do list"),
        };
        let former_name = match self {
            BuiltInTool::GrepSearch => Some("search_file_content"),
            BuiltInTool::RunShellCommand => Some("ShellTool"),
            _ => None,
        };
        ToolFacts { name, former_name, kind, action, calls }
    }

    /// The tool that has this name.
    pub fn from_name(name: &str) -> Option<BuiltInTool> {
        BuiltInTool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The name that a tool of this name has today, where settings and rules may still have the one from before.
    pub fn current_name(name: &str) -> &str {
        let renamed = BuiltInTool::ALL.into_iter().find(|tool| tool.facts().former_name == Some(name));
        match renamed {
            Some(tool) => tool.name(),
            None => name,
        }
    }

    /// The name that the model, rules and logs use.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The kind of its effects.
    pub const fn kind(self) -> ToolKind {
        self.facts().kind
    }

    /// True if all it does is to write, move or delete files of the workspace, as it was shown.
    pub const fn changes_file(self) -> bool {
        matches!(self, BuiltInTool::ApplyPatch | BuiltInTool::WriteFile | BuiltInTool::Replace)
    }

    /// The heading of its ask: `Run a command`.
    pub const fn action(self) -> &'static str {
        self.facts().action
    }

    /// The noun for its calls where all of them are allowed: every `command`.
    pub const fn calls(self) -> &'static str {
        self.facts().calls
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_tools_are_called_the_same() {
        for word in [BuiltInTool::name, BuiltInTool::action, BuiltInTool::calls] {
            let words = BTreeSet::from_iter(BuiltInTool::ALL.map(word));
            assert_eq!(words.len(), BuiltInTool::ALL.len());
        }
    }

    #[test]
    fn a_former_name_stands_for_the_tool_and_is_none_itself() {
        assert_eq!(BuiltInTool::current_name("search_file_content"), "grep_search");
        assert_eq!(BuiltInTool::current_name("mcp_a_b"), "mcp_a_b");
        assert_eq!(BuiltInTool::from_name("search_file_content"), None);
        assert_eq!(BuiltInTool::from_name("glob"), Some(BuiltInTool::Glob));
    }
}
