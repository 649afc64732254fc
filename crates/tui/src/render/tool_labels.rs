//! What tools are called where a person decides about a call. Elsewhere they have the names that rules and models use, and
//! so do tools of MCP servers everywhere: what matters there is which one it is.

use super::call::{short_name, summary};
use crate::sanitize::one_line;
use crate::seat_view::SeatView;
use pollux_session::{AskDetails, AskOption, CallId, CallState, Grant, ToolKind};
use serde_json::Value;

/// A tool's name, what a call of it is asked as, and what a grant of all of them is for.
const TOOL_LABELS: [(&str, &str, &str); 22] = [
    ("run_shell_command", "Run a command", "command"),
    ("write_file", "Write a file", "file write"),
    ("replace", "Edit a file", "file edit"),
    ("read_file", "Read a file", "file read"),
    ("list_directory", "List a folder", "folder listing"),
    ("glob", "Find files", "search for files"),
    ("grep_search", "Search in files", "search in files"),
    ("web_fetch", "Fetch a web page", "fetch of a web page"),
    ("google_web_search", "Search the web", "web search"),
    ("save_memory", "Remember a fact", "fact to remember"),
    ("write_todos", "Update the to-do list", "update of the to-do list"),
    ("list_background_processes", "List background commands", "listing of background commands"),
    ("read_background_output", "Read a background command's output", "reading of a background command's output"),
    ("invoke_agent", "Run an agent", "run of an agent"),
    ("enter_plan_mode", "Plan first", "start of planning"),
    ("exit_plan_mode", "Approve a plan", "plan"),
    ("restore_checkpoint", "Restore files", "restoring of files"),
    ("list_mcp_resources", "List MCP resources", "listing of MCP resources"),
    ("read_mcp_resource", "Read an MCP resource", "reading of an MCP resource"),
    ("ask_user", "Question", "question"),
    ("elicitation", "Question of an MCP server", "question of an MCP server"),
    ("remote_ask", "Question of another agent", "question of another agent"),
];

fn tool_labels(tool: &str) -> Option<(&'static str, &'static str)> {
    TOOL_LABELS.iter().find(|(name, ..)| *name == tool).map(|(_, action, calls)| (*action, *calls))
}

/// What a call asks for: `Run a command  npm test`, with who had it made, if that is another call.
pub(crate) fn ask_heading(view: &SeatView, id: CallId) -> String {
    let Some(call) = view.call(id) else { return id.to_string() };
    let action = action_label(call);
    let asked = match summary(&call.args) {
        // What it says to the person is below.
        _ if call.kind == ToolKind::Converse => action,
        about if about.is_empty() => action,
        about => format!("{action}  {about}"),
    };
    match call.parent.and_then(|parent| view.call(parent)) {
        Some(parent) => format!("{asked}  (for {})", short_name(&parent.tool, &parent.args)),
        None => asked,
    }
}

fn action_label(call: &CallState) -> String {
    let exact = short_name(&call.tool, &call.args);
    match (call.ask.as_ref().map(|ask| &ask.details), tool_labels(&call.tool)) {
        (Some(AskDetails::Mcp { .. }), _) => format!("Call an MCP tool  {exact}"),
        (_, Some((action, _))) => match call.args.get("agent_name").and_then(Value::as_str) {
            Some(agent) => format!("{action}  {}", one_line(agent, super::MARK_CHARS)),
            None => action.to_owned(),
        },
        (_, None) => exact,
    }
}

/// What an option is called: `Allow every file edit in this session`.
pub(crate) fn choice_label(choice: &AskOption) -> String {
    let plain = match &choice.grant {
        Some(Grant::Tool { tool }) => tool_labels(tool).map(|(_, calls)| (format!("every {tool} "), calls)),
        Some(_) | None => None,
    };
    let name = one_line(&choice.name, usize::MAX);
    match plain {
        Some((exact, calls)) => name.replacen(&exact, &format!("every {calls} "), 1),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{TOOL_LABELS, choice_label};
    use pollux_session::{AskOption, Grant, GrantScope, cancel_choice, lasting_choice, once_choice, session_choice};
    use pretty_assertions::assert_eq;

    fn tool(tool: &str) -> Grant {
        Grant::Tool { tool: tool.into() }
    }

    #[test]
    fn options_name_what_is_allowed_in_plain_words() {
        let command = Grant::Command { command: "echo every replace ".into(), directory: None };
        let labels = [
            (once_choice(), "Allow once"),
            (session_choice(tool("replace")), "Allow every file edit in this session"),
            (lasting_choice(tool("write_file"), GrantScope::Always), "Allow every file write everywhere from now on"),
            (session_choice(tool("tickets__add")), "Allow every tickets__add in this session"),
            (session_choice(command), "Allow `echo every replace ` in this session"),
            (cancel_choice(), "Cancel"),
        ];
        for (choice, label) in labels {
            assert_eq!(choice_label(&choice), label);
        }
        // What a server elsewhere calls it is not ours to change.
        let own = AskOption { name: "Yes, always".into(), ..session_choice(tool("replace")) };
        assert_eq!(choice_label(&own), "Yes, always");
    }

    #[test]
    fn no_two_tools_are_called_the_same() {
        for (at, (name, action, calls)) in TOOL_LABELS.iter().enumerate() {
            for (other, (_, same_action, same_calls)) in
                TOOL_LABELS.iter().enumerate().filter(|(other, _)| *other != at)
            {
                assert!(action != same_action && calls != same_calls, "{name} and {}", TOOL_LABELS[other].0);
            }
        }
    }
}
