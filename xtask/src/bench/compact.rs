//! A history as long as a large model's window: grown turn by turn, then compacted and gone on with.

use super::BenchContext;
use super::comparison_table::{BenchFigure, ComparisonTable};
use super::mcp::{self, BenchMcpClient};
use super::memory;
use super::source_tree;
use crate::fake_gemini::{self, FakeGeminiRequest};
use crate::say;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

/// Bytes that make a token, as models count English.
const BYTES_PER_TOKEN: usize = 4;
/// The number of turns in the history.
const TURNS: usize = 40;
/// A model whose window is a little over a million tokens.
const MODEL: &str = "gemini-2.5-pro";
/// The agent's name for the first part of its summary: only the request for a summary speaks of it.
const SUMMARY_MARK: &str = "It will replace it";
/// The interval at which memory is looked at.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(2);

/// Grow a history, then go on with it.
pub(super) fn measure(bench: &BenchContext<'_>) -> Result<ComparisonTable> {
    let place = bench.create_directory("compact")?;
    let workspace = place.join("workspace");
    std::fs::create_dir_all(&workspace)?;
    let tokens = bench.args.tokens;
    let (asked, seen) = sync_channel(1024);
    let port = fake_gemini::start_with(model(tokens / TURNS * BYTES_PER_TOKEN, asked))?;

    say(format_args!("compact: a history of {tokens} tokens in {TURNS} turns"));
    set_threshold(&place, 0.99)?;
    let began = Instant::now();
    let session = grow(bench.binary, &place, &workspace, port)?;
    let grown = began.elapsed();
    drain(&seen);

    say("compact: going on");
    // Whatever the window, the history is beyond this share of it.
    set_threshold(&place, 0.001)?;
    let mut command = pollux_command(bench.binary, &place, &workspace, port);
    command.args(["-p", "go on", "--resume", &session, "-o", "json"]);
    let began = Instant::now();
    let (output, peak) = run(&mut command)?;
    let took = began.elapsed();
    let answer: Value = serde_json::from_str(&output).context("no JSON came back")?;
    let requests = drain(&seen);
    let summary = requests.iter().find(|request| request.summary);
    let next = requests.iter().find(|request| !request.summary);

    let mut sheet = ComparisonTable::new("compact", &["pollux"]);
    sheet.row(format!("growing {tokens} tokens, {TURNS} turns"), &[Some(BenchFigure::Time(grown))]);
    sheet.row("load, compact, go on, answer", &[Some(BenchFigure::Time(took))]);
    sheet.row("peak memory of that", &[Some(BenchFigure::Bytes(peak))]);
    sheet.row("sent for the summary", &[summary.map(|request| BenchFigure::Bytes(request.bytes))]);
    sheet.row("sent afterwards", &[next.map(|request| BenchFigure::Bytes(request.bytes))]);
    if summary.is_none() {
        sheet.note("no summary was asked for: the history was not compacted");
    }
    sheet.note(format!("the answer: {}", answer["response"]));
    Ok(sheet)
}

/// A request the model got.
struct SeenRequest {
    bytes: u64,
    summary: bool,
}

/// A model that answers with much text, and with a short summary when it is asked for one.
fn model(bytes: usize, asked: SyncSender<SeenRequest>) -> impl Fn(&FakeGeminiRequest) -> Value + Send + Sync + 'static {
    move |request| {
        let summary = request.contains(SUMMARY_MARK);
        // A full channel means that nobody looks at so many.
        let _ = asked.try_send(SeenRequest { bytes: request.body.len() as u64, summary });
        let text = if summary {
            "Goal: go on. Facts: none. Done: much. Open: the rest.".to_owned()
        } else if request.contains("go on") {
            "gone on".to_owned()
        } else {
            long_text(request.body.len(), bytes)
        };
        fake_gemini::answer_of(&json!({ "text": text }), request.body.len() / BYTES_PER_TOKEN)
    }
}

/// At least `bytes` of words that do not repeat: a model that says the same over and over is stopped.
fn long_text(seed: usize, bytes: usize) -> String {
    let mut text = String::new();
    for number in seed.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&source_tree::text(number));
    }
    text
}

/// Grow the history, each turn a task of one session; returns the session.
fn grow(binary: &Path, home: &Path, workspace: &Path, port: u16) -> Result<String> {
    let mut client = BenchMcpClient::start(pollux_command(binary, home, workspace, port).arg("mcp-server"))?;
    let mut args = json!({ "prompt": "tell me more" });
    for _ in 0..TURNS {
        let (result, _) = client.call("run_task", &args)?;
        args["session_id"] = result["structuredContent"]["session_id"].clone();
    }
    Ok(args["session_id"].as_str().context("no session came back")?.to_owned())
}

fn pollux_command(binary: &Path, home: &Path, workspace: &Path, port: u16) -> Command {
    let mut command = mcp::program(binary, home, workspace);
    command.env("GEMINI_API_KEY", "x").env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"));
    command.env("GEMINI_MODEL", MODEL);
    command
}

/// The share of the window at which the conversation is compacted.
fn set_threshold(home: &Path, share: f64) -> Result<()> {
    let settings = json!({ "model": { "compressionThreshold": share } });
    std::fs::create_dir_all(home.join(".gemini"))?;
    Ok(std::fs::write(home.join(".gemini/settings.json"), settings.to_string())?)
}

/// Run to the end; returns what was printed and the most memory it ever had.
fn run(command: &mut Command) -> Result<(String, u64)> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let id = child.id();
    let (output, peak) = std::thread::scope(|scope| {
        let ended = scope.spawn(move || child.wait_with_output());
        let mut peak = 0;
        while !ended.is_finished() {
            peak = memory::peak_of_tree(id).max(peak);
            std::thread::sleep(SAMPLE_INTERVAL);
        }
        (ended.join(), peak)
    });
    let output = output.ok().context("the run could not be watched")??;
    if !output.status.success() {
        let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        bail!("it ended with {}: {said}{errors}", output.status);
    }
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), peak))
}

fn drain(seen: &Receiver<SeenRequest>) -> Vec<SeenRequest> {
    let mut all = Vec::new();
    loop {
        match seen.try_recv() {
            Ok(one) => all.push(one),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return all,
        }
    }
}
