//! `/help`: every command there is.

use super::registry::list_commands;
use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo};

/// The command.
pub(super) struct HelpCommand;

#[async_trait]
impl SlashCommand for HelpCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Help.info()
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        let commands = list_commands(command_context.agent).await;
        let mut lines = vec!["Commands:".to_owned()];
        for command in &commands {
            match command.subcommands.as_slice() {
                [] => lines.push(format!("- {}: {}", command.usage(), command.description)),
                subs => {
                    lines.push(format!("- /{}: {}", command.name, command.description));
                    lines.extend(subs.iter().map(|sub| {
                        let full = CommandInfo { name: format!("{} {}", command.name, sub.name), ..sub.clone() };
                        format!("  - {}: {}", full.usage(), sub.description)
                    }));
                }
            }
        }
        lines.push(
            "Anything else is a prompt. To send a line that begins with a slash, put a space before the slash."
                .to_owned(),
        );
        Ok(CommandOutput::say(lines.join("\n")))
    }
}
