//! `pollux mcp list | login NAME | logout NAME`: the person's MCP servers and their sign-ins.

use crate::config::Config;
use crate::console::{self, LineStyle};
use crate::flags::{BasicFlags, DebugFlags};
use crate::folder_trust::folder_trust;
use crate::mcp_servers::{describe_offer, entries, start_options, tokens};
use crate::program_environment::ProgramEnvironment;
use crate::runtime::config_for;
use crate::session_storage::resolve_current_workspace;
use crate::settings::{GlobalSettings, UsageError};
use clap::Subcommand;
use pollux_tools::{McpOptions, McpServers, McpStatus, McpTokenStore, SignIn};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The time that a person has to log in.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(600);

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux mcp list             start every server in your settings and show what it offers
  pollux mcp login tickets    log in to the server `tickets`
  pollux mcp logout tickets   log out again";

/// What can be done with MCP servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpSubcommand {
    /// Start every server and show its status, tools and prompts (exit code 1: a server is not ready)
    List {
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Log in to a server: prints the URL to open and waits until you have logged in
    Login {
        /// The server's name in your settings
        name: String,
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Log out of a server
    Logout {
        /// The server's name in your settings
        name: String,
        #[command(flatten)]
        debug: DebugFlags,
    },
}

impl McpSubcommand {
    /// Do it, and tell what came of it.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let (McpSubcommand::List { debug } | McpSubcommand::Login { debug, .. } | McpSubcommand::Logout { debug, .. }) =
            &self;
        let global_settings = environment.settings(BasicFlags::from(*debug))?;
        console::start(global_settings.detail, LineStyle::Sentences, None);
        let workspace = resolve_current_workspace()?;
        let config = config_for(&global_settings, &workspace);
        let kept = tokens(&global_settings).ok_or_else(|| UsageError("there is no home directory: set HOME".into()))?;
        match self {
            McpSubcommand::List { .. } => list(&global_settings, &config, Path::new(&workspace), kept).await,
            McpSubcommand::Login { name, .. } => login(&config, &name, &kept).await,
            McpSubcommand::Logout { name, .. } => logout(&name, &kept).await,
        }
    }
}

async fn list(
    global_settings: &GlobalSettings,
    config: &Config,
    workspace: &Path,
    kept: McpTokenStore,
) -> anyhow::Result<ExitCode> {
    let entries = entries(config);
    if entries.is_empty() {
        writeln!(std::io::stdout(), "no MCP servers; put them under `mcpServers` in your settings.json")?;
        return Ok(ExitCode::SUCCESS);
    }
    let trust = folder_trust(global_settings, workspace);
    let options = McpOptions { tokens: Some(kept), ..start_options(global_settings, workspace, trust) };
    let servers = McpServers::start(entries, options);
    servers.settled().await;
    let mut out = std::io::stdout().lock();
    let states = servers.status().borrow().clone();
    for (name, status) in &states {
        writeln!(out, "{name}: {}", describe_status(status))?;
        for tool in servers.tools_of(name) {
            writeln!(out, "  {tool}")?;
        }
        for prompt in servers.prompts().iter().filter(|prompt| prompt.server == *name) {
            writeln!(out, "  /{name}:{}", prompt.name)?;
        }
        if let McpStatus::Ready { left_out, .. } = status {
            for one in left_out {
                writeln!(out, "  cannot be used: {one}")?;
            }
        }
    }
    let all_there = states.values().all(|status| matches!(status, McpStatus::Ready { .. }));
    Ok(if all_there { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn describe_status(status: &McpStatus) -> String {
    match status {
        McpStatus::Ready { .. } => format!("ready: {}", describe_offer(status)),
        McpStatus::Failed { why } => format!("failed: {why}"),
        McpStatus::NeedsSignIn { how } => format!("needs a login; {how}"),
        McpStatus::Connecting => "is being connected".into(),
        McpStatus::Stopped => "stopped".into(),
    }
}

async fn login(config: &Config, name: &str, kept: &McpTokenStore) -> anyhow::Result<ExitCode> {
    let entries = entries(config);
    let Some(entry) = entries.get(name) else {
        let known = entries.keys().cloned().collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "there are none".to_owned() } else { format!("there are {known}") };
        return Err(UsageError(format!("no MCP server {name} is in your settings; {known}")).into());
    };
    let sign_in = SignIn::begin(name, entry, kept).await?;
    {
        let mut out = std::io::stdout().lock();
        writeln!(out, "open this URL in a browser on this machine to log in to {name}:\n\n{}\n", sign_in.url())?;
        out.flush()?;
    }
    sign_in.finish(LOGIN_TIMEOUT).await?;
    writeln!(std::io::stdout(), "logged in to {name}")?;
    Ok(ExitCode::SUCCESS)
}

async fn logout(name: &str, kept: &McpTokenStore) -> anyhow::Result<ExitCode> {
    let was_there = kept.forget(name).await?;
    let said = if was_there { "logged out of" } else { "you were not logged in to" };
    writeln!(std::io::stdout(), "{said} {name}")?;
    Ok(ExitCode::SUCCESS)
}
