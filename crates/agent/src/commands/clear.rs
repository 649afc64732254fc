//! `/clear`: the model forgets the conversation. The log keeps it.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use pollux_session::{BoxFuture, BuiltInCommand, CommandInfo, Report, Seq};

/// The command.
pub(super) struct ClearCommand;

impl SlashCommand for ClearCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Clear.info()
    }

    fn step<'a>(
        &'a self,
        _: &'a CommandContext<'a>,
        _: &'a CommandInvocation,
    ) -> BoxFuture<'a, Result<CommandOutput, String>> {
        Box::pin(async {
            let said = "The conversation begins anew. The log keeps what was said, and files are as they are.";
            Ok(CommandOutput::say(said).with_change(Report::Rewound { to: Seq::START }))
        })
    }
}
