//! `/clear`: the model forgets the conversation. The log keeps it.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo, Report, Seq};

/// The command.
pub(super) struct ClearCommand;

#[async_trait]
impl SlashCommand for ClearCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Clear.info()
    }

    async fn step(&self, _: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        let said = "The conversation begins anew. The log keeps what was said, and files are as they are.";
        Ok(CommandOutput::say(said).with_change(Report::Rewound { to: Seq::START }))
    }
}
