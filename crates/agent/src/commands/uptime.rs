//! `/uptime`: how long the program has been running.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo};

/// The command.
pub(super) struct UptimeCommand;

#[async_trait]
impl SlashCommand for UptimeCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Uptime.info()
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        let started = command_context.agent.commands.started.ok_or("It is not known when Pollux started.")?;
        Ok(CommandOutput::say(format!("up: {} s", started.elapsed().as_secs())))
    }
}
