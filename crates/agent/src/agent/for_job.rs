//! The agent for one job: with the settings of the session's workspace, what a client lent the session, and only the
//! tools it was opened with.

use super::{Agent, SERVER_STARTUP, ServerStartup};
use crate::client_credentials::{self, ClientPrograms, SessionCredentials};
use pollux_host::{EffectJob, EffectWork};
use pollux_model::{Model, ModelNature, ModelRegistry};
use pollux_session::{ApprovalMode, ClientCredentials, SessionId, TurnFailure};
use pollux_tools::{McpServers, Tool, Toolbox, elicitation_tool};
use std::path::Path;
use std::sync::Arc;

/// What the names of all tools of MCP servers begin with.
pub(crate) const MCP_TOOL: &str = "mcp_";

/// What the agent of a workspace is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentUse {
    /// A session has work to do.
    Work,
    /// Somebody wants to know what there is. Nothing may be started for that: anybody who may look could otherwise have
    /// processes started in every directory.
    Listing,
}

impl Agent {
    /// The same agent, where `workspaces` gives the one for the sessions of each workspace. It is asked for every job, so
    /// it should remember what it made.
    #[must_use]
    pub fn with_workspaces(self, workspaces: impl Fn(&Path, AgentUse) -> Agent + Send + Sync + 'static) -> Agent {
        Agent { agent_for_workspace: Some(Arc::new(workspaces)), ..self }
    }

    /// The same agent, whose model calls wait for the person's tool servers, or do not.
    #[must_use]
    pub fn with_server_startup(self, server_startup: ServerStartup) -> Agent {
        Agent { server_startup, ..self }
    }

    /// The same agent, which starts programs that clients name, or does not.
    #[must_use]
    pub fn with_client_programs(self, programs: ClientPrograms) -> Agent {
        Agent { client_credentials: Arc::new(self.client_credentials.with_programs(programs)), ..self }
    }

    /// The same agent, where the MCP servers that clients name may also be at `hosts`: `host` or `host:port`. Elsewhere they
    /// must be on the public internet.
    #[must_use]
    pub fn with_client_hosts(self, hosts: &[String]) -> Agent {
        Agent { client_credentials: Arc::new(self.client_credentials.with_hosts(hosts)), ..self }
    }

    /// The agent for sessions in `workspace`.
    pub fn for_workspace(&self, workspace: &Path) -> Agent {
        self.make_agent(workspace, AgentUse::Work)
    }

    /// The agent that can say what sessions in `workspace` have.
    pub(super) fn for_listing(&self, workspace: &Path) -> Agent {
        self.make_agent(workspace, AgentUse::Listing)
    }

    fn make_agent(&self, workspace: &Path, purpose: AgentUse) -> Agent {
        match &self.agent_for_workspace {
            None => self.clone(),
            Some(of) => Agent {
                client_credentials: self.client_credentials.clone(),
                agent_for_workspace: None,
                ..of(workspace, purpose)
            },
        }
    }

    /// Hold what a client lends.
    pub(super) fn store_credentials(&self, session: SessionId, lent: ClientCredentials) -> Result<(), String> {
        self.client_credentials.store(session, lent, &self.server_names())
    }

    /// The agent for `job`; and why its session's model cannot be asked, if it cannot: what it was lent is gone.
    pub(super) async fn for_job(&self, job: &EffectJob) -> (Agent, Option<TurnFailure>) {
        let mut agent = self.for_workspace(Path::new(&job.workspace));
        agent.allowed_tools = job.only_tools.clone().map(Arc::new);
        let lent = self.client_credentials.get(job.session);
        let mut missing = (job.lent && lent.is_none()).then(client_credentials::missing_credentials);
        if let Some(lent) = lent {
            let (keeper, taken) = (agent.tools.output_store(), agent.server_names());
            agent.client_servers = lent.servers(Path::new(&job.workspace), &keeper, &taken);
            // What searches and reads the web does so with the operator's model.
            if lent.has_key() {
                agent.tools = agent.tools.without_models();
            }
            let model = match &job.work {
                EffectWork::Think { model, .. } | EffectWork::Run { model, .. } | EffectWork::Compact { model, .. } => {
                    model.as_deref()
                }
                EffectWork::Vet { .. } | EffectWork::Keep { .. } => None,
            };
            match agent.models_with_key(&lent, model) {
                Ok((models, default_model)) => (agent.models, agent.default_model) = (models, default_model),
                Err(failure) => missing = Some(failure),
            }
        }
        if missing.is_some() {
            // A call that was approved before runs still, but the operator does not pay for it.
            (agent.tools, agent.subagents) = (agent.tools.without_models(), None);
        }
        if matches!(job.work, EffectWork::Think { .. }) {
            // Without it the first model call would be offered none of their tools.
            let own = agent.servers.as_ref().filter(|_| self.server_startup == ServerStartup::Awaited);
            for servers in own.into_iter().chain(&agent.client_servers) {
                servers.started_within(SERVER_STARTUP).await;
            }
        }
        (agent, missing)
    }

    /// The agent as it asks `model`, or its default one, for `session`: paid for with what that was lent.
    pub(super) fn with_session_key(&self, session: SessionId, model: Option<&str>) -> Agent {
        let paid = self.client_credentials.get(session).and_then(|lent| self.models_with_key(&lent, model).ok());
        match paid {
            Some((models, default_model)) => Agent { models, default_model, ..self.clone() },
            None => self.clone(),
        }
    }

    /// The models of a session that chose `model`, and the one it has by default, paid for with what it was lent.
    fn models_with_key(
        &self,
        lent: &SessionCredentials,
        model: Option<&str>,
    ) -> Result<(Arc<ModelRegistry>, Arc<dyn Model>), TurnFailure> {
        let usual = self.default_model.info();
        let models = lent.models_with_key(&self.models, model.unwrap_or(&usual.id));
        let unpayable =
            |error: pollux_model::ChooseError| TurnFailure { kind: "model_unknown".into(), message: error.to_string() };
        let default_model = match usual.nature {
            _ if !lent.has_key() => self.default_model.clone(),
            ModelNature::Real if self.models.provider_of(&usual.id).is_some() => {
                models.resolve(&usual.id).map_err(unpayable)?
            }
            // It answers only for want of a key.
            ModelNature::Demo => models.choose(None).map_err(unpayable)?.model,
            ModelNature::Real | ModelNature::Script => self.default_model.clone(),
        };
        Ok((models, default_model))
    }

    /// `tools` with what the session was lent, without what it was not opened with.
    pub(super) fn session_toolbox(&self, tools: Toolbox) -> Toolbox {
        let tools = self.client_servers.iter().fold(tools, |tools, servers| {
            let known = tools.names();
            let is_new = |tool: &Arc<dyn Tool>| !known.contains(&tool.declaration().name);
            tools.and(servers.tools().into_iter().filter(is_new).collect())
        });
        let tools = tools.and(elicitation_tool(self.all_servers()).into_iter().collect());
        match &self.allowed_tools {
            None => tools,
            Some(names) => tools.only_offered(names),
        }
    }

    /// Why the session may not call `tool`, if it was opened with others only.
    pub(crate) fn tool_refusal(&self, tool: &str) -> Option<String> {
        let names = self.allowed_tools.as_ref()?;
        let has = |tools: &Toolbox| tools.names().iter().any(|name| name == tool);
        let all = Agent { allowed_tools: None, ..self.clone() }.toolbox();
        (has(&all) && !has(&all.only_offered(names))).then(|| {
            let listed = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            format!("this session was opened without the tool `{tool}`; the tools it has: {listed}")
        })
    }

    /// Whether each of `names` is a tool of a session in `workspace`, or may become one: an MCP server's tools are there
    /// only once it answers, and a client may lend another server later.
    pub(super) fn check_tool_names(&self, workspace: &Path, names: &[String]) -> Result<(), String> {
        let toolbox = self.toolbox_for(self.workspace_trust(workspace), None, ApprovalMode::default());
        let known = toolbox.ever_offered();
        let is_unknown = |name: &&String| !known.contains(&name.as_str()) && !name.starts_with(MCP_TOOL);
        match names.iter().find(is_unknown) {
            None => Ok(()),
            Some(name) => {
                Err(format!("there is no tool {name:?} here to narrow a session to; there are {}", known.join(", ")))
            }
        }
    }

    pub(super) fn server_names(&self) -> Vec<String> {
        let names = |servers: &Arc<McpServers>| servers.status().borrow().keys().cloned().collect();
        self.servers.as_ref().map(names).unwrap_or_default()
    }
}
