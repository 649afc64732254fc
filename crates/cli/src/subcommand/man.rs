//! `pollux man`: the manual page, made from the flags themselves.

use crate::flags::CliFlags;
use crate::settings::UsageError;
use clap::{Args, CommandFactory};
use clap_mangen::Man;
use std::io::Write;
use std::process::ExitCode;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux man | man -l -           read the manual
  pollux man serve | man -l -     read the page of a command";

/// Which page is printed.
#[derive(Debug, Args)]
pub(crate) struct ManFlags {
    /// The command to describe [default: pollux itself]
    command: Option<String>,
}

impl ManFlags {
    /// Print the page.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut text = Vec::new();
        Man::new(page_of(self.command.as_deref())?).render(&mut text)?;
        std::io::stdout().write_all(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn page_of(command: Option<&str>) -> Result<clap::Command, UsageError> {
    let mut program = CliFlags::command();
    program.build();
    let Some(name) = command else { return Ok(program) };
    let found = program.find_subcommand(name).cloned();
    found.ok_or_else(|| UsageError(format!("there is no command {name}; `pollux --help` lists them")))
}
