//! What the flags mean, with the environment and the defaults filled in.

use crate::attach;
use crate::config::extensions::Switch;
use crate::config::{Config, ConfigError, Environment, Given};
use crate::extensions;
use crate::flags::{
    AgentFlags, AttachFlags, BasicFlags, BrokenSettings, Command, DataFlags, DebugFlags, DoorFlags, EndpointFlags,
    ExtensionsCommand, Flags, McpCommand, McpServerFlags, ModeFlag, PolicyCommand, ServeFlags, SessionFlags,
    SettingsCommand, TrustFlags, sharing_flag,
};
use crate::manual::Manual;
use crate::mcp_login::Errand;
use crate::named_by_flags::NamedByFlags;
use crate::paths;
use crate::person::Person;
use crate::settings_show::Form;
use crate::token_source::{ALLOWED_HOSTS_VARIABLE, TOKEN_VARIABLE, TokenSource, hosts_of_variable};
use crate::trust::Wish;
use crate::words;
use pollux_agent::ClientPrograms;
use pollux_server::discovery;
use pollux_session::Mode;
use pollux_tui::Format;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// Something was asked for that cannot be: exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// What to do, and how.
pub(crate) struct Settings {
    pub(crate) basics: Basics,
    pub(crate) action: Action,
}

/// What to do.
pub(crate) enum Action {
    Interactive(Interactive),
    Attach(attach::Wish),
    Serve(Serve),
    McpServer(McpServer),
    Mcp(Errand),
    Sessions,
    PolicyCheck { command: String },
    SettingsShow(Form),
    Extensions(extensions::Wish),
    Doctor { serve_dir: PathBuf },
    Health { url: String },
    Trust(Wish),
    Manual(Manual),
}

/// Settings of everything.
pub(crate) struct Basics {
    pub(crate) model: Option<String>,
    /// The person's settings, without any workspace's.
    pub(crate) config: Config,
    /// Settings files that were left out because they are broken; others stop the program.
    pub(crate) broken_files: Vec<ConfigError>,
    /// What this run's flags name, for whoever starts something to check.
    pub(crate) named: NamedByFlags,
    /// What stands in for the agent's own system prompt.
    pub(crate) system_prompt: Option<String>,
    pub(crate) person: Person,
    pub(crate) data_dir: PathBuf,
    /// Where they would be if nobody had named another place.
    pub(crate) state_dir: PathBuf,
    pub(crate) runtime_dir: PathBuf,
    pub(crate) token: Option<TokenSource>,
    pub(crate) max_connections: usize,
    pub(crate) detail: Detail,
}

/// How much is said on standard error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    Errors,
    Warnings,
    /// What goes well, too.
    News,
    Everything,
    /// Every step of it.
    Traces,
}

/// A session at the terminal.
pub(crate) struct Interactive {
    pub(crate) workspace: PathBuf,
    pub(crate) a2a_port: Option<u16>,
    pub(crate) door: DoorFlags,
    /// A flag that says how to share the session.
    pub(crate) sharing_flag: Option<&'static str>,
    pub(crate) prompt: Option<FirstPrompt>,
    pub(crate) keep: Keep,
    pub(crate) plain: bool,
    pub(crate) format: Format,
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
pub(crate) enum Keep {
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
pub(crate) enum Shelf {
    /// In its data directory.
    Disk,
    /// In memory: they are gone when it ends.
    Memory,
}

/// A server of many sessions.
pub(crate) struct Serve {
    pub(crate) address: SocketAddr,
    pub(crate) workspace: PathBuf,
    /// Where clients may name workspaces, besides that one.
    pub(crate) workspace_roots: Vec<PathBuf>,
    pub(crate) shelf: Shelf,
    pub(crate) tls_in_front: bool,
    pub(crate) allow_host: Vec<String>,
    /// Whether clients may name programs to start as tool servers.
    pub(crate) programs: ClientPrograms,
    /// How long turns that run may go on after the signal to stop.
    pub(crate) drain: Duration,
    pub(crate) door: DoorFlags,
}

/// A server for one MCP client.
pub(crate) struct McpServer {
    pub(crate) workspace: PathBuf,
    /// The only tools to offer.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) tasks: bool,
}

impl Settings {
    /// Work out what was meant. `env` looks up an environment variable.
    pub(crate) fn resolve(flags: Flags, env: &Environment) -> anyhow::Result<Settings> {
        let state = paths::state_dir(&**env)?;
        match flags.command {
            None => session(flags.session, &state, env),
            Some(Command::Attach(AttachFlags { target, plain, token, data, debug })) => {
                let action = Action::Attach(attach::Wish { target, plain });
                let endpoint = EndpointFlags { token, ..EndpointFlags::default() };
                let flags = BasicFlags { endpoint, data, debug, ..BasicFlags::default() };
                Ok(Settings { basics: basics(flags, &state, env)?, action })
            }
            Some(Command::Serve(flags)) => serve(*flags, &state, env),
            Some(Command::McpServer(flags)) => {
                let McpServerFlags { workspace, tools, no_tasks, agent, data, debug } = *flags;
                let workspace = match workspace {
                    Some(workspace) => workspace,
                    None => current_dir()?,
                };
                let action = Action::McpServer(McpServer { workspace, tools, tasks: !no_tasks });
                let flags = BasicFlags { agent, data, debug, ..BasicFlags::default() };
                Ok(Settings { basics: basics(flags, &state, env)?, action })
            }
            Some(Command::Mcp(command)) => {
                let (errand, debug) = match command {
                    McpCommand::List { debug } => (Errand::List, debug),
                    McpCommand::Login { name, debug } => (Errand::Login(name), debug),
                    McpCommand::Logout { name, debug } => (Errand::Logout(name), debug),
                };
                Ok(Settings { basics: plain_basics(debug, &state, env)?, action: Action::Mcp(errand) })
            }
            Some(Command::Sessions { data, debug }) => {
                let flags = BasicFlags { data, debug, ..BasicFlags::default() };
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::Sessions })
            }
            Some(Command::Policy(PolicyCommand::Check { command, rules, debug })) => {
                let agent = AgentFlags { rules, ..AgentFlags::default() };
                let flags = BasicFlags { agent, debug, ..BasicFlags::default() };
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::PolicyCheck { command } })
            }
            Some(Command::Settings(SettingsCommand::Show { json, agent, debug })) => {
                let form = if json { Form::Json } else { Form::Table };
                let flags = BasicFlags { agent: *agent, debug, ..BasicFlags::default() };
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::SettingsShow(form) })
            }
            Some(Command::Extensions(command)) => {
                let (wish, debug) = match command {
                    ExtensionsCommand::List { json, debug } => {
                        (extensions::Wish::List(if json { Form::Json } else { Form::Table }), debug)
                    }
                    ExtensionsCommand::Enable(flags) => {
                        (extensions::Wish::Switch(flags.name, flags.scope, Switch::On), flags.debug)
                    }
                    ExtensionsCommand::Disable(flags) => {
                        (extensions::Wish::Switch(flags.name, flags.scope, Switch::Off), flags.debug)
                    }
                };
                Ok(Settings { basics: plain_basics(debug, &state, env)?, action: Action::Extensions(wish) })
            }
            Some(Command::Trust(TrustFlags { folder, remove, list, debug })) => {
                let folder = folder.map_or_else(current_dir, Ok);
                let wish = match (list, remove) {
                    (true, _) => Wish::List,
                    (false, true) => Wish::Forget(folder?),
                    (false, false) => Wish::Trust(folder?),
                };
                Ok(Settings { basics: plain_basics(debug, &state, env)?, action: Action::Trust(wish) })
            }
            Some(Command::Health { url, debug }) => {
                let basics = plain_basics(debug, &state, env)?;
                let own = || format!("http://127.0.0.1:{}", basics.config.preferences.port);
                let url = url.unwrap_or_else(own);
                Ok(Settings { basics, action: Action::Health { url } })
            }
            Some(Command::Doctor { model, data, debug }) => {
                let serve_dir = serve_dir(&data, &state)?;
                let agent = AgentFlags { model, ..AgentFlags::default() };
                let broken_settings = BrokenSettings::LeaveOut;
                let flags = BasicFlags { agent, data, debug, broken_settings, ..BasicFlags::default() };
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::Doctor { serve_dir } })
            }
            Some(Command::Completions { shell }) => {
                let action = Action::Manual(Manual::Completions(shell));
                Ok(Settings { basics: basics(BasicFlags::default(), &state, env)?, action })
            }
            Some(Command::Man { command }) => {
                let action = Action::Manual(Manual::Page(command));
                Ok(Settings { basics: basics(BasicFlags::default(), &state, env)?, action })
            }
        }
    }
}

fn session(flags: SessionFlags, state: &Path, env: &Environment) -> anyhow::Result<Settings> {
    let SessionFlags { agent, endpoint, data, debug, .. } = &flags;
    let common = BasicFlags {
        agent: agent.clone(),
        data: data.clone(),
        endpoint: endpoint.clone(),
        debug: *debug,
        ..BasicFlags::default()
    };
    let basics = basics_with(common, given_at(&flags.door), state, env)?;
    Ok(Settings { basics, action: Action::Interactive(interactive(flags)?) })
}

fn serve(serve: ServeFlags, state: &Path, env: &Environment) -> anyhow::Result<Settings> {
    let ServeFlags { host, port, tls_in_front, allow_host, workspace, bucket, door, mut agent, endpoint, data, .. } =
        serve;
    let workspace_roots = serve.workspace_root.iter().map(|root| root.display().to_string()).collect();
    let shelf = if serve.ephemeral { Shelf::Memory } else { Shelf::Disk };
    if shelf == Shelf::Memory {
        agent.checkpointing = Some(false);
    }
    let own_dir = serve_dir(&data, state)?;
    let given = Given { port, serve_workspace: workspace, workspace_roots, bucket, ..given_at(&door) };
    let flags = BasicFlags { agent, data, endpoint, debug: serve.debug, ..BasicFlags::default() };
    let basics = Basics { data_dir: own_dir, ..basics_with(flags, given, state, env)? };
    let token = match (basics.token, env(TOKEN_VARIABLE).filter(|text| !text.trim().is_empty())) {
        (Some(given), _) => Some(given),
        (None, text) => text.as_deref().map(TokenSource::of_variable).transpose()?,
    };
    let basics = Basics { token, ..basics };
    let basics = Basics { detail: detail_of_server(&basics), ..basics };
    let named = env(ALLOWED_HOSTS_VARIABLE).filter(|_| allow_host.is_empty()).unwrap_or_default();
    let allow_host = allow_host.into_iter().chain(hosts_of_variable(&named)).collect();
    let preferences = &basics.config.preferences;
    // A server on another port than it was told to have would be found by nobody.
    if let Some(misset) = basics.config.misset.iter().find(|misset| misset.key == "serve.port")
        && port.is_none()
    {
        return Err(Usage(misset.text.clone()).into());
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
    let action = Action::Serve(Serve {
        address,
        workspace,
        workspace_roots,
        shelf,
        tls_in_front,
        allow_host,
        programs,
        drain,
        door,
    });
    Ok(Settings { basics, action })
}

/// Where `pollux serve` keeps its sessions.
fn serve_dir(flags: &DataFlags, state: &Path) -> anyhow::Result<PathBuf> {
    Ok(given_dir(flags)?.unwrap_or_else(|| state.join("serve")))
}

/// The directory that `--data-dir` names.
fn given_dir(flags: &DataFlags) -> anyhow::Result<Option<PathBuf>> {
    let Some(given) = &flags.data_dir else { return Ok(None) };
    let real = paths::real(given);
    Ok(Some(real.map_err(|error| Usage(format!("--data-dir {} cannot be used: {error}", given.display())))?))
}

fn basics(flags: BasicFlags, state: &Path, env: &Environment) -> anyhow::Result<Basics> {
    basics_with(flags, Given::default(), state, env)
}

/// Those of a command that takes no flag but `--debug`.
fn plain_basics(debug: DebugFlags, state: &Path, env: &Environment) -> anyhow::Result<Basics> {
    basics(BasicFlags { debug, ..BasicFlags::default() }, state, env)
}

/// What the flags about the door set, which settings files may set too.
fn given_at(door: &DoorFlags) -> Given {
    Given {
        agent_name: door.agent_name.clone(),
        require_extension: door.require_extension,
        card_key: door.card_key.clone(),
        push_hosts: door.push_host.clone(),
        mcp_hosts: door.mcp_host.clone(),
        ..Given::default()
    }
}

/// How much a server says: what its settings say, else warnings.
fn detail_of_server(basics: &Basics) -> Detail {
    match basics.config.preferences.log_level.as_deref() {
        Some("error") => Detail::Errors,
        Some("info") => Detail::News,
        Some("debug") => Detail::Everything,
        Some("trace") => Detail::Traces,
        _ => Detail::Warnings,
    }
}

/// What flags that mean the same everywhere, and `given` by others, come to.
fn basics_with(flags: BasicFlags, given: Given, state: &Path, env: &Environment) -> anyhow::Result<Basics> {
    let BasicFlags {
        agent: AgentFlags { model, rules, checkpointing, allowed_mcp_server_names },
        data,
        endpoint,
        debug,
        broken_settings,
    } = flags;
    let (model, debug) = (model.model, debug.debug);
    let mode = match (rules.yolo, rules.approval_mode) {
        (true, _) | (false, Some(ModeFlag::Yolo)) => Some(Mode::Yolo),
        (false, Some(ModeFlag::AutoEdit)) => Some(Mode::AutoEdit),
        (false, Some(ModeFlag::Plan)) => Some(Mode::Plan),
        (false, Some(ModeFlag::Default)) => Some(Mode::Default),
        (false, None) => None,
    };
    if endpoint.max_connections == 0 {
        return Err(Usage("--max-connections must be at least 1".into()).into());
    }
    let own_dir = given_dir(&data)?;
    let named = NamedByFlags {
        include_directories: rules.include_directories.clone(),
        allowed_tools: rules.allowed_tools.clone(),
        allowed_servers: allowed_mcp_server_names.clone(),
        policies: rules.policy.clone(),
        admin_policies: rules.admin_policy.clone(),
    };
    let given = Given {
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
    let (config, broken_files) = loaded.map_err(|error| Usage(error.to_string()))?;
    Ok(Basics {
        model,
        config,
        broken_files,
        named,
        system_prompt: None,
        person: Person::of(&**env),
        data_dir: own_dir.unwrap_or_else(|| state.to_owned()),
        state_dir: state.to_owned(),
        runtime_dir: discovery::directory(env("XDG_RUNTIME_DIR").map(PathBuf::from), state),
        token: endpoint.token.token_file.map(TokenSource::File),
        max_connections: endpoint.max_connections,
        detail: if debug { Detail::Everything } else { Detail::Warnings },
    })
}

fn interactive(flags: SessionFlags) -> anyhow::Result<Interactive> {
    let keep = match (flags.ephemeral, flags.resume) {
        (true, _) => Keep::Nothing,
        (false, None) if flags.go_on => Keep::Newest,
        (false, None) => Keep::New,
        (false, Some(None)) => Keep::Newest,
        (false, Some(Some(name))) if name == "latest" => Keep::Newest,
        (false, Some(Some(name))) => Keep::Named(name),
    };
    let is_blank = |text: &Option<String>| text.as_deref().is_some_and(|text| text.trim().is_empty());
    if is_blank(&flags.prompt) {
        return Err(Usage("--prompt is empty; say what to do".into()).into());
    }
    if is_blank(&flags.prompt_interactive) {
        return Err(Usage("--prompt-interactive is empty; say what to do".into()).into());
    }
    let prompt = match (flags.prompt, flags.prompt_interactive) {
        (Some(text), _) => Some(FirstPrompt::Once(text)),
        (None, Some(text)) => Some(FirstPrompt::AtTerminal(text)),
        (None, None) => words::read_prompt(&flags.words)?.map(FirstPrompt::Anywhere),
    };
    Ok(Interactive {
        workspace: current_dir()?,
        a2a_port: flags.a2a_port,
        sharing_flag: sharing_flag(&flags.endpoint, &flags.door),
        door: flags.door,
        prompt,
        keep,
        plain: flags.plain,
        format: flags.output_format.format(),
    })
}

fn current_dir() -> anyhow::Result<PathBuf> {
    let refuse = |error| Usage(format!("the current directory cannot be the workspace: {error}"));
    Ok(std::env::current_dir().map_err(refuse)?)
}
