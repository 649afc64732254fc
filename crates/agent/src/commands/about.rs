//! `/about`: what runs here.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use pollux_session::{BoxFuture, BuiltInCommand, CommandInfo};

/// The command.
pub(super) struct AboutCommand;

impl SlashCommand for AboutCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::About.info()
    }

    fn step<'a>(
        &'a self,
        command_context: &'a CommandContext<'a>,
        _: &'a CommandInvocation,
    ) -> BoxFuture<'a, Result<CommandOutput, String>> {
        Box::pin(async move {
            let mut lines = vec![format!("pollux {}", command_context.agent.commands.version)];
            match command_context.model_call() {
                Ok(call_context) => {
                    lines.push(format!("model: {}", call_context.model.info().label));
                    lines.push(format!("mode: {}", call_context.mode.name()));
                }
                Err(why) => lines.push(format!("model: none ({why})")),
            }
            let trusted =
                if command_context.agent.trusts(command_context.workspace()) { "trusted" } else { "not trusted" };
            lines.push(format!("workspace: {} ({trusted})", command_context.facts.workspace));
            // True until a sandbox is built; the mode and the policy are what stands in the way of a command.
            lines.push("sandbox: none; commands run with your own rights, as policy allows or you do".to_owned());
            lines.push(format!("session: {}", command_context.facts.session));
            Ok(CommandOutput::say(lines.join("\n")))
        })
    }
}
