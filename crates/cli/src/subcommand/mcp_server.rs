//! `pollux mcp-server`: Pollux's own tools, and whole tasks, for one MCP client over standard input and output.

use crate::flags::{AgentFlags, BasicFlags, DataFlags, DebugFlags};
use crate::mcp_server::{self, McpServerSettings};
use crate::program_environment::{ProgramEnvironment, current_dir};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux mcp-server --workspace ~/project              offer the tools and run_task there
  pollux mcp-server --tools read_file,glob --no-tasks  offer two tools and nothing else";

/// Flags of the MCP server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct McpServerFlags {
    /// Where tools and tasks work; the current directory by default
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The only tools to offer beside run_task, separated by commas
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
    /// Offer no run_task
    #[arg(long)]
    pub(crate) no_tasks: bool,
    #[command(flatten)]
    pub(crate) agent: AgentFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

impl McpServerFlags {
    /// Answer the client until it has gone.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let McpServerFlags { workspace, tools, no_tasks, agent, data, debug } = self;
        let workspace = match workspace {
            Some(workspace) => workspace,
            None => current_dir()?,
        };
        let global_settings = environment.settings(BasicFlags { agent, data, debug, ..BasicFlags::default() })?;
        mcp_server::run(global_settings, McpServerSettings { workspace, tools, tasks: !no_tasks }).await
    }
}
