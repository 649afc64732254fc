//! `pollux serve`: many sessions, one database, until told to stop.

use crate::console;
use crate::endpoint::{self, InFront};
use crate::equip::{Engines, config_for, equip};
use crate::place::{Place, usable};
use crate::settings::{Basics, Serve};
use pollux_host::Board;
use pollux_server::Rooms;
use pollux_store::DataDir;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(crate) async fn run(basics: Basics, serve: Serve) -> anyhow::Result<ExitCode> {
    console::start(basics.detail, None);
    let workspace = usable(&serve.workspace)?;
    let config = config_for(&basics, &workspace);
    let engines = Engines::choose(&basics, &config)?;
    let in_front = InFront { tls: serve.tls_in_front, allow_host: serve.allow_host };
    let bound = endpoint::bind(&basics, serve.address, in_front, serve.door).await?;
    let Place { log, blobs, lock: _lock } =
        Place::open(&DataDir::at(&basics.data_dir), &workspace, Some(bound.address))?;
    let equipped = equip(&basics, &config, &workspace, engines, log.clone(), blobs, Board::default());

    let shutdown = CancellationToken::new();
    stop_on_signal(&shutdown)?;
    let mut out = std::io::stdout();
    writeln!(out, "listening on http://{}", bound.address)?;
    if let Some(address) = bound.grpc_address() {
        writeln!(out, "gRPC on {address}")?;
    }
    if let Some(token) = bound.token_to_print(&basics) {
        writeln!(out, "token: {token}")?;
    }
    if let Some(note) = &equipped.note {
        writeln!(out, "{note}")?;
    }
    out.flush()?;
    let rooms = Rooms::Many { roster: Arc::new(equipped.host.clone()), workspace: workspace.clone() };
    let endpoint = bound.open(&basics, rooms, &equipped, shutdown.clone())?;
    for session in log.unfinished().await? {
        equipped.host.wake(session);
    }
    endpoint.closed().await?;
    equipped.host.stop().await;
    Ok(ExitCode::SUCCESS)
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
