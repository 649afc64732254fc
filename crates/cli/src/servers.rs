//! The MCP servers a person has configured, started in the background, with a line when one changes its state.

use crate::config::{Config, McpServer, ServerTrust, Transport};
use pollux_host::Board;
use pollux_session::{Level, Notice};
use pollux_tools::{McpLimits, McpOptions, McpServerConfig, McpServers, McpStatus};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Start the configured servers that no setting rules out; `None` when there are none.
pub(crate) fn start(config: &Config, workspace: &str, board: &Board) -> Option<Arc<McpServers>> {
    let entries = entries(config);
    if entries.is_empty() {
        return None;
    }
    let options = McpOptions { directory: workspace.into(), limits: McpLimits::default(), elicit: None };
    let servers = Arc::new(McpServers::start(entries, options));
    tokio::spawn(tell(servers.clone(), board.clone()));
    Some(servers)
}

/// The entries in force.
fn entries(config: &Config) -> BTreeMap<String, McpServerConfig> {
    let preferences = &config.preferences;
    let wanted = |name: &String| {
        preferences.allowed_servers.as_ref().is_none_or(|allowed| allowed.contains(name))
            && !preferences.excluded_servers.contains(name)
    };
    let servers = config.servers.iter().filter(|server| wanted(&server.name));
    let servers = servers.inspect(|server| {
        if server.server.oauth.is_some() {
            let name = &server.name;
            tracing::warn!(
                "MCP server {name}: signing in with oauth is not supported yet; put a token into its headers"
            );
        }
    });
    servers.map(|server| (server.name.clone(), entry(&server.server))).collect()
}

fn entry(server: &McpServer) -> McpServerConfig {
    let usual = McpServerConfig {
        timeout: server.timeout.and_then(|timeout| u64::try_from(timeout.as_millis()).ok()),
        trust: server.trust == ServerTrust::Trusted,
        description: server.description.clone(),
        include_tools: server.include_tools.clone(),
        exclude_tools: server.exclude_tools.clone(),
        ..McpServerConfig::default()
    };
    let reveal = |secrets: &BTreeMap<String, crate::config::Secret>| {
        secrets.iter().map(|(name, secret)| (name.clone(), secret.reveal().to_owned())).collect()
    };
    match &server.transport {
        Transport::Stdio { command, args, env, cwd } => McpServerConfig {
            command: Some(command.clone()),
            args: args.clone(),
            env: reveal(env),
            cwd: cwd.clone(),
            ..usual
        },
        Transport::Http { url, headers } => {
            McpServerConfig { http_url: Some(url.clone()), headers: reveal(headers), ..usual }
        }
        Transport::HttpOrSse { url, headers } => {
            McpServerConfig { url: Some(url.clone()), headers: reveal(headers), ..usual }
        }
    }
}

/// Say when a server becomes ready or fails.
async fn tell(servers: Arc<McpServers>, board: Board) {
    let mut status = servers.status();
    // Only the watch is kept: holding the servers would keep them from ending with the agent.
    drop(servers);
    let mut known: BTreeMap<String, McpStatus> = BTreeMap::new();
    while status.changed().await.is_ok() {
        let now = status.borrow_and_update().clone();
        for (name, status) in now.iter().filter(|(name, status)| known.get(*name) != Some(*status)) {
            let (level, text) = match status {
                McpStatus::Connecting => (Level::Debug, format!("MCP server {name} is being connected")),
                McpStatus::Ready { tools, .. } => (Level::Info, format!("MCP server {name} is ready: {tools} tools")),
                McpStatus::Failed { why } => (Level::Warn, format!("MCP server {name} failed: {why}")),
                McpStatus::Stopped => (Level::Info, format!("MCP server {name} stopped")),
            };
            board.post(None, Notice { level, text });
        }
        known = now;
    }
}
