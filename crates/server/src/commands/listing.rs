//! Commands as the extension and as Google's server list them.

use pollux_session::CommandInfo;
use pollux_wire::commands::{ListedArgument, ListedCommand, SlashCommand, SlashCommandArgument};

/// A command as `commands/get` shows it.
pub(crate) fn to_slash_command(command: &CommandInfo) -> SlashCommand {
    let argument = |argument: &pollux_session::ArgumentInfo| SlashCommandArgument {
        name: argument.name.clone(),
        description: argument.description.clone(),
        is_required: argument.required,
    };
    SlashCommand {
        name: command.name.clone(),
        description: command.description.clone(),
        arguments: command.arguments.iter().map(argument).collect(),
        sub_commands: command.subcommands.iter().map(to_slash_command).collect(),
    }
}

/// A command as `GET /listCommands` shows it, with its whole name.
pub(crate) fn to_listed_command(command: &CommandInfo) -> ListedCommand {
    to_listed_subcommand("", command)
}

fn to_listed_subcommand(above: &str, command: &CommandInfo) -> ListedCommand {
    let name = format!("{above} {}", command.name).trim_start().to_owned();
    let argument = |argument: &pollux_session::ArgumentInfo| ListedArgument {
        name: argument.name.clone(),
        description: argument.description.clone(),
        is_required: argument.required,
    };
    ListedCommand {
        description: command.description.clone(),
        arguments: command.arguments.iter().map(argument).collect(),
        sub_commands: command.subcommands.iter().map(|command| to_listed_subcommand(&name, command)).collect(),
        name,
    }
}
