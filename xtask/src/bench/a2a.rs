//! A2A 1.0 over JSON-RPC: what a message costs until its task is completed, beside a server on the official crate for Rust;
//! and what a page of a long list of tasks costs, by filter.

use super::comparison_table::{BenchFigure, ComparisonTable};
use super::figures::median;
use super::pollux::BenchStorage;
use super::server_process::{BenchServer, PortSource};
use super::{BenchContext, http, pollux};
use crate::{process, say};
use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const OFFICIAL: &str = "a2a-server-lf 0.5.3";
/// The package around [`OFFICIAL_MAIN`], which is no part of this workspace.
const OFFICIAL_MANIFEST: &str = r#"[package]
name = "official"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
a2a = { package = "a2a-lf", version = "=0.4.2" }
a2a-server = { package = "a2a-server-lf", version = "=0.5.3" }
axum = "0.8"
futures = "0.3"
tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
"#;
const OFFICIAL_MAIN: &str = include_str!("a2a/official.rs");
const FILL: &str = include_str!("a2a/fill.py");

/// Clients at once, for the throughput.
const CLIENTS: usize = 16;
/// The time for which each throughput is measured.
const WINDOW: Duration = Duration::from_secs(5);
/// Messages one after the other, for the latency.
const MESSAGES: usize = 200;

/// The cost of messages on one side.
struct MessageCost {
    latency: Duration,
    per_second: f64,
    /// Processor time of the server.
    processor: Duration,
}

/// Both kinds of figures, in one table.
pub(super) fn measure(bench: &BenchContext<'_>) -> Result<ComparisonTable> {
    let place = bench.create_directory("a2a")?;
    let mut sheet = ComparisonTable::new("a2a", &["pollux", "pollux, data in memory", OFFICIAL]);
    let ours = measure_pollux(bench, &place, &BenchStorage::Disk(place.join("data")))?;
    let in_memory = measure_pollux(bench, &place, &BenchStorage::Memory)?;
    let official = match build_official_server(bench) {
        Ok(binary) => {
            let server = BenchServer::start(&mut process::command(&binary, &place), &PortSource::Printed)?;
            Some(measure_cost(OFFICIAL, &server)?)
        }
        Err(error) => {
            sheet.note(format!("{OFFICIAL}: not measured, {error:#}"));
            None
        }
    };
    let all = [Some(&ours), Some(&in_memory), official.as_ref()];
    let row = |of: fn(&MessageCost) -> BenchFigure| all.map(|cost| cost.map(of));
    sheet.row("SendMessage until completed, one client", &row(|cost| BenchFigure::Time(cost.latency)));
    sheet.row(format!("the same a second, {CLIENTS} clients"), &row(|cost| BenchFigure::Rate(cost.per_second)));
    sheet.row("processor time of the server for one", &row(|cost| BenchFigure::Time(cost.processor)));
    sheet.note(format!("{OFFICIAL} keeps tasks in memory only; pollux has them on disk before it answers"));
    sheet.note("pollux with data in memory is `serve --ephemeral`: all the same, in SQLite without a file");
    pages(bench, &place, &mut sheet)?;
    Ok(sheet)
}

fn measure_pollux(bench: &BenchContext<'_>, place: &Path, shelf: &BenchStorage) -> Result<MessageCost> {
    let server = BenchServer::start(&mut pollux::serve(bench.binary, place, shelf)?, &PortSource::Printed)?;
    measure_cost("pollux", &server)
}

/// Put a server under load.
fn measure_cost(name: &str, server: &BenchServer) -> Result<MessageCost> {
    say(format_args!("a2a: {name}, {MESSAGES} messages, then {CLIENTS} clients"));
    let sent = AtomicU64::new(0);
    for _ in 0..5 {
        send(server.port, &sent).context("the first message failed")?;
    }
    let times = (0..MESSAGES).map(|_| send(server.port, &sent)).collect::<Result<Vec<_>>>()?;
    let (before, processor) = (sent.load(Ordering::Relaxed), server.processor_time()?);
    let began = Instant::now();
    let client = || -> Result<()> {
        while began.elapsed() < WINDOW {
            send(server.port, &sent)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads = Vec::from_iter((0..CLIENTS).map(|_| scope.spawn(client)));
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| bail!("a client panicked")))
    })?;
    let (took, done) = (began.elapsed(), sent.load(Ordering::Relaxed) - before);
    let processor = server.processor_time()?.saturating_sub(processor);
    Ok(MessageCost {
        latency: median(times.into_iter()),
        per_second: done as f64 / took.as_secs_f64(),
        processor: processor.div_f64(done as f64),
    })
}

/// One message, until its task is completed.
fn send(port: u16, sent: &AtomicU64) -> Result<Duration> {
    let number = sent.fetch_add(1, Ordering::Relaxed);
    let parts = json!([{ "text": "hello" }]);
    let message = json!({ "messageId": format!("bench-{number}"), "role": "ROLE_USER", "parts": parts });
    let (answer, took) = call(port, "SendMessage", &json!({ "message": message }))?;
    match answer["task"]["status"]["state"].as_str() {
        Some("TASK_STATE_COMPLETED") => Ok(took),
        _ => bail!("the task is not completed: {answer}"),
    }
}

fn call(port: u16, method: &str, params: &Value) -> Result<(Value, Duration)> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let began = Instant::now();
    let answer = http::post(port, "A2A-Version: 1.0\r\n", &body)?;
    let took = began.elapsed();
    let mut answer: Value = serde_json::from_slice(&answer).context("the answer is no JSON")?;
    match &answer["error"] {
        Value::Null => Ok((answer["result"].take(), took)),
        error => bail!("{method} was refused: {error}"),
    }
}

/// The server on the official crate, built where the build of this workspace does not look.
fn build_official_server(bench: &BenchContext<'_>) -> Result<PathBuf> {
    let home = bench.peers.join("a2a-server-lf");
    std::fs::create_dir_all(home.join("src"))?;
    std::fs::write(home.join("Cargo.toml"), OFFICIAL_MANIFEST)?;
    std::fs::write(home.join("src/main.rs"), OFFICIAL_MAIN)?;
    say(format_args!("a2a: building a server on {OFFICIAL}"));
    let target = home.join("target");
    process::run(process::cargo(&home).args(["build", "--release", "--quiet"]).env("CARGO_TARGET_DIR", &target))?;
    Ok(target.join("release/official"))
}

/// A page of a list with as many tasks as are wished for, by filter.
fn pages(bench: &BenchContext<'_>, place: &Path, sheet: &mut ComparisonTable) -> Result<()> {
    let (data, count) = (place.join("many"), bench.args.tasks);
    let shelf = BenchStorage::Disk(data.clone());
    let first = BenchServer::start(&mut pollux::serve(bench.binary, place, &shelf)?, &PortSource::Printed)?;
    send(first.port, &AtomicU64::new(0))?;
    drop(first);
    say(format_args!("a2a: {count} tasks"));
    let mut fill = process::command("python3", place);
    fill.args(["-c", FILL]).arg(data.join("log.db")).arg(count.to_string());
    let newest = process::read(&mut fill)?.context("python3 could not fill the list of tasks")?;
    let newest: u64 = newest.parse().context("the newest task has a time")?;
    let since = |tasks: usize| json!({ "statusTimestampAfter": time(newest - tasks.min(count) as u64) });
    let filters = [
        ("no filter", json!({})),
        ("by state, frequent", json!({ "status": "TASK_STATE_COMPLETED" })),
        ("by state, rare", json!({ "status": "TASK_STATE_WORKING" })),
        ("by context, ten tasks", json!({ "contextId": "small-7" })),
        ("by context, a tenth of all", json!({ "contextId": "large" })),
        ("by time, the newest thousand", since(1000)),
        ("by time, half of all", since(count / 2)),
    ];
    let server = BenchServer::start(&mut pollux::serve(bench.binary, place, &shelf)?, &PortSource::Printed)?;
    for (name, filter) in filters {
        call(server.port, "ListTasks", &filter)?;
        let rounds = 0..bench.args.rounds.max(1);
        let times = rounds.map(|_| Ok(call(server.port, "ListTasks", &filter)?.1)).collect::<Result<Vec<_>>>()?;
        let time = BenchFigure::Time(median(times.into_iter()));
        sheet.row(format!("a page of {count} tasks: {name}"), &[Some(time), None, None]);
    }
    Ok(())
}

/// Milliseconds since 1970 as ISO 8601.
fn time(ms: u64) -> String {
    let time = i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or(Timestamp::MAX);
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_protocol_wants_them() {
        assert_eq!(time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(time(1_763_164_800_123), "2025-11-15T00:00:00.123Z");
        assert_eq!(time(1_709_164_799_999), "2024-02-28T23:59:59.999Z");
        assert_eq!(time(1_709_251_199_000), "2024-02-29T23:59:59.000Z");
        assert_eq!(time(1_735_689_600_000), "2025-01-01T00:00:00.000Z");
    }
}
