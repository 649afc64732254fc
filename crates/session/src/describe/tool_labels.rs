//! Names of tools where a person decides about a call. Elsewhere they have the names that rules and models use, and so
//! do tools of MCP servers everywhere: there it matters which one it is.

use super::call::{short_name, summarize_args};
use super::wording::MARK_CHARS;
use crate::ask::{AskDetails, AskOption, Grant, cancel_choice};
use crate::built_in_tool::BuiltInTool;
use crate::call::{CallState, ToolKind};
use crate::ids::CallId;
use crate::sanitize::one_line;
use crate::state::SessionState;
use serde_json::Value;

/// The longest command that an option quotes, in characters: with the words around it, it has one row of 80 columns.
const QUOTED_CHARS: usize = 40;

/// The heading of a call's ask: `Run a command  npm test`, with the call that had it made, if there is one.
pub fn ask_heading(state: &SessionState, id: CallId) -> String {
    let calls = state.turn.as_ref().map(|turn| &turn.calls);
    let Some(call) = calls.and_then(|calls| calls.get(&id)) else { return id.to_string() };
    let action = action_label(call);
    let asked = match summarize_args(&call.args) {
        // What it says to the person is below.
        _ if call.kind == ToolKind::Converse => action,
        about if about.is_empty() => action,
        about => format!("{action}  {about}"),
    };
    match call.parent.and_then(|parent| calls?.get(&parent)) {
        Some(parent) => format!("{asked}  (for {})", short_name(&parent.tool, &parent.args)),
        None => asked,
    }
}

fn action_label(call: &CallState) -> String {
    let exact = short_name(&call.tool, &call.args);
    match (call.ask.as_ref().map(|ask| &ask.details), BuiltInTool::from_name(&call.tool)) {
        (Some(AskDetails::Mcp { .. }), _) => format!("Call an MCP tool  {exact}"),
        (_, Some(tool)) => match call.args.get("agent_name").and_then(Value::as_str) {
            Some(agent) => format!("{}  {}", tool.action(), one_line(agent, MARK_CHARS)),
            None => tool.action().to_owned(),
        },
        (_, None) => exact,
    }
}

/// The label of an option: `Allow every file edit in this session`. The wire's "Cancel" is "Decline" for people:
/// cancelling is what Ctrl+C does to a turn.
pub fn choice_label(choice: &AskOption) -> String {
    if *choice == cancel_choice() {
        return "Decline".to_owned();
    }
    let plain = match &choice.grant {
        Some(Grant::Tool { tool }) => {
            BuiltInTool::from_name(tool).map(|tool| (format!("every {} ", tool.name()), tool.calls()))
        }
        Some(_) | None => None,
    };
    let name = match &choice.grant {
        // The ask shows it whole, once.
        Some(Grant::Command { command, .. }) if is_long(command) => {
            one_line(&choice.name.replacen(&format!("`{command}`"), "exactly this command", 1), usize::MAX)
        }
        Some(_) | None => one_line(&choice.name, usize::MAX),
    };
    match plain {
        Some((exact, calls)) => name.replacen(&exact, &format!("every {calls} "), 1),
        None => name,
    }
}

/// Whether a command takes more than a row of an option that quotes it.
fn is_long(command: &str) -> bool {
    command.contains('\n') || command.chars().count() > QUOTED_CHARS
}

/// The label of an option of a call's ask, on one line.
pub fn choice_name(state: &SessionState, id: CallId, choice: &str) -> String {
    let call = state.turn.as_ref().and_then(|turn| turn.calls.get(&id));
    let ask = call.and_then(|call| call.ask.as_ref());
    let option = ask.and_then(|ask| ask.options.iter().find(|option| option.id == choice));
    option.map_or_else(|| one_line(choice, usize::MAX), choice_label)
}

#[cfg(test)]
mod tests {
    use super::choice_label;
    use crate::{AskOption, Grant, GrantScope, cancel_choice, lasting_choice, once_choice, session_choice};
    use pretty_assertions::assert_eq;

    fn tool(tool: &str) -> Grant {
        Grant::Tool { tool: tool.into() }
    }

    #[test]
    fn options_name_what_is_allowed_in_plain_words() {
        let command = Grant::Command { command: "echo every replace ".into(), directory: None };
        let long = |command: &str, directory: Option<&str>| Grant::Command {
            command: command.into(),
            directory: directory.map(str::to_owned),
        };
        let labels = [
            (session_choice(long("cat > a <<EOF\nx\nEOF", None)), "Allow exactly this command in this session"),
            (
                lasting_choice(long(&"x ".repeat(30), Some("app")), GrantScope::Always),
                "Allow exactly this command in app everywhere from now on",
            ),
            (once_choice(), "Allow once"),
            (session_choice(tool("replace")), "Allow every file edit in this session"),
            (lasting_choice(tool("write_file"), GrantScope::Always), "Allow every file write everywhere from now on"),
            (session_choice(tool("tickets__add")), "Allow every tickets__add in this session"),
            (session_choice(command), "Allow `echo every replace ` in this session"),
            (cancel_choice(), "Decline"),
        ];
        for (choice, label) in labels {
            assert_eq!(choice_label(&choice), label);
        }
        // What a server elsewhere calls it is not ours to change.
        let own = AskOption { name: "Yes, always".into(), ..session_choice(tool("replace")) };
        assert_eq!(choice_label(&own), "Yes, always");
    }
}
