//! Puts an agent together: models, a toolbox, a policy, a log, a host.

use crate::commands;
use crate::config::{Config, Origin, ServerTrust};
use crate::extensions;
use crate::keeper::BlobKeeper;
use crate::search::ModelSearch;
use crate::servers;
use crate::settings::{Basics, Usage};
use crate::workspaces::Workspaces;
use pollux_agent::{
    Agent, AgentSettings, AgentVariables, ClientPrograms, Forbidden, MemorySettings, ServerStartup, Subagents,
    YoloForbidden, is_same_model, models_offered,
};
use pollux_host::{Board, Host, Runner};
use pollux_model::{Catalogue, Chosen, Model, ModelInfo, Models, Nature};
use pollux_policy::{FolderTrust, Policies, Sources, Trust};
use pollux_server::{FileKeeper, read_push_host};
use pollux_session::{Mode, Overrides, Owner, Rights, Who};
use pollux_store::{Blobs, Log};
use pollux_tools::{
    BackgroundProcesses, CheckpointSettings, Checkpoints, Filtering, McpServers, ShellLimits, ShellStreams,
    ToolSettings, Toolbox, UrlReader, WebSearch,
};
use pollux_tui::{Commands, Offers, Prices};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Whose sessions these are on a machine with one person.
pub(crate) const OWNER: &str = "local";
/// How long Google keeps instructions and tools when it is told to: as long as it does by itself.
const CACHED_FOR: Duration = Duration::from_secs(60 * 60);
/// Longer than any session lasts.
const NO_LIMIT: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
/// Where workspaces are saved, in the directory of what outlives the process.
const CHECKPOINTS: &str = "checkpoints";
/// The machine's policy files.
const ADMIN_POLICIES: &str = "/etc/gemini-cli/policies";

/// A host and what people should know about its model.
pub(crate) struct Equipped {
    pub(crate) host: Host,
    pub(crate) agent: Agent,
    pub(crate) models: Arc<Models>,
    pub(crate) model: ModelInfo,
    /// How to get a real model, when the demo was picked for want of one.
    pub(crate) note: Option<String>,
    /// Keeps the files that come with messages.
    pub(crate) files: Arc<dyn FileKeeper>,
    /// How its sessions get to a bucket, where they do.
    pub(crate) bucket: Option<pollux_bucket::Status>,
}

/// The models that can be had and the one to begin with.
pub(crate) struct Engines {
    pub(crate) models: Arc<Models>,
    pub(crate) chosen: Chosen,
}

impl Clone for Engines {
    fn clone(&self) -> Engines {
        let chosen = Chosen { model: self.chosen.model.clone(), note: self.chosen.note.clone() };
        Engines { models: self.models.clone(), chosen }
    }
}

impl Engines {
    /// Whether answers are read from a file.
    pub(crate) fn is_script(&self) -> bool {
        self.chosen.model.info().nature == Nature::Script
    }

    /// Choose the model first: it is the part that can be wrong, and nothing has been opened yet.
    pub(crate) fn choose(basics: &Basics, config: &Config) -> anyhow::Result<Engines> {
        let own = basics.person.models();
        let catalogue = Catalogue::load(own.as_deref()).map_err(|error| Usage(error.to_string()))?;
        let (variables, preferred) = (config.variables.clone(), config.preferences.model.clone());
        // A model that a settings file names is a wish, not a demand: without a key the demo answers.
        let look_up = move |name: &str| match name {
            "GEMINI_MODEL" => preferred.clone(),
            name => variables.get(name),
        };
        let preferences = &config.preferences;
        let attempts = u32::try_from(preferences.max_attempts).unwrap_or(u32::MAX);
        let models = Models::new(catalogue, look_up).with_attempts(attempts);
        let models = Arc::new(if preferences.cached_content { models.with_caching(CACHED_FOR) } else { models });
        let chosen = models.choose(basics.model.as_deref()).map_err(|error| Usage(error.to_string()))?;
        Ok(Engines { models, chosen })
    }
}

/// What a directory's settings say, as far as the person trusts it. Everything odd in them is said once.
pub(crate) fn config_for(basics: &Basics, workspace: &str) -> Config {
    let config = basics.config.for_workspace(Path::new(workspace), trust_in(basics, Path::new(workspace)));
    for warning in basics.config.warnings.iter().chain(&config.warnings) {
        tracing::warn!("{}", warning.text);
    }
    config
}

/// Whether the person trusts a folder; a store that cannot be read trusts nothing. Where they or the machine have
/// switched that question off, every folder is trusted; `basics` knows nothing of any workspace's settings.
pub(crate) fn trust_in(basics: &Basics, folder: &Path) -> FolderTrust {
    trust_by(basics.config.preferences.folder_trust, basics.person.trust().as_deref(), folder)
}

/// The same by what is known of the person: whether they are asked, and where they have answered.
pub(crate) fn trust_by(folder_trust: bool, file: Option<&Path>, folder: &Path) -> FolderTrust {
    if !folder_trust {
        return FolderTrust::Trusted;
    }
    match file.map(Trust::load) {
        None => FolderTrust::Unknown,
        Some(Ok(trust)) => trust.of(folder),
        Some(Err(error)) => {
            tracing::warn!("{error}");
            FolderTrust::Unknown
        }
    }
}

/// Where rules come from, by the settings.
pub(crate) fn rule_sources(basics: &Basics, config: &Config) -> Sources {
    let preferences = &config.preferences;
    let trusted = config.servers.iter().filter(|server| server.server.trust == ServerTrust::Trusted);
    Sources {
        admin_dir: Some(PathBuf::from(ADMIN_POLICIES)),
        user_dir: basics.person.policies(),
        more_user_dirs: basics.person.gemini_policies().into_iter().collect(),
        user_paths: preferences.policy_paths.clone(),
        admin_paths: preferences.admin_policy_paths.clone(),
        narrowing_dirs: config
            .extensions
            .iter()
            .filter(|extension| extension.enabled)
            .filter_map(|extension| extension.policies.clone())
            .collect(),
        settings: pollux_policy::ToolSettings {
            allowed: preferences.allowed_tools.clone(),
            confirmed: preferences.confirmed_tools.clone(),
            excluded: preferences.excluded_tools.clone(),
            trusted_servers: trusted.map(|server| server.name.clone()).collect(),
            excluded_servers: preferences.excluded_servers.clone(),
        },
    }
}

/// An agent without a host yet, and what belongs to it.
pub(crate) struct Assembled {
    pub(crate) agent: Agent,
    defaults: Overrides,
    models: Arc<Models>,
    model: ModelInfo,
    note: Option<String>,
    files: Arc<dyn FileKeeper>,
}

impl Assembled {
    /// A host over `log` whose work `runner` does: this agent, or one that has it.
    pub(crate) fn host(self, runner: Arc<dyn Runner>, log: Arc<dyn Log>, board: Board) -> Equipped {
        let Assembled { agent, defaults, models, model, note, files } = self;
        let host = Host::new(log, runner, board, defaults, env!("CARGO_PKG_VERSION"));
        Equipped { host, agent, models, model, note, files, bucket: None }
    }
}

/// A host over `log` whose agent asks `engines` and keeps long outputs in `blobs`.
pub(crate) fn equip(
    basics: &Basics,
    config: &Config,
    workspace: &str,
    engines: Engines,
    log: Arc<dyn Log>,
    blobs: Blobs,
    board: Board,
) -> Equipped {
    let workspace = Path::new(workspace);
    let servers = servers::start(basics, config, (workspace, trust_in(basics, workspace)), &blobs, &board);
    let processes = AgentProcesses { servers, ..AgentProcesses::default() };
    let mut assembled = assemble(basics, config, engines, blobs, processes);
    assembled.agent = assembled.agent.with_server_startup(ServerStartup::Awaited);
    let runner = Arc::new(assembled.agent.clone());
    assembled.host(runner, log, board)
}

/// The host of a terminal, over `log`: trust that the person gives or takes counts at once. `startup` says whether its
/// first prompt waits for tool servers.
pub(crate) fn equip_terminal(
    basics: &Arc<Basics>,
    config: &Config,
    workspace: &str,
    engines: Engines,
    (log, blobs): (Arc<dyn Log>, Blobs),
    board: Board,
    startup: ServerStartup,
) -> Equipped {
    let mut assembled = assemble(basics, config, engines.clone(), blobs.clone(), AgentProcesses::default());
    let workspaces = Workspaces::new(basics.clone(), engines, blobs, board.clone()).at_terminal(config);
    assembled.agent = workspaces.agent(Path::new(workspace));
    assembled.agent = assembled.agent.with_workspaces(workspaces.into_source()).with_server_startup(startup);
    let runner = Arc::new(assembled.agent.clone());
    assembled.host(runner, log, board)
}

/// The host of a server, over `log`: every workspace has an agent of its own, `workspace` the first. `engines` are the
/// person's, for no workspace chooses a model.
pub(crate) fn equip_many(
    basics: &Arc<Basics>,
    workspace: &str,
    engines: Engines,
    log: Arc<dyn Log>,
    blobs: Blobs,
    board: Board,
    programs: ClientPrograms,
) -> Equipped {
    let mut assembled = assemble(basics, &basics.config, engines.clone(), blobs.clone(), AgentProcesses::default());
    let workspaces = Workspaces::new(basics.clone(), engines, blobs, board.clone());
    assembled.agent = workspaces.agent(Path::new(workspace));
    assembled.agent = assembled
        .agent
        .with_client_programs(programs)
        .with_workspaces(workspaces.into_source())
        .with_server_startup(ServerStartup::Awaited);
    let preferences = &basics.config.preferences;
    if preferences.auto_accept && basics.config.origin("general.defaultApprovalMode") == Origin::Default {
        assembled.defaults.mode = Some(Mode::AutoEdit);
    }
    let runner = Arc::new(assembled.agent.clone());
    assembled.host(runner, log, board)
}

/// Pollux's own tools, as the settings have them. `model` is the one that searches the web, where it can.
pub(crate) fn toolbox(
    basics: &Basics,
    config: &Config,
    model: &Arc<dyn Model>,
    blobs: Blobs,
    background: BackgroundProcesses,
) -> Toolbox {
    let preferences = &config.preferences;
    let info = model.info();
    let is_googles = info.id.starts_with("gemini") || info.id.starts_with("vertex:gemini");
    let web = (info.nature == Nature::Real && is_googles).then(|| Arc::new(ModelSearch(model.clone())));
    let filtering = &preferences.file_filtering;
    let inactivity = preferences.shell_inactivity.unwrap_or(NO_LIMIT).min(NO_LIMIT);
    let toolbox = Toolbox::new(ToolSettings {
        shell: ShellLimits { inactivity, ..ShellLimits::default() },
        background,
        shell_streams: if preferences.interactive_shell { ShellStreams::Terminal } else { ShellStreams::Pipes },
        include_directories: preferences.include_directories.clone(),
        filtering: Filtering {
            respect_git_ignore: filtering.respect_git_ignore,
            respect_gemini_ignore: filtering.respect_gemini_ignore,
            custom_ignore_files: filtering.custom_ignore_files.clone(),
        },
        output_chars: preferences
            .output_threshold
            .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)),
        memory: basics.person.memory(),
        search: web.clone().map(|web| web as Arc<dyn WebSearch>),
        url_reader: web.map(|web| web as Arc<dyn UrlReader>),
        ..ToolSettings::new(Arc::new(BlobKeeper(blobs)))
    });
    let toolbox = match &preferences.core_tools {
        Some(names) => toolbox.only(names),
        None => toolbox,
    };
    toolbox.without(&preferences.excluded_tools)
}

/// The processes that an agent works with, which may have begun under another one.
#[derive(Clone, Default)]
pub(crate) struct AgentProcesses {
    pub(crate) servers: Option<Arc<McpServers>>,
    pub(crate) background: BackgroundProcesses,
}

/// An agent that asks `engines`, keeps long outputs in `blobs` and has the tools of the servers among `processes` too.
pub(crate) fn assemble(
    basics: &Basics,
    config: &Config,
    engines: Engines,
    blobs: Blobs,
    processes: AgentProcesses,
) -> Assembled {
    let Engines { models, chosen } = engines;
    let model = chosen.model.info();
    let preferences = &config.preferences;
    let files = Arc::new(BlobKeeper(blobs.clone()));
    let toolbox = toolbox(basics, config, &chosen.model, blobs, processes.background);
    let settings = AgentSettings {
        memory: MemorySettings {
            names: preferences.memory_files.clone(),
            own_dir: basics.person.dir().map(Path::to_owned),
            from_added: preferences.memory_from_included,
            extensions: extensions::context_files(config),
        },
        compact_at: preferences.compression_threshold,
        system_prompt: basics.system_prompt.clone(),
        trust_file: basics.person.trust(),
        trust_all: !basics.config.preferences.folder_trust,
        fall_back: preferences.fallback,
        loop_guard: !preferences.disable_loop_detection,
        max_session_turns: preferences.max_session_turns.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        forbidden: Forbidden { yolo: yolo_forbidden(config), lasting_grants: preferences.disable_always_allow },
    };
    let policies = Arc::new(Policies::new(rule_sources(basics, config)));
    let agent = Agent::new(models.clone(), chosen.model, toolbox, policies, settings);
    let mut agent = agent.with_commands(commands::sources(basics)).with_user_tier(preferences.user_tier.clone());
    // One that is no host stops the endpoint before a client could lend anything.
    let hosts = basics.config.preferences.mcp_hosts.iter().filter_map(|host| read_push_host(host).ok());
    agent = agent.with_client_hosts(&hosts.collect::<Vec<_>>());
    if preferences.checkpointing {
        let home = basics.person.home().map(Path::to_owned);
        let settings = CheckpointSettings::new(basics.data_dir.join(CHECKPOINTS));
        agent = agent.with_checkpoints(Arc::new(Checkpoints::new(CheckpointSettings { home, ..settings })));
    }
    if let Some(servers) = processes.servers {
        agent = agent.with_servers(servers);
    }
    if preferences.core_tools.as_ref().is_none_or(|names| names.iter().any(|name| name == "invoke_agent")) {
        let (own, theirs) = (config.variables.clone(), config.workspace_variables.clone());
        let variables = AgentVariables::new(move |name| own.get(name), move |name| theirs.get(name));
        agent = agent.with_subagents(Subagents::new(basics.person.agents(), variables));
    }
    let defaults = Overrides { mode: Some(preferences.mode), model: None, ..Overrides::default() };
    Assembled { agent, defaults, models, model, note: chosen.note, files }
}

fn yolo_forbidden(config: &Config) -> Option<YoloForbidden> {
    match config.hooks_not_run.is_empty() {
        false => Some(YoloForbidden::HooksNotRun),
        true => config.preferences.disable_yolo.then_some(YoloForbidden::BySetting),
    }
}

impl Equipped {
    /// What a model call costs, where that is known.
    pub(crate) fn prices(&self) -> Prices {
        let models = self.models.clone();
        Prices::new(move |model, usage| {
            let prices = models.resolve(model).ok()?.info().prices?;
            #[expect(clippy::cast_precision_loss, reason = "a price is shown with six digits")]
            Some(prices.cost(usage).0 as f64 / 1_000_000.0)
        })
    }

    /// The models a person may switch to, with their prices: those that a key opens, and those of servers that run on
    /// this machine right now.
    pub(crate) fn offers(&self) -> Offers {
        let (models, named) = (self.models.clone(), self.models.clone());
        let offers = Offers::new(move || {
            let models = models.clone();
            Box::pin(async move { models_offered(&models).await })
        });
        offers.with_names(move |one, other| is_same_model(&named, one, other))
    }

    /// The commands that the agent answers in `workspace`.
    pub(crate) fn commands(&self, workspace: &str) -> Commands {
        commands_of(self.agent.clone(), workspace)
    }
}

/// The same before anything is begun. Prompts of MCP servers are not among them.
pub(crate) fn commands_to_come(
    basics: &Basics,
    config: &Config,
    engines: Engines,
    workspace: &str,
) -> anyhow::Result<Commands> {
    Ok(commands_of(assemble(basics, config, engines, Blobs::ephemeral()?, AgentProcesses::default()).agent, workspace))
}

fn commands_of(agent: Agent, workspace: &str) -> Commands {
    let workspace = PathBuf::from(workspace);
    Commands::new(move || {
        let (agent, workspace) = (agent.clone(), workspace.clone());
        Box::pin(async move { agent.commands(&workspace).await })
    })
}

/// The person at the terminal.
pub(crate) fn terminal() -> Who {
    Who { owner: Owner(OWNER.into()), principal: "local".into(), label: "terminal".into(), rights: Rights::all() }
}
