//! One agent for each workspace of a server or a terminal: its own settings, tools, rules and tool servers, so that
//! nothing of one workspace reaches the sessions of another.
//!
//! They are made when the first session of a workspace has work to do, kept, and made anew when a file that decides
//! them, or the person's trust, has changed; at a terminal, when their trust has. A question about what there is makes one
//! that is not kept and starts nothing.

use crate::config::Config;
use crate::folder_trust::folder_trust;
use crate::mcp_servers::{self, McpStatusReporter};
use crate::runtime::{AgentProcesses, ModelSelection, assemble_agent};
use crate::settings::GlobalSettings;
use lru::LruCache;
use parking_lot::Mutex;
use pollux_agent::{AgentUse, WorkspaceAgent};
use pollux_host::NoticeBoard;
use pollux_policy::FolderTrust;
use pollux_store::BlobStore;
use pollux_tools::McpServers;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

#[cfg(test)]
mod tests;

/// The most workspaces whose agents are kept at hand. The one that was used least lately goes first, with its tool
/// servers and what its shell commands left running.
const MAX_CACHED_AGENTS: NonZeroUsize = NonZeroUsize::new(256).unwrap();
/// The most workspaces whose tool servers run at one time: each workspace has processes of its own. Those of the
/// workspace that was used least lately end, and start anew when it has work again; what its shell commands left
/// running goes on.
const MAX_RUNNING_SERVER_SETS: usize = 32;

/// Hands out the agent of a workspace.
pub(crate) struct WorkspaceAgents {
    basics: Arc<GlobalSettings>,
    model_selection: ModelSelection,
    blobs: BlobStore,
    server_reporter: McpStatusReporter,
    renewal: WorkspaceRenewal,
    /// True if workspaces are saved before they are changed, where settings say so.
    checkpoints: bool,
    cache: Mutex<WorkspaceAgentCache>,
}

/// The reason why an agent is made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkspaceRenewal {
    /// A settings file or the person's trust has changed.
    FilesAndTrust,
    /// Only their trust has.
    Trust,
}

struct WorkspaceAgentCache {
    agents: LruCache<PathBuf, CachedAgent>,
}

struct CachedAgent {
    stamp: WorkspaceStamp,
    /// None when it has to be made anew, because its tool servers had to end.
    agent: Option<WorkspaceAgent>,
    processes: AgentProcesses,
    /// The entries that the servers were started with.
    entries: Vec<String>,
}

/// The person's trust in the workspace, the files that there are, and when each changed: equal stamps, equal settings.
#[derive(PartialEq)]
struct WorkspaceStamp {
    trust: FolderTrust,
    files: Vec<(PathBuf, Option<(SystemTime, u64)>)>,
}

impl WorkspaceAgentCache {
    fn new() -> WorkspaceAgentCache {
        WorkspaceAgentCache { agents: LruCache::sparse(MAX_CACHED_AGENTS) }
    }

    /// End the tool servers of the workspaces that were used least lately, until one more can have some.
    fn make_room_for_servers(&mut self) {
        // The one that was used last comes first.
        let running = self.agents.iter_mut().filter(|(_, known)| known.processes.servers.is_some());
        for (_, known) in running.skip(MAX_RUNNING_SERVER_SETS - 1) {
            // A session that is at work with them keeps them until it rests.
            (known.agent, known.processes.servers) = (None, None);
        }
    }
}

impl WorkspaceAgents {
    /// Those of the person of `basics`. `engines` are everybody's: no workspace chooses a model.
    pub(crate) fn new(
        basics: Arc<GlobalSettings>,
        model_selection: ModelSelection,
        blobs: BlobStore,
        board: NoticeBoard,
    ) -> WorkspaceAgents {
        let (renewal, checkpoints) = (WorkspaceRenewal::FilesAndTrust, true);
        let cache = Mutex::new(WorkspaceAgentCache::new());
        let server_reporter = McpStatusReporter::new(board);
        WorkspaceAgents { basics, model_selection, blobs, server_reporter, renewal, checkpoints, cache }
    }

    /// The agents of a terminal, whose settings are `config`.
    pub(crate) fn at_terminal(self, config: &Config) -> WorkspaceAgents {
        WorkspaceAgents { renewal: WorkspaceRenewal::Trust, checkpoints: config.preferences.checkpointing, ..self }
    }

    /// The source that [`pollux_agent::AgentRunner::with_workspaces`] takes.
    pub(crate) fn into_source(self) -> impl Fn(&Path, AgentUse) -> WorkspaceAgent {
        move |workspace, purpose| match (purpose, self.renewal) {
            // A terminal has one workspace, and its person wants to see it as it is.
            (AgentUse::Work, _) | (AgentUse::Listing, WorkspaceRenewal::Trust) => self.agent(workspace),
            (AgentUse::Listing, WorkspaceRenewal::FilesAndTrust) => self.agent_for_listing(workspace),
        }
    }

    /// The agent that says what sessions in `workspace` have: theirs if it is there, otherwise one whose tool servers are
    /// not started. Nothing of it is kept, so that whoever asks about many workspaces takes no place from those at work.
    fn agent_for_listing(&self, workspace: &Path) -> WorkspaceAgent {
        let stamp = self.stamp(workspace);
        {
            let shelf = self.cache.lock();
            let known = shelf.agents.peek(workspace).filter(|known| known.stamp == stamp);
            if let Some(agent) = known.and_then(|known| known.agent.clone()) {
                return agent;
            }
        }
        let mut config = self.basics.config.for_workspace(workspace, stamp.trust);
        config.preferences.checkpointing &= self.checkpoints;
        let processes =
            AgentProcesses { servers: mcp_servers::unstarted_servers(&config), ..AgentProcesses::default() };
        self.assemble(workspace, &config, processes)
    }

    /// The agent for sessions in `workspace`. Must be called inside a Tokio runtime.
    pub(crate) fn agent(&self, workspace: &Path) -> WorkspaceAgent {
        let stamp = self.stamp(workspace);
        let mut shelf = self.cache.lock();
        let known = shelf.agents.get(workspace).filter(|known| known.stamp == stamp);
        if let Some(agent) = known.and_then(|known| known.agent.clone()) {
            return agent;
        }
        let mut config = self.basics.config.for_workspace(workspace, stamp.trust);
        config.preferences.checkpointing &= self.checkpoints;
        for warning in &config.warnings {
            self.basics.reported_warnings.warn_once(&warning.text);
        }
        let entries = mcp_servers::entry_digests(&config, stamp.trust);
        let before = shelf.agents.pop(workspace);
        let is_same = before.as_ref().is_some_and(|before| before.entries == entries && before.agent.is_some());
        // Commands in the background go on, and so do the same servers: whoever runs a call of one should not lose it to an
        // edit of something else.
        let mut processes = before.map(|before| before.processes).unwrap_or_default();
        if !is_same {
            if let Some(servers) = processes.servers.take()
                && self.renewal == WorkspaceRenewal::Trust
            {
                stop(&servers);
            }
            processes.servers = self.start(&config, workspace, stamp.trust);
        } else if let Some(servers) = &processes.servers {
            servers.set_roots(mcp_servers::roots(&config, workspace, stamp.trust));
        }
        let agent = self.assemble(workspace, &config, processes.clone());
        if processes.servers.is_some() {
            shelf.make_room_for_servers();
        }
        let furnished = CachedAgent { stamp, agent: Some(agent.clone()), processes, entries };
        shelf.agents.put(workspace.to_owned(), furnished);
        agent
    }

    /// An agent for `workspace` with these settings.
    fn assemble(&self, workspace: &Path, config: &Config, processes: AgentProcesses) -> WorkspaceAgent {
        let engines = self.model_selection_for(config);
        assemble_agent(&self.basics, config, workspace, engines, self.blobs.clone(), processes)
    }

    fn start(&self, config: &Config, workspace: &Path, trust: FolderTrust) -> Option<Arc<McpServers>> {
        mcp_servers::start(&self.basics, config, (workspace, trust), &self.blobs, &self.server_reporter)
    }

    /// A workspace may lower how often a model is asked again; that makes engines of its own. A script remembers what it
    /// has played, so there is one of it.
    fn model_selection_for(&self, config: &Config) -> ModelSelection {
        let same = config.preferences.max_attempts == self.basics.config.preferences.max_attempts;
        if same || self.model_selection.is_script() {
            return self.model_selection.clone();
        }
        // A resumed session may go on with another model than the settings name.
        let id = self.model_selection.chosen.model.info().id;
        let anew = ModelSelection::choose(&self.basics, config).and_then(|anew| anew.with_model(&id));
        anew.unwrap_or_else(|error| {
            tracing::warn!("general.maxAttempts of a workspace does not count: {error}");
            self.model_selection.clone()
        })
    }

    fn stamp(&self, workspace: &Path) -> WorkspaceStamp {
        let trust = folder_trust(&self.basics, workspace);
        let stamped = |path: PathBuf| {
            let changed = std::fs::metadata(&path).ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())));
            (path, changed)
        };
        let files = match self.renewal {
            WorkspaceRenewal::FilesAndTrust => self.basics.config.watched(workspace, trust),
            WorkspaceRenewal::Trust => Vec::new(),
        };
        let files = files.into_iter().map(stamped).collect();
        WorkspaceStamp { trust, files }
    }
}

/// Stop servers that others take the place of. A terminal keeps its first agent for good, so they would not end by
/// themselves.
fn stop(servers: &McpServers) {
    let names: Vec<String> = servers.status().borrow().keys().cloned().collect();
    for name in names {
        servers.stop(&name);
    }
}
