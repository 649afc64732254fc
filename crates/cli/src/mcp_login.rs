//! `pollux mcp list | login NAME | logout NAME`: the person's MCP servers and their sign-ins.

use crate::config::Config;
use crate::console::{self, LineStyle};
use crate::equip::{config_for, trust_in};
use crate::place::usable;
use crate::servers::{entries, offer, start_options, tokens};
use crate::settings::{Basics, Usage};
use anyhow::Context as _;
use pollux_tools::{McpOptions, McpServers, McpStatus, McpTokens, SignIn};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How long a person has to sign in.
const PATIENCE: Duration = Duration::from_secs(600);

/// What is to be done.
pub(crate) enum Errand {
    /// Tell how every server is doing and what it offers.
    List,
    /// Sign in to a server.
    Login(String),
    /// Forget the sign-in to a server.
    Logout(String),
}

/// Do it, and tell what came of it.
pub(crate) async fn run(basics: &Basics, errand: &Errand) -> anyhow::Result<ExitCode> {
    console::start(basics.detail, LineStyle::Sentences, None);
    let workspace = usable(&std::env::current_dir().context("the current directory cannot be used")?)?;
    let config = config_for(basics, &workspace);
    let kept = tokens(basics).ok_or_else(|| Usage("there is no home directory: set HOME".into()))?;
    match errand {
        Errand::List => list(basics, &config, Path::new(&workspace), kept).await,
        Errand::Login(name) => login(&config, name, &kept).await,
        Errand::Logout(name) => logout(name, &kept).await,
    }
}

async fn list(basics: &Basics, config: &Config, workspace: &Path, kept: McpTokens) -> anyhow::Result<ExitCode> {
    let entries = entries(config);
    if entries.is_empty() {
        writeln!(std::io::stdout(), "no MCP servers; put them under `mcpServers` in your settings.json")?;
        return Ok(ExitCode::SUCCESS);
    }
    let trust = trust_in(basics, workspace);
    let options = McpOptions { tokens: Some(kept), ..start_options(basics, workspace, trust) };
    let servers = McpServers::start(entries, options);
    servers.settled().await;
    let mut out = std::io::stdout().lock();
    let states = servers.status().borrow().clone();
    for (name, status) in &states {
        writeln!(out, "{name}: {}", in_words(status))?;
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

fn in_words(status: &McpStatus) -> String {
    match status {
        McpStatus::Ready { .. } => format!("ready: {}", offer(status)),
        McpStatus::Failed { why } => format!("failed: {why}"),
        McpStatus::NeedsSignIn { how } => format!("needs sign-in; {how}"),
        McpStatus::Connecting => "is being connected".into(),
        McpStatus::Stopped => "stopped".into(),
    }
}

async fn login(config: &Config, name: &str, kept: &McpTokens) -> anyhow::Result<ExitCode> {
    let entries = entries(config);
    let Some(entry) = entries.get(name) else {
        let known = entries.keys().cloned().collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "there are none".to_owned() } else { format!("there are {known}") };
        return Err(Usage(format!("no MCP server {name} is in your settings; {known}")).into());
    };
    let sign_in = SignIn::begin(name, entry, kept).await?;
    {
        let mut out = std::io::stdout().lock();
        writeln!(out, "open this page in a browser of this machine to sign in to {name}:\n\n{}\n", sign_in.url())?;
        out.flush()?;
    }
    sign_in.finish(PATIENCE).await?;
    writeln!(std::io::stdout(), "signed in to {name}")?;
    Ok(ExitCode::SUCCESS)
}

async fn logout(name: &str, kept: &McpTokens) -> anyhow::Result<ExitCode> {
    let was_there = kept.forget(name).await?;
    let said = if was_there { "signed out of" } else { "nobody was signed in to" };
    writeln!(std::io::stdout(), "{said} {name}")?;
    Ok(ExitCode::SUCCESS)
}
