//! A command of Gemini CLI, or of the terminal's screen, that the agent does not have: it says so, and what to do instead.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand, simple_command};
use async_trait::async_trait;
use pollux_session::{CommandInfo, explain_absent_command};

/// A command that only explains itself. It is in no list.
pub(super) struct AbsentCommand {
    name: String,
    explanation: String,
}

impl AbsentCommand {
    /// The command called `word`, if people may know it from elsewhere.
    pub(super) fn find(word: &str) -> Option<AbsentCommand> {
        explain_absent_command(word).map(|explanation| AbsentCommand { name: word.to_owned(), explanation })
    }
}

#[async_trait]
impl SlashCommand for AbsentCommand {
    fn info(&self) -> CommandInfo {
        simple_command(&self.name, &self.explanation)
    }

    /// It has no use for them: `/directory add src` gets the answer that `/directory` gets.
    fn reads_its_own_arguments(&self) -> bool {
        true
    }

    async fn step(&self, _: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        Ok(CommandOutput::say(self.explanation.as_str()))
    }
}
