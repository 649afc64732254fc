//! `pollux serve`: many sessions, one database, until told to stop.

use crate::bucket_replication;
use crate::console::{self, LineStyle};
use crate::endpoint::{self, ReverseProxySettings};
use crate::named_by_flags;
use crate::runtime::{ModelSelection, build_server_runtime, folder_trust};
use crate::session_storage::{SessionStorage, real_directory, resolve_workspace};
use crate::settings::{GlobalSettings, ServeSettings, ServerStorage, UsageError};
use crate::system_prompt;
use pollux_bucket::Replicator;
use pollux_host::{Host, NoticeBoard};
use pollux_server::{Presence, SessionAccess, WorkspaceRoots};
use pollux_store::DataDir;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How long the end of a turn may take from the log to those who follow it.
const FINAL_DELIVERY: Duration = Duration::from_millis(250);

pub(crate) async fn run(mut global_settings: GlobalSettings, serve: ServeSettings) -> anyhow::Result<ExitCode> {
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
    let mut equipped = build_server_runtime(
        &global_settings,
        &workspace,
        model_selection,
        store.clone(),
        blobs,
        NoticeBoard::default(),
        serve.programs,
    );
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

/// Cancel `shutdown` on SIGTERM, SIGINT or SIGHUP.
pub(crate) fn stop_on_signal(shutdown: &CancellationToken) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let shutdown = shutdown.clone();
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                shutdown.cancel();
            }
            // Whoever asks twice is done waiting.
            if signals.recv().await.is_some() {
                std::process::exit(130);
            }
        });
    }
    Ok(())
}
