//! Chores of this repository: `cargo xtask test`, `cargo xtask tidy`, `cargo xtask bench`.
//!
//! What CI runs is `cargo xtask test` and nothing else, so a developer sees the same steps in the same order.

mod bench;
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
        /// More rounds in the suites that hunt for rare failures: kill cycles, races.
        #[arg(long)]
        slow: bool,
    },
    /// Check the rules that no compiler knows: names, lengths, heads, links, the direction of dependencies.
    Tidy,
    /// Build the release binary and print what it takes, beside Google's a2a-server where node is present.
    Bench {
        /// Measure one side only.
        #[arg(long, value_enum)]
        only: Option<bench::Side>,
    },
}

fn main() -> ExitCode {
    let done = match Args::parse().chore {
        Chore::Test { slow } => test::run(if slow { test::Rounds::Many } else { test::Rounds::Usual }),
        Chore::Tidy => tidy::run(),
        Chore::Bench { only } => bench::run(only),
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
