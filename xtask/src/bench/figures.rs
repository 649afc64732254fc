//! The figures of each side, and their measurement: the same code for both.

use super::load::{self, LoadResult, LoadTarget, TaskTarget};
use super::server_process::BenchServer;
use crate::say;
use anyhow::Result;
use std::time::Duration;

/// The time for which each throughput figure is measured.
const WINDOW: Duration = Duration::from_secs(3);

/// Clients at once, for the throughput figures.
pub(super) const CLIENTS: [usize; 3] = [1, 16, 64];

/// The figures of one side. Times are medians.
pub(super) struct ServerFigures {
    pub(super) start: Duration,
    pub(super) idle_bytes: u64,
    pub(super) loaded_bytes: u64,
    pub(super) installed_bytes: u64,
    pub(super) first_event: Duration,
    pub(super) last_event: Duration,
    /// For each of [`CLIENTS`].
    pub(super) new_tasks: [LoadResult; 3],
    pub(super) existing_tasks: [LoadResult; 3],
}

/// The figures of a side before the load.
pub(super) struct ServerBaseline {
    pub(super) start: Duration,
    pub(super) installed_bytes: u64,
    /// Turns for the two latency figures.
    pub(super) turns: usize,
}

/// Put a server that was just started under load.
pub(super) fn measure(
    name: &str,
    server: &BenchServer,
    wire: &LoadTarget,
    known: &ServerBaseline,
) -> Result<ServerFigures> {
    std::thread::sleep(Duration::from_secs(1));
    let idle_bytes = server.resident_bytes()?;
    say(format_args!("{name}: {} turns one after the other", known.turns));
    let turns = load::run_sequentially(wire, known.turns)?;
    let throughput = |tasks: TaskTarget| {
        CLIENTS.map(|clients| {
            say(format_args!("{name}: {clients} clients, {}", tasks.name()));
            load::run_concurrently(wire, tasks, clients, WINDOW)
        })
    };
    let existing_tasks = throughput(TaskTarget::Existing);
    let new_tasks = throughput(TaskTarget::New);
    Ok(ServerFigures {
        start: known.start,
        idle_bytes,
        loaded_bytes: server.resident_bytes()?,
        installed_bytes: known.installed_bytes,
        first_event: median(turns.iter().map(|turn| turn.first)),
        last_event: median(turns.iter().map(|turn| turn.last)),
        new_tasks,
        existing_tasks,
    })
}

/// The middle one; zero of none.
pub(super) fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times = Vec::from_iter(times);
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
