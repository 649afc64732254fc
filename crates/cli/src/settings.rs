//! What the flags mean, with the environment and the defaults filled in.

use crate::attach;
use crate::config::extensions::Switch;
use crate::config::{Config, Environment, Given};
use crate::extensions;
use crate::flags::{
    AttachFlags, BasicFlags, Command, DoorFlags, ExtensionsCommand, Flags, McpCommand, McpServerFlags, ModeFlag,
    PolicyCommand, ServeFlags, SessionFlags, SettingsCommand, TrustFlags,
};
use crate::mcp_login::Errand;
use crate::named_by_flags::NamedByFlags;
use crate::paths;
use crate::person::Person;
use crate::settings_show::Form;
use crate::trust::Wish;
use pollux_agent::ClientPrograms;
use pollux_server::discovery;
use pollux_session::Mode;
use pollux_tui::Format;
use std::net::SocketAddr;
use std::path::PathBuf;
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
}

/// Settings of everything.
pub(crate) struct Basics {
    pub(crate) model: Option<String>,
    /// The person's settings, without any workspace's.
    pub(crate) config: Config,
    /// What this run's flags name, for whoever starts something to check.
    pub(crate) named: NamedByFlags,
    pub(crate) person: Person,
    pub(crate) data_dir: PathBuf,
    /// Where they would be if nobody had named another place.
    pub(crate) state_dir: PathBuf,
    pub(crate) runtime_dir: PathBuf,
    pub(crate) token_file: Option<PathBuf>,
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
    pub(crate) prompt: Option<String>,
    pub(crate) keep: Keep,
    pub(crate) plain: bool,
    pub(crate) format: Format,
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
            None => {
                let basics = basics_with(flags.basics, given_at(&flags.session.door), &state, env)?;
                let action = Action::Interactive(interactive(flags.session)?);
                Ok(Settings { basics, action })
            }
            Some(Command::Attach(AttachFlags { target, plain, basics: flags })) => {
                let action = Action::Attach(attach::Wish { target, plain });
                Ok(Settings { basics: basics(flags, &state, env)?, action })
            }
            Some(Command::Serve(serve)) => {
                let ServeFlags {
                    host, port, tls_in_front, allow_host, workspace, bucket, door, basics: mut flags, ..
                } = serve;
                let workspace_roots = serve.workspace_root.iter().map(|root| root.display().to_string()).collect();
                let shelf = if serve.ephemeral { Shelf::Memory } else { Shelf::Disk };
                if shelf == Shelf::Memory {
                    flags.checkpointing = Some(false);
                }
                let own_dir = serve_dir(&flags, &state)?;
                let given = Given { port, serve_workspace: workspace, workspace_roots, bucket, ..given_at(&door) };
                let basics = Basics { data_dir: own_dir, ..basics_with(flags, given, &state, env)? };
                let basics = Basics { detail: detail_of_server(&basics), ..basics };
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
            Some(Command::McpServer(McpServerFlags { workspace, tools, no_tasks, basics: flags })) => {
                let workspace = match workspace {
                    Some(workspace) => workspace,
                    None => current_dir()?,
                };
                let action = Action::McpServer(McpServer { workspace, tools, tasks: !no_tasks });
                Ok(Settings { basics: basics(flags, &state, env)?, action })
            }
            Some(Command::Mcp(command)) => {
                let (errand, flags) = match command {
                    McpCommand::List(basics) => (Errand::List, basics),
                    McpCommand::Login { name, basics } => (Errand::Login(name), basics),
                    McpCommand::Logout { name, basics } => (Errand::Logout(name), basics),
                };
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::Mcp(errand) })
            }
            Some(Command::Sessions(flags)) => {
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::Sessions })
            }
            Some(Command::Policy(PolicyCommand::Check { command, basics: flags })) => {
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::PolicyCheck { command } })
            }
            Some(Command::Settings(SettingsCommand::Show { json, basics: flags })) => {
                let form = if json { Form::Json } else { Form::Table };
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::SettingsShow(form) })
            }
            Some(Command::Extensions(command)) => {
                let (wish, flags) = match command {
                    ExtensionsCommand::List { json, basics } => {
                        (extensions::Wish::List(if json { Form::Json } else { Form::Table }), basics)
                    }
                    ExtensionsCommand::Enable(flags) => {
                        (extensions::Wish::Switch(flags.name, flags.scope, Switch::On), flags.basics)
                    }
                    ExtensionsCommand::Disable(flags) => {
                        (extensions::Wish::Switch(flags.name, flags.scope, Switch::Off), flags.basics)
                    }
                };
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::Extensions(wish) })
            }
            Some(Command::Trust(TrustFlags { folder, remove, list, basics: flags })) => {
                let folder = folder.map_or_else(current_dir, Ok);
                let wish = match (list, remove) {
                    (true, _) => Wish::List,
                    (false, true) => Wish::Forget(folder?),
                    (false, false) => Wish::Trust(folder?),
                };
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::Trust(wish) })
            }
            Some(Command::Health { url, basics: flags }) => {
                let basics = basics(flags, &state, env)?;
                let own = || format!("http://127.0.0.1:{}", basics.config.preferences.port);
                let url = url.unwrap_or_else(own);
                Ok(Settings { basics, action: Action::Health { url } })
            }
            Some(Command::Doctor(flags)) => {
                let serve_dir = serve_dir(&flags, &state)?;
                Ok(Settings { basics: basics(flags, &state, env)?, action: Action::Doctor { serve_dir } })
            }
        }
    }
}

/// Where `pollux serve` keeps its sessions.
fn serve_dir(flags: &BasicFlags, state: &std::path::Path) -> anyhow::Result<PathBuf> {
    Ok(given_dir(flags)?.unwrap_or_else(|| state.join("serve")))
}

/// The directory that `--data-dir` names.
fn given_dir(flags: &BasicFlags) -> anyhow::Result<Option<PathBuf>> {
    let Some(given) = &flags.data_dir else { return Ok(None) };
    let real = paths::real(given);
    Ok(Some(real.map_err(|error| Usage(format!("--data-dir {} cannot be used: {error}", given.display())))?))
}

fn basics(flags: BasicFlags, state: &std::path::Path, env: &Environment) -> anyhow::Result<Basics> {
    basics_with(flags, Given::default(), state, env)
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

/// What flags that everything has, and `given` by others, come to.
fn basics_with(flags: BasicFlags, given: Given, state: &std::path::Path, env: &Environment) -> anyhow::Result<Basics> {
    let mode = match (flags.yolo, flags.approval_mode) {
        (true, _) | (false, Some(ModeFlag::Yolo)) => Some(Mode::Yolo),
        (false, Some(ModeFlag::AutoEdit)) => Some(Mode::AutoEdit),
        (false, Some(ModeFlag::Plan)) => Some(Mode::Plan),
        (false, Some(ModeFlag::Default)) => Some(Mode::Default),
        (false, None) => None,
    };
    if flags.max_connections == 0 {
        return Err(Usage("--max-connections must be at least 1".into()).into());
    }
    let own_dir = given_dir(&flags)?;
    let named = NamedByFlags {
        include_directories: flags.include_directories.clone(),
        allowed_tools: flags.allowed_tools.clone(),
        allowed_servers: flags.allowed_mcp_server_names.clone(),
        policies: flags.policy.clone(),
        admin_policies: flags.admin_policy.clone(),
    };
    let given = Given {
        model: flags.model.clone(),
        mode,
        checkpointing: flags.checkpointing,
        allowed_tools: flags.allowed_tools,
        include_directories: flags.include_directories,
        allowed_servers: flags.allowed_mcp_server_names,
        policies: flags.policy.iter().map(|path| path.display().to_string()).collect(),
        admin_policies: flags.admin_policy.iter().map(|path| path.display().to_string()).collect(),
        debug: flags.debug,
        ..given
    };
    let config = Config::load(env.clone(), given).map_err(|error| Usage(error.to_string()))?;
    Ok(Basics {
        model: flags.model,
        config,
        named,
        person: Person::of(&**env),
        data_dir: own_dir.unwrap_or_else(|| state.to_owned()),
        state_dir: state.to_owned(),
        runtime_dir: discovery::directory(env("XDG_RUNTIME_DIR").map(PathBuf::from), state),
        token_file: flags.token_file,
        max_connections: flags.max_connections,
        detail: if flags.debug { Detail::Everything } else { Detail::Warnings },
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
    if flags.prompt.as_deref().is_some_and(|prompt| prompt.trim().is_empty()) {
        return Err(Usage("--prompt is empty; say what to do".into()).into());
    }
    Ok(Interactive {
        workspace: current_dir()?,
        a2a_port: flags.a2a_port,
        door: flags.door,
        prompt: flags.prompt,
        keep,
        plain: flags.plain,
        format: flags.output_format.format(),
    })
}

fn current_dir() -> anyhow::Result<PathBuf> {
    let refuse = |error| Usage(format!("the current directory cannot be the workspace: {error}"));
    Ok(std::env::current_dir().map_err(refuse)?)
}
