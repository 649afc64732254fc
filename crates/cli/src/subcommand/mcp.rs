//! `pollux mcp list | login NAME | logout NAME`: the person's MCP servers and their sign-ins.

use crate::config::Config;
use crate::console::{self, LineStyle};
use crate::mcp_servers::{describe_offer, entries, start_options, tokens};
use crate::runtime::{config_for, folder_trust};
use crate::session_storage::resolve_workspace;
use crate::settings::{GlobalSettings, UsageError};
use anyhow::Context as _;
use pollux_tools::{McpOptions, McpServers, McpStatus, McpTokenStore, SignIn};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How long a person has to sign in.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(600);

/// What is to be done.
pub(crate) enum McpAction {
    /// Tell how every server is doing and what it offers.
    List,
    /// Sign in to a server.
    Login(String),
    /// Forget the sign-in to a server.
    Logout(String),
}

/// Do it, and tell what came of it.
pub(crate) async fn run(global_settings: &GlobalSettings, local_run: &McpAction) -> anyhow::Result<ExitCode> {
    console::start(global_settings.detail, LineStyle::Sentences, None);
    let workspace = resolve_workspace(&std::env::current_dir().context("the current directory cannot be used")?)?;
    let config = config_for(global_settings, &workspace);
    let kept = tokens(global_settings).ok_or_else(|| UsageError("there is no home directory: set HOME".into()))?;
    match local_run {
        McpAction::List => list(global_settings, &config, Path::new(&workspace), kept).await,
        McpAction::Login(name) => login(&config, name, &kept).await,
        McpAction::Logout(name) => logout(name, &kept).await,
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
        McpStatus::NeedsSignIn { how } => format!("needs sign-in; {how}"),
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
        writeln!(out, "open this page in a browser of this machine to sign in to {name}:\n\n{}\n", sign_in.url())?;
        out.flush()?;
    }
    sign_in.finish(LOGIN_TIMEOUT).await?;
    writeln!(std::io::stdout(), "signed in to {name}")?;
    Ok(ExitCode::SUCCESS)
}

async fn logout(name: &str, kept: &McpTokenStore) -> anyhow::Result<ExitCode> {
    let was_there = kept.forget(name).await?;
    let said = if was_there { "signed out of" } else { "nobody was signed in to" };
    writeln!(std::io::stdout(), "{said} {name}")?;
    Ok(ExitCode::SUCCESS)
}
