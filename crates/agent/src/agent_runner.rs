//! The process scope: the host's runner, and what all sessions of a process share. The agent of each workspace comes from
//! whoever started the process; what a session's work needs is put together anew for each job.

mod tool_listing;

use crate::agent_settings::{Attendance, ServerStartup};
use crate::checkpoint::ToolCallSite;
use crate::client_credentials::{self, ClientCredentialStore, ClientPrograms};
use crate::commands::{self, CommandSources, TurnSession};
use crate::conversation_memory::SessionMemories;
use crate::turn_agent::TurnAgent;
use crate::workspace_agent::WorkspaceAgent;
use crate::{compact, model_call, subagent, tool_calls};
use pollux_host::{EffectJob, EffectWork, NotOwed, Reporter, Runner};
use pollux_session::{
    ApprovalMode, BoxFuture, ClientCredentials, CommandInfo, Report, RuntimeDescription, SessionId, StepLimit,
    TurnFailure,
};
use pollux_tools::{BackgroundCommand, McpServers};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The time after their start for which a model call still waits for tool servers.
const SERVER_STARTUP: Duration = Duration::from_secs(10);

/// Does the work that sessions owe. Cloning is cheap.
#[derive(Clone)]
pub struct AgentRunner {
    /// The agent of the workspace that the process began in.
    first: WorkspaceAgent,
    agent_for_workspace: Option<Arc<AgentForWorkspace>>,
    commands: Arc<CommandSources>,
    client_credentials: Arc<ClientCredentialStore>,
    memories: Arc<SessionMemories>,
    server_startup: ServerStartup,
    attendance: Attendance,
    user_tier: Option<String>,
}

/// The agent for sessions in a workspace: its settings, its tools, its servers.
type AgentForWorkspace = dyn Fn(&Path, AgentUse) -> WorkspaceAgent + Send + Sync;

/// The purpose for which the agent of a workspace is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentUse {
    /// A session has work to do.
    Work,
    /// Somebody wants to know what there is. Nothing may be started for that: anybody who may look could otherwise have
    /// processes started in every directory.
    Listing,
}

impl AgentRunner {
    /// A runner for sessions that `agent` works for, wherever they are.
    pub fn new(agent: WorkspaceAgent) -> AgentRunner {
        AgentRunner {
            first: agent,
            agent_for_workspace: None,
            commands: Arc::default(),
            client_credentials: Arc::default(),
            memories: Arc::default(),
            server_startup: ServerStartup::InBackground,
            attendance: Attendance::Attended,
            user_tier: None,
        }
    }

    /// The runner, where `workspaces` gives the agent for the sessions of each workspace. It is asked for every job, so
    /// it should remember what it made.
    #[must_use]
    pub fn with_workspaces(
        self,
        workspaces: impl Fn(&Path, AgentUse) -> WorkspaceAgent + Send + Sync + 'static,
    ) -> AgentRunner {
        AgentRunner { agent_for_workspace: Some(Arc::new(workspaces)), ..self }
    }

    /// The runner, whose commands find what they need in `sources`.
    #[must_use]
    pub fn with_commands(self, sources: CommandSources) -> AgentRunner {
        AgentRunner { commands: Arc::new(sources), ..self }
    }

    /// The runner, whose sessions say that the person has this plan.
    #[must_use]
    pub fn with_user_tier(self, user_tier: Option<String>) -> AgentRunner {
        AgentRunner { user_tier, ..self }
    }

    /// The runner, whose model calls wait for the person's tool servers, or do not.
    #[must_use]
    pub fn with_server_startup(self, server_startup: ServerStartup) -> AgentRunner {
        AgentRunner { server_startup, ..self }
    }

    /// The runner, whose sessions somebody can answer, or nobody.
    #[must_use]
    pub fn with_attendance(self, attendance: Attendance) -> AgentRunner {
        AgentRunner { first: self.first.with_attendance(attendance), attendance, ..self }
    }

    /// The runner, which starts programs that clients name, or does not.
    #[must_use]
    pub fn with_client_programs(self, programs: ClientPrograms) -> AgentRunner {
        AgentRunner { client_credentials: Arc::new(self.client_credentials.with_programs(programs)), ..self }
    }

    /// The runner, where the MCP servers that clients name may also be at `hosts`: `host` or `host:port`. Elsewhere
    /// they must be on the public internet.
    #[must_use]
    pub fn with_client_hosts(self, hosts: &[String]) -> AgentRunner {
        AgentRunner { client_credentials: Arc::new(self.client_credentials.with_hosts(hosts)), ..self }
    }

    /// The tools a model may call now, with what each does.
    pub fn tools_offered(&self) -> Vec<(String, String)> {
        self.first.tools_offered()
    }

    /// The commands of a session of the first workspace that run in the background, the oldest first.
    pub fn background_commands(&self, session: SessionId) -> Vec<BackgroundCommand> {
        self.first.toolbox().background_commands(session)
    }

    /// Ask one of them to end; `None` when none of this number runs.
    pub fn stop_background_command(&self, session: SessionId, pid: u32) -> Option<BackgroundCommand> {
        self.first.toolbox().stop_background_command(session, pid)
    }

    /// The MCP servers that were started for the first workspace.
    pub fn servers(&self) -> Option<&Arc<McpServers>> {
        self.first.servers()
    }

    /// The MCP servers that are ready now, with how much they offer.
    pub fn servers_ready(&self) -> Vec<(String, String)> {
        self.first.servers_ready()
    }

    /// The commands that a prompt in `workspace` can name.
    pub async fn commands(&self, workspace: &Path) -> Vec<CommandInfo> {
        commands::list_commands(&self.without_session(self.for_listing(workspace))).await
    }

    /// The commands that need no file: those that come with Pollux and those of MCP servers, with what each does.
    pub fn commands_offered(&self) -> Vec<(String, String)> {
        let listed = commands::list_without_files(&self.without_session(self.first.clone()));
        listed.into_iter().map(|info| (info.name, info.description)).collect()
    }

    /// The agent for sessions in `workspace`.
    fn for_workspace(&self, workspace: &Path) -> WorkspaceAgent {
        self.make_agent(workspace, AgentUse::Work)
    }

    /// The agent that can say what sessions in `workspace` have.
    fn for_listing(&self, workspace: &Path) -> WorkspaceAgent {
        self.make_agent(workspace, AgentUse::Listing)
    }

    fn make_agent(&self, workspace: &Path, purpose: AgentUse) -> WorkspaceAgent {
        let agent = match &self.agent_for_workspace {
            None => self.first.clone(),
            Some(of) => of(workspace, purpose),
        };
        agent.at(workspace).with_attendance(self.attendance)
    }

    /// `agent` as a session has it that brings nothing of its own.
    fn without_session(&self, agent: WorkspaceAgent) -> TurnAgent {
        TurnAgent::new(agent, self.commands.clone())
    }

    /// The first workspace's agent as it asks `model`, or its default one, for `session`: paid for with what that was lent.
    fn with_session_key(&self, session: SessionId, model: Option<&str>) -> TurnAgent {
        let mut agent = self.without_session(self.first.clone());
        if let Some(lent) = self.client_credentials.get(session) {
            // Where it cannot be paid for, the work itself says so.
            let _ = agent.pay_with_key(&lent, model);
        }
        agent
    }

    /// The agent for `job`; and why its session's model cannot be asked, if it cannot: what it was lent is gone.
    async fn for_job(&self, job: &EffectJob) -> (TurnAgent, Option<TurnFailure>) {
        let mut agent = self.without_session(self.for_workspace(Path::new(&job.workspace)));
        agent.memory = self.memories.of_session(job.session);
        agent.allowed_tools = job.only_tools.clone().map(Arc::new);
        let lent = self.client_credentials.get(job.session);
        let mut missing = (job.lent && lent.is_none()).then(client_credentials::missing_credentials);
        if let Some(lent) = lent {
            let model = match &job.work {
                EffectWork::Think { model, .. } | EffectWork::Run { model, .. } | EffectWork::Compact { model, .. } => {
                    model.as_deref()
                }
                EffectWork::Vet { .. } | EffectWork::Keep { .. } => None,
            };
            (agent, missing) = agent.with_credentials(&lent, model);
        }
        if missing.is_some() {
            agent = agent.without_models();
        }
        if matches!(job.work, EffectWork::Think { .. }) {
            // Without it the first model call would be offered none of their tools.
            let own = agent.workspace.servers.as_ref().filter(|_| self.server_startup == ServerStartup::Awaited);
            for servers in own.into_iter().chain(&agent.client_servers) {
                servers.started_within(SERVER_STARTUP).await;
            }
        }
        (agent, missing)
    }
}

impl Runner for AgentRunner {
    fn equipment(&self) -> RuntimeDescription {
        let mut tools = self.first.toolbox().names();
        tools.extend(self.first.subagents.iter().map(|_| subagent::INVOKE.to_owned()));
        tools.sort();
        let step_limit = self.first.settings.step_limit.unwrap_or(match self.attendance {
            Attendance::Attended => StepLimit::USUAL,
            // Nobody could say "go on".
            Attendance::Unattended => StepLimit(None),
        });
        let model = self.first.default_model.info().id;
        RuntimeDescription { model, tools, user_tier: self.user_tier.clone(), step_limit }
    }

    fn equipment_of(&self, session: SessionId) -> RuntimeDescription {
        RuntimeDescription { model: self.with_session_key(session, None).default_model.info().id, ..self.equipment() }
    }

    fn has_model(&self, session: SessionId, name: &str) -> Result<(), String> {
        let agent = self.with_session_key(session, Some(name));
        agent.resolve_model(name).map_err(|failure| failure.message)?;
        if let Some(note) = agent.models.explain_unknown_name(name) {
            tracing::warn!("{note}");
        }
        Ok(())
    }

    fn has_tools(&self, workspace: &str, names: &[String]) -> Result<(), String> {
        self.without_session(self.for_listing(Path::new(workspace))).check_tool_names(names)
    }

    fn permits(&self, mode: ApprovalMode) -> Result<(), String> {
        match self.first.settings.restrictions.yolo {
            Some(why) if mode == ApprovalMode::Yolo => Err(why.explain().into()),
            _ => Ok(()),
        }
    }

    fn check_lent(&self, lent: ClientCredentials) -> Result<(), String> {
        self.client_credentials.check(lent, &self.first.server_names())
    }

    fn entrust(&self, session: SessionId, lent: ClientCredentials) -> Result<(), String> {
        self.client_credentials.store(session, lent, &self.first.server_names())
    }

    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()> {
        let runner = self.clone();
        Box::pin(async move {
            let session = job.session;
            // `NotOwed` only says that the work is no longer owed: there is nobody left to tell.
            let (agent, missing) = runner.for_job(&job).await;
            if work(&agent, job, missing, &reporter).await.is_err() {
                tracing::debug!(%session, "work ended early: it is no longer owed");
            }
        })
    }
}

/// Do `job`. `missing` says why no model can be asked for it.
async fn work(
    agent: &TurnAgent,
    job: EffectJob,
    missing: Option<TurnFailure>,
    reporter: &Reporter,
) -> Result<(), NotOwed> {
    let EffectJob { session, owner, workspace, work, only_tools: _, lent: _, checkpoints, seen_files, command } = job;
    match work {
        EffectWork::Think { transcript, model, mode } => {
            let call_context = missing.map_or_else(|| agent.model_call_context(model.as_deref(), mode), Err);
            let facts = TurnSession { session, owner, checkpoints };
            model_call::continue_turn(agent, &facts, call_context, transcript, reporter).await
        }
        EffectWork::Vet { call, before, parent, mode, grants } => {
            let site = ToolCallSite { session, workspace, checkpoints, seen_files, command };
            let permission = tool_calls::PermissionContext { parent: parent.as_deref(), mode, grants: &grants };
            tool_calls::vet(agent, &site, &call, &before, permission, reporter).await
        }
        EffectWork::Run { call, parent, model, mode, grants } => {
            let toolbox = agent.toolbox_for(model.as_deref(), mode);
            let site = ToolCallSite { session, workspace, checkpoints, seen_files, command };
            let permission = tool_calls::PermissionContext { parent: parent.as_deref(), mode, grants: &grants };
            tool_calls::run(&agent.workspace, toolbox, &site, &call, permission, reporter).await
        }
        EffectWork::Compact { transcript, model, mode } => {
            let call_context = missing.map_or_else(|| agent.model_call_context(model.as_deref(), mode), Err);
            let report = match call_context {
                Ok(call_context) => compact::compact_conversation(&call_context, &transcript).await,
                Err(failure) => Report::NotCompacted { why: failure.message },
            };
            reporter.report(report).await
        }
        EffectWork::Keep { grant, reach } => {
            let failure = agent.workspace.save_grant(&grant, reach).err();
            reporter.report(Report::Kept { failure }).await
        }
    }
}
