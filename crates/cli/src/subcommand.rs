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
    /// Join a running session from another terminal
    #[command(after_help = attach::EXAMPLES)]
    Attach(AttachFlags),
    /// Serve many sessions to A2A clients
    #[command(after_help = serve::EXAMPLES)]
    Serve(Box<ServeFlags>),
    /// Run an MCP server on standard input and output: Pollux's tools, and whole tasks
    #[command(after_help = mcp_server::EXAMPLES)]
    McpServer(Box<McpServerFlags>),
    /// List the MCP servers in your settings, and log in to them
    #[command(subcommand, after_help = mcp::EXAMPLES)]
    Mcp(McpSubcommand),
    /// List the sessions stored for this folder or for every folder, or delete one
    #[command(after_help = sessions::EXAMPLES)]
    Sessions(StoredSessionsFlags),
    /// Check whether a shell command would run, ask or be denied, and why
    #[command(subcommand, after_help = policy::EXAMPLES)]
    Policy(PolicySubcommand),
    /// Show the effective settings and where each one comes from
    #[command(subcommand, after_help = settings::EXAMPLES)]
    Settings(SettingsSubcommand),
    /// List, enable and disable extensions
    #[command(subcommand, after_help = extensions::EXAMPLES)]
    Extensions(ExtensionsSubcommand),
    /// Check your setup: API keys, tools, settings, data directory
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(DoctorFlags),
    /// Check whether a server is healthy (exit code 0: yes, 1: no, or no answer, 2: the argument names no server)
    #[command(after_help = health::EXAMPLES)]
    Health(HealthFlags),
    /// Trust a folder, so that its settings, .env, commands and agents take effect
    #[command(after_help = trust::EXAMPLES)]
    Trust(TrustFlags),
    /// Print a completion script for your shell
    #[command(after_help = completions::EXAMPLES)]
    Completions(CompletionsFlags),
    /// Print the manual page in man format (read it with `pollux man | man -l -`)
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
