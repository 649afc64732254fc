//! `pollux serve`: many sessions, one database, until told to stop.

use crate::bucket_replication;
use crate::config::RunOverrides;
use crate::console::{self, LineStyle};
use crate::endpoint::{self, ReverseProxySettings};
use crate::flags::{A2aFlags, AgentFlags, BasicFlags, DataFlags, DebugFlags, EndpointFlags};
use crate::folder_trust::folder_trust;
use crate::leftover_processes::end_leftover_processes;
use crate::named_by_flags;
use crate::program_environment::{ProgramEnvironment, current_dir};
use crate::runtime::{ModelSelection, RuntimeBuilder, RuntimeKind};
use crate::session_storage::{SessionStorage, real_directory, resolve_workspace};
use crate::settings::{GlobalSettings, LogDetail, UsageError};
use crate::signals::stop_on_signal;
use crate::system_prompt;
use crate::token_source::{ALLOWED_HOSTS_VARIABLE, TOKEN_VARIABLE, TokenSource, parse_hosts};
use clap::Args;
use pollux_agent::ClientPrograms;
use pollux_bucket::Replicator;
use pollux_host::{Host, NoticeBoard};
use pollux_server::{Presence, SessionAccess, WorkspaceRoots};
use pollux_store::DataDir;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The time that the end of a turn may take from the log to those who follow it.
const FINAL_DELIVERY: Duration = Duration::from_millis(250);

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux serve                                       serve this directory on 127.0.0.1:41242
  pollux serve --port 8080 --workspace ~/project     serve another directory on another port
  pollux serve --workspace-root ~/projects           let clients name any directory below this one
  pollux serve --token-file token --host 0.0.0.0 --tls-in-front
                                                     serve other machines, behind a TLS proxy";

/// Flags of the server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServeFlags {
    /// The address to listen on; anything but loopback needs --token-file and --tls-in-front
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: std::net::IpAddr,
    /// The port to listen on; 0 picks a free one [default: CODER_AGENT_PORT or PORT, otherwise 41242]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Confirm that a proxy in front of this server terminates TLS
    #[arg(long)]
    pub(crate) tls_in_front: bool,
    /// Accept requests for this host name too, besides loopback; repeat it for several
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) allow_host: Vec<String>,
    /// The workspace for tasks that name none [default: CODER_AGENT_WORKSPACE_PATH, otherwise the current directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Let clients name workspaces in this directory, too; repeat it for several
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace_root: Vec<PathBuf>,
    /// How long running turns may continue after SIGTERM; unfinished ones continue at the next start
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) drain: u64,
    /// Also store tasks in a bucket: a gs://, s3://, az:// or file:// URL, or the bare name of a Google Cloud Storage
    /// bucket
    #[arg(long, value_name = "BUCKET")]
    pub(crate) bucket: Option<String>,
    /// Keep tasks in memory only: they are lost when the server stops
    #[arg(long)]
    pub(crate) ephemeral: bool,
    /// Let clients start programs as MCP servers for their own tasks, not only connect to addresses
    #[arg(long)]
    pub(crate) clients_may_start_programs: bool,
    #[command(flatten)]
    pub(crate) agent: AgentFlags,
    #[command(flatten)]
    pub(crate) endpoint: EndpointFlags,
    #[command(flatten)]
    pub(crate) a2a: A2aFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
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
    /// The permission for clients to name programs to start as tool servers.
    pub(crate) programs: ClientPrograms,
    /// The time that running turns may go on after the signal to stop.
    pub(crate) drain: Duration,
    pub(crate) a2a: A2aFlags,
}

impl ServeFlags {
    /// Serve until told to stop.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let (global_settings, settings) = self.resolve(environment)?;
        run(global_settings, settings).await
    }

    /// The settings that the flags come to, with the environment and the settings files filled in.
    pub(crate) fn resolve(self, environment: &ProgramEnvironment) -> anyhow::Result<(GlobalSettings, ServeSettings)> {
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
        } = self;
        let workspace_roots = self.workspace_root.iter().map(|root| root.display().to_string()).collect();
        let shelf = if self.ephemeral { ServerStorage::Memory } else { ServerStorage::Disk };
        if shelf == ServerStorage::Memory {
            agent.checkpointing = Some(false);
        }
        let own_dir = environment.serve_dir(&data)?;
        let given = RunOverrides { port, serve_workspace: workspace, workspace_roots, bucket, ..door.overrides() };
        let flags = BasicFlags { agent, data, endpoint, debug: self.debug, ..BasicFlags::default() };
        let global_settings = GlobalSettings { data_dir: own_dir, ..environment.settings_with(flags, given)? };
        let token = match (
            global_settings.token,
            (environment.variables)(TOKEN_VARIABLE).filter(|text| !text.trim().is_empty()),
        ) {
            (Some(given), _) => Some(given),
            (None, text) => text.as_deref().map(TokenSource::from_variable).transpose()?,
        };
        let global_settings = GlobalSettings { token, ..global_settings };
        let global_settings = GlobalSettings { detail: server_log_detail(&global_settings), ..global_settings };
        let named =
            (environment.variables)(ALLOWED_HOSTS_VARIABLE).filter(|_| allow_host.is_empty()).unwrap_or_default();
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
        let programs = match self.clients_may_start_programs {
            true => ClientPrograms::Allowed,
            false => ClientPrograms::Refused,
        };
        let drain = Duration::from_secs(self.drain);
        let workspace_roots = preferences.workspace_roots.clone();
        let settings = ServeSettings {
            address,
            workspace,
            workspace_roots,
            storage: shelf,
            tls_in_front,
            allow_host,
            programs,
            drain,
            a2a: door,
        };
        Ok((global_settings, settings))
    }
}

async fn run(mut global_settings: GlobalSettings, serve: ServeSettings) -> anyhow::Result<ExitCode> {
    end_leftover_processes(&global_settings);
    console::start(global_settings.detail, LineStyle::Log, None);
    global_settings.system_prompt = system_prompt::read(&global_settings, &serve.workspace)?;
    let bucket = bucket_replication::bucket_address(&global_settings)?;
    if bucket.is_some() && serve.storage == ServerStorage::Memory {
        return Err(UsageError("--ephemeral keeps nothing that could be carried to a bucket: name none".into()).into());
    }
    bucket_replication::create_workspace(bucket.as_ref(), &serve.workspace)?;
    let workspace = resolve_workspace(&serve.workspace)?;
    let mut roots = vec![PathBuf::from(&workspace)];
    for root in &serve.workspace_roots {
        let refuse = |why| UsageError(format!("--workspace-root {} cannot be used: {why}", root.display()));
        roots.push(real_directory(root).map_err(refuse)?.into());
    }
    let roots = WorkspaceRoots::new(roots);
    let misset = global_settings.config.invalid_variables.iter().map(|misset| &misset.text);
    for text in global_settings.config.warnings.iter().map(|warning| &warning.text).chain(misset) {
        global_settings.reported_warnings.warn_once(text);
    }
    let model_selection = ModelSelection::choose(&global_settings, &global_settings.config)?;
    let folder = Path::new(&workspace);
    let config = global_settings.config.for_workspace(folder, folder_trust(&global_settings, folder));
    named_by_flags::check(&global_settings, &config, folder, &model_selection.chosen.model)?;
    let global_settings = Arc::new(global_settings);
    let in_front = ReverseProxySettings { tls: serve.tls_in_front, allow_host: serve.allow_host };
    let bound = endpoint::bind(&global_settings, serve.address, in_front, serve.a2a).await?;
    let mut place = match serve.storage {
        ServerStorage::Disk => {
            SessionStorage::open(&DataDir::at(&global_settings.data_dir), &workspace, Some(bound.address))?
        }
        ServerStorage::Memory => SessionStorage::ephemeral()?,
    };
    let carrier = bucket_replication::start(&global_settings, &workspace, bucket, &mut place).await;
    let SessionStorage { store, blobs, lock: _lock } = place;
    let runtime = RuntimeBuilder {
        kind: RuntimeKind::Server(serve.programs),
        global_settings: &global_settings,
        config: &global_settings.config,
        workspace: &workspace,
        model_selection,
        store: store.clone(),
        blobs,
        board: NoticeBoard::default(),
    };
    let mut equipped = runtime.build();
    if let Some(servers) = equipped.agent.servers() {
        named_by_flags::warn_of_unknown_server_tool(global_settings.named.clone(), servers.clone());
    }
    equipped.bucket = carrier.as_ref().map(Replicator::status);

    let (stop, shutdown) = (CancellationToken::new(), CancellationToken::new());
    stop_on_signal(&stop)?;
    let mut out = std::io::stdout();
    writeln!(out, "listening on http://{}", bound.address)?;
    if let Some(address) = bound.grpc_address() {
        writeln!(out, "gRPC on {address}")?;
    }
    writeln!(out, "clients may work in {roots}; --workspace-root adds a directory")?;
    if let Some(token) = bound.token_to_print(&global_settings) {
        writeln!(out, "token: {token}")?;
    }
    if let Some(note) = &equipped.note {
        tracing::warn!("{note}");
    }
    out.flush()?;
    let rooms = SessionAccess::Many { roster: Arc::new(equipped.host.clone()), workspace: workspace.clone(), roots };
    let endpoint = bound.serve(&global_settings, rooms, &equipped, &Presence::default(), shutdown.clone())?;
    for session in store.index.unfinished().await? {
        equipped.host.wake(session);
    }
    tokio::spawn(drain(stop, equipped.host.clone(), serve.drain, shutdown));
    endpoint.wait_closed().await?;
    equipped.host.stop().await;
    bucket_replication::finish(carrier).await;
    Ok(ExitCode::SUCCESS)
}

/// After the signal to stop, let what runs go on for a while, with everybody still served, and only then shut down. What
/// is not done by then is in the log, and goes on at the next start.
async fn drain(stop: CancellationToken, host: Host, limit: Duration, shutdown: CancellationToken) {
    stop.cancelled().await;
    if !host.settled(Duration::ZERO).await {
        if !host.settled(limit).await {
            tracing::warn!("turns still ran after {} seconds; they go on at the next start", limit.as_secs());
        }
        sleep(FINAL_DELIVERY).await;
    }
    shutdown.cancel();
}

/// The detail of a server's log: what its settings say, else warnings.
fn server_log_detail(global_settings: &GlobalSettings) -> LogDetail {
    match global_settings.config.preferences.log_level.as_deref() {
        Some("error") => LogDetail::Errors,
        Some("info") => LogDetail::News,
        Some("debug") => LogDetail::Everything,
        Some("trace") => LogDetail::Traces,
        _ => LogDetail::Warnings,
    }
}
