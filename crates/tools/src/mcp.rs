//! The MCP client: other people's tools, prompts and resources, from servers the person named in their own settings.
//!
//! Servers start in the background and in parallel; nothing waits for them. One that dies is started again, one that
//! floods, stalls or lies is contained: its calls fail with data, and nothing else is harmed.

mod client_handler;
mod config;
mod connection_error;
mod connector;
mod content;
mod digest;
mod elicitation;
mod limits;
mod managed_server;
mod media;
mod meter;
mod names;
mod offer;
mod plain_text;
mod progress;
mod questions;
mod resources;
mod running_calls;
mod sampling;
mod server_statuses;
mod sign_in;
mod status;
mod tool;
mod uri_template;

#[cfg(test)]
mod tests;

pub use config::{McpOauth, McpServerConfig};
pub use connector::McpReach;
pub use content::McpContent;
pub use limits::McpLimits;
pub use managed_server::McpError;
pub use offer::{McpPrompt, McpPromptArgument, McpResource};
pub use sampling::{McpSamplingAnswer, McpSamplingMessage, McpSamplingRequest, McpSamplingRole};
pub use sign_in::{McpTokenStore, SignIn, SignInError};
pub use status::McpStatus;

use crate::output::OutputStore;
use crate::tool::Tool;
use connection_error::McpConnectionError;
use connector::{EntryConnector, McpConnector};
use content::McpContentBuilder;
use elicitation::ElicitationTool;
use managed_server::ManagedMcpServer;
use names::prefix;
use parking_lot::Mutex;
use questions::OpenQuestions;
use resources::{ListMcpResourcesTool, McpServersByName, ReadMcpResourceTool};
use rmcp::model::GetPromptRequestParams;
use running_calls::RunningCalls;
use serde_json::Value;
use server_statuses::McpServerStatuses;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tool::McpTool;

/// Settings of all servers, besides their entries.
#[derive(Clone, Default)]
pub struct McpOptions {
    /// The directory of programs whose entry names none.
    pub directory: PathBuf,
    /// Directories that nobody trusts: no program runs there, whatever its entry says, or is looked for there.
    pub untrusted: Vec<PathBuf>,
    pub limits: McpLimits,
    /// Keeps what servers return that is not text. Without it, such things are only described.
    pub output_store: Option<Arc<dyn OutputStore>>,
    /// Where sign-ins are kept. Without it nobody is signed in.
    pub tokens: Option<McpTokenStore>,
    /// Where servers may be that are reached over HTTP.
    pub reach: McpReach,
    /// The directories that servers are told of as roots; `None` where they are told of none and not that there are any.
    pub roots: Option<Vec<PathBuf>>,
}

/// The MCP servers of a person. Dropping it ends them all.
pub struct McpServers {
    servers: Arc<McpServersByName>,
    questions: OpenQuestions,
    statuses: McpServerStatuses,
    tasks: Mutex<BTreeMap<String, AbortOnDropHandle<()>>>,
    began: Instant,
    roots: Option<watch::Sender<Vec<PathBuf>>>,
}

/// The tool that puts the questions of all these servers to a person; none where there are no servers. No model is
/// offered it.
pub fn elicitation_tool<'a>(servers: impl Iterator<Item = &'a Arc<McpServers>>) -> Option<Arc<dyn Tool>> {
    let questions: Vec<OpenQuestions> = servers.map(|servers| servers.questions.clone()).collect();
    (!questions.is_empty()).then(|| Arc::new(ElicitationTool(questions)) as Arc<dyn Tool>)
}

impl McpServers {
    /// Start the servers of these entries, by name. Returns at once; must be called inside a Tokio runtime.
    pub fn start(configs: BTreeMap<String, McpServerConfig>, options: McpOptions) -> McpServers {
        McpServers::stopped(configs, options).started()
    }

    /// The servers of these entries, by name, none of which is started.
    pub fn stopped(configs: BTreeMap<String, McpServerConfig>, options: McpOptions) -> McpServers {
        let McpOptions { directory, untrusted, limits, output_store: keeper, tokens, reach, roots } = options;
        let lines = configs.into_iter().map(|(name, config)| {
            let (directory, untrusted) = (directory.clone(), untrusted.clone());
            let (tokens, reach) = (tokens.clone(), reach.clone());
            let line = EntryConnector {
                name: name.clone(),
                config: config.clone(),
                directory,
                untrusted,
                limits,
                tokens,
                reach,
            };
            (name, config, Box::new(line) as Box<dyn McpConnector>)
        });
        McpServers::assemble(lines.collect(), limits, keeper.as_ref(), roots)
    }

    fn assemble(
        entries: Vec<(String, McpServerConfig, Box<dyn McpConnector>)>,
        limits: McpLimits,
        keeper: Option<&Arc<dyn OutputStore>>,
        roots: Option<Vec<PathBuf>>,
    ) -> McpServers {
        let (statuses, questions) = (McpServerStatuses::default(), OpenQuestions::default());
        let roots = roots.map(watch::Sender::new);
        let names: Vec<String> = entries.iter().map(|(name, ..)| name.clone()).collect();
        let mut servers = McpServersByName::new();
        for (at, (name, config, dial)) in entries.into_iter().enumerate() {
            let ours = prefix(&name);
            if let Some(same) = names[..at].iter().find(|other| prefix(other) == ours) {
                let why = McpConnectionError::SameName(same.clone()).to_string();
                statuses.set(&name, McpStatus::Failed { why });
                continue;
            }
            let foreign = names.iter().map(|other| prefix(other)).filter(|other| *other != ours);
            let foreign = foreign.filter(|other| other.starts_with(&ours)).collect();
            statuses.set(&name, McpStatus::Stopped);
            let server = ManagedMcpServer {
                name: name.clone(),
                config,
                limits,
                foreign,
                connector: dial,
                running: RunningCalls::default(),
                roots: roots.as_ref().map(watch::Sender::subscribe),
                questions: questions.clone(),
                output_store: keeper.cloned(),
                statuses: statuses.clone(),
                live: watch::Sender::new(None),
                suspect: tokio::sync::Notify::new(),
            };
            servers.insert(name, Arc::new(server));
        }
        let (servers, tasks, began) = (Arc::new(servers), Mutex::default(), Instant::now());
        McpServers { servers, questions, statuses, tasks, began, roots }
    }

    fn started(self) -> McpServers {
        for name in self.servers.keys() {
            self.restart(name);
        }
        self
    }

    /// Every server's status, by name, as it changes.
    pub fn status(&self) -> watch::Receiver<BTreeMap<String, McpStatus>> {
        self.statuses.watch()
    }

    /// Resolves when no server is being started: each is ready, has failed, wants a sign-in, or was stopped.
    pub async fn settled(&self) {
        let is_open = |status: &McpStatus| *status == McpStatus::Connecting;
        // The board lives as long as we do, so there is nobody to be told of an error.
        let _ = self.statuses.watch().wait_for(|all| !all.values().any(is_open)).await;
    }

    /// As [`McpServers::settled`], but for no longer than `limit` after all of them were started: one that hangs holds up
    /// its first caller once, not every one.
    pub async fn started_within(&self, limit: Duration) {
        // Whoever is not there by then is left out.
        let _ = timeout_at(self.began + limit, self.settled()).await;
    }

    /// The tools of all servers that are ready now, and the two for resources if there are any. Names are unique.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools: BTreeMap<String, Arc<dyn Tool>> = BTreeMap::new();
        let mut has_resources = false;
        for server in self.servers.values() {
            let Some(live) = server.live() else { continue };
            has_resources |= !live.offer.resources.is_empty();
            for tool in &live.offer.tools {
                let ours = McpTool { server: Arc::clone(server), tool: tool.clone() };
                // Two long names can be cut to the same; the first server keeps it.
                tools.entry(tool.name.clone()).or_insert_with(|| Arc::new(ours));
            }
        }
        let mut tools: Vec<_> = tools.into_values().collect();
        if has_resources {
            tools.push(Arc::new(ListMcpResourcesTool(Arc::clone(&self.servers))));
            tools.push(Arc::new(ReadMcpResourceTool(Arc::clone(&self.servers))));
        }
        tools
    }

    /// Tell the servers of other directories as roots than before, if they are told of any.
    pub fn set_roots(&self, directories: Vec<PathBuf>) {
        if let Some(roots) = &self.roots {
            roots.send_if_modified(|known| {
                let changed = *known != directories;
                *known = directories;
                changed
            });
        }
    }

    /// The request to a model that a server makes with a call of `sampling` with these arguments; `None` if none asks
    /// that now.
    pub fn sampling(&self, args: &Value) -> Option<McpSamplingRequest> {
        self.questions.is_open(sampling::NAME, args).then(|| serde_json::from_value(args.clone()).ok()).flatten()
    }

    /// True if there is a server of this name, whatever its state.
    pub fn has(&self, server: &str) -> bool {
        self.servers.contains_key(server)
    }

    /// Resolves when `server` is not being started. Returns whether it is ready.
    pub async fn server_settled(&self, server: &str) -> bool {
        let is_open = |all: &BTreeMap<String, McpStatus>| all.get(server) == Some(&McpStatus::Connecting);
        // As in `settled`.
        let _ = self.statuses.watch().wait_for(|all| !is_open(all)).await;
        self.servers.get(server).is_some_and(|server| server.live().is_some())
    }

    /// Why a server cannot be asked, in words.
    pub fn why_not_ready(&self, server: &str) -> String {
        self.statuses.describe(server)
    }

    /// Why a tool is not there whose name is that of a server's: the server is not ready.
    pub fn why_missing(&self, tool: &str) -> Option<McpError> {
        let is_down = |(name, server): &(&String, &Arc<ManagedMcpServer>)| {
            tool.starts_with(&names::prefix(name)) && server.live().is_none()
        };
        let (server, _) = self.servers.iter().find(is_down)?;
        Some(McpError::NotReady { server: server.clone(), why: self.why_not_ready(server) })
    }

    /// The names of the tools that one server offers now, as a model calls them.
    pub fn tools_of(&self, server: &str) -> Vec<String> {
        let live = self.servers.get(server).and_then(|server| server.live());
        live.map(|live| live.offer.tools.iter().map(|tool| tool.name.clone()).collect()).unwrap_or_default()
    }

    /// The prompts of all servers that are ready now.
    pub fn prompts(&self) -> Vec<McpPrompt> {
        self.servers.values().filter_map(|server| server.live()).flat_map(|live| live.offer.prompts.clone()).collect()
    }

    /// The resources of all servers that are ready now.
    pub fn resources(&self) -> Vec<McpResource> {
        self.servers.values().filter_map(|server| server.live()).flat_map(|live| live.offer.resources.clone()).collect()
    }

    /// The text of a prompt, filled in by its server.
    pub async fn prompt(
        &self,
        server: &str,
        name: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<McpContent, McpError> {
        let server = self.find(server)?;
        let arguments = arguments.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let request = GetPromptRequestParams::new(name).with_arguments(arguments);
        let prompt = server.ask(async |peer| peer.get_prompt(request).await).await?;
        let (keeper, source) = (server.output_store.as_ref(), format!("{} {name}", server.name));
        Ok(McpContentBuilder::new(&source, keeper).with_prompt(&prompt).finish(keeper).await.excerpt())
    }

    /// The content that a server has at an address that it lists, or that fits one of its templates.
    pub async fn read(&self, server: &str, uri: &str) -> Result<McpContent, McpError> {
        let server = self.find(server)?;
        if !resources::offers(server, uri).await? {
            return Err(McpError::NotOffered { server: server.name.clone(), uri: uri.to_owned() });
        }
        resources::read(server, uri).await.map(McpContent::excerpt)
    }

    fn find(&self, server: &str) -> Result<&Arc<ManagedMcpServer>, McpError> {
        self.servers.get(server).ok_or_else(|| McpError::Unknown { server: server.to_owned() })
    }

    /// Stop a server, if there is one, and start it anew.
    pub fn restart(&self, server: &str) {
        self.stop(server);
        if let Some(found) = self.servers.get(server) {
            found.statuses.set(server, McpStatus::Connecting);
            let keeper = AbortOnDropHandle::new(tokio::spawn(Arc::clone(found).keep_running()));
            self.tasks.lock().insert(server.to_owned(), keeper);
        }
    }

    /// Stop a server. Its calls fail from now on.
    pub fn stop(&self, server: &str) {
        let keeper = self.tasks.lock().remove(server);
        if keeper.is_some() {
            drop(keeper);
            self.statuses.set(server, McpStatus::Stopped);
        }
    }
}
