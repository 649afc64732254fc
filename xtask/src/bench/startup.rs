//! From the start of a one-prompt program to the first byte that leaves for the model: time, and memory until then.

use super::BenchContext;
use super::comparison_table::{BenchFigure, ComparisonTable};
use super::figures::median;
use super::{mcp, memory};
use crate::fake_gemini::{self, FakeGeminiRequest};
use crate::gemini_cli;
use crate::say;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Longer than any program takes to begin on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The moment a prompt arrived. The model answers once this is dropped, so that memory can be looked at before.
struct PromptArrival {
    at: Instant,
    _answer: SyncSender<()>,
}

/// One start.
struct StartTiming {
    first_byte: Duration,
    peak: u64,
    whole: Duration,
}

/// Start both, look, compare.
pub(super) fn measure(bench: &BenchContext<'_>) -> Result<ComparisonTable> {
    let place = bench.create_directory("start")?;
    let workspace = place.join("workspace");
    std::fs::create_dir_all(&workspace)?;
    let (port, arrivals) = watched_model()?;
    let rounds = bench.args.rounds;

    say(format_args!("start: pollux -p hi, {rounds} times"));
    let ours = measure_starts(rounds, &arrivals, || pollux_command(bench.binary, &place, &workspace, port))?;
    let mut sheet = ComparisonTable::new("start", &["pollux", gemini_cli::NAME]);
    let theirs = match bench.find_gemini_cli()? {
        None => {
            sheet.note(format!("{}: not installed", gemini_cli::NAME));
            None
        }
        Some(theirs) => {
            say(format_args!("start: gemini -p hi, {rounds} times"));
            Some(measure_starts(rounds, &arrivals, || theirs.prompt(&workspace, port, "hi"))?)
        }
    };
    let both = |of: fn(&StartTiming) -> BenchFigure| [Some(of(&ours)), theirs.as_ref().map(of)];
    sheet.row("prompt to first upstream byte", &both(|begun| BenchFigure::Time(begun.first_byte)));
    sheet.row("peak memory until then", &both(|begun| BenchFigure::Bytes(begun.peak)));
    sheet.row("whole run", &both(|begun| BenchFigure::Time(begun.whole)));
    sheet.note("targets: 50x sooner, 20x less memory; memory is that of the program and all it has started");
    Ok(sheet)
}

fn pollux_command(binary: &Path, home: &Path, workspace: &Path, port: u16) -> Command {
    let mut command = mcp::program(binary, home, workspace);
    command.args(["-m", "gemini-2.5-flash", "-p", "hi"]).stdin(Stdio::null());
    command.env("GEMINI_API_KEY", "x").env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"));
    command
}

/// A model that says when a prompt arrives.
fn watched_model() -> Result<(u16, Receiver<PromptArrival>)> {
    let (arrivals, arrived) = sync_channel(64);
    let port = fake_gemini::start_with(move |asked: &FakeGeminiRequest| {
        if asked.is_prompt() {
            let (answer, looked) = sync_channel(1);
            // Nobody may be looking at a later prompt; then it is answered at once.
            if arrivals.try_send(PromptArrival { at: Instant::now(), _answer: answer }).is_ok() {
                let _ = looked.recv_timeout(TIMEOUT);
            }
        }
        fake_gemini::text_answer("ok")
    })?;
    Ok((port, arrived))
}

/// The medians of `rounds` starts, after one that warms the caches.
fn measure_starts(
    rounds: usize,
    arrivals: &Receiver<PromptArrival>,
    command: impl Fn() -> Command,
) -> Result<StartTiming> {
    measure_start(&mut command(), arrivals)?;
    let begun = (0..rounds.max(1)).map(|_| measure_start(&mut command(), arrivals)).collect::<Result<Vec<_>>>()?;
    let mut peaks = Vec::from_iter(begun.iter().map(|begun| begun.peak));
    peaks.sort_unstable();
    Ok(StartTiming {
        first_byte: median(begun.iter().map(|begun| begun.first_byte)),
        peak: peaks.get(peaks.len() / 2).copied().unwrap_or_default(),
        whole: median(begun.iter().map(|begun| begun.whole)),
    })
}

fn measure_start(command: &mut Command, arrivals: &Receiver<PromptArrival>) -> Result<StartTiming> {
    let began = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().context("it could not be started")?;
    let first = match arrivals.recv_timeout(TIMEOUT) {
        Ok(first) => first,
        Err(_) => {
            let _ = child.kill();
            let output = child.wait_with_output()?;
            bail!("no prompt reached the model; it said: {}", String::from_utf8_lossy(&output.stderr));
        }
    };
    let peak = memory::peak_of_tree(child.id());
    let first_byte = first.at - began;
    drop(first);
    // Whatever else it asks the model is answered at once.
    let rest = std::thread::scope(|scope| {
        let ended = scope.spawn(move || child.wait_with_output().map(|output| (output.status, Instant::now())));
        while !ended.is_finished() {
            drop(arrivals.recv_timeout(Duration::from_millis(20)));
        }
        ended.join()
    });
    let (status, ended) = rest.ok().context("the run could not be watched")??;
    if !status.success() {
        bail!("it ended with {status}");
    }
    Ok(StartTiming { first_byte, peak, whole: ended - began })
}
