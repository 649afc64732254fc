//! `/settings`: what holds, and who says so.

use super::sources::SettingsSelection;
use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo};
use pollux_tools::run_file_work;

/// The command.
pub(super) struct SettingsCommand;

#[async_trait]
impl SlashCommand for SettingsCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Settings.info()
    }

    fn default_subcommand(&self, _: &str) -> Option<&'static str> {
        Some("list")
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        let selection = if asked.sub == "all" { SettingsSelection::All } else { SettingsSelection::Set };
        let show = command_context.agent.commands.settings.clone();
        let show = show.ok_or("this agent was put together without settings files")?;
        let workspace = command_context.workspace().to_owned();
        let lines = run_file_work(move || show(&workspace, selection)).await;
        let lines = lines.map_err(|error| format!("the settings could not be read: {error}"))?;
        Ok(CommandOutput::say(lines.join("\n")))
    }
}
