//! The names and kinds of tools that that server's clients know.

use pollux_session::{BuiltInTool, ToolKind, summarize_args};
use pollux_wire::coder::Tool;
use serde_json::Value;

/// The arguments that may be the subject of a call, in the order they are looked for.
const SUBJECTS: [&str; 9] =
    ["command", "file_path", "dir_path", "path", "pattern", "query", "url", "prompt", "description"];

/// The most characters of it that are repeated.
const SUBJECT_CHARS: usize = 200;

/// The tool called `name`. `kind` is what it was found to do, once somebody looked.
pub(super) fn tool(name: &str, kind: Option<ToolKind>) -> Tool {
    let (display_name, known) = gemini_cli_tool(name);
    let kind = known.or_else(|| kind.map(kind_name)).unwrap_or("other");
    Tool {
        name: name.to_owned(),
        display_name: display_name.unwrap_or(name).to_owned(),
        kind: kind.to_owned(),
        is_output_markdown: kind != "execute",
        can_update_output: kind == "execute" || kind == "agent",
    }
}

/// The subject of a call, in a few words.
pub(super) fn subject(args: &Value) -> String {
    let named = SUBJECTS.iter().find_map(|name| args.get(*name)?.as_str()).map(str::to_owned);
    let patched = || args.get("patch").map(|_| summarize_args(args));
    let named = named.or_else(patched).unwrap_or_default();
    named.chars().take(SUBJECT_CHARS).collect()
}

/// The name and the kind that the tools of Gemini CLI have there; those that it does not have, none.
fn gemini_cli_tool(name: &str) -> (Option<&'static str>, Option<&'static str>) {
    let Some(tool) = BuiltInTool::from_name(name) else { return (None, None) };
    let (display_name, kind) = match tool {
        BuiltInTool::AskUser => ("Ask User", "communicate"),
        BuiltInTool::EnterPlanMode => ("Enter Plan Mode", "plan"),
        BuiltInTool::ExitPlanMode => ("Exit Plan Mode", "plan"),
        BuiltInTool::Glob => ("FindFiles", "search"),
        BuiltInTool::GoogleWebSearch => ("GoogleSearch", "search"),
        BuiltInTool::GrepSearch => ("SearchText", "search"),
        BuiltInTool::InvokeAgent => ("Agent", "agent"),
        BuiltInTool::ListDirectory => ("ReadFolder", "search"),
        BuiltInTool::ReadFile => ("ReadFile", "read"),
        BuiltInTool::Replace => ("Edit", "edit"),
        BuiltInTool::RunShellCommand => ("Shell", "execute"),
        BuiltInTool::SaveMemory => ("SaveMemory", "think"),
        BuiltInTool::WebFetch => ("WebFetch", "fetch"),
        BuiltInTool::WriteFile => ("WriteFile", "edit"),
        BuiltInTool::WriteTodos => ("WriteTodos", "think"),
        BuiltInTool::ApplyPatch
        | BuiltInTool::Elicitation
        | BuiltInTool::ListBackgroundProcesses
        | BuiltInTool::ListMcpResources
        | BuiltInTool::ReadBackgroundOutput
        | BuiltInTool::WriteBackgroundInput
        | BuiltInTool::ReadMcpResource
        | BuiltInTool::RemoteAsk
        | BuiltInTool::RestoreCheckpoint => return (None, None),
    };
    (Some(display_name), Some(kind))
}

fn kind_name(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Execute => "execute",
        ToolKind::Fetch => "fetch",
        ToolKind::Converse => "communicate",
        ToolKind::Delegate => "agent",
    }
}
