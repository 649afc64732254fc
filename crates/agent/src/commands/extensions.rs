//! `/extensions` and `/list-extensions`: what extends the agent here, for people and for programs.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo, code_span};
use serde_json::{Value, json};

/// The command.
pub(super) struct ExtensionsCommand;

/// The same as data, under the name and in the shape that the server reference gives.
pub(super) struct ListExtensionsCommand;

#[async_trait]
impl SlashCommand for ExtensionsCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Extensions.info()
    }

    fn default_subcommand(&self, _: &str) -> Option<&'static str> {
        Some("list")
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        Ok(CommandOutput::say(listed(command_context)))
    }
}

#[async_trait]
impl SlashCommand for ListExtensionsCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::ListExtensions.info()
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        Ok(CommandOutput::say(as_data(command_context).to_string()))
    }
}

fn as_data(command_context: &CommandContext<'_>) -> Value {
    let extensions = command_context.agent.commands.list_extensions(command_context.workspace()).into_iter();
    let extensions = extensions
        .map(|extension| json!({ "name": extension.name, "version": extension.version, "enabled": extension.active }));
    json!({ "extensions": extensions.collect::<Vec<_>>() })
}

fn listed(command_context: &CommandContext<'_>) -> String {
    let extensions = command_context.agent.commands.list_extensions(command_context.workspace());
    if extensions.is_empty() {
        return "There are no extensions.".to_owned();
    }
    let lines = extensions.iter().map(|extension| {
        let state = if extension.active { "enabled" } else { "disabled" };
        format!("- {} {} ({state})", code_span(&extension.name), extension.version)
    });
    lines.collect::<Vec<_>>().join("\n")
}
