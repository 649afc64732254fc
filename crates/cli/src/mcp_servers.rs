//! The MCP servers a person has configured, started in the background, with a line when one changes its state.

use crate::blob_storage::BlobStorage;
use crate::config::{Config, ConfigSecret, ConfiguredTransport, McpServerEntry, OAuthSettings, ServerTrust};
use crate::console;
use crate::settings::GlobalSettings;
use parking_lot::Mutex;
use pollux_host::NoticeBoard;
use pollux_policy::FolderTrust;
use pollux_session::{Notice, NoticeLevel};
use pollux_store::BlobStore;
use pollux_tools::{McpOauth, McpOptions, McpServerConfig, McpServers, McpStatus, McpTokenStore, OutputStore};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Start the configured servers that no setting rules out; `None` when there are none. What they return that is not
/// text goes to `blobs`.
pub(crate) fn start(
    global_settings: &GlobalSettings,
    config: &Config,
    (workspace, trust): (&Path, FolderTrust),
    blobs: &BlobStore,
    reporter: &McpStatusReporter,
) -> Option<Arc<McpServers>> {
    let entries = Some(entries(config)).filter(|entries| !entries.is_empty())?;
    let keeper: Arc<dyn OutputStore> = Arc::new(BlobStorage(blobs.clone()));
    let (tokens, roots) = (tokens(global_settings), Some(roots(config, workspace, trust)));
    let options =
        McpOptions { output_store: Some(keeper), tokens, roots, ..start_options(global_settings, workspace, trust) };
    let servers = Arc::new(McpServers::start(entries, options));
    tokio::spawn(reporter.clone().report_changes(servers.clone()));
    Some(servers)
}

/// The servers for a list: none of them is started.
pub(crate) fn unstarted_servers(config: &Config) -> Option<Arc<McpServers>> {
    let entries = Some(entries(config)).filter(|entries| !entries.is_empty())?;
    Some(Arc::new(McpServers::stopped(entries, McpOptions::default())))
}

/// The directories that servers are told of: the workspace and those that are included. None of them where the person
/// does not trust the workspace: a server that works in its roots would run what the folder brings.
pub(crate) fn roots(config: &Config, workspace: &Path, trust: FolderTrust) -> Vec<PathBuf> {
    match trust {
        FolderTrust::Trusted => {
            let included = config.preferences.include_directories.iter();
            std::iter::once(workspace).chain(included.map(PathBuf::as_path)).map(Path::to_owned).collect()
        }
        FolderTrust::Untrusted | FolderTrust::Unknown => Vec::new(),
    }
}

/// Where programs start: in the workspace if the person trusts it, otherwise far from it. Python and npx, for example, look
/// in the current directory for what they are told to run.
pub(crate) fn start_options(global_settings: &GlobalSettings, workspace: &Path, trust: FolderTrust) -> McpOptions {
    if trust == FolderTrust::Trusted {
        return McpOptions { directory: workspace.into(), ..McpOptions::default() };
    }
    let home = global_settings.user_directories.home().and_then(|home| home.canonicalize().ok());
    let directory = home.filter(|home| !home.starts_with(workspace)).unwrap_or_else(|| "/".into());
    McpOptions { directory, untrusted: vec![workspace.to_owned()], ..McpOptions::default() }
}

/// Where the person's sign-ins are kept.
pub(crate) fn tokens(global_settings: &GlobalSettings) -> Option<McpTokenStore> {
    global_settings.user_directories.mcp_tokens().map(McpTokenStore::at)
}

/// The entries in force, as texts that are equal when the servers would be. They are digests: an entry may hold secrets.
pub(crate) fn entry_digests(config: &Config, folder_trust: FolderTrust) -> Vec<String> {
    let entry = |(name, entry): (String, McpServerConfig)| {
        let McpServerConfig { timeout, trust, include_tools, exclude_tools, .. } = &entry;
        // Where a program starts depends on it.
        let in_workspace = entry.command.is_some() && folder_trust == FolderTrust::Trusted;
        let digest = entry.fingerprint();
        format!("{name} {digest} {in_workspace} {timeout:?} {trust} {include_tools:?} {exclude_tools:?}")
    };
    entries(config).into_iter().map(entry).collect()
}

/// The entries in force.
pub(crate) fn entries(config: &Config) -> BTreeMap<String, McpServerConfig> {
    let preferences = &config.preferences;
    let wanted = |name: &String| {
        preferences.allowed_servers.as_ref().is_none_or(|allowed| allowed.contains(name))
            && !preferences.excluded_servers.contains(name)
    };
    let servers = config.servers.iter().filter(|server| wanted(&server.name));
    servers.map(|server| (server.name.clone(), entry(&server.server))).collect()
}

fn entry(server: &McpServerEntry) -> McpServerConfig {
    let usual = McpServerConfig {
        timeout: server.timeout.and_then(|timeout| u64::try_from(timeout.as_millis()).ok()),
        trust: server.trust == ServerTrust::Trusted,
        description: server.description.clone(),
        include_tools: server.include_tools.clone(),
        exclude_tools: server.exclude_tools.clone(),
        oauth: server.oauth.as_ref().map(oauth),
        ..McpServerConfig::default()
    };
    let reveal = |secrets: &BTreeMap<String, ConfigSecret>| {
        secrets.iter().map(|(name, secret)| (name.clone(), secret.reveal().to_owned())).collect()
    };
    match &server.transport {
        ConfiguredTransport::Stdio { command, args, env, cwd } => McpServerConfig {
            command: Some(command.clone()),
            args: args.clone(),
            env: reveal(env),
            cwd: cwd.clone(),
            ..usual
        },
        ConfiguredTransport::Http { url, headers } => {
            McpServerConfig { http_url: Some(url.clone()), headers: reveal(headers), ..usual }
        }
        ConfiguredTransport::HttpOrSse { url, headers } => {
            McpServerConfig { url: Some(url.clone()), headers: reveal(headers), ..usual }
        }
    }
}

fn oauth(oauth: &OAuthSettings) -> McpOauth {
    McpOauth {
        client_id: oauth.client_id.clone(),
        client_secret: oauth.client_secret.as_ref().map(|secret| secret.reveal().to_owned()),
        authorization_url: oauth.authorization_url.clone(),
        token_url: oauth.token_url.clone(),
        scopes: oauth.scopes.clone(),
        redirect_uri: oauth.redirect_uri.clone(),
    }
}

/// Says when a server becomes ready, changes what it offers, fails or wants something.
#[derive(Clone)]
pub(crate) struct McpStatusReporter {
    board: NoticeBoard,
    /// Why each server that is not there has failed, as it was said last. Servers are started anew when a person trusts a
    /// folder, and fail in the same way.
    failures: Arc<Mutex<BTreeMap<String, String>>>,
}

impl McpStatusReporter {
    pub(crate) fn new(board: NoticeBoard) -> McpStatusReporter {
        McpStatusReporter { board, failures: Arc::default() }
    }

    async fn report_changes(self, servers: Arc<McpServers>) {
        let mut status = servers.status();
        // Only the watch is kept: holding the servers would keep them from ending with the agent.
        drop(servers);
        // What was there before anybody watched is news too.
        status.mark_changed();
        let mut known: BTreeMap<String, McpStatus> = BTreeMap::new();
        while status.changed().await.is_ok() {
            let now = status.borrow_and_update().clone();
            for (name, status) in &now {
                for notice in describe_status_change(name, known.get(name), status) {
                    self.report(name, status, notice);
                }
            }
            known = now;
        }
    }

    fn report(&self, name: &str, status: &McpStatus, notice: Notice) {
        match status {
            McpStatus::Failed { why } => {
                if !self.is_new_failure(name, why) {
                    return;
                }
                tracing::warn!("{}", notice.text);
                // The line reaches clients by itself where logging does.
                if console::reaches_clients() {
                    return;
                }
            }
            McpStatus::Ready { .. } => {
                self.failures.lock().remove(name);
            }
            McpStatus::Connecting | McpStatus::NeedsSignIn { .. } | McpStatus::Stopped => {}
        }
        self.board.post(None, notice);
    }

    fn is_new_failure(&self, name: &str, why: &str) -> bool {
        self.failures.lock().insert(name.to_owned(), why.to_owned()).as_deref() != Some(why)
    }
}

/// Notices on a server that was `before` and is `now`.
fn describe_status_change(name: &str, before: Option<&McpStatus>, now: &McpStatus) -> Vec<Notice> {
    if before == Some(now) {
        return Vec::new();
    }
    let notice = |level, text: String| Notice { level, text: format!("MCP server {name} {text}") };
    match now {
        McpStatus::Connecting => vec![notice(NoticeLevel::Debug, "is being connected".into())],
        McpStatus::Ready { left_out, .. } => {
            let already = matches!(before, Some(McpStatus::Ready { .. }));
            let state = if already { "now offers" } else { "is ready:" };
            let ready = notice(NoticeLevel::Info, format!("{state} {}", describe_offer(now)));
            let was_left_out = |one: &&String| match before {
                Some(McpStatus::Ready { left_out, .. }) => left_out.contains(one),
                _ => false,
            };
            let unusable = left_out.iter().filter(|one| !was_left_out(one));
            let unusable = unusable.map(|one| notice(NoticeLevel::Warn, format!("offers what cannot be used: {one}")));
            std::iter::once(ready).chain(unusable).collect()
        }
        McpStatus::Failed { why } => vec![notice(NoticeLevel::Warn, format!("failed: {why}"))],
        McpStatus::NeedsSignIn { how } => vec![notice(NoticeLevel::Warn, format!("needs a login; {how}"))],
        McpStatus::Stopped => vec![notice(NoticeLevel::Info, "stopped".into())],
    }
}

/// The size of a server's offer, in words.
pub(crate) fn describe_offer(status: &McpStatus) -> String {
    let McpStatus::Ready { tools, prompts, resources, .. } = status else { return String::new() };
    let counts = [(*tools, "tool"), (*prompts, "prompt"), (*resources, "resource")];
    let some = counts.into_iter().enumerate().filter(|(at, (count, _))| *at == 0 || *count > 0);
    let words = some.map(|(_, (count, what))| format!("{count} {what}{}", if count == 1 { "" } else { "s" }));
    words.collect::<Vec<_>>().join(", ")
}
