//! `/compress`: for the model, a summary stands for the older part of the conversation.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use crate::compact::compact_conversation;
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo, Report};

/// The command.
pub(super) struct CompressCommand;

#[async_trait]
impl SlashCommand for CompressCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Compress.info()
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        let report = compact_conversation(command_context.model_call()?, command_context.transcript).await;
        match &report {
            Report::Compacted { summary, .. } => {
                let length = summary.chars().count();
                let said = format!(
                    "For the model, a summary of {length} characters stands for the older part of the conversation."
                );
                Ok(CommandOutput::say(said).with_change(report))
            }
            Report::NotCompacted { why } => Err(format!("nothing was compressed: {why}")),
            other => Err(format!("nothing was compressed: {other:?} came instead of a summary")),
        }
    }
}
