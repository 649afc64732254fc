//! The door for others: a bound socket, its gate, its router and the file that tells local clients where it is.

use crate::bucket_replication;
use crate::flags::{A2aFlags, agent_name};
use crate::runtime::{OWNER, Runtime};
use crate::session_storage::now;
use crate::settings::{GlobalSettings, UsageError};
use crate::token_source::TokenSource;
use anyhow::Context;
use pollux_agent::{AgentRunner, ClientPrograms, models_offered};
use pollux_server::discovery::{self, DiscoveryFile, DiscoveryRecord};
use pollux_server::gate::{
    AuthenticationPolicy, BearerToken, DescendantPolicy, Gate, GateSettings, SupervisorMarks, bind_refusal,
};
use pollux_server::listen::{self, ListenerLimits, Listeners};
use pollux_server::{
    CardConfig, CardSecurity, CommandSource, ExtendedCard, ModelSource, Presence, PushSettings, RouterOptions,
    SessionAccess, SigningKey, SkillCatalogue, SkillListing, ToolingSource, UrlScheme, read_push_host, router_with,
    task_count_check,
};
use pollux_session::{Owner, PushTargets};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The media types of files that may come with a message, as the card says it. Other media that a model can be shown
/// are taken as well.
const FILES_SHOWN: [&str; 8] =
    ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "audio/wav", "audio/mpeg", "video/mp4"];

/// No address of gRPC suits everybody: its clients take `host:port`, and google-adk takes addresses below the card's own only.
const GRPC_WARNING: &str = "--grpc-port: google-adk refuses a card that it reads from this server, because the card lists \
    a gRPC address and google-adk takes only addresses with the card's own scheme, host and port. Give google-adk the card \
    as a file, or start a server without --grpc-port for it.";

/// A socket that is bound but not yet answered.
pub(crate) struct BoundEndpoint {
    listeners: Listeners,
    pub(crate) address: SocketAddr,
    grpc: Option<(Listeners, SocketAddr)>,
    a2a: A2aFlags,
    signing: Option<SigningKey>,
    push_hosts: Vec<String>,
    token: BearerToken,
    identity: AuthenticationPolicy,
    tls_in_front: bool,
    allow_host: Vec<String>,
}

/// An endpoint that answers.
pub(crate) struct Endpoint {
    /// Removed when the endpoint goes.
    _discovery: Option<DiscoveryFile>,
    tasks: Vec<JoinHandle<std::io::Result<()>>>,
}

/// Settings of a reverse proxy between clients and this endpoint.
#[derive(Default)]
pub(crate) struct ReverseProxySettings {
    /// True if a proxy speaks TLS.
    pub(crate) tls: bool,
    /// The names that proxy is called by.
    pub(crate) allow_host: Vec<String>,
}

/// Bind before anything else is started, so that a busy port costs nothing.
pub(crate) async fn bind(
    global_settings: &GlobalSettings,
    address: SocketAddr,
    front: ReverseProxySettings,
    endpoint: A2aFlags,
) -> anyhow::Result<BoundEndpoint> {
    if let Some(why) = bind_refusal(address, global_settings.token.is_some(), front.tls) {
        return Err(UsageError(why).into());
    }
    let given = global_settings.token.as_ref().map(TokenSource::read).transpose()?;
    let identity = if given.is_some() || !cfg!(target_os = "linux") {
        AuthenticationPolicy::TokenOnly
    } else {
        AuthenticationPolicy::LocalUser
    };
    let token = match given {
        Some(token) => token,
        None => BearerToken::generate()?,
    };
    let signing = global_settings.config.preferences.card_key.as_deref().map(signing_key).transpose()?;
    if let Some(name) = &global_settings.config.preferences.agent_name {
        agent_name(name).map_err(|why| UsageError(format!("a2a.agentName: {why}")))?;
    }
    let push_hosts = global_settings.config.preferences.push_hosts.iter().map(|host| read_push_host(host));
    let push_hosts = push_hosts.collect::<Result<_, _>>().map_err(|why| UsageError(format!("a2a.pushHosts: {why}")))?;
    for host in &global_settings.config.preferences.mcp_hosts {
        read_push_host(host).map_err(|why| UsageError(format!("a2a.mcpHosts: {why}")))?;
    }
    let (listeners, address) = listen_on(address, &global_settings.runtime_dir)?;
    let grpc = match endpoint.grpc_port {
        Some(port) => Some(listen_on(SocketAddr::new(address.ip(), port), &global_settings.runtime_dir)?),
        None => None,
    };
    let (tls_in_front, allow_host) = (front.tls, front.allow_host);
    Ok(BoundEndpoint {
        listeners,
        address,
        grpc,
        a2a: endpoint,
        signing,
        push_hosts,
        token,
        identity,
        tls_in_front,
        allow_host,
    })
}

fn listen_on(address: SocketAddr, runtime_dir: &Path) -> anyhow::Result<(Listeners, SocketAddr)> {
    let listeners = Listeners::bind(address).map_err(|refused| match refused.error.kind() {
        std::io::ErrorKind::AddrInUse => {
            let port = address.port();
            // Clients that say localhost would reach the other program.
            let place = if refused.address.ip() == address.ip() { "" } else { &format!(" on {}", refused.address) };
            let holder =
                discovery::list(runtime_dir).unwrap_or_default().into_iter().find(|record| record.port == port);
            let (holder, join) = match holder {
                Some(DiscoveryRecord { pid, workspace, session_id, .. }) => (
                    format!("another Pollux (pid {pid}, in {})", workspace.display()),
                    session_id.map(|_| format!("join it with `pollux attach {pid}`, ")).unwrap_or_default(),
                ),
                None => ("another program".to_owned(), String::new()),
            };
            UsageError(format!("port {port} is taken by {holder}{place}; {join}choose another, or 0 for any"))
        }
        _ => UsageError(refused.to_string()),
    })?;
    let address = listeners.local_addr()?;
    Ok((listeners, address))
}

/// The ways in which clients write where they go: who speaks TLS leaves its port out.
fn authorities(target: &str) -> impl Iterator<Item = String> {
    [Some(target), target.strip_suffix(":443")].into_iter().flatten().map(str::to_owned)
}

/// The key that signs the card. Its name is its file's, without the ending.
fn signing_key(file: &Path) -> anyhow::Result<SigningKey> {
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(SigningKey::read_file(&name, file).map_err(|error| UsageError(error.to_string()))?)
}

impl BoundEndpoint {
    /// Where clients find it.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The token, where one has to be told to the person: off Linux nothing else proves who calls.
    pub(crate) fn token_to_print(&self, global_settings: &GlobalSettings) -> Option<&str> {
        (self.identity == AuthenticationPolicy::TokenOnly && global_settings.token.is_none())
            .then(|| self.token.reveal())
    }

    /// The token for clients that are not the person's own.
    pub(crate) fn token(&self) -> &str {
        self.token.reveal()
    }

    /// Where gRPC is spoken, if it is.
    pub(crate) fn grpc_address(&self) -> Option<SocketAddr> {
        self.grpc.as_ref().map(|(_, address)| *address)
    }

    /// Begin to answer.
    pub(crate) fn serve(
        self,
        global_settings: &GlobalSettings,
        rooms: SessionAccess,
        equipped: &Runtime,
        presence: &Presence,
        shutdown: CancellationToken,
    ) -> anyhow::Result<Endpoint> {
        let agent = equipped.agent.clone();
        let face = CardConfig {
            name: global_settings.config.preferences.agent_name.clone().unwrap_or(CardConfig::default().name),
            model: equipped.model.label.clone(),
            grpc_url: self.grpc.as_ref().map(|(_, address)| {
                self.a2a.grpc_outside.clone().unwrap_or_else(|| format!("localhost:{}", address.port()))
            }),
            extension_required: global_settings.config.preferences.require_extension,
            extended: ExtendedCard::Listing(Arc::new(move || catalogue(&agent))),
            signing: self.signing.map(Arc::new),
            url: format!("http://localhost:{}/", self.address.port()),
            version: env!("CARGO_PKG_VERSION").into(),
            outside_scheme: if self.tls_in_front { UrlScheme::Https } else { UrlScheme::Http },
            security: match self.identity {
                AuthenticationPolicy::LocalUser => CardSecurity::Undeclared,
                AuthenticationPolicy::TokenOnly => CardSecurity::Token,
            },
            files: FILES_SHOWN.map(str::to_owned).into(),
            ..CardConfig::default()
        };
        let (workspace, session) = match &rooms {
            SessionAccess::Shared { workspace, session, .. } => (workspace, Some(*session)),
            SessionAccess::Many { workspace, .. } => (workspace, None),
        };
        let record =
            DiscoveryRecord::for_this_process(self.address.port(), workspace.into(), session, self.token.clone());
        let discovery = DiscoveryFile::write(&global_settings.runtime_dir, &record)
            .map_err(|error| tracing::warn!(%error, "local clients cannot find this endpoint by themselves"))
            .ok();
        let settings = GateSettings {
            token: Some(self.token),
            authentication: self.identity,
            hosts: self.allow_host,
            origins: Vec::new(),
            owner: Owner(OWNER.into()),
            descendants: refuse_descendants()?,
        };
        let limits = ListenerLimits::of_connections(global_settings.max_connections);
        // All clients of a proxy come from its one address.
        let per_peer = if self.tls_in_front { limits.connections } else { limits.connections_per_peer };
        let limits = ListenerLimits { connections_per_peer: per_peer, ..limits };
        let book: Arc<dyn PushTargets> = Arc::new(equipped.host.clone());
        let push = PushSettings { allowed_hosts: self.push_hosts, ..PushSettings::new(book) };
        let agent = equipped.agent.clone();
        let commands: CommandSource = Arc::new(move |workspace: &str| {
            let (agent, workspace) = (agent.clone(), PathBuf::from(workspace));
            Box::pin(async move { agent.commands(&workspace).await })
        });
        let agent = equipped.agent.clone();
        let tooling: ToolingSource = Arc::new(move |workspace: &str, session| {
            let (agent, workspace) = (agent.clone(), PathBuf::from(workspace));
            Box::pin(async move { agent.tooling(&workspace, session) })
        });
        let models = equipped.models.clone();
        let models: ModelSource = Arc::new(move || {
            let models = models.clone();
            Box::pin(async move { models_offered(&models).await })
        });
        let health = task_count_check(Arc::new(equipped.host.clone()), Owner(OWNER.into()));
        let health = bucket_replication::with_bucket_status(health, equipped.bucket.clone());
        let extras = RouterOptions {
            push: Some(push),
            commands: Some(commands),
            tooling: Some(tooling),
            models: Some(models),
            health: Some(health),
            files: Some(equipped.files.clone()),
            presence: presence.clone(),
            clients_may_start_programs: equipped.agent.client_programs() == ClientPrograms::Allowed,
            started: now(),
            ..RouterOptions::default()
        };
        let app = router_with(rooms, face, extras, shutdown.clone());
        tracing::debug!("[A2AService] listening on {}", self.address);
        let mut tasks = Vec::new();
        if let Some((listeners, address)) = self.grpc {
            tracing::warn!("{GRPC_WARNING}");
            let mut settings = settings.clone();
            settings.hosts.extend(self.a2a.grpc_outside.iter().flat_map(|outside| authorities(outside)));
            let gate = Arc::new(Gate::new(settings, address));
            tasks.push(tokio::spawn(listen::run_grpc(listeners, gate, limits, app.clone(), shutdown.clone())));
        }
        let gate = Arc::new(Gate::new(settings, self.address));
        tasks.push(tokio::spawn(listen::run(self.listeners, gate, limits, app, shutdown)));
        Ok(Endpoint { _discovery: discovery, tasks })
    }
}

impl Endpoint {
    /// Wait until it has stopped answering.
    pub(crate) async fn wait_closed(self) -> anyhow::Result<()> {
        for task in self.tasks {
            task.await??;
        }
        Ok(())
    }
}

/// The gate tells our own children by their ancestry, so whatever a command leaves behind has to stay below this process.
fn refuse_descendants() -> anyhow::Result<DescendantPolicy> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .context("cannot keep orphaned processes below this one, so the endpoint cannot tell them from its clients")?;
    let supervisors = SupervisorMarks {
        is_registered: Arc::new(pollux_tools::is_supervisor),
        any_started: Arc::new(pollux_tools::any_process_started),
        first_argument: Some(pollux_tools::SUPERVISOR_ARGUMENT),
    };
    Ok(DescendantPolicy::Refused { supervisors })
}

/// The agent's skills now, for those who may know.
fn catalogue(agent: &AgentRunner) -> SkillCatalogue {
    let listed = |things: Vec<(String, String)>| {
        things.into_iter().map(|(name, description)| SkillListing { name, description }).collect()
    };
    SkillCatalogue {
        tools: listed(agent.tools_offered()),
        servers: listed(agent.servers_ready()),
        commands: listed(agent.commands_offered()),
    }
}

#[cfg(test)]
mod tests;
