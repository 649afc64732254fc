//! The details that a person is shown before a call runs.

use super::super::call::file_name;
use super::root_commands;
use pollux_session::{Ask, AskDetails, describe_patch, plural};
use pollux_wire::coder::ConfirmationDetails;

/// The details of `ask`, of a call of `tool`.
pub(super) fn confirmation_details(ask: &Ask, tool: &str) -> ConfirmationDetails {
    match &ask.details {
        AskDetails::Edit(change) => ConfirmationDetails::Edit {
            title: format!("Change {}", change.name),
            file_name: file_name(change).to_owned(),
            file_path: change.path.clone(),
            file_diff: change.patch.clone(),
            original_content: change.old.clone().unwrap_or_default(),
            new_content: change.new.clone(),
        },
        // Its clients know changes of one file.
        AskDetails::Patch { files } => ConfirmationDetails::Info {
            title: format!("Change {}", plural(files.len(), "file")),
            prompt: describe_patch(files),
            schema: None,
        },
        AskDetails::Execute { command, .. } => {
            let programs = root_commands::root_commands(command);
            let root_command = programs.join(", ");
            let mut root_commands: Vec<String> = Vec::new();
            for program in programs {
                if !root_commands.contains(&program) {
                    root_commands.push(program);
                }
            }
            let title = "Run a shell command".to_owned();
            ConfirmationDetails::Exec { title, command: command.clone(), root_command, root_commands }
        }
        AskDetails::Mcp { server, tool: name, version } => ConfirmationDetails::Mcp {
            title: match version.change_notice() {
                None => format!("Call a tool of the MCP server {server}"),
                Some(notice) => format!("Call a tool of the MCP server {server}. {notice}"),
            },
            server_name: server.clone(),
            tool_name: name.clone(),
            tool_display_name: name.clone(),
        },
        AskDetails::Generic { description, schema } => ConfirmationDetails::Info {
            title: format!("Call {tool}"),
            prompt: description.clone(),
            schema: schema.clone(),
        },
    }
}
