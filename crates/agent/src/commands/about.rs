//! `/about`: what runs here.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand, simple_command};
use pollux_session::{BoxFuture, CommandInfo};

/// The command.
pub(super) struct AboutCommand;

impl SlashCommand for AboutCommand {
    fn info(&self) -> CommandInfo {
        simple_command("about", "The version, the model, the workspace and how freely tools run")
    }

    fn step<'a>(
        &'a self,
        occasion: &'a CommandContext<'a>,
        _: &'a CommandInvocation,
    ) -> BoxFuture<'a, Result<CommandOutput, String>> {
        Box::pin(async move {
            let mut lines = vec![format!("pollux {}", occasion.agent.commands.version)];
            match occasion.model_call() {
                Ok(desk) => {
                    lines.push(format!("model: {}", desk.model.info().label));
                    lines.push(format!("mode: {}", desk.mode.name()));
                }
                Err(why) => lines.push(format!("model: none ({why})")),
            }
            let trusted = if occasion.agent.trusts(occasion.workspace()) { "trusted" } else { "not trusted" };
            lines.push(format!("workspace: {} ({trusted})", occasion.facts.workspace));
            // True until a sandbox is built; the mode and the policy are what stands in the way of a command.
            lines.push("sandbox: none; commands run with your own rights, as policy allows or you do".to_owned());
            lines.push(format!("session: {}", occasion.facts.session));
            Ok(CommandOutput::say(lines.join("\n")))
        })
    }
}
