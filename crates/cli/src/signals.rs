//! The signals of the system: for a server, for a screen and for lines.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Cancel `shutdown` on SIGTERM, SIGINT or SIGHUP.
pub(crate) fn stop_on_signal(shutdown: &CancellationToken) -> std::io::Result<()> {
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

/// SIGTERM and SIGHUP end the program; so does SIGINT, which a raw terminal sends for no key.
pub(crate) fn end_on_signal(shutdown: &CancellationToken) -> std::io::Result<()> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let (mut signals, shutdown) = (signal(kind)?, shutdown.clone());
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                shutdown.cancel();
            }
        });
    }
    Ok(())
}

/// Ctrl+C as messages; SIGTERM and SIGHUP end the program.
pub(crate) fn interrupts(shutdown: &CancellationToken) -> std::io::Result<mpsc::Receiver<()>> {
    let (sender, receiver) = mpsc::channel(4);
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let shutdown = shutdown.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                Some(()) = interrupt.recv() => {
                    // A full channel means that the person is hammering; they have been heard.
                    let _ = sender.try_send(());
                }
                Some(()) = terminate.recv() => return shutdown.cancel(),
                Some(()) = hangup.recv() => return shutdown.cancel(),
                else => return,
            }
        }
    });
    Ok(receiver)
}
