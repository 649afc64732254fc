//! `cargo xtask bench`: what a session and its tools cost, in medians, beside Google's programs and ripgrep in the same
//! run. It prints and asserts nothing: a figure depends on the machine, a ratio hardly does.

mod a2a;
mod compact;
mod comparison_table;
mod disk;
mod figures;
mod http;
mod load;
mod mcp;
mod memory;
mod peer;
mod pollux;
mod pty;
mod replace;
mod screen;
mod search;
mod server_process;
mod server_table;
mod source_tree;
mod startup;

use crate::gemini_cli::GeminiCli;
use crate::{process, repo, say};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// What can be measured by itself.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchPart {
    /// The server of this checkout under load.
    Pollux,
    /// Google's a2a-server from npm under the same load.
    Peer,
    /// grep_search and glob on a large tree.
    Tools,
    /// replace on a large file.
    Replace,
    /// From the start of a prompt to the first byte that leaves for the model.
    Start,
    /// A long history that is compacted and gone on with.
    Compact,
    /// The screen: first frame, keys, a command that prints.
    Screen,
    /// A2A 1.0: messages beside the official crate, pages of a long list of tasks.
    A2a,
}

/// What to measure, and how much of it.
#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Measure only these parts, separated by commas
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<BenchPart>,
    /// Measure this binary instead of building one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// How many files the tree has that is searched
    #[arg(long, default_value_t = 100_000)]
    files: usize,
    /// How long the file is that is changed, in megabytes
    #[arg(long, default_value_t = 10)]
    megabytes: usize,
    /// How long the history is that is compacted, in tokens
    #[arg(long, default_value_t = 1_000_000)]
    tokens: usize,
    /// How many tasks the list has that is paged through
    #[arg(long, default_value_t = 1_000_000)]
    tasks: usize,
    /// How often each thing is done for its median
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

impl BenchArgs {
    fn wants(&self, part: BenchPart) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

/// The context of every part.
struct BenchContext<'a> {
    args: &'a BenchArgs,
    root: &'a Path,
    /// Where other people's programs are installed.
    peers: &'a Path,
    /// Where figures and passing files go: on the disk that the build is on, not in memory.
    scratch: &'a Path,
    /// Our program.
    binary: &'a Path,
}

/// One part: does it, and says what it took.
type Measure = fn(&BenchContext<'_>) -> Result<comparison_table::ComparisonTable>;

/// Measure and print.
pub(crate) fn run(wish: &BenchArgs) -> Result<()> {
    let root = repo::root()?;
    let target = repo::target_dir(&root)?;
    let scratch = target.join("bench");
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch).context("the scratch directory of the last run could not be removed")?;
    }
    std::fs::create_dir_all(&scratch)?;
    let peers = target.join("peers");
    let only_the_peer = wish.only == [BenchPart::Peer];
    let binary = match &wish.binary {
        Some(binary) => std::fs::canonicalize(binary).with_context(|| format!("no {}", binary.display()))?,
        None => target.join("dist").join("pollux"),
    };
    if wish.binary.is_none() && !only_the_peer {
        say("building the binary as it is shipped");
        process::run(process::cargo(&root).args(["build", "--profile", "dist", "--package", "pollux-cli"]))?;
    }
    let bench = BenchContext { args: wish, root: &root, peers: &peers, scratch: &scratch, binary: &binary };
    if wish.wants(BenchPart::Pollux) || wish.wants(BenchPart::Peer) {
        bench.servers()?;
    }
    let parts: [(BenchPart, Measure); 6] = [
        (BenchPart::Tools, search::measure),
        (BenchPart::Replace, replace::measure),
        (BenchPart::Start, startup::measure),
        (BenchPart::Compact, compact::measure),
        (BenchPart::Screen, screen::measure),
        (BenchPart::A2a, a2a::measure),
    ];
    for (part, measure) in parts {
        if wish.wants(part) {
            let sheet = measure(&bench)?;
            sheet.save(&scratch)?;
            say(format_args!("\n{}", sheet.render()));
        }
    }
    Ok(())
}

impl BenchContext<'_> {
    /// Both servers under the same load.
    fn servers(&self) -> Result<()> {
        let ours = match self.args.wants(BenchPart::Pollux) {
            true => Some(pollux::measure(self.binary, &self.scratch.join("pollux"))?),
            false => None,
        };
        let theirs = match self.args.wants(BenchPart::Peer) {
            true => peer::measure(self.root, self.peers, &self.scratch.join("peer"))?,
            false => None,
        };
        let appends = disk::appends_per_second(self.scratch)?;
        say(format_args!("\n{}", server_table::render(ours.as_ref(), theirs.as_ref(), appends)));
        Ok(())
    }

    /// Gemini CLI with a home for this run, unless it cannot be had here.
    fn find_gemini_cli(&self) -> Result<Option<GeminiCli>> {
        GeminiCli::find(self.root, self.peers, self.create_directory("gemini-home")?)
    }

    /// A fresh directory for one part.
    fn create_directory(&self, name: &str) -> Result<PathBuf> {
        let place = self.scratch.join(name);
        std::fs::create_dir_all(&place)?;
        Ok(place)
    }
}
