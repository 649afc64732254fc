//! Commands: a prompt that begins with `/` and a command's name is answered by the command, on every surface alike.
//!
//! Each command is a file with one [`Command`]. It is a small scripted model: it says something, changes a setting, wants
//! calls made (which are vetted and asked like any other, and then it is asked again), or hands the turn to the model.

mod about;
mod absent;
mod answer;
mod attend;
mod built_in;
mod chat;
mod clear;
mod compress;
mod custom;
mod extensions;
mod help;
mod init;
mod line;
mod mcp;
mod memory;
mod model;
mod near;
mod occasion;
mod registry;
mod restore;
mod rewind;
mod server_prompt;
mod settings;
mod shell;
mod sources;
mod stats;
mod tools;
mod words;

pub(crate) use answer::{Answer, Attachment, Then};
pub(crate) use attend::{Attended, attend};
pub(crate) use line::Asked;
pub use model::{is_same_model, models_offered};
pub(crate) use occasion::{Facts, Occasion};
pub(crate) use registry::{all, without_files};
pub use sources::{CommandSources, ExtensionNote};

use pollux_session::{ArgumentInfo, CommandInfo, Pending};

/// A command.
pub(crate) trait Command: Send + Sync {
    /// What it is called, what it does and what it takes.
    fn info(&self) -> CommandInfo;

    /// The sub-command that is meant by `rest`, which names none.
    fn otherwise(&self, rest: &str) -> Option<&'static str> {
        let _ = rest;
        None
    }

    /// Whether it makes sense of its arguments by itself; else they are checked against [`Command::info`].
    fn reads_its_own_arguments(&self) -> bool {
        false
    }

    /// What it has to say at this point of its turn. An error is a sentence for the person: the turn fails with it.
    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, asked: &'a Asked) -> Pending<'a, Result<Answer, String>>;
}

/// What a command without arguments and sub-commands is.
fn plain(name: &str, description: &str) -> CommandInfo {
    CommandInfo { name: name.into(), description: description.into(), ..CommandInfo::default() }
}

/// What a command is that takes one argument.
fn taking(name: &str, description: &str, argument: ArgumentInfo) -> CommandInfo {
    CommandInfo { arguments: vec![argument], ..plain(name, description) }
}

/// What a command with sub-commands is.
fn group(name: &str, description: &str, subcommands: Vec<CommandInfo>) -> CommandInfo {
    CommandInfo { subcommands, ..plain(name, description) }
}

/// An argument that a command cannot do without.
fn needed(name: &str, description: &str) -> ArgumentInfo {
    ArgumentInfo { name: name.into(), description: description.into(), required: true }
}

/// An argument that may be left out.
fn optional(name: &str, description: &str) -> ArgumentInfo {
    ArgumentInfo { required: false, ..needed(name, description) }
}
