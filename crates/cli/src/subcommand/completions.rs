//! `pollux completions SHELL`: what a shell reads to complete words, made from the flags themselves.

use crate::flags::CliFlags;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux completions bash > ~/.local/share/bash-completion/completions/pollux
  pollux completions zsh > ~/.zfunc/_pollux
  pollux completions fish > ~/.config/fish/completions/pollux.fish";

/// Whose words are completed.
#[derive(Debug, Args)]
pub(crate) struct CompletionsFlags {
    /// The shell
    shell: Shell,
}

impl CompletionsFlags {
    /// Print what the shell reads.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut CliFlags::command(), program_name(), &mut text);
        std::io::stdout().write_all(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The name the program was started by: it has two.
fn program_name() -> String {
    let started = std::env::args_os().next();
    let name = started.as_deref().and_then(|name| Path::new(name).file_name()?.to_str());
    name.unwrap_or("pollux").to_owned()
}
