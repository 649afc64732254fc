//! `/tools`: what the model may call.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo, code_span};

/// The command.
pub(super) struct ToolsCommand;

#[async_trait]
impl SlashCommand for ToolsCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Tools.info()
    }

    fn default_subcommand(&self, _: &str) -> Option<&'static str> {
        Some("list")
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        let call_context = command_context.model_call()?;
        let tools = call_context.toolbox.declarations(call_context.mode);
        let lines = tools.iter().map(|tool| match asked.sub.as_str() {
            "desc" => format!("- {}: {}", code_span(&tool.name), tool.description),
            _ => format!("- {}", code_span(&tool.name)),
        });
        let count = match tools.len() {
            1 => "1 tool".to_owned(),
            count => format!("{count} tools"),
        };
        let count = format!("{count} in {} mode:", call_context.mode.name());
        Ok(CommandOutput::say([count].into_iter().chain(lines).collect::<Vec<_>>().join("\n")))
    }
}
