//! `/about`: what runs here.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo};

/// The command.
pub(super) struct AboutCommand;

#[async_trait]
impl SlashCommand for AboutCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::About.info()
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        let mut lines = vec![format!("pollux {}", command_context.agent.commands.version)];
        match command_context.model_call() {
            Ok(call_context) => {
                lines.push(format!("model: {}", call_context.model.info().label));
                lines.push(format!("mode: {}", call_context.mode.name()));
            }
            Err(why) => lines.push(format!("model: none ({why})")),
        }
        let trusted = if command_context.agent.workspace.is_trusted() { "trusted" } else { "not trusted" };
        lines.push(format!("workspace: {} ({trusted})", command_context.workspace().display()));
        // True until a sandbox is built; the mode and the policy are what stands in the way of a command.
        lines.push("sandbox: none; commands run with your own rights, as policy allows or you do".to_owned());
        lines.push(format!("session: {}", command_context.facts.session));
        Ok(CommandOutput::say(lines.join("\n")))
    }
}
