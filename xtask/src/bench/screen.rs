//! The screen: from the start to the first frame, from a key to its frame while a command prints, how many frames it
//! draws meanwhile, and what that takes.

use super::BenchContext;
use super::comparison_table::{BenchFigure, ComparisonTable};
use super::figures::median;
use super::pty::Pty;
use super::{mcp, memory, server_process};
use crate::fake_gemini;
use crate::gemini_cli;
use crate::say;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The text that our program shows when a person can type, and Gemini CLI's.
const READY: [&str; 2] = ["Type a prompt", "Type your message"];
/// The number of lines of an answer that are printed before the commands run.
const LINES: usize = 50_000;
/// The number of them that come at a time.
const TOGETHER: usize = 100;
/// Stops a turn.
const ESCAPE: &[u8] = b"\x1b";
/// Keys that are pressed while it prints. None of them occurs in what it prints.
const KEYS: &[char] = &['α', 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ', 'λ', 'μ', 'ξ', 'π', 'σ', 'φ', 'ψ', 'ω'];
/// The number of times that all of them are pressed.
const KEY_ROUNDS: usize = 20;
/// The time for which the program is watched while the command prints.
const WATCHED: Duration = Duration::from_secs(10);
/// Prints a line of a word or two a hundred times a second. No two lines are alike, so that each shows.
const STEADY: &str = "n=0; while :; do n=$((n+1)); echo step $n; sleep 0.01; done";
/// Prints about a megabyte a second, in lines of a kilobyte.
const FLOOD: &str = "line=$(printf '%0990d' 7); n=0; while :; do for i in 1 2 3 4 5 6 7 8 9 10; do n=$((n+1)); \
                     echo $n $line; done; sleep 0.01; done";
/// The interval of the keys that somebody holds down: sixty a second and a little more.
const HELD: Duration = Duration::from_millis(16);

/// The start of a program.
struct ScreenStart {
    first_frame: Duration,
    peak: u64,
}

/// Start both, then type at ours while it works.
pub(super) fn measure(bench: &BenchContext<'_>) -> Result<ComparisonTable> {
    let place = bench.create_directory("screen")?;
    let workspace = place.join("workspace");
    std::fs::create_dir_all(&workspace)?;
    let rounds = bench.args.rounds;
    let mut sheet = ComparisonTable::new("screen", &["pollux", gemini_cli::NAME]);

    say(format_args!("screen: start, {rounds} times"));
    let ours = measure_starts(rounds, READY[0], || mcp::program(bench.binary, &place, &workspace))?;
    let theirs = match bench.find_gemini_cli()? {
        None => {
            sheet.note(format!("{}: not installed", gemini_cli::NAME));
            None
        }
        Some(theirs) => {
            let port = fake_gemini::start_with(|_| fake_gemini::text_answer("ok"))?;
            Some(measure_starts(rounds.min(3), READY[1], || theirs.screen(&workspace, port))?)
        }
    };
    let both = |of: fn(&ScreenStart) -> BenchFigure| [Some(of(&ours)), theirs.as_ref().map(of)];
    sheet.row("start to first frame", &both(|begun| BenchFigure::Time(begun.first_frame)));
    sheet.row("memory until then", &both(|begun| BenchFigure::Bytes(begun.peak)));
    measure_typing(bench.binary, &place, &workspace, &mut sheet)?;
    sheet.note("targets: first frame under 50 ms and 30 MB; a key to its frame under 16 ms (p99)");
    sheet.note("target with 1 MB/s: 60 frames a second under 30 % of one core; frames are drawn for news only");
    Ok(sheet)
}

fn measure_starts(rounds: usize, ready: &str, command: impl Fn() -> Command) -> Result<ScreenStart> {
    measure_start(&command(), ready)?;
    let begun = (0..rounds.max(1)).map(|_| measure_start(&command(), ready)).collect::<Result<Vec<_>>>()?;
    let mut peaks = Vec::from_iter(begun.iter().map(|begun| begun.peak));
    peaks.sort_unstable();
    let first_frame = median(begun.iter().map(|begun| begun.first_frame));
    Ok(ScreenStart { first_frame, peak: peaks[peaks.len() / 2] })
}

fn measure_start(command: &Command, ready: &str) -> Result<ScreenStart> {
    let mut pty = Pty::start(command)?;
    let first_frame = pty.wait_for(ready)?;
    Ok(ScreenStart { first_frame, peak: memory::peak_of_tree(pty.pid()?) })
}

/// A long transcript, commands that print below it, and somebody who types meanwhile.
fn measure_typing(binary: &Path, home: &Path, workspace: &Path, sheet: &mut ComparisonTable) -> Result<()> {
    let mut command = mcp::program(binary, home, workspace);
    command.arg("--yolo").arg("-m").arg(format!("script:{}", write_script(home)?.display()));
    let mut pty = Pty::start(&command)?;
    pty.wait_for(READY[0])?;
    say(format_args!("screen: {LINES} lines of transcript"));
    pty.press(b"tell me all of it\r")?;
    pty.wait_for_new(&format!("line {LINES} "))?;
    pty.watch(Duration::from_secs(2))?;

    start_command(&mut pty, "a little at a time")?;
    let steady = ScreenLoad::during(&mut pty, |pty| pty.watch(WATCHED))?;
    pty.press(ESCAPE)?;
    pty.watch(Duration::from_secs(2))?;

    start_command(&mut pty, "as much as there is")?;
    let flood = ScreenLoad::during(&mut pty, |pty| pty.watch(WATCHED))?;
    let typed = ScreenLoad::during(&mut pty, |pty| {
        let began = Instant::now();
        let mut next = began;
        for key in KEYS.iter().cycle() {
            pty.press(key.to_string().as_bytes())?;
            next += HELD;
            pty.watch(next.saturating_duration_since(Instant::now()))?;
            if began.elapsed() >= WATCHED {
                break;
            }
        }
        Ok(())
    })?;
    let mut latencies = Vec::new();
    for key in KEYS.iter().cycle().take(KEYS.len() * KEY_ROUNDS) {
        let pressed = pty.press(key.to_string().as_bytes())?;
        latencies.push(pty.wait_for_new(&key.to_string())?.duration_since(pressed));
        pty.watch(Duration::from_millis(5))?;
    }
    latencies.sort_unstable();
    let at = |share: usize| latencies[(latencies.len() * share / 100).min(latencies.len() - 1)];
    steady.write("100 lines/s", sheet);
    flood.write("1 MB/s", sheet);
    typed.write("1 MB/s and 60 keys/s", sheet);
    sheet.row("1 MB/s: key to frame, median", &[Some(BenchFigure::Time(at(50))), None]);
    sheet.row("1 MB/s: key to frame, p99", &[Some(BenchFigure::Time(at(99))), None]);
    sheet.row("memory at the end", &[Some(BenchFigure::Bytes(memory::peak_of_tree(pty.pid()?))), None]);
    Ok(())
}

/// The model's answers: a text of many lines, then one command after the other.
fn write_script(place: &Path) -> Result<PathBuf> {
    let frame = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]});
    let text =
        |first: usize| (first..first + TOGETHER).map(|number| format!("- {}\n", line(number))).collect::<String>();
    let told: Vec<Value> = (1..=LINES).step_by(TOGETHER).map(|first| frame(json!({"text": text(first)}))).collect();
    let runs = |command: &str| {
        vec![frame(json!({"functionCall": {"name": "run_shell_command", "args": {"command": command}}}))]
    };
    let answers = [told, runs(STEADY), runs(FLOOD)].map(|mut frames| {
        if let Some(last) = frames.last_mut() {
            last["candidates"][0]["finishReason"] = json!("STOP");
        }
        format!("{}\n", json!({"method": "generateContentStream", "response": frames}))
    });
    let path = place.join("answers.responses");
    std::fs::write(&path, answers.concat())?;
    Ok(path)
}

/// A line of the transcript.
fn line(number: usize) -> String {
    format!("line {number} of a long answer, with **words** and `code` in it")
}

/// Have a command run and let it come into its stride.
fn start_command(pty: &mut Pty, prompt: &str) -> Result<()> {
    say(format_args!("screen: a command prints for {} s", WATCHED.as_secs()));
    pty.press(format!("{prompt}\r").as_bytes())?;
    pty.watch(Duration::from_secs(2))
}

/// The work of the program in a stretch of time.
struct ScreenLoad {
    /// Frames a second: those that were written, and so showed something new.
    frames: f64,
    /// Of one core.
    processor: f64,
}

impl ScreenLoad {
    fn during(pty: &mut Pty, stretch: impl FnOnce(&mut Pty) -> Result<()>) -> Result<ScreenLoad> {
        let stat = format!("/proc/{}/stat", pty.pid()?);
        let used = || server_process::processor(&std::fs::read_to_string(&stat).ok()?);
        let (before, frames, began) = (used().context("figures need Linux")?, pty.frames, Instant::now());
        stretch(pty)?;
        let took = began.elapsed().as_secs_f64();
        let processor = (used().context("the program ended")? - before).as_secs_f64() / took;
        Ok(ScreenLoad { frames: (pty.frames - frames) as f64 / took, processor })
    }

    fn write(&self, while_what: &str, sheet: &mut ComparisonTable) {
        sheet.row(format!("{while_what}: frames"), &[Some(BenchFigure::Rate(self.frames)), None]);
        sheet.row(format!("{while_what}: processor"), &[Some(BenchFigure::Share(self.processor)), None]);
    }
}
