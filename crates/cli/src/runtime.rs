//! Puts an agent together: models, a toolbox, a policy, a log, a host.

use crate::agent_extensions;
use crate::blob_storage::BlobStorage;
use crate::command_sources;
use crate::config::{Config, ServerTrust, SettingOrigin};
use crate::folder_trust::folder_trust;
use crate::mcp_servers::{self, McpStatusReporter};
use crate::model_search::ModelSearch;
use crate::obeyed_places::obeyed_places;
use crate::settings::{GlobalSettings, UsageError};
use crate::workspace_agents::WorkspaceAgents;
use pollux_agent::{
    AgentRestrictions, AgentRunner, AgentSettings, AgentVariables, Attendance, ClientPrograms, MemorySettings,
    ServerStartup, SubagentRegistry, WorkspaceAgent, YoloForbidden, is_same_model, missing_key_hint, models_offered,
};
use pollux_host::{Host, NoticeBoard, Runner};
use pollux_model::{ChosenModel, Model, ModelCatalogue, ModelInfo, ModelNature, ModelRegistry};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_server::{FileStore, read_push_host};
use pollux_session::{ApprovalMode, BuiltInTool, Owner, Rights, SessionOverrides, StepLimit, Who};
use pollux_store::{BlobStore, SessionStore};
use pollux_tools::{
    BackgroundProcesses, CheckpointSettings, Checkpoints, FileFilterSettings, McpServers, ShellLimits, ShellStreams,
    Toolbox, ToolboxSettings, UrlReader, WebSearch,
};
use pollux_tui::{AgentCommands, ModelOffers, PriceLookup};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Whose sessions these are on a machine with one person.
pub(crate) const OWNER: &str = "local";
/// The time for which Google keeps instructions and tools when it is told to: as long as it does by itself.
const CACHED_FOR: Duration = Duration::from_secs(60 * 60);
/// Longer than any session lasts.
const NO_LIMIT: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
/// Where workspaces are saved, in the directory of what outlives the process.
pub(crate) const CHECKPOINTS: &str = "checkpoints";
/// The machine's policy files.
const ADMIN_POLICIES: &str = "/etc/gemini-cli/policies";

/// A host and what people should know about its model.
pub(crate) struct Runtime {
    pub(crate) host: Host,
    pub(crate) agent: AgentRunner,
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) model: ModelInfo,
    /// The way to a real model, when the demo was picked for want of one.
    pub(crate) note: Option<String>,
    /// Keeps the files that come with messages.
    pub(crate) files: Arc<dyn FileStore>,
    /// The status of replicating its sessions to a bucket, where that is done.
    pub(crate) bucket: Option<pollux_bucket::ReplicationStatus>,
}

/// The models that can be had and the one to begin with.
pub(crate) struct ModelSelection {
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) chosen: ChosenModel,
}

impl Clone for ModelSelection {
    fn clone(&self) -> ModelSelection {
        let chosen = ChosenModel { model: self.chosen.model.clone(), note: self.chosen.note.clone() };
        ModelSelection { models: self.models.clone(), chosen }
    }
}

impl ModelSelection {
    /// True if answers are read from a file.
    pub(crate) fn is_script(&self) -> bool {
        self.chosen.model.info().nature == ModelNature::Script
    }

    /// Choose the model first: it is the part that can be wrong, and nothing has been opened yet.
    pub(crate) fn choose(global_settings: &GlobalSettings, config: &Config) -> anyhow::Result<ModelSelection> {
        let own = global_settings.user_directories.models();
        let catalogue = ModelCatalogue::load(own.as_deref()).map_err(|error| UsageError(error.to_string()))?;
        let (variables, preferred) = (config.variables.clone(), config.preferences.model.clone());
        // A model that a settings file names is a wish, not a demand: without a key the demo answers.
        let look_up = move |name: &str| match name {
            "GEMINI_MODEL" => preferred.clone(),
            name => variables.get(name),
        };
        let preferences = &config.preferences;
        let attempts = u32::try_from(preferences.max_attempts).unwrap_or(u32::MAX);
        let models = ModelRegistry::new(catalogue, look_up).with_attempts(attempts);
        let models = Arc::new(if preferences.cached_content { models.with_caching(CACHED_FOR) } else { models });
        let chosen = models.choose(global_settings.model.as_deref()).map_err(|error| UsageError(error.to_string()))?;
        Ok(ModelSelection { models, chosen })
    }

    /// The models, beginning with the one that a log calls `id`.
    pub(crate) fn with_model(self, id: &str) -> anyhow::Result<ModelSelection> {
        if self.chosen.model.info().id == id {
            return Ok(self);
        }
        // A log has its file's name, not where that was.
        if id.starts_with("script:") {
            anyhow::bail!("a script is found with -m script:FILE only");
        }
        let chosen = ChosenModel { model: self.models.resolve(id)?, note: None };
        Ok(ModelSelection { chosen, ..self })
    }
}

/// The settings of a directory, as far as the person trusts it. Each warning about them is given once.
pub(crate) fn config_for(global_settings: &GlobalSettings, workspace: &str) -> Config {
    let config =
        global_settings.config.for_workspace(Path::new(workspace), folder_trust(global_settings, Path::new(workspace)));
    for warning in global_settings.config.warnings.iter().chain(&config.warnings) {
        global_settings.reported_warnings.warn_once(&warning.text);
    }
    config
}

/// Where rules come from, by the settings.
pub(crate) fn rule_sources(global_settings: &GlobalSettings, config: &Config) -> PolicySources {
    let preferences = &config.preferences;
    let trusted = config.servers.iter().filter(|server| server.server.trust == ServerTrust::Trusted);
    PolicySources {
        admin_dir: Some(PathBuf::from(ADMIN_POLICIES)),
        user_dir: global_settings.user_directories.policies(),
        more_user_dirs: global_settings.user_directories.gemini_policies().into_iter().collect(),
        user_paths: preferences.policy_paths.clone(),
        admin_paths: preferences.admin_policy_paths.clone(),
        narrowing_dirs: config
            .extensions
            .iter()
            .filter(|extension| extension.enabled)
            .filter_map(|extension| extension.policies.clone())
            .collect(),
        settings: pollux_policy::ToolPermissions {
            allowed: preferences.allowed_tools.clone(),
            confirmed: preferences.confirmed_tools.clone(),
            excluded: preferences.excluded_tools.clone(),
            trusted_servers: trusted.map(|server| server.name.clone()).collect(),
            excluded_servers: preferences.excluded_servers.clone(),
        },
    }
}

/// The kind of a runtime, and so the source of the agents of its sessions.
pub(crate) enum RuntimeKind {
    /// The person at a terminal, or whoever started it without one: trust that they give or take counts at once.
    Terminal {
        /// Whether the first prompt waits for tool servers.
        startup: ServerStartup,
        /// Whether anybody can answer.
        attendance: Attendance,
    },
    /// Clients of a server: every workspace has an agent of its own. Says whether they may name programs to start.
    Server(ClientPrograms),
    /// A task of an MCP client: one agent, by the settings that the builder was given.
    McpTask,
    /// The tool calls of an MCP client: the same, without tool servers, for the client has its own.
    McpCalls,
}

/// Makes a runtime: everything that has sessions is put together here.
pub(crate) struct RuntimeBuilder<'a> {
    pub(crate) kind: RuntimeKind,
    pub(crate) global_settings: &'a Arc<GlobalSettings>,
    /// The settings with which sessions begin: those of the workspace at a terminal, the person's own at a server.
    pub(crate) config: &'a Config,
    /// Where sessions are that name no other place.
    pub(crate) workspace: &'a str,
    /// The person's, for no workspace chooses a model.
    pub(crate) model_selection: ModelSelection,
    pub(crate) store: SessionStore,
    /// Where long outputs are kept.
    pub(crate) blobs: BlobStore,
    pub(crate) board: NoticeBoard,
}

impl RuntimeBuilder<'_> {
    /// A runtime whose work its agent does.
    pub(crate) fn build(self) -> Runtime {
        self.build_with_runner(|agent| Arc::new(agent))
    }

    /// A runtime whose work is done by what `runner` makes of its agent.
    pub(crate) fn build_with_runner(self, runner: impl FnOnce(AgentRunner) -> Arc<dyn Runner>) -> Runtime {
        let (agent, defaults) = (self.make_agent(), self.session_defaults());
        let RuntimeBuilder { model_selection: ModelSelection { models, chosen }, store, blobs, board, .. } = self;
        let host = Host::new(store, runner(agent.clone()), board, defaults, env!("CARGO_PKG_VERSION"));
        let (model, note) = (chosen.model.info(), chosen.note);
        Runtime { host, agent, models, model, note, files: Arc::new(BlobStorage(blobs)), bucket: None }
    }

    fn make_agent(&self) -> AgentRunner {
        let workspace = Path::new(self.workspace);
        let runner = match self.kind {
            RuntimeKind::Terminal { startup, attendance } => {
                let workspaces = self.workspace_agents().at_terminal(self.config);
                let runner = AgentRunner::new(workspaces.agent(workspace));
                runner
                    .with_workspaces(workspaces.into_source())
                    .with_server_startup(startup)
                    .with_attendance(attendance)
            }
            RuntimeKind::Server(programs) => {
                let workspaces = self.workspace_agents();
                let runner = AgentRunner::new(workspaces.agent(workspace)).with_client_programs(programs);
                runner.with_workspaces(workspaces.into_source()).with_server_startup(ServerStartup::Awaited)
            }
            RuntimeKind::McpTask => {
                let place = (workspace, folder_trust(self.global_settings, workspace));
                let reporter = McpStatusReporter::new(self.board.clone());
                let servers = mcp_servers::start(self.global_settings, self.config, place, &self.blobs, &reporter);
                let processes = AgentProcesses { servers, ..AgentProcesses::default() };
                AgentRunner::new(self.assemble(processes)).with_server_startup(ServerStartup::Awaited)
            }
            RuntimeKind::McpCalls => AgentRunner::new(self.assemble(AgentProcesses::default())),
        };
        let preferences = &self.global_settings.config.preferences;
        // One that is no host stops the endpoint before a client could lend anything.
        let client_hosts: Vec<_> = preferences.mcp_hosts.iter().filter_map(|host| read_push_host(host).ok()).collect();
        runner
            .with_commands(command_sources::build_sources(self.global_settings))
            .with_client_hosts(&client_hosts)
            .with_user_tier(self.config.preferences.user_tier.clone())
    }

    fn workspace_agents(&self) -> WorkspaceAgents {
        let (settings, models) = (self.global_settings.clone(), self.model_selection.clone());
        WorkspaceAgents::new(settings, models, self.blobs.clone(), self.board.clone())
    }

    fn assemble(&self, processes: AgentProcesses) -> WorkspaceAgent {
        let (models, blobs) = (self.model_selection.clone(), self.blobs.clone());
        assemble_agent(self.global_settings, self.config, Path::new(self.workspace), models, blobs, processes)
    }

    /// The settings of a session that names none.
    fn session_defaults(&self) -> SessionOverrides {
        let preferences = &self.config.preferences;
        let is_unset = || self.config.origin("general.defaultApprovalMode") == SettingOrigin::Default;
        let mode = match self.kind {
            RuntimeKind::Server(_) if preferences.auto_accept && is_unset() => ApprovalMode::AutoEdit,
            RuntimeKind::Server(_) | RuntimeKind::Terminal { .. } | RuntimeKind::McpTask | RuntimeKind::McpCalls => {
                preferences.mode
            }
        };
        SessionOverrides { mode: Some(mode), model: None, ..SessionOverrides::default() }
    }
}

/// Pollux's own tools, as the settings of a workspace have them. `model` is the one that searches the web, where it can.
pub(crate) fn toolbox(
    global_settings: &GlobalSettings,
    (config, workspace): (&Config, &Path),
    model: &Arc<dyn Model>,
    blobs: BlobStore,
    background: BackgroundProcesses,
) -> Toolbox {
    let preferences = &config.preferences;
    let web = model.info().searches_web.then(|| Arc::new(ModelSearch(model.clone())));
    let inactivity = preferences.shell_inactivity.unwrap_or(NO_LIMIT).min(NO_LIMIT);
    let toolbox = Toolbox::new(ToolboxSettings {
        shell: ShellLimits { inactivity, ..ShellLimits::default() },
        background,
        shell_streams: if preferences.interactive_shell { ShellStreams::Terminal } else { ShellStreams::Pipes },
        include_directories: preferences.include_directories.clone(),
        filtering: file_filter(config),
        obeyed: obeyed_places(global_settings, config, workspace),
        output_chars: preferences
            .output_threshold
            .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)),
        memory: global_settings.user_directories.memory(),
        search: web.clone().map(|web| web as Arc<dyn WebSearch>),
        url_reader: web.map(|web| web as Arc<dyn UrlReader>),
        ..ToolboxSettings::new(Arc::new(BlobStorage(blobs)))
    });
    let toolbox = match &preferences.core_tools {
        Some(names) => toolbox.only(names),
        None => toolbox,
    };
    toolbox.without(&preferences.excluded_tools)
}

/// Which files are kept from the model.
pub(crate) fn file_filter(config: &Config) -> FileFilterSettings {
    let filtering = &config.preferences.file_filtering;
    FileFilterSettings {
        respect_git_ignore: filtering.respect_git_ignore,
        respect_gemini_ignore: filtering.respect_gemini_ignore,
        custom_ignore_files: filtering.custom_ignore_files.clone(),
    }
}

/// The processes that an agent works with, which may have begun under another one.
#[derive(Clone, Default)]
pub(crate) struct AgentProcesses {
    pub(crate) servers: Option<Arc<McpServers>>,
    pub(crate) background: BackgroundProcesses,
}

/// The agent of `workspace` that asks `model_selection`, keeps long outputs in `blobs` and has the tools of the servers
/// among `processes` too.
pub(crate) fn assemble_agent(
    global_settings: &GlobalSettings,
    config: &Config,
    workspace: &Path,
    model_selection: ModelSelection,
    blobs: BlobStore,
    processes: AgentProcesses,
) -> WorkspaceAgent {
    let ModelSelection { models, chosen } = model_selection;
    let preferences = &config.preferences;
    let toolbox = toolbox(global_settings, (config, workspace), &chosen.model, blobs, processes.background);
    let settings = AgentSettings {
        memory: MemorySettings {
            names: preferences.memory_files.clone(),
            own_dir: global_settings.user_directories.gemini_dir().map(Path::to_owned),
            from_added: preferences.memory_from_included,
            extensions: agent_extensions::context_files(config),
        },
        compact_at: preferences.compression_threshold,
        system_prompt: global_settings.system_prompt.clone(),
        trust_file: global_settings.user_directories.trust(),
        trust_all: !global_settings.config.preferences.folder_trust,
        fall_back: preferences.fallback,
        loop_guard: !preferences.disable_loop_detection,
        describe_situation: true,
        max_session_turns: preferences.max_session_turns.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        step_limit: step_limit(config),
        restrictions: AgentRestrictions {
            yolo: yolo_forbidden(config),
            lasting_grants: preferences.disable_always_allow,
        },
    };
    let policies = Arc::new(WorkspacePolicies::new(rule_sources(global_settings, config)));
    let mut agent = WorkspaceAgent::new(workspace, models, chosen.model, toolbox, policies, settings);
    if preferences.checkpointing {
        let home = global_settings.user_directories.home().map(Path::to_owned);
        let settings = CheckpointSettings::new(global_settings.data_dir.join(CHECKPOINTS));
        agent = agent.with_checkpoints(Arc::new(Checkpoints::new(CheckpointSettings { home, ..settings })));
    }
    if let Some(servers) = processes.servers {
        agent = agent.with_servers(servers);
    }
    if preferences
        .core_tools
        .as_ref()
        .is_none_or(|names| names.iter().any(|name| name == BuiltInTool::InvokeAgent.name()))
    {
        let (own, theirs) = (config.variables.clone(), config.workspace_variables.clone());
        let variables = AgentVariables::new(move |name| own.get(name), move |name| theirs.get(name));
        agent = agent.with_subagents(SubagentRegistry::new(global_settings.user_directories.agents(), variables));
    }
    agent
}

/// The most model calls of a turn, if the settings say so.
fn step_limit(config: &Config) -> Option<StepLimit> {
    let is_set = config.origin("model.maxRequestsPerTurn") != SettingOrigin::Default;
    let most = config.preferences.max_requests_per_turn;
    is_set.then(|| StepLimit(most.map(|most| u32::try_from(most).unwrap_or(u32::MAX))))
}

fn yolo_forbidden(config: &Config) -> Option<YoloForbidden> {
    match config.hooks_not_run.is_empty() {
        false => Some(YoloForbidden::HooksNotRun),
        true => config.preferences.disable_yolo.then_some(YoloForbidden::BySetting),
    }
}

impl Runtime {
    /// The prices of model calls, where they are known.
    pub(crate) fn prices(&self) -> PriceLookup {
        self.models.prices()
    }

    /// The models a person may switch to, with their prices: those that a key opens, and those of servers that run on
    /// this machine right now.
    pub(crate) fn model_offers(&self) -> ModelOffers {
        let (models, named) = (self.models.clone(), self.models.clone());
        let offers = ModelOffers::new(move || {
            let models = models.clone();
            Box::pin(async move { models_offered(&models).await })
        });
        let hint = missing_key_hint(&self.models).map(str::to_owned);
        offers.with_aliases(move |one, other| is_same_model(&named, one, other)).with_hint(hint)
    }

    /// The commands that the agent answers in `workspace`.
    pub(crate) fn commands(&self, workspace: &str) -> AgentCommands {
        list_commands(self.agent.clone(), workspace)
    }
}

/// The commands before anything is begun. Prompts of MCP servers are not among them.
pub(crate) fn commands_before_start(
    global_settings: &GlobalSettings,
    config: &Config,
    model_selection: ModelSelection,
    workspace: &str,
) -> anyhow::Result<AgentCommands> {
    let (blobs, processes) = (BlobStore::ephemeral()?, AgentProcesses::default());
    let agent = assemble_agent(global_settings, config, Path::new(workspace), model_selection, blobs, processes);
    let runner = AgentRunner::new(agent).with_commands(command_sources::build_sources(global_settings));
    Ok(list_commands(runner, workspace))
}

fn list_commands(runner: AgentRunner, workspace: &str) -> AgentCommands {
    let workspace = PathBuf::from(workspace);
    AgentCommands::new(move || {
        let (runner, workspace) = (runner.clone(), workspace.clone());
        Box::pin(async move { runner.commands(&workspace).await })
    })
}

/// The person at the terminal.
pub(crate) fn terminal_user() -> Who {
    Who { owner: Owner(OWNER.into()), principal: "local".into(), label: "terminal".into(), rights: Rights::all() }
}
