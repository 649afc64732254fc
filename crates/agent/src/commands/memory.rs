//! `/memory`: what the person wants the model to know.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use crate::memory;
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, BuiltInTool, CommandInfo, code_span};
use pollux_tools::run_file_work;
use serde_json::json;
use std::path::PathBuf;

/// The command.
pub(super) struct MemoryCommand;

/// The tool that remembers.
const TOOL: &str = BuiltInTool::SaveMemory.name();

#[async_trait]
impl SlashCommand for MemoryCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Memory.info()
    }

    fn default_subcommand(&self, _: &str) -> Option<&'static str> {
        Some("show")
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        match asked.sub.as_str() {
            "add" => save_memory(command_context, asked).await,
            sub => {
                let (files, text) = read_memory(command_context).await?;
                if sub == "refresh" {
                    command_context.agent.memory.forget().await;
                }
                Ok(CommandOutput::say(match sub {
                    "list" => listed(&files),
                    "refresh" => format!("{} The files were read again.", summarize(&files, &text)),
                    _ if text.is_empty() => explain_no_memory(command_context),
                    _ => format!("{}\n\n{text}", summarize(&files, &text)),
                }))
            }
        }
    }
}

async fn save_memory(command_context: &CommandContext<'_>, asked: &CommandInvocation) -> Result<CommandOutput, String> {
    match command_context.call_results().pop() {
        Some(Ok(text)) => {
            // The model is not told of a command's calls.
            command_context.agent.memory.forget().await;
            Ok(CommandOutput::say(text))
        }
        Some(Err(why)) => Err(format!("nothing was remembered: {why}")),
        None if command_context.model_call()?.toolbox.names().iter().any(|name| name == TOOL) => {
            Ok(CommandOutput::call([(TOOL, json!({ "fact": asked.argument() }))]))
        }
        None => Err(format!("nothing was remembered: this session does not have the tool {TOOL}")),
    }
}

/// The files and what the model is told of them.
async fn read_memory(command_context: &CommandContext<'_>) -> Result<(Vec<PathBuf>, String), String> {
    let (workspace, settings) =
        (command_context.workspace().to_owned(), command_context.agent.workspace.settings.clone());
    let added = command_context
        .model_call()
        .map(|call_context| call_context.toolbox.include_directories().to_vec())
        .unwrap_or_default();
    let kept = command_context.agent.workspace.toolbox().kept_files(&workspace);
    let read = run_file_work(move || {
        let files = memory::memory_paths(&workspace, &added, &settings.memory);
        (files, memory::load(&workspace, &added, &settings.memory, &kept))
    });
    read.await.map_err(|error| format!("the memory files could not be read: {error}"))
}

fn listed(files: &[PathBuf]) -> String {
    let lines = files.iter().map(|file| format!("- {}", code_span(&file.display().to_string())));
    std::iter::once(counted(files)).chain(lines).collect::<Vec<_>>().join("\n")
}

fn summarize(files: &[PathBuf], text: &str) -> String {
    format!("{} {} characters are told to the model.", counted(files), text.chars().count())
}

fn counted(files: &[PathBuf]) -> String {
    match files.len() {
        1 => "There is 1 memory file.".to_owned(),
        count => format!("There are {count} memory files."),
    }
}

fn explain_no_memory(command_context: &CommandContext<'_>) -> String {
    let names = command_context.agent.workspace.settings.memory.names.join(" or ");
    format!("There is no memory: no {names} in the workspace, and none of your own. /memory add TEXT begins one.")
}
