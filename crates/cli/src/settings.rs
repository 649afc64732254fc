//! What the flags mean, with the environment and the defaults filled in.

use crate::attach;
use crate::bare_words;
use crate::config::extensions::ExtensionSwitch;
use crate::config::{Config, ConfigError, EnvironmentLookup, RunOverrides};
use crate::extensions;
use crate::flags::{
    A2aFlags, AgentFlags, AttachFlags, BasicFlags, BrokenSettings, CliCommand, CliFlags, DataFlags, DebugFlags,
    EndpointFlags, ExtensionsSubcommand, McpServerFlags, McpSubcommand, ModeFlag, PolicySubcommand, ServeFlags,
    SessionFlags, SettingsSubcommand, StoredSessionsFlags, StoredSessionsSubcommand, TrustFlags, sharing_flag,
};
use crate::manual::ManualKind;
use crate::mcp_login::McpAction;
use crate::named_by_flags::NamedByFlags;
use crate::paths;
use crate::reported_warnings::ReportedWarnings;
use crate::settings_show::ListingFormat;
use crate::token_source::{ALLOWED_HOSTS_VARIABLE, TOKEN_VARIABLE, TokenSource, parse_hosts};
use crate::trust::TrustAction;
use crate::user_directories::UserDirectories;
use pollux_agent::ClientPrograms;
use pollux_server::discovery;
use pollux_session::ApprovalMode;
use pollux_tui::{OutputFormat, SessionFolders};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// Something was asked for that cannot be: exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// What to do, and how.
pub(crate) struct ProgramSettings {
    pub(crate) basics: GlobalSettings,
    pub(crate) action: ProgramAction,
}

/// What to do.
pub(crate) enum ProgramAction {
    Interactive(InteractiveSettings),
    Attach(attach::AttachOptions),
    Serve(ServeSettings),
    McpServer(McpServerSettings),
    Mcp(McpAction),
    Sessions(SessionFolders),
    DeleteSession { name: String },
    PolicyCheck { command: String },
    SettingsShow(ListingFormat),
    Extensions(extensions::ExtensionsAction),
    Doctor { serve_dir: PathBuf },
    Health { url: String },
    Trust(TrustAction),
    Manual(ManualKind),
}

/// Settings of everything.
pub(crate) struct GlobalSettings {
    pub(crate) model: Option<String>,
    /// The person's settings, without any workspace's.
    pub(crate) config: Config,
    /// Settings files that were left out because they are broken; others stop the program.
    pub(crate) broken_files: Vec<ConfigError>,
    /// What this run's flags name, for whoever starts something to check.
    pub(crate) named: NamedByFlags,
    /// What stands in for the agent's own system prompt.
    pub(crate) system_prompt: Option<String>,
    pub(crate) user_directories: UserDirectories,
    pub(crate) data_dir: PathBuf,
    /// Where they would be if nobody had named another place.
    pub(crate) state_dir: PathBuf,
    pub(crate) runtime_dir: PathBuf,
    pub(crate) token: Option<TokenSource>,
    pub(crate) max_connections: usize,
    pub(crate) detail: LogDetail,
    pub(crate) reported_warnings: ReportedWarnings,
}

/// How much is said on standard error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LogDetail {
    Errors,
    Warnings,
    /// What goes well, too.
    News,
    Everything,
    /// Every step of it.
    Traces,
}

/// A session at the terminal.
pub(crate) struct InteractiveSettings {
    pub(crate) workspace: PathBuf,
    pub(crate) a2a_port: Option<u16>,
    pub(crate) a2a: A2aFlags,
    /// A flag that says how to share the session.
    pub(crate) sharing_flag: Option<&'static str>,
    pub(crate) prompt: Option<FirstPrompt>,
    pub(crate) session: SessionSelection,
    pub(crate) plain: bool,
    pub(crate) format: OutputFormat,
}

/// The prompt that a session begins with.
#[derive(Clone)]
pub(crate) enum FirstPrompt {
    /// It is answered, and that is all.
    Once(String),
    /// A person goes on after it.
    AtTerminal(String),
    /// At a terminal a person goes on after it; elsewhere that is all.
    Anywhere(String),
}

impl FirstPrompt {
    /// What it says.
    pub(crate) fn text(&self) -> &str {
        match self {
            FirstPrompt::Once(text) | FirstPrompt::AtTerminal(text) | FirstPrompt::Anywhere(text) => text,
        }
    }
}

/// What is kept of a session.
pub(crate) enum SessionSelection {
    /// Nothing.
    Nothing,
    /// All of it, in a new session.
    New,
    /// Go on with the newest session of this workspace.
    Newest,
    /// Go on with the one that this id names, or the beginning of it.
    Named(String),
}

/// Where a server has its sessions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerStorage {
    /// In its data directory.
    Disk,
    /// In memory: they are gone when it ends.
    Memory,
}

/// A server of many sessions.
pub(crate) struct ServeSettings {
    pub(crate) address: SocketAddr,
    pub(crate) workspace: PathBuf,
    /// Where clients may name workspaces, besides that one.
    pub(crate) workspace_roots: Vec<PathBuf>,
    pub(crate) storage: ServerStorage,
    pub(crate) tls_in_front: bool,
    pub(crate) allow_host: Vec<String>,
    /// Whether clients may name programs to start as tool servers.
    pub(crate) programs: ClientPrograms,
    /// How long turns that run may go on after the signal to stop.
    pub(crate) drain: Duration,
    pub(crate) a2a: A2aFlags,
}

/// A server for one MCP client.
pub(crate) struct McpServerSettings {
    pub(crate) workspace: PathBuf,
    /// The only tools to offer.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) tasks: bool,
}

impl ProgramSettings {
    /// Work out what was meant. `env` looks up an environment variable.
    pub(crate) fn resolve(flags: CliFlags, env: &EnvironmentLookup) -> anyhow::Result<ProgramSettings> {
        let state = paths::state_dir(&**env)?;
        match flags.command {
            None => session(flags.session, &state, env),
            Some(CliCommand::Attach(AttachFlags { target, plain, token, data, debug })) => {
                let action = ProgramAction::Attach(attach::AttachOptions { target, plain });
                let endpoint = EndpointFlags { token, ..EndpointFlags::default() };
                let flags = BasicFlags { endpoint, data, debug, ..BasicFlags::default() };
                Ok(ProgramSettings { basics: global_settings(flags, &state, env)?, action })
            }
            Some(CliCommand::Serve(flags)) => serve(*flags, &state, env),
            Some(CliCommand::McpServer(flags)) => {
                let McpServerFlags { workspace, tools, no_tasks, agent, data, debug } = *flags;
                let workspace = match workspace {
                    Some(workspace) => workspace,
                    None => current_dir()?,
                };
                let action = ProgramAction::McpServer(McpServerSettings { workspace, tools, tasks: !no_tasks });
                let flags = BasicFlags { agent, data, debug, ..BasicFlags::default() };
                Ok(ProgramSettings { basics: global_settings(flags, &state, env)?, action })
            }
            Some(CliCommand::Mcp(command)) => {
                let (local_run, debug) = match command {
                    McpSubcommand::List { debug } => (McpAction::List, debug),
                    McpSubcommand::Login { name, debug } => (McpAction::Login(name), debug),
                    McpSubcommand::Logout { name, debug } => (McpAction::Logout(name), debug),
                };
                Ok(ProgramSettings {
                    basics: global_settings_without_flags(debug, &state, env)?,
                    action: ProgramAction::Mcp(local_run),
                })
            }
            Some(CliCommand::Sessions(StoredSessionsFlags { command, folders, data, debug })) => {
                let (action, data, debug) = match command {
                    None => (ProgramAction::Sessions(folders.into()), data, debug),
                    Some(StoredSessionsSubcommand::List { folders, data, debug }) => {
                        (ProgramAction::Sessions(folders.into()), data, debug)
                    }
                    Some(StoredSessionsSubcommand::Delete { session, data, debug }) => {
                        (ProgramAction::DeleteSession { name: session }, data, debug)
                    }
                };
                let flags = BasicFlags { data, debug, ..BasicFlags::default() };
                Ok(ProgramSettings { basics: global_settings(flags, &state, env)?, action })
            }
            Some(CliCommand::Policy(PolicySubcommand::Check { command, rules, debug })) => {
                let agent = AgentFlags { rules, ..AgentFlags::default() };
                let flags = BasicFlags { agent, debug, ..BasicFlags::default() };
                Ok(ProgramSettings {
                    basics: global_settings(flags, &state, env)?,
                    action: ProgramAction::PolicyCheck { command },
                })
            }
            Some(CliCommand::Settings(SettingsSubcommand::Show { json, agent, debug })) => {
                let form = if json { ListingFormat::Json } else { ListingFormat::Table };
                let flags = BasicFlags { agent: *agent, debug, ..BasicFlags::default() };
                Ok(ProgramSettings {
                    basics: global_settings(flags, &state, env)?,
                    action: ProgramAction::SettingsShow(form),
                })
            }
            Some(CliCommand::Extensions(command)) => {
                let (wish, debug) = match command {
                    ExtensionsSubcommand::List { json, debug } => (
                        extensions::ExtensionsAction::List(if json {
                            ListingFormat::Json
                        } else {
                            ListingFormat::Table
                        }),
                        debug,
                    ),
                    ExtensionsSubcommand::Enable(flags) => (
                        extensions::ExtensionsAction::Switch(flags.name, flags.scope, ExtensionSwitch::On),
                        flags.debug,
                    ),
                    ExtensionsSubcommand::Disable(flags) => (
                        extensions::ExtensionsAction::Switch(flags.name, flags.scope, ExtensionSwitch::Off),
                        flags.debug,
                    ),
                };
                Ok(ProgramSettings {
                    basics: global_settings_without_flags(debug, &state, env)?,
                    action: ProgramAction::Extensions(wish),
                })
            }
            Some(CliCommand::Trust(TrustFlags { folder, remove, list, debug })) => {
                // As in `pollux mcp list`; a folder of that name is `./list`.
                let list = list || (!remove && folder.as_deref() == Some(Path::new("list")));
                let folder = folder.map_or_else(current_dir, Ok);
                let wish = match (list, remove) {
                    (true, _) => TrustAction::List,
                    (false, true) => TrustAction::Forget(folder?),
                    (false, false) => TrustAction::Trust(folder?),
                };
                Ok(ProgramSettings {
                    basics: global_settings_without_flags(debug, &state, env)?,
                    action: ProgramAction::Trust(wish),
                })
            }
            Some(CliCommand::Health { url, debug }) => {
                let global_settings = global_settings_without_flags(debug, &state, env)?;
                let own = || format!("http://127.0.0.1:{}", global_settings.config.preferences.port);
                let url = url.unwrap_or_else(own);
                Ok(ProgramSettings { basics: global_settings, action: ProgramAction::Health { url } })
            }
            Some(CliCommand::Doctor { model, data, debug }) => {
                let serve_dir = serve_dir(&data, &state)?;
                let agent = AgentFlags { model, ..AgentFlags::default() };
                let broken_settings = BrokenSettings::LeaveOut;
                let flags = BasicFlags { agent, data, debug, broken_settings, ..BasicFlags::default() };
                Ok(ProgramSettings {
                    basics: global_settings(flags, &state, env)?,
                    action: ProgramAction::Doctor { serve_dir },
                })
            }
            Some(CliCommand::Completions { shell }) => {
                let action = ProgramAction::Manual(ManualKind::Completions(shell));
                Ok(ProgramSettings { basics: global_settings(BasicFlags::default(), &state, env)?, action })
            }
            Some(CliCommand::Man { command }) => {
                let action = ProgramAction::Manual(ManualKind::Page(command));
                Ok(ProgramSettings { basics: global_settings(BasicFlags::default(), &state, env)?, action })
            }
        }
    }
}

fn session(flags: SessionFlags, state: &Path, env: &EnvironmentLookup) -> anyhow::Result<ProgramSettings> {
    let SessionFlags { agent, endpoint, data, debug, .. } = &flags;
    let common = BasicFlags {
        agent: agent.clone(),
        data: data.clone(),
        endpoint: endpoint.clone(),
        debug: *debug,
        ..BasicFlags::default()
    };
    let global_settings = global_settings_with(common, a2a_overrides(&flags.a2a), state, env)?;
    Ok(ProgramSettings { basics: global_settings, action: ProgramAction::Interactive(interactive(flags)?) })
}

fn serve(serve: ServeFlags, state: &Path, env: &EnvironmentLookup) -> anyhow::Result<ProgramSettings> {
    let ServeFlags {
        host,
        port,
        tls_in_front,
        allow_host,
        workspace,
        bucket,
        a2a: door,
        mut agent,
        endpoint,
        data,
        ..
    } = serve;
    let workspace_roots = serve.workspace_root.iter().map(|root| root.display().to_string()).collect();
    let shelf = if serve.ephemeral { ServerStorage::Memory } else { ServerStorage::Disk };
    if shelf == ServerStorage::Memory {
        agent.checkpointing = Some(false);
    }
    let own_dir = serve_dir(&data, state)?;
    let given = RunOverrides { port, serve_workspace: workspace, workspace_roots, bucket, ..a2a_overrides(&door) };
    let flags = BasicFlags { agent, data, endpoint, debug: serve.debug, ..BasicFlags::default() };
    let global_settings = GlobalSettings { data_dir: own_dir, ..global_settings_with(flags, given, state, env)? };
    let token = match (global_settings.token, env(TOKEN_VARIABLE).filter(|text| !text.trim().is_empty())) {
        (Some(given), _) => Some(given),
        (None, text) => text.as_deref().map(TokenSource::from_variable).transpose()?,
    };
    let global_settings = GlobalSettings { token, ..global_settings };
    let global_settings = GlobalSettings { detail: server_log_detail(&global_settings), ..global_settings };
    let named = env(ALLOWED_HOSTS_VARIABLE).filter(|_| allow_host.is_empty()).unwrap_or_default();
    let allow_host = allow_host.into_iter().chain(parse_hosts(&named)).collect();
    let preferences = &global_settings.config.preferences;
    // A server on another port than it was told to have would be found by nobody.
    if let Some(misset) = global_settings.config.invalid_variables.iter().find(|misset| misset.key == "serve.port")
        && port.is_none()
    {
        return Err(UsageError(misset.text.clone()).into());
    }
    let workspace = match &preferences.serve_workspace {
        Some(workspace) => workspace.clone(),
        None => current_dir()?,
    };
    let address = SocketAddr::new(host, preferences.port);
    let programs = match serve.clients_may_start_programs {
        true => ClientPrograms::Allowed,
        false => ClientPrograms::Refused,
    };
    let drain = Duration::from_secs(serve.drain);
    let workspace_roots = preferences.workspace_roots.clone();
    let action = ProgramAction::Serve(ServeSettings {
        address,
        workspace,
        workspace_roots,
        storage: shelf,
        tls_in_front,
        allow_host,
        programs,
        drain,
        a2a: door,
    });
    Ok(ProgramSettings { basics: global_settings, action })
}

/// Where `pollux serve` keeps its sessions.
fn serve_dir(flags: &DataFlags, state: &Path) -> anyhow::Result<PathBuf> {
    Ok(data_dir_flag(flags)?.unwrap_or_else(|| state.join("serve")))
}

/// The directory that `--data-dir` names.
fn data_dir_flag(flags: &DataFlags) -> anyhow::Result<Option<PathBuf>> {
    let Some(given) = &flags.data_dir else { return Ok(None) };
    let real = paths::real(given);
    Ok(Some(real.map_err(|error| UsageError(format!("--data-dir {} cannot be used: {error}", given.display())))?))
}

fn global_settings(flags: BasicFlags, state: &Path, env: &EnvironmentLookup) -> anyhow::Result<GlobalSettings> {
    global_settings_with(flags, RunOverrides::default(), state, env)
}

/// Those of a command that takes no flag but `--debug`.
fn global_settings_without_flags(
    debug: DebugFlags,
    state: &Path,
    env: &EnvironmentLookup,
) -> anyhow::Result<GlobalSettings> {
    global_settings(BasicFlags { debug, ..BasicFlags::default() }, state, env)
}

/// What the flags about the door set, which settings files may set too.
fn a2a_overrides(door: &A2aFlags) -> RunOverrides {
    RunOverrides {
        agent_name: door.agent_name.clone(),
        require_extension: door.require_extension,
        card_key: door.card_key.clone(),
        push_hosts: door.push_host.clone(),
        mcp_hosts: door.mcp_host.clone(),
        ..RunOverrides::default()
    }
}

/// How much a server says: what its settings say, else warnings.
fn server_log_detail(global_settings: &GlobalSettings) -> LogDetail {
    match global_settings.config.preferences.log_level.as_deref() {
        Some("error") => LogDetail::Errors,
        Some("info") => LogDetail::News,
        Some("debug") => LogDetail::Everything,
        Some("trace") => LogDetail::Traces,
        _ => LogDetail::Warnings,
    }
}

/// What flags that mean the same everywhere, and `given` by others, come to.
fn global_settings_with(
    flags: BasicFlags,
    given: RunOverrides,
    state: &Path,
    env: &EnvironmentLookup,
) -> anyhow::Result<GlobalSettings> {
    let BasicFlags {
        agent: AgentFlags { model, rules, checkpointing, allowed_mcp_server_names },
        data,
        endpoint,
        debug,
        broken_settings,
    } = flags;
    let (model, debug) = (model.model, debug.debug);
    let mode = match (rules.yolo, rules.approval_mode) {
        (true, _) | (false, Some(ModeFlag::Yolo)) => Some(ApprovalMode::Yolo),
        (false, Some(ModeFlag::AutoEdit)) => Some(ApprovalMode::AutoEdit),
        (false, Some(ModeFlag::Plan)) => Some(ApprovalMode::Plan),
        (false, Some(ModeFlag::Default)) => Some(ApprovalMode::Default),
        (false, None) => None,
    };
    if endpoint.max_connections == 0 {
        return Err(UsageError("--max-connections must be at least 1".into()).into());
    }
    let own_dir = data_dir_flag(&data)?;
    let named = NamedByFlags {
        include_directories: rules.include_directories.clone(),
        allowed_tools: rules.allowed_tools.clone(),
        allowed_servers: allowed_mcp_server_names.clone(),
        policies: rules.policy.clone(),
        admin_policies: rules.admin_policy.clone(),
    };
    let given = RunOverrides {
        model: model.clone(),
        mode,
        checkpointing,
        allowed_tools: rules.allowed_tools,
        include_directories: rules.include_directories,
        allowed_servers: allowed_mcp_server_names,
        policies: rules.policy.iter().map(|path| path.display().to_string()).collect(),
        admin_policies: rules.admin_policy.iter().map(|path| path.display().to_string()).collect(),
        debug,
        ..given
    };
    let loaded = match broken_settings {
        BrokenSettings::Stop => Config::load(env.clone(), given).map(|config| (config, Vec::new())),
        BrokenSettings::LeaveOut => Config::load_past_broken(env.clone(), given),
    };
    let (config, broken_files) = loaded.map_err(|error| UsageError(error.to_string()))?;
    Ok(GlobalSettings {
        model,
        config,
        broken_files,
        named,
        system_prompt: None,
        user_directories: UserDirectories::from_environment(&**env),
        data_dir: own_dir.unwrap_or_else(|| state.to_owned()),
        state_dir: state.to_owned(),
        runtime_dir: discovery::directory(env("XDG_RUNTIME_DIR").map(PathBuf::from), state),
        token: endpoint.token.token_file.map(TokenSource::File),
        max_connections: endpoint.max_connections,
        detail: if debug { LogDetail::Everything } else { LogDetail::Warnings },
        reported_warnings: ReportedWarnings::default(),
    })
}

fn interactive(flags: SessionFlags) -> anyhow::Result<InteractiveSettings> {
    let keep = match (flags.ephemeral, flags.resume) {
        (true, _) => SessionSelection::Nothing,
        (false, None) if flags.go_on => SessionSelection::Newest,
        (false, None) => SessionSelection::New,
        (false, Some(None)) => SessionSelection::Newest,
        (false, Some(Some(name))) if name == "latest" => SessionSelection::Newest,
        (false, Some(Some(name))) => SessionSelection::Named(name),
    };
    let is_blank = |text: &Option<String>| text.as_deref().is_some_and(|text| text.trim().is_empty());
    if is_blank(&flags.prompt) {
        return Err(UsageError("--prompt is empty; say what to do".into()).into());
    }
    if is_blank(&flags.prompt_interactive) {
        return Err(UsageError("--prompt-interactive is empty; say what to do".into()).into());
    }
    let prompt = match (flags.prompt, flags.prompt_interactive) {
        (Some(text), _) => Some(FirstPrompt::Once(text)),
        (None, Some(text)) => Some(FirstPrompt::AtTerminal(text)),
        (None, None) => bare_words::read_prompt(&flags.words)?.map(FirstPrompt::Anywhere),
    };
    Ok(InteractiveSettings {
        workspace: current_dir()?,
        a2a_port: flags.a2a_port,
        sharing_flag: sharing_flag(&flags.endpoint, &flags.a2a),
        a2a: flags.a2a,
        prompt,
        session: keep,
        plain: flags.plain,
        format: flags.output_format.format(),
    })
}

fn current_dir() -> anyhow::Result<PathBuf> {
    let refuse = |error| UsageError(format!("the current directory cannot be the workspace: {error}"));
    Ok(std::env::current_dir().map_err(refuse)?)
}
