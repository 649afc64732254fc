//! Chores of this repository: `cargo xtask test`, `cargo xtask tidy`, `cargo xtask bench`, `cargo xtask eval`,
//! `cargo xtask local-model`.
//!
//! What CI runs is `cargo xtask test` and nothing else, so a developer sees the same steps in the same order.

mod bench;
mod eval;
mod fake_gemini;
mod gemini_cli;
mod local_model;
mod process;
mod repo;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// Chores of the Pollux repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Install what is missing, then run every check and every test; stops at the first failure.
    Test {
        /// More rounds in the suites that hunt for rare failures (kill cycles, races), and more of other people's clients.
        #[arg(long)]
        slow: bool,
    },
    /// Check the rules that no compiler knows: names, lengths, heads, links, the direction of dependencies.
    Tidy,
    /// Build the release binary and print what it takes, beside other people's programs where they can be had.
    Bench(bench::BenchArgs),
    /// Let an agent do the tasks of `xtask/eval/tasks` and print what it took; by default Pollux, with scripted answers.
    Eval(eval::EvalArgs),
    /// Let a small real model do a task with the real binary; skipped when the model is not installed.
    LocalModel {
        /// Download what is missing into the target directory: 1.2 GB.
        #[arg(long)]
        install: bool,
        /// Build the feature local-llm, too, and do the task inside the process.
        #[arg(long)]
        in_process: bool,
    },
}

fn main() -> ExitCode {
    let done = match Args::parse().chore {
        Chore::Test { slow } => test::run(if slow { test::TestRounds::Many } else { test::TestRounds::Usual }),
        Chore::Tidy => tidy::run(),
        Chore::Bench(wish) => bench::run(&wish),
        Chore::Eval(wish) => eval::run(&wish),
        Chore::LocalModel { install, in_process } => local_model::run(
            if in_process { local_model::ModelAccess::Both } else { local_model::ModelAccess::Served },
            if install { local_model::MissingDownloads::Install } else { local_model::MissingDownloads::Skip },
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(format_args!("xtask: FAILED: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Print one line. A reader that went away is no reason to stop.
fn say(line: impl Display) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}
