//! Commands from TOML files, in Gemini CLI's format: `prompt` is told to the model, with the arguments, files and the
//! output of shell commands filled in.

mod command_files;
mod template;

use super::{
    CommandContext, CommandInvocation, CommandOutput, PromptAttachment, SlashCommand, command_with_argument,
    optional_argument,
};
use async_trait::async_trait;
use pollux_session::{BuiltInTool, CommandInfo};
use pollux_tools::{McpContent, run_file_work};
use serde_json::json;
use std::path::PathBuf;
use template::{PromptTemplate, TemplatePiece};

/// The tool that `!{...}` runs with.
const SHELL: &str = BuiltInTool::RunShellCommand.name();

/// The directories command files lie in.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandDirectories {
    /// The workspace's, if it is trusted.
    pub(super) workspace: Option<PathBuf>,
    /// The person's own.
    pub(super) own: Option<PathBuf>,
    /// Those of extensions, by the extension's name.
    pub(super) extensions: Vec<(String, PathBuf)>,
}

/// A command from a file.
pub(super) struct CustomCommand {
    name: String,
    description: String,
    template: PromptTemplate,
}

/// The command that `word` names, if a file has that name. An error says what is wrong with the file.
pub(super) async fn find_command(shelf: CommandDirectories, word: String) -> Option<Result<CustomCommand, String>> {
    let read = run_file_work(move || command_files::find_command(&shelf, &word));
    read.await.unwrap_or_else(|error| Some(Err(format!("command files cannot be read: {error}"))))
}

/// Every command that files hold. One that cannot be used says so in its description.
pub(super) async fn list_commands(shelf: CommandDirectories) -> Vec<CommandInfo> {
    let read = run_file_work(move || command_files::list_commands(&shelf));
    read.await.unwrap_or_else(|error| {
        tracing::warn!("command files cannot be read: {error}");
        Vec::new()
    })
}

#[async_trait]
impl SlashCommand for CustomCommand {
    fn info(&self) -> CommandInfo {
        command_with_argument(
            &self.name,
            &self.description,
            optional_argument("args", "What the command's text is filled in with"),
        )
    }

    /// They go into the text as they are.
    fn reads_its_own_arguments(&self) -> bool {
        true
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        let commands = self.template.shell_commands(&asked.rest);
        let outcomes = command_context.call_results();
        if outcomes.is_empty() && !commands.is_empty() {
            let why = |command: &str| format!("/{} runs this to fill in its text: {command}", self.name);
            let calls =
                commands.iter().map(|command| (SHELL, json!({ "command": command, "description": why(command) })));
            return Ok(CommandOutput::call(calls));
        }
        let mut outputs = Vec::new();
        for (command, outcome) in commands.iter().zip(outcomes) {
            outputs.push(outcome.map_err(|why| format!("/{} could not run `{command}`: {why}", self.name))?);
        }
        let attachment = self.fill_in(command_context, &asked.rest, outputs).await?;
        Ok(CommandOutput::hand_to_model(attachment))
    }
}

impl CustomCommand {
    /// The text for the model.
    async fn fill_in(
        &self,
        command_context: &CommandContext<'_>,
        args: &str,
        outputs: Vec<String>,
    ) -> Result<PromptAttachment, String> {
        let (mut content, mut outputs) = (McpContent { text: String::new(), media: Vec::new() }, outputs.into_iter());
        let mut seen = Vec::new();
        for piece in &self.template.pieces {
            match piece {
                TemplatePiece::Text(text) => content.text.push_str(text),
                TemplatePiece::Args => content.text.push_str(args),
                TemplatePiece::Shell(_) => content.text.push_str(&outputs.next().unwrap_or_default()),
                TemplatePiece::File(path) => {
                    let toolbox = &command_context.model_call()?.toolbox;
                    let injected = toolbox.inject(command_context.workspace(), std::slice::from_ref(path)).await;
                    content.text.push_str(&injected.text);
                    content.text.extend(injected.notes.iter().map(|note| format!("[{note}]")));
                    content.media.extend(injected.media);
                    seen.extend(injected.seen);
                }
            }
        }
        if !self.template.takes_args() && !args.is_empty() {
            content.text.push_str(&format!("\n\n{}", command_context.prompt.trim()));
        }
        Ok(PromptAttachment { name: format!("/{}", self.name), content, seen })
    }
}
