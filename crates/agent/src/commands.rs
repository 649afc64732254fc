//! Commands: a prompt that begins with `/` and a command's name is answered by the command, on every surface alike.
//!
//! Each command is a file with one [`SlashCommand`]. It is a small scripted model: it says something, changes a setting, wants
//! calls made (which are vetted and asked like any other, and then it is asked again), or hands the turn to the model.

mod about;
mod absent;
mod built_in;
mod chat;
mod clear;
mod command_context;
mod command_line;
mod compress;
mod custom;
mod dispatch;
mod extensions;
mod help;
mod init;
mod mcp;
mod memory;
mod model;
mod name_suggestion;
mod output;
mod registry;
mod restore;
mod rewind;
mod server_prompt;
mod settings;
mod shell;
mod sources;
mod stats;
mod tools;
mod word_splitting;

pub(crate) use command_context::{CommandContext, TurnSession};
pub(crate) use command_line::CommandInvocation;
pub(crate) use dispatch::{DispatchOutcome, dispatch_command};
pub use model::{is_same_model, missing_key_hint, models_offered};
pub(crate) use output::{CommandContinuation, CommandOutput, PromptAttachment};
pub(crate) use registry::{list_commands, list_without_files};
pub use sources::{CommandSources, ExtensionNote, SettingsSelection};

use async_trait::async_trait;
use pollux_session::{ArgumentInfo, CommandInfo};

/// A command.
#[async_trait]
pub(crate) trait SlashCommand: Send + Sync {
    /// What it is called, what it does and what it takes.
    fn info(&self) -> CommandInfo;

    /// The sub-command that is meant by `rest`, which names none.
    fn default_subcommand(&self, rest: &str) -> Option<&'static str> {
        let _ = rest;
        None
    }

    /// Whether it makes sense of its arguments by itself; else they are checked against [`SlashCommand::info`].
    fn reads_its_own_arguments(&self) -> bool {
        false
    }

    /// What it has to say at this point of its turn. An error is a sentence for the person: the turn fails with it.
    async fn step(&self, occasion: &CommandContext<'_>, asked: &CommandInvocation) -> Result<CommandOutput, String>;
}

/// What a command without arguments and sub-commands is.
fn simple_command(name: &str, description: &str) -> CommandInfo {
    CommandInfo { name: name.into(), description: description.into(), ..CommandInfo::default() }
}

/// What a command is that takes one argument.
fn command_with_argument(name: &str, description: &str, argument: ArgumentInfo) -> CommandInfo {
    CommandInfo { arguments: vec![argument], ..simple_command(name, description) }
}

/// An argument that a command cannot do without.
fn required_argument(name: &str, description: &str) -> ArgumentInfo {
    ArgumentInfo { name: name.into(), description: description.into(), required: true }
}

/// An argument that may be left out.
fn optional_argument(name: &str, description: &str) -> ArgumentInfo {
    ArgumentInfo { required: false, ..required_argument(name, description) }
}
