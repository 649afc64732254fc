//! grep_search and glob on a large tree, beside ripgrep and Gemini CLI's tools.

use super::BenchContext;
use super::comparison_table::{BenchFigure, ComparisonTable};
use super::figures::median;
use super::mcp::{self, BenchMcpClient};
use super::source_tree;
use crate::gemini_cli;
use crate::test::setup;
use crate::{process, say};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const RIPGREP: &str = "rg";

/// One search in everybody's words.
struct BenchSearch {
    measure: &'static str,
    tool: &'static str,
    args: Value,
    /// For ripgrep.
    flags: Vec<&'static str>,
}

fn searches() -> [BenchSearch; 3] {
    let absent = "no_such_word_anywhere";
    [
        BenchSearch {
            measure: "grep: one file in a thousand",
            tool: "grep_search",
            args: json!({ "pattern": source_tree::PATTERN }),
            flags: vec!["--line-number", source_tree::PATTERN],
        },
        BenchSearch {
            measure: "grep: nothing is found",
            tool: "grep_search",
            args: json!({ "pattern": absent }),
            flags: vec!["--line-number", absent],
        },
        BenchSearch {
            measure: "glob: one file in a hundred",
            tool: "glob",
            args: json!({ "pattern": source_tree::GLOB }),
            flags: vec!["--files", "--glob", source_tree::GLOB],
        },
    ]
}

/// Plant the tree, search it.
pub(super) fn measure(bench: &BenchContext<'_>) -> Result<ComparisonTable> {
    let place = bench.create_directory("tools")?;
    let root = place.join("tree");
    let (files, rounds) = (bench.args.files, bench.args.rounds);
    say(format_args!("tools: planting {files} files"));
    source_tree::create_files(&root, files)?;

    let mut sheet = ComparisonTable::new("tools", &["pollux", "rg", gemini_cli::NAME]);
    let theirs = bench.find_gemini_cli()?;
    if theirs.is_none() {
        sheet.note(format!("{}: not installed", gemini_cli::NAME));
    }
    let ripgrep = setup::on_path(RIPGREP);
    if !ripgrep {
        sheet.note("rg: not installed (apt-get install ripgrep)");
    }
    let mut client =
        BenchMcpClient::start(mcp::program(bench.binary, &place, &root).args(["mcp-server", "-m", "demo"]))?;
    for search in searches() {
        say(format_args!("tools: {}, {rounds} times", search.measure));
        let ours = timed(rounds, || client.call(search.tool, &search.args).map(|(_, took)| took))?;
        let rg = if ripgrep { Some(timed(rounds, || ripgrep_time(&root, &search.flags))?) } else { None };
        let gemini = match &theirs {
            None => None,
            // Each is a whole run of the program: a few are enough.
            Some(theirs) => match timed(rounds.min(3), || theirs.tool_time(&root, search.tool, &search.args)) {
                Ok(time) => Some(time),
                Err(error) => {
                    sheet.note(format!("{}, {}: {error:#}", gemini_cli::NAME, search.measure));
                    None
                }
            },
        };
        sheet.row(search.measure, &[Some(ours), rg, gemini].map(|time| time.map(BenchFigure::Time)));
    }
    sheet.note(format!(
        "{files} files; pollux: one tool call over MCP, vetted and logged; rg: the whole process; {}: the tool alone",
        gemini_cli::NAME
    ));
    drop(client);
    std::fs::remove_dir_all(&root)?;
    Ok(sheet)
}

/// The median of `rounds`, after one that warms the caches.
pub(super) fn timed(rounds: usize, mut once: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    once()?;
    let times = (0..rounds.max(1)).map(|_| once()).collect::<Result<Vec<_>>>()?;
    Ok(median(times.into_iter()))
}

fn ripgrep_time(root: &Path, flags: &[&str]) -> Result<Duration> {
    let mut command = process::command(RIPGREP, root);
    command.args(flags).arg(".").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let began = Instant::now();
    let output = command.output().context("rg could not be started")?;
    let took = began.elapsed();
    // 1 says that nothing was found.
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("rg ended with {}", output.status);
    }
    Ok(took)
}
