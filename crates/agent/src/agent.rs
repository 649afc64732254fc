//! The runner: any model, one toolbox, one policy, any number of sessions.

mod for_job;
mod tool_listing;

pub use for_job::AgentUse;
pub(crate) use for_job::MCP_TOOL;

use crate::checkpoint::ToolCallSite;
use crate::client_credentials::ClientCredentialStore;
use crate::commands::{self, CommandSources, TurnSession};
use crate::instructions::{self, SystemPromptContext};
use crate::memory::{self, MemorySettings};
use crate::sampling::SampleModel;
use crate::subagent::{self, SubagentRegistry};
use crate::{compact, model_call, tool_calls};
use pollux_host::{EffectJob, EffectWork, NotOwed, Reporter, Runner};
use pollux_model::{Model, ModelRegistry};
use pollux_policy::{FolderTrust, TrustedFolders, WorkspacePolicies};
use pollux_session::{
    ApprovalMode, BoxFuture, ClientCredentials, CommandInfo, Grant, GrantScope, Report, RuntimeDescription, SessionId,
    TurnFailure,
};
use pollux_tools::{Checkpoints, McpServers, McpStatus, Tool, Toolbox, run_file_work};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Does the work sessions owe. Cloning is cheap.
#[derive(Clone)]
pub struct Agent {
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) default_model: Arc<dyn Model>,
    tools: Toolbox,
    servers: Option<Arc<McpServers>>,
    subagents: Option<Arc<SubagentRegistry>>,
    pub(crate) policies: Arc<WorkspacePolicies>,
    pub(crate) settings: Arc<AgentSettings>,
    /// Saves workspaces before they are changed; nothing is saved without.
    pub(crate) checkpoints: Option<Arc<Checkpoints>>,
    pub(crate) commands: Arc<CommandSources>,
    client_credentials: Arc<ClientCredentialStore>,
    agent_for_workspace: Option<Arc<AgentForWorkspace>>,
    server_startup: ServerStartup,
    /// Tool servers that the session of the job at hand was lent.
    client_servers: Vec<Arc<McpServers>>,
    /// The only tools that session has.
    allowed_tools: Option<Arc<Vec<String>>>,
    user_tier: Option<String>,
}

/// The agent for sessions in a workspace: its settings, its tools, its servers.
type AgentForWorkspace = dyn Fn(&Path, AgentUse) -> Agent + Send + Sync;

/// How long after their start a model call still waits for tool servers.
const SERVER_STARTUP: Duration = Duration::from_secs(10);

/// Whether model calls wait for tool servers that are being started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerStartup {
    /// They do, for a bounded time: nobody sees that a tool is missing, and nobody could ask again.
    Awaited,
    /// They do not: somebody looks at the screen, and sees when a server is ready.
    InBackground,
}

/// How the agent goes about its work.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSettings {
    /// Where memory files are looked for.
    pub memory: MemorySettings,
    /// The share of a model's window at which the conversation is compacted.
    pub compact_at: f64,
    /// A system prompt that stands in for ours.
    pub system_prompt: Option<String>,
    /// Where the person says which folders they trust; without it none is.
    pub trust_file: Option<PathBuf>,
    /// Whether every folder counts as trusted: the person has switched that question off.
    pub trust_all: bool,
    /// What no session may do, whoever asks for it.
    pub restrictions: AgentRestrictions,
    /// Whether another model is asked when one cannot answer for long.
    pub fall_back: bool,
    /// Whether a model that goes round in circles is stopped.
    pub loop_guard: bool,
    /// How many turns a session may have; without it any number.
    pub max_session_turns: Option<u32>,
}

/// What settings forbid everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentRestrictions {
    /// Tools that never ask, and why: yolo mode is the default mode then.
    pub yolo: Option<YoloForbidden>,
    /// Grants that outlast the session.
    pub lasting_grants: bool,
}

/// Why yolo mode is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YoloForbidden {
    /// The setting `security.disableYoloMode`.
    BySetting,
    /// The person's settings name hooks that check tool calls, and none is run here.
    HooksNotRun,
}

impl YoloForbidden {
    /// The sentence for whoever wants it.
    fn explain(self) -> &'static str {
        match self {
            YoloForbidden::BySetting => "yolo mode is switched off by the setting security.disableYoloMode",
            YoloForbidden::HooksNotRun => {
                "yolo mode is refused: hooks.BeforeTool in the settings checks tool calls, and this release does not run \
                 hooks; `pollux doctor` names the file"
            }
        }
    }
}

impl AgentSettings {
    /// The mode that really holds when a session says `mode`.
    pub(crate) fn effective_mode(&self, mode: ApprovalMode) -> ApprovalMode {
        if mode == ApprovalMode::Yolo && self.restrictions.yolo.is_some() { ApprovalMode::Default } else { mode }
    }
}

impl Default for AgentSettings {
    fn default() -> Self {
        AgentSettings {
            memory: MemorySettings::default(),
            compact_at: 0.5,
            system_prompt: None,
            trust_file: None,
            trust_all: false,
            restrictions: AgentRestrictions::default(),
            fall_back: true,
            loop_guard: true,
            max_session_turns: None,
        }
    }
}

/// Where work is done.
#[derive(Clone, Copy)]
pub(crate) struct WorkspaceTrust<'a> {
    pub(crate) workspace: &'a Path,
    /// Whether the person trusts it.
    pub(crate) trusted: bool,
}

/// Everything one model call works with.
pub(crate) struct ModelCallContext {
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) toolbox: Toolbox,
    pub(crate) servers: Option<Arc<McpServers>>,
    pub(crate) settings: Arc<AgentSettings>,
    pub(crate) workspace: String,
    /// Whether the person trusts the workspace.
    pub(crate) trusted: bool,
    pub(crate) mode: ApprovalMode,
}

impl ModelCallContext {
    /// What the model is told about its job, its surroundings and the person's wishes.
    pub(crate) async fn system_prompt(&self) -> String {
        self.build_prompt(self.settings.system_prompt.as_deref(), self.mode).await
    }

    /// The same for a sub-agent: `own` is what it is told about its job. It makes no plans for people to agree to.
    pub(crate) async fn subagent_prompt(&self, own: &str) -> String {
        self.build_prompt(Some(own), ApprovalMode::Default).await
    }

    async fn build_prompt(&self, own: Option<&str>, mode: ApprovalMode) -> String {
        let added = self.toolbox.include_directories();
        let situation = SystemPromptContext {
            workspace: &self.workspace,
            added,
            mode,
            profile: self.model.info().profile,
            memory: &self.memory().await,
            trusted: self.trusted,
        };
        instructions::system_prompt(own, &situation)
    }

    /// What memory files say. They are read off the async threads.
    async fn memory(&self) -> String {
        let included = self.toolbox.include_directories();
        if !memory::has_memory_files(Path::new(&self.workspace), included, &self.settings.memory) {
            return String::new();
        }
        let (workspace, settings) = (PathBuf::from(&self.workspace), self.settings.clone());
        let added = self.toolbox.include_directories().to_vec();
        let load = run_file_work(move || memory::load(&workspace, &added, &settings.memory));
        load.await.unwrap_or_else(|error| {
            tracing::warn!("memory files are left out: {error}");
            format!("[Memory files are left out: {error}]\n")
        })
    }
}

impl Agent {
    /// An agent that asks `default_model` unless a session names another one of `models`.
    pub fn new(
        models: Arc<ModelRegistry>,
        default_model: Arc<dyn Model>,
        tools: Toolbox,
        policies: Arc<WorkspacePolicies>,
        settings: AgentSettings,
    ) -> Agent {
        let (settings, commands) = (Arc::new(settings), Arc::default());
        Agent {
            models,
            default_model,
            tools,
            servers: None,
            subagents: None,
            policies,
            settings,
            checkpoints: None,
            commands,
            client_credentials: Arc::default(),
            agent_for_workspace: None,
            server_startup: ServerStartup::InBackground,
            client_servers: Vec::new(),
            allowed_tools: None,
            user_tier: None,
        }
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
    pub fn servers_ready(&self) -> Vec<(String, String)> {
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

    /// The commands that a prompt in `workspace` can name.
    pub async fn commands(&self, workspace: &Path) -> Vec<CommandInfo> {
        let agent = self.for_listing(workspace);
        commands::list_commands(&agent, workspace).await
    }

    /// The commands that need no file: those that come with Pollux and those of MCP servers, with what each does.
    pub fn commands_offered(&self) -> Vec<(String, String)> {
        commands::list_without_files(self).into_iter().map(|info| (info.name, info.description)).collect()
    }

    /// The MCP servers there are: everybody's, and those that the session was lent.
    pub(crate) fn all_servers(&self) -> impl Iterator<Item = &Arc<McpServers>> {
        self.servers.iter().chain(&self.client_servers)
    }

    /// The same agent, whose commands find what they need in `sources`.
    #[must_use]
    pub fn with_commands(self, sources: CommandSources) -> Agent {
        Agent { commands: Arc::new(sources), ..self }
    }

    /// The same agent, which saves workspaces with `checkpoints` before it changes them.
    #[must_use]
    pub fn with_checkpoints(self, checkpoints: Arc<Checkpoints>) -> Agent {
        Agent { checkpoints: Some(checkpoints), ..self }
    }

    /// The same agent, whose sessions say that the person has this plan.
    #[must_use]
    pub fn with_user_tier(self, user_tier: Option<String>) -> Agent {
        Agent { user_tier, ..self }
    }

    /// The same agent, with the tools of `servers` too.
    #[must_use]
    pub fn with_servers(self, servers: Arc<McpServers>) -> Agent {
        Agent { servers: Some(servers), ..self }
    }

    /// The same agent, which hands work to `subagents`.
    #[must_use]
    pub fn with_subagents(self, subagents: SubagentRegistry) -> Agent {
        Agent { subagents: Some(Arc::new(subagents)), ..self }
    }

    /// The tools for a turn that asks `model` in `mode`: those there are, and those that hand work on.
    pub(crate) fn toolbox_for(&self, place: WorkspaceTrust<'_>, model: Option<&str>, mode: ApprovalMode) -> Toolbox {
        let tools = match &self.subagents {
            Some(subagents) => self.own_tools().and(subagent::tools(self, subagents, place, model, mode)),
            None => self.own_tools(),
        };
        self.session_toolbox(tools.and(self.sampling(model, mode).into_iter().collect()))
    }

    /// The tool with which MCP servers ask the model of a turn, if there are any.
    fn sampling(&self, model: Option<&str>, mode: ApprovalMode) -> Option<Arc<dyn Tool>> {
        let servers: Vec<_> = self.all_servers().cloned().collect();
        let (agent, model) = (self.clone(), model.map(str::to_owned));
        (!servers.is_empty()).then(|| Arc::new(SampleModel { agent, servers, model, mode }) as Arc<dyn Tool>)
    }

    /// A workspace, and whether the person trusts it now.
    pub(crate) fn workspace_trust<'a>(&self, workspace: &'a Path) -> WorkspaceTrust<'a> {
        WorkspaceTrust { workspace, trusted: self.trusts(workspace) }
    }

    /// The tools there are right now: servers come and go.
    pub(crate) fn toolbox(&self) -> Toolbox {
        self.session_toolbox(self.own_tools())
    }

    fn own_tools(&self) -> Toolbox {
        match &self.servers {
            Some(servers) => self.tools.and(servers.tools()),
            None => self.tools.clone(),
        }
    }

    /// The desk for a session that chose `model`, or why there is none.
    pub(crate) fn model_call_context(
        &self,
        model: Option<&str>,
        workspace: &str,
        mode: ApprovalMode,
    ) -> Result<ModelCallContext, TurnFailure> {
        let place = self.workspace_trust(Path::new(workspace));
        let (toolbox, settings) = (self.toolbox_for(place, model, mode), self.settings.clone());
        let model = match model {
            None => self.default_model.clone(),
            Some(name) => self.resolve_model(name)?,
        };
        let (workspace, mode) = (workspace.to_owned(), self.settings.effective_mode(mode));
        let (models, servers) = (self.models.clone(), self.servers.clone());
        Ok(ModelCallContext { models, model, toolbox, servers, settings, trusted: place.trusted, workspace, mode })
    }

    /// The model a client named.
    pub(crate) fn resolve_model(&self, name: &str) -> Result<Arc<dyn Model>, TurnFailure> {
        let unknown = |message| TurnFailure { kind: "model_unknown".into(), message };
        if name == self.default_model.info().id {
            return Ok(self.default_model.clone());
        }
        // A script is a file of this machine, and so are weights: only whoever starts the program may name one.
        if name.starts_with("script:") || name.starts_with("gguf:") {
            return Err(unknown("a file can be chosen with --model only, when the program is started".into()));
        }
        self.models.resolve(name).map_err(|error| unknown(error.to_string()))
    }

    /// Put a grant into the person's own policy file.
    fn save_grant(&self, grant: &Grant, reach: GrantScope, workspace: &Path) -> Result<(), String> {
        let dir = self.policies.user_dir().ok_or("there is no directory for policy files")?;
        pollux_policy::save_grant(grant, reach, workspace, dir).map_err(|error| error.to_string())
    }

    /// Whether the person trusts a workspace. A store that cannot be read trusts nothing, and says so.
    pub(crate) fn trusts(&self, workspace: &Path) -> bool {
        if self.settings.trust_all {
            return true;
        }
        let Some(file) = &self.settings.trust_file else { return false };
        match TrustedFolders::load(file) {
            Ok(trust) => trust.folder_trust(workspace) == FolderTrust::Trusted,
            Err(error) => {
                tracing::warn!("{error}");
                false
            }
        }
    }

    async fn work(&self, job: EffectJob, missing: Option<TurnFailure>, reporter: &Reporter) -> Result<(), NotOwed> {
        let EffectJob { session, owner, workspace, work, only_tools: _, lent: _, checkpoints, command } = job;
        match work {
            EffectWork::Think { transcript, model, mode } => {
                let call_context =
                    missing.map_or_else(|| self.model_call_context(model.as_deref(), &workspace, mode), Err);
                let facts = TurnSession { session, owner, workspace, checkpoints };
                model_call::continue_turn(self, &facts, call_context, transcript, reporter).await
            }
            EffectWork::Vet { call, parent, mode, grants } => {
                let site = ToolCallSite { session, workspace, checkpoints, command };
                let permission = tool_calls::PermissionContext { parent: parent.as_deref(), mode, grants: &grants };
                tool_calls::vet(self, &site, &call, permission, reporter).await
            }
            EffectWork::Run { call, parent, model, mode, grants } => {
                let toolbox = self.toolbox_for(self.workspace_trust(Path::new(&workspace)), model.as_deref(), mode);
                let site = ToolCallSite { session, workspace, checkpoints, command };
                let permission = tool_calls::PermissionContext { parent: parent.as_deref(), mode, grants: &grants };
                tool_calls::run(self, toolbox, &site, &call, permission, reporter).await
            }
            EffectWork::Compact { transcript, model } => {
                let call_context = missing.map_or_else(
                    || self.model_call_context(model.as_deref(), &workspace, ApprovalMode::default()),
                    Err,
                );
                let report = match call_context {
                    Ok(call_context) => {
                        compact::compact(call_context.model.as_ref(), &call_context.system_prompt().await, &transcript)
                            .await
                    }
                    Err(failure) => Report::NotCompacted { why: failure.message },
                };
                reporter.report(report).await
            }
            EffectWork::Keep { grant, reach } => {
                let failure = self.save_grant(&grant, reach, Path::new(&workspace)).err();
                reporter.report(Report::Kept { failure }).await
            }
        }
    }
}

impl Runner for Agent {
    fn equipment(&self) -> RuntimeDescription {
        let mut tools = self.toolbox().names();
        tools.extend(self.subagents.iter().map(|_| subagent::INVOKE.to_owned()));
        tools.sort();
        RuntimeDescription { model: self.default_model.info().id, tools, user_tier: self.user_tier.clone() }
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
        self.for_listing(Path::new(workspace)).check_tool_names(Path::new(workspace), names)
    }

    fn permits(&self, mode: ApprovalMode) -> Result<(), String> {
        match self.settings.restrictions.yolo {
            Some(why) if mode == ApprovalMode::Yolo => Err(why.explain().into()),
            _ => Ok(()),
        }
    }

    fn check_lent(&self, lent: ClientCredentials) -> Result<(), String> {
        self.client_credentials.check(lent, &self.server_names())
    }

    fn entrust(&self, session: SessionId, lent: ClientCredentials) -> Result<(), String> {
        self.store_credentials(session, lent)
    }

    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()> {
        let agent = self.clone();
        Box::pin(async move {
            let session = job.session;
            // `NotOwed` only says that the work is no longer owed: there is nobody left to tell.
            let (agent, missing) = agent.for_job(&job).await;
            if agent.work(job, missing, &reporter).await.is_err() {
                tracing::debug!(%session, "work ended early: it is no longer owed");
            }
        })
    }
}
