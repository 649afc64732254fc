//! The workspace scope: what the sessions in one directory have alike. Its models, its tools and servers, its rules and
//! settings, and whether the person trusts it.

use crate::agent_settings::{AgentSettings, Attendance};
use crate::subagent::SubagentRegistry;
use pollux_model::{Model, ModelRegistry};
use pollux_policy::{FolderTrust, TrustedFolders, WorkspacePolicies};
use pollux_session::{ApprovalMode, BuiltInTool, Grant, GrantScope, ToolKind};
use pollux_tools::{Checkpoints, McpServers, McpStatus, Toolbox, elicitation_tool};
use std::path::Path;
use std::sync::Arc;

/// The agent of one workspace. Cloning is cheap.
#[derive(Clone)]
pub struct WorkspaceAgent {
    pub(crate) root: Arc<Path>,
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) default_model: Arc<dyn Model>,
    /// Pollux's own tools.
    pub(crate) tools: Toolbox,
    pub(crate) servers: Option<Arc<McpServers>>,
    pub(crate) subagents: Option<Arc<SubagentRegistry>>,
    pub(crate) policies: Arc<WorkspacePolicies>,
    pub(crate) settings: Arc<AgentSettings>,
    /// Saves workspaces before they are changed; nothing is saved without.
    pub(crate) checkpoints: Option<Arc<Checkpoints>>,
    /// Whether anybody could answer what it asks.
    pub(crate) attendance: Attendance,
}

impl WorkspaceAgent {
    /// The agent of the workspace at `root`, which asks `default_model` unless a session names another one of `models`.
    pub fn new(
        root: &Path,
        models: Arc<ModelRegistry>,
        default_model: Arc<dyn Model>,
        tools: Toolbox,
        policies: Arc<WorkspacePolicies>,
        settings: AgentSettings,
    ) -> WorkspaceAgent {
        WorkspaceAgent {
            root: root.into(),
            models,
            default_model,
            tools,
            servers: None,
            subagents: None,
            policies,
            settings: Arc::new(settings),
            checkpoints: None,
            attendance: Attendance::Attended,
        }
    }

    /// The agent for another workspace.
    pub(crate) fn at(self, root: &Path) -> WorkspaceAgent {
        if *self.root == *root { self } else { WorkspaceAgent { root: root.into(), ..self } }
    }

    /// The agent, which saves workspaces with `checkpoints` before it changes them.
    #[must_use]
    pub fn with_checkpoints(self, checkpoints: Arc<Checkpoints>) -> WorkspaceAgent {
        WorkspaceAgent { checkpoints: Some(checkpoints), ..self }
    }

    /// The agent where this is who could answer it. Where nobody could, it has no tools that talk to people.
    pub(crate) fn with_attendance(self, attendance: Attendance) -> WorkspaceAgent {
        let is_for_people = |name: &String| {
            let tool = BuiltInTool::from_name(name);
            attendance == Attendance::Unattended && tool.is_some_and(|tool| tool.kind() == ToolKind::Converse)
        };
        let left_out: Vec<String> = self.tools.names().into_iter().filter(is_for_people).collect();
        WorkspaceAgent { tools: self.tools.without(&left_out), attendance, ..self }
    }

    /// The agent, with the tools of `servers` too.
    #[must_use]
    pub fn with_servers(self, servers: Arc<McpServers>) -> WorkspaceAgent {
        WorkspaceAgent { servers: Some(servers), ..self }
    }

    /// The agent, which hands work to `subagents`.
    #[must_use]
    pub fn with_subagents(self, subagents: SubagentRegistry) -> WorkspaceAgent {
        WorkspaceAgent { subagents: Some(Arc::new(subagents)), ..self }
    }

    /// The tools a model may call now, with what each does.
    pub fn tools_offered(&self) -> Vec<(String, String)> {
        let declared = self.toolbox().declarations(ApprovalMode::default());
        declared.into_iter().map(|tool| (tool.name, tool.description)).collect()
    }

    /// The MCP servers that were started for this agent.
    pub fn servers(&self) -> Option<&Arc<McpServers>> {
        self.servers.as_ref()
    }

    /// The MCP servers that are ready now, with how much they offer.
    pub(crate) fn servers_ready(&self) -> Vec<(String, String)> {
        let Some(servers) = &self.servers else { return Vec::new() };
        let status = servers.status().borrow().clone();
        let ready = status.into_iter().filter_map(|(name, status)| match status {
            McpStatus::Ready { tools, .. } => Some((name, format!("an MCP server with {tools} tools"))),
            McpStatus::Connecting | McpStatus::Failed { .. } | McpStatus::NeedsSignIn { .. } | McpStatus::Stopped => {
                None
            }
        });
        ready.collect()
    }

    /// The tools there are right now: servers come and go. A session may add to them, and have only some.
    pub(crate) fn toolbox(&self) -> Toolbox {
        self.add_server_tools(&self.tools).and(elicitation_tool(self.servers.iter()).into_iter().collect())
    }

    /// `tools`, and those of servers.
    pub(crate) fn add_server_tools(&self, tools: &Toolbox) -> Toolbox {
        match &self.servers {
            Some(servers) => tools.and(servers.tools()),
            None => tools.clone(),
        }
    }

    /// The names of its servers.
    pub(crate) fn server_names(&self) -> Vec<String> {
        let names = |servers: &Arc<McpServers>| servers.status().borrow().keys().cloned().collect();
        self.servers.as_ref().map(names).unwrap_or_default()
    }

    /// Put a grant into the person's own policy file.
    pub(crate) fn save_grant(&self, grant: &Grant, reach: GrantScope) -> Result<(), String> {
        let dir = self.policies.user_dir().ok_or("there is no directory for policy files")?;
        pollux_policy::save_grant(grant, reach, &self.root, dir).map_err(|error| error.to_string())
    }

    /// True if the person trusts the workspace now. A store that cannot be read trusts nothing, and says so.
    pub(crate) fn is_trusted(&self) -> bool {
        if self.settings.trust_all {
            return true;
        }
        let Some(file) = &self.settings.trust_file else { return false };
        match TrustedFolders::load(file) {
            Ok(trust) => trust.folder_trust(&self.root) == FolderTrust::Trusted,
            Err(error) => {
                tracing::warn!("{error}");
                false
            }
        }
    }
}
