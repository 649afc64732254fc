//! The load: prompts over new connections, one after the other or from many clients at once.

use super::http::{self, TurnTiming};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The address and the format of one side.
pub(super) struct LoadTarget {
    port: u16,
    /// Metadata that this side wants with the first message of a task.
    metadata: Value,
    /// Messages sent so far; each needs an id of its own, or it would be a retry.
    sent: AtomicU64,
}

impl LoadTarget {
    pub(super) fn new(port: u16, metadata: Value) -> LoadTarget {
        LoadTarget { port, metadata, sent: AtomicU64::new(0) }
    }

    /// One prompt, in `task` or in a new one.
    fn turn(&self, task: Option<&str>) -> Result<TurnTiming> {
        let number = self.sent.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({
            "kind": "message",
            "role": "user",
            "messageId": format!("bench-{number}"),
            "parts": [{ "kind": "text", "text": "hello" }],
        });
        if !self.metadata.is_null() {
            message["metadata"] = self.metadata.clone();
        }
        if let Some(task) = task {
            message["taskId"] = task.into();
        }
        let call =
            json!({ "jsonrpc": "2.0", "id": number, "method": "message/stream", "params": { "message": message } });
        http::stream(self.port, &call.to_string())
    }
}

/// Where the prompts of a load go.
#[derive(Clone, Copy)]
pub(super) enum TaskTarget {
    /// Each opens a task.
    New,
    /// Each client goes on in a task of its own.
    Existing,
}

impl TaskTarget {
    pub(super) fn name(self) -> &'static str {
        match self {
            TaskTarget::New => "new tasks",
            TaskTarget::Existing => "existing tasks",
        }
    }
}

/// The result of a load.
pub(super) struct LoadResult {
    pub(super) turns_per_second: f64,
    pub(super) events_per_second: f64,
    /// Turns that did not come to an end, and what the first of them said.
    pub(super) failed: Option<(u64, String)>,
}

/// `count` turns, each in a new task, after a few that warm the server up.
pub(super) fn run_sequentially(wire: &LoadTarget, count: usize) -> Result<Vec<TurnTiming>> {
    for _ in 0..5 {
        wire.turn(None).context("the first turn failed")?;
    }
    (0..count).map(|_| wire.turn(None)).collect()
}

/// As many turns as `clients` get done in `window`.
pub(super) fn run_concurrently(wire: &LoadTarget, tasks: TaskTarget, clients: usize, window: Duration) -> LoadResult {
    let ready = Barrier::new(clients);
    let client = || -> ClientResult {
        let opened = match tasks {
            TaskTarget::New => Ok(None),
            TaskTarget::Existing => wire.turn(None).map(|turn| turn.task),
        };
        ready.wait();
        let mut tally =
            ClientResult { began: Instant::now(), ended: Instant::now(), turns: 0, events: 0, failed: Vec::new() };
        let task = match opened {
            Ok(task) => task,
            Err(error) => {
                tally.failed.push(format!("{error:#}"));
                return tally;
            }
        };
        while tally.began.elapsed() < window {
            match wire.turn(task.as_deref()) {
                Ok(turn) => {
                    tally.turns += 1;
                    tally.events += turn.events;
                }
                Err(error) => tally.failed.push(format!("{error:#}")),
            }
        }
        tally.ended = Instant::now();
        tally
    };
    let tallies: Vec<ClientResult> = std::thread::scope(|scope| {
        let threads = Vec::from_iter((0..clients).map(|_| scope.spawn(client)));
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    sum(&tallies)
}

/// The work of one client.
struct ClientResult {
    began: Instant,
    ended: Instant,
    turns: u64,
    events: u64,
    failed: Vec<String>,
}

fn sum(tallies: &[ClientResult]) -> LoadResult {
    let began = tallies.iter().map(|tally| tally.began).min();
    let ended = tallies.iter().map(|tally| tally.ended).max();
    let seconds = began.zip(ended).map_or(0.0, |(began, ended)| (ended - began).as_secs_f64());
    let per_second = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
    let failures = Vec::from_iter(tallies.iter().flat_map(|tally| &tally.failed));
    LoadResult {
        turns_per_second: per_second(tallies.iter().map(|tally| tally.turns).sum()),
        events_per_second: per_second(tallies.iter().map(|tally| tally.events).sum()),
        failed: failures.first().map(|first| (failures.len() as u64, (*first).clone())),
    }
}
