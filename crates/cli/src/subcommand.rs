//! The commands of the program. Each has a file that holds its flags and what it does with them; what runs without a
//! command is in `interactive.rs`.

mod attach;
mod completions;
mod doctor;
mod extensions;
mod health;
mod man;
mod mcp;
mod mcp_server;
mod policy;
mod serve;
mod sessions;
mod settings;
mod trust;

use crate::program_environment::ProgramEnvironment;
use attach::AttachFlags;
use clap::Subcommand;
use completions::CompletionsFlags;
use doctor::DoctorFlags;
use extensions::ExtensionsSubcommand;
use health::HealthFlags;
use man::ManFlags;
use mcp::McpSubcommand;
use mcp_server::McpServerFlags;
use policy::PolicySubcommand;
use serve::ServeFlags;
use sessions::StoredSessionsFlags;
use settings::SettingsSubcommand;
use std::process::ExitCode;
use trust::TrustFlags;

/// Everything else Pollux does.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Join a session that runs already: this terminal and the others share it
    #[command(after_help = attach::EXAMPLES)]
    Attach(AttachFlags),
    /// Serve many sessions to A2A clients
    #[command(after_help = serve::EXAMPLES)]
    Serve(Box<ServeFlags>),
    /// Give Pollux's tools, and whole tasks, to an MCP client over standard input and output
    #[command(after_help = mcp_server::EXAMPLES)]
    McpServer(Box<McpServerFlags>),
    /// List the MCP servers of your settings, and sign in to them
    #[command(subcommand, after_help = mcp::EXAMPLES)]
    Mcp(McpSubcommand),
    /// List the sessions of this folder or of all, or delete one
    #[command(after_help = sessions::EXAMPLES)]
    Sessions(StoredSessionsFlags),
    /// Say what policy makes of a shell command, and why
    #[command(subcommand, after_help = policy::EXAMPLES)]
    Policy(PolicySubcommand),
    /// Show the settings in force and where each comes from
    #[command(subcommand, after_help = settings::EXAMPLES)]
    Settings(SettingsSubcommand),
    /// List extensions, switch them on and off
    #[command(subcommand, after_help = extensions::EXAMPLES)]
    Extensions(ExtensionsSubcommand),
    /// Check that everything Pollux needs is there
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(DoctorFlags),
    /// Ask a server whether it is well; exit code 1: it is not, or nobody answers
    #[command(after_help = health::EXAMPLES)]
    Health(HealthFlags),
    /// Trust a folder: its settings, its .env, its commands and agents then count
    #[command(after_help = trust::EXAMPLES)]
    Trust(TrustFlags),
    /// Print what your shell needs to complete commands and flags
    #[command(after_help = completions::EXAMPLES)]
    Completions(CompletionsFlags),
    /// Print the manual page, in the form that `man` reads: `pollux man | man -l -`
    #[command(after_help = man::EXAMPLES)]
    Man(ManFlags),
}

impl CliCommand {
    /// Do it. The result is the exit code of the program.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        match self {
            CliCommand::Attach(flags) => flags.run(environment).await,
            CliCommand::Serve(flags) => flags.run(environment).await,
            CliCommand::McpServer(flags) => flags.run(environment).await,
            CliCommand::Mcp(command) => command.run(environment).await,
            CliCommand::Sessions(flags) => flags.run(environment),
            CliCommand::Policy(command) => command.run(environment),
            CliCommand::Settings(command) => command.run(environment),
            CliCommand::Extensions(command) => command.run(environment),
            CliCommand::Doctor(flags) => flags.run(environment).await,
            CliCommand::Health(flags) => flags.run(environment).await,
            CliCommand::Trust(flags) => flags.run(environment),
            CliCommand::Completions(flags) => flags.run(),
            CliCommand::Man(flags) => flags.run(),
        }
    }
}
