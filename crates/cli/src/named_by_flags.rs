//! Checks that things named by flags are there: a directory, a tool or an MCP server that does not exist would be dropped in silence.
//!
//! All of it is checked before anything starts, but for the tools of MCP servers: those are known once the servers are up.

use crate::config::Config;
use crate::runtime::toolbox;
use crate::settings::{GlobalSettings, UsageError};
use pollux_model::Model;
use pollux_policy::entry_names_tool;
use pollux_session::{BuiltInTool, ToolEntry};
use pollux_store::BlobStore;
use pollux_tools::{BackgroundProcesses, McpServers, McpStatus};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// The time that servers may take to say which tools they have before a prompt goes on without knowing.
const SERVERS_SETTLE: Duration = Duration::from_secs(10);
/// Tools that are there on conditions (the model, the servers, the settings), and may be named whether they hold or not.
const CONDITIONAL: [BuiltInTool; 5] = [
    BuiltInTool::GoogleWebSearch,
    BuiltInTool::SaveMemory,
    BuiltInTool::InvokeAgent,
    BuiltInTool::ListMcpResources,
    BuiltInTool::ReadMcpResource,
];
/// The beginning of the names of MCP servers' tools.
const OF_SERVER: &str = "mcp_";

/// Values of flags that name something.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedByFlags {
    pub(crate) include_directories: Vec<String>,
    pub(crate) allowed_tools: Vec<String>,
    pub(crate) allowed_servers: Vec<String>,
    pub(crate) policies: Vec<PathBuf>,
    pub(crate) admin_policies: Vec<PathBuf>,
}

/// Refuse directories, files and MCP servers that are not there.
pub(crate) fn check_places(
    global_settings: &GlobalSettings,
    config: &Config,
    workspace: &Path,
) -> Result<(), UsageError> {
    let named = &global_settings.named;
    check_policies("--policy", &named.policies)?;
    check_policies("--admin-policy", &named.admin_policies)?;
    check_directories(config, workspace, &named.include_directories)?;
    check_servers(&server_names(config), &named.allowed_servers)
}

/// Refuse whatever names nothing. `model` is the one to begin with: it decides which tools there are.
pub(crate) fn check(
    global_settings: &GlobalSettings,
    config: &Config,
    workspace: &Path,
    model: &Arc<dyn Model>,
) -> anyhow::Result<()> {
    check_places(global_settings, config, workspace)?;
    let named = &global_settings.named;
    if named.allowed_tools.is_empty() {
        return Ok(());
    }
    let tools =
        toolbox(global_settings, (config, workspace), model, BlobStore::ephemeral()?, BackgroundProcesses::default());
    let tools: BTreeSet<&str> = tools.ever_offered().into_iter().chain(CONDITIONAL.map(BuiltInTool::name)).collect();
    let tools: Vec<&str> = tools.into_iter().collect();
    Ok(check_tools(&tools, &server_names(config), &named.allowed_tools)?)
}

fn server_names(config: &Config) -> Vec<&str> {
    config.servers.iter().map(|server| server.name.as_str()).collect()
}

fn check_policies(flag: &str, paths: &[PathBuf]) -> Result<(), UsageError> {
    match paths.iter().find_map(|path| Some((path, path.metadata().err()?))) {
        Some((path, error)) => {
            let path = path.display();
            Err(UsageError(format!(
                "{flag} names {path}, which cannot be used: {error}; name a file or directory of rules"
            )))
        }
        None => Ok(()),
    }
}

fn check_directories(config: &Config, workspace: &Path, directories: &[String]) -> Result<(), UsageError> {
    for directory in directories {
        let path = config.path_in(workspace, directory);
        let why = match path.metadata() {
            Ok(found) if found.is_dir() => continue,
            Ok(_) => "it is not a directory".to_owned(),
            Err(error) => error.to_string(),
        };
        let path = path.display();
        let way_out = "name a directory that exists";
        return Err(UsageError(format!("--include-directories names {path}, which cannot be used: {why}; {way_out}")));
    }
    Ok(())
}

fn check_servers(known: &[&str], wanted: &[String]) -> Result<(), UsageError> {
    let Some(unknown) = wanted.iter().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let flag = "--allowed-mcp-server-names";
    Err(UsageError(match known {
        [] => {
            format!("{flag} names {unknown:?}, but no MCP server is configured; add it to mcpServers in your settings")
        }
        known => format!("{flag} names {unknown:?}, which is no MCP server; there are {}", known.join(", ")),
    }))
}

fn check_tools(known: &[&str], servers: &[&str], wanted: &[String]) -> Result<(), UsageError> {
    for text in wanted {
        let entry = ToolEntry::read(text);
        if text.contains('(') != text.ends_with(')') {
            let form = "write run_shell_command(git status), with no comma in the brackets";
            return Err(UsageError(format!("--allowed-tools names {text:?}, whose brackets are not balanced; {form}")));
        }
        let is_known = known.iter().any(|tool| entry_names_tool(text, tool, None));
        if entry.tool.starts_with(OF_SERVER) && !servers.is_empty() || is_known && may_have_words(&entry) {
            continue;
        }
        let known = known.join(", ");
        return Err(UsageError(match is_known {
            true => format!("--allowed-tools names {text:?}, but only run_shell_command takes words in brackets"),
            false if entry.tool.starts_with(OF_SERVER) => {
                format!("--allowed-tools names {text:?}, but no MCP server is configured; add it to mcpServers")
            }
            false => format!("--allowed-tools names {text:?}, which is no tool; there are {known}"),
        }));
    }
    Ok(())
}

/// Words in brackets are compared with shell commands: beside any other tool they would never fit.
fn may_have_words(entry: &ToolEntry<'_>) -> bool {
    entry.words.is_none() || entry.is_shell()
}

/// Wait until `servers` are up, and name the first entry of `--allowed-tools` that none of them has a tool for. Entries
/// that a server may have which is not up are passed over: that it is not is said elsewhere.
pub(crate) async fn find_unknown_server_tool(named: &NamedByFlags, servers: &McpServers) -> Option<String> {
    let of_servers = |text: &&String| ToolEntry::read(text).tool.starts_with(OF_SERVER);
    let wanted: Vec<&String> = named.allowed_tools.iter().filter(of_servers).collect();
    if wanted.is_empty() || tokio::time::timeout(SERVERS_SETTLE, servers.settled()).await.is_err() {
        return None;
    }
    let status = servers.status().borrow().clone();
    let unknown = wanted.into_iter().find(|text| {
        !status.iter().any(|(server, status)| match status {
            McpStatus::Ready { .. } => servers.tools_of(server).iter().any(|tool| is_named(text, server, tool)),
            _ => is_named(text, server, ToolEntry::read(text).tool),
        })
    })?;
    Some(format!("--allowed-tools names {unknown:?}, which is no tool of any MCP server; `pollux mcp list` lists them"))
}

/// Warn, once `servers` are up, of what [`find_unknown_server_tool`] finds.
pub(crate) fn warn_of_unknown_server_tool(named: NamedByFlags, servers: Arc<McpServers>) {
    tokio::spawn(async move {
        if let Some(sentence) = find_unknown_server_tool(&named, &servers).await {
            tracing::warn!("{sentence}");
        }
    });
}

/// True if an entry names `tool` of `server`.
fn is_named(text: &str, server: &str, tool: &str) -> bool {
    let Some(own_name) = tool.strip_prefix(&format!("{OF_SERVER}{server}_")) else { return false };
    entry_names_tool(text, tool, Some((server, own_name)))
}
