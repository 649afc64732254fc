//! `pollux completions SHELL` and `pollux man`: what shells and `man` read, made from the flags themselves.

use crate::flags::CliFlags;
use crate::settings::UsageError;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// What is to be printed.
pub(crate) enum ManualKind {
    /// What a shell needs to complete words.
    Completions(Shell),
    /// The page of the program, or of one of its commands.
    Page(Option<String>),
}

/// Print it.
pub(crate) fn print(manual: ManualKind) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    match manual {
        ManualKind::Completions(shell) => {
            clap_complete::generate(shell, &mut CliFlags::command(), program_name(), &mut text);
        }
        ManualKind::Page(command) => Man::new(page_of(command.as_deref())?).render(&mut text)?,
    }
    std::io::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The name the program was started by: it has two.
fn program_name() -> String {
    let started = std::env::args_os().next();
    let name = started.as_deref().and_then(|name| Path::new(name).file_name()?.to_str());
    name.unwrap_or("pollux").to_owned()
}

fn page_of(command: Option<&str>) -> Result<clap::Command, UsageError> {
    let mut program = CliFlags::command();
    program.build();
    let Some(name) = command else { return Ok(program) };
    let found = program.find_subcommand(name).cloned();
    found.ok_or_else(|| UsageError(format!("there is no command {name}; `pollux --help` lists them")))
}
