//! The agent for one job: with the settings of the session's workspace, what a client lent the session, and only the
//! tools it was opened with.

use super::{Agent, SERVER_STARTUP, ServerStartup};
use crate::lent::{self, ClientPrograms, Lent};
use pollux_host::{Job, Work};
use pollux_model::{Model, Models, Nature};
use pollux_session::{Entrusted, Failure, Mode, SessionId};
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
        Agent { workspaces: Some(Arc::new(workspaces)), ..self }
    }

    /// The same agent, whose model calls wait for the person's tool servers, or do not.
    #[must_use]
    pub fn with_server_startup(self, server_startup: ServerStartup) -> Agent {
        Agent { server_startup, ..self }
    }

    /// The same agent, which starts programs that clients name, or does not.
    #[must_use]
    pub fn with_client_programs(self, programs: ClientPrograms) -> Agent {
        Agent { lendings: Arc::new(self.lendings.starting(programs)), ..self }
    }

    /// The same agent, where the MCP servers that clients name may also be at `hosts`: `host` or `host:port`. Elsewhere they
    /// must be on the public internet.
    #[must_use]
    pub fn with_client_hosts(self, hosts: &[String]) -> Agent {
        Agent { lendings: Arc::new(self.lendings.allowing(hosts)), ..self }
    }

    /// The agent for sessions in `workspace`.
    pub fn at(&self, workspace: &Path) -> Agent {
        self.made_for(workspace, AgentUse::Work)
    }

    /// The agent that can say what sessions in `workspace` have.
    pub(super) fn listing_at(&self, workspace: &Path) -> Agent {
        self.made_for(workspace, AgentUse::Listing)
    }

    fn made_for(&self, workspace: &Path, purpose: AgentUse) -> Agent {
        match &self.workspaces {
            None => self.clone(),
            Some(of) => Agent { lendings: self.lendings.clone(), workspaces: None, ..of(workspace, purpose) },
        }
    }

    /// Hold what a client lends.
    pub(super) fn hold(&self, session: SessionId, lent: Entrusted) -> Result<(), String> {
        self.lendings.take(session, lent, &self.server_names())
    }

    /// The agent for `job`; and why its session's model cannot be asked, if it cannot: what it was lent is gone.
    pub(super) async fn for_job(&self, job: &Job) -> (Agent, Option<Failure>) {
        let mut agent = self.at(Path::new(&job.workspace));
        agent.only_tools = job.only_tools.clone().map(Arc::new);
        let lent = self.lendings.of(job.session);
        let mut missing = (job.lent && lent.is_none()).then(lent::gone);
        if let Some(lent) = lent {
            let (keeper, taken) = (agent.tools.keeper(), agent.server_names());
            agent.lent_servers = lent.servers(Path::new(&job.workspace), &keeper, &taken);
            // What searches and reads the web does so with the operator's model.
            if lent.has_key() {
                agent.tools = agent.tools.without_models();
            }
            let model = match &job.work {
                Work::Think { model, .. } | Work::Run { model, .. } | Work::Compact { model, .. } => model.as_deref(),
                Work::Vet { .. } | Work::Keep { .. } => None,
            };
            match agent.paid_by(&lent, model) {
                Ok((models, default_model)) => (agent.models, agent.default_model) = (models, default_model),
                Err(failure) => missing = Some(failure),
            }
        }
        if missing.is_some() {
            // A call that was approved before runs still, but the operator does not pay for it.
            (agent.tools, agent.subagents) = (agent.tools.without_models(), None);
        }
        if matches!(job.work, Work::Think { .. }) {
            // Without it the first model call would be offered none of their tools.
            let own = agent.servers.as_ref().filter(|_| self.server_startup == ServerStartup::Awaited);
            for servers in own.into_iter().chain(&agent.lent_servers) {
                servers.started_within(SERVER_STARTUP).await;
            }
        }
        (agent, missing)
    }

    /// The agent as it asks `model`, or its default one, for `session`: paid for with what that was lent.
    pub(super) fn paying_for(&self, session: SessionId, model: Option<&str>) -> Agent {
        let paid = self.lendings.of(session).and_then(|lent| self.paid_by(&lent, model).ok());
        match paid {
            Some((models, default_model)) => Agent { models, default_model, ..self.clone() },
            None => self.clone(),
        }
    }

    /// The models of a session that chose `model`, and the one it has by default, paid for with what it was lent.
    fn paid_by(&self, lent: &Lent, model: Option<&str>) -> Result<(Arc<Models>, Arc<dyn Model>), Failure> {
        let usual = self.default_model.info();
        let models = lent.pay(&self.models, model.unwrap_or(&usual.id));
        let unpayable =
            |error: pollux_model::ChooseError| Failure { kind: "model_unknown".into(), message: error.to_string() };
        let default_model = match usual.nature {
            _ if !lent.has_key() => self.default_model.clone(),
            Nature::Real if self.models.provider_of(&usual.id).is_some() => {
                models.resolve(&usual.id).map_err(unpayable)?
            }
            // It answers only for want of a key.
            Nature::Demo => models.choose(None).map_err(unpayable)?.model,
            Nature::Real | Nature::Script => self.default_model.clone(),
        };
        Ok((models, default_model))
    }

    /// `tools` with what the session was lent, without what it was not opened with.
    pub(super) fn fitted(&self, tools: Toolbox) -> Toolbox {
        let tools = self.lent_servers.iter().fold(tools, |tools, servers| {
            let known = tools.names();
            let is_new = |tool: &Arc<dyn Tool>| !known.contains(&tool.declaration().name);
            tools.and(servers.tools().into_iter().filter(is_new).collect())
        });
        let tools = tools.and(elicitation_tool(self.all_servers()).into_iter().collect());
        match &self.only_tools {
            None => tools,
            Some(names) => tools.narrowed(names),
        }
    }

    /// Why the session may not call `tool`, if it was opened with others only.
    pub(crate) fn closed_to(&self, tool: &str) -> Option<String> {
        let names = self.only_tools.as_ref()?;
        let has = |tools: &Toolbox| tools.names().iter().any(|name| name == tool);
        let all = Agent { only_tools: None, ..self.clone() }.toolbox();
        (has(&all) && !has(&all.narrowed(names))).then(|| {
            let listed = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            format!("this session was opened without the tool `{tool}`; the tools it has: {listed}")
        })
    }

    /// Whether each of `names` is a tool of a session in `workspace`, or may become one: an MCP server's tools are there
    /// only once it answers, and a client may lend another server later.
    pub(super) fn knows_tools(&self, workspace: &Path, names: &[String]) -> Result<(), String> {
        let toolbox = self.toolbox_for(self.place(workspace), None, Mode::default());
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
