//! `/shell`: a command the person runs themselves, whose output the model knows from then on. The terminal's `!` is this.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, BuiltInTool, CommandInfo, Report, SHELL_ATTACHMENT};
use serde_json::json;

/// The command.
pub(super) struct ShellSlashCommand;

/// The tool it runs with, and so the policy it runs under.
const TOOL: &str = BuiltInTool::RunShellCommand.name();

/// Stands above the output that the model is told of.
pub(super) const OUTPUT_HEADING: &str = "This is what came of it:";

/// What a person is told who changes the directory and nothing else.
const NO_LASTING_DIRECTORY: &str = "This has no effect on later commands: each one starts in the workspace. \
                                    Use `cd DIR && COMMAND`.";

/// Whether `command` is `cd` alone.
fn is_change_of_directory(command: &str) -> bool {
    command.split_whitespace().next() == Some("cd") && !command.contains(['&', ';', '|', '\n'])
}

#[async_trait]
impl SlashCommand for ShellSlashCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Shell.info()
    }

    /// A shell does, quotes and all.
    fn reads_its_own_arguments(&self) -> bool {
        true
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        let command = asked.rest.as_str();
        if command.is_empty() {
            return Err("/shell needs a command; say /shell COMMAND".to_owned());
        }
        match command_context.call_results().pop() {
            None => {
                let why = "The person runs this themselves.";
                Ok(CommandOutput::call([(TOOL, json!({ "command": command, "description": why }))]))
            }
            Some(Ok(printed)) => {
                let text = format!("I ran this command myself:\n{command}\n\n{OUTPUT_HEADING}\n{printed}");
                let told = Report::Attached {
                    name: format!("{SHELL_ATTACHMENT}{command}"),
                    text,
                    media: Vec::new(),
                    seen: Vec::new(),
                };
                let said = if is_change_of_directory(command) { NO_LASTING_DIRECTORY } else { "" };
                Ok(CommandOutput::say(said).with_change(told))
            }
            Some(Err(why)) => Err(format!("`{command}` did not run: {why}")),
        }
    }
}
