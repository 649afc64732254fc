//! `cargo xtask test`: each step, and why, in the order in which they fail fastest.

pub(crate) mod setup;

use crate::{eval, process, repo, say, tidy};
use anyhow::{Context, Result};
use repo::SourceFile;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// The number of rounds of the suites that hunt for rare failures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TestRounds {
    /// Enough for every change.
    Usual,
    /// Enough for a night.
    Many,
}

impl TestRounds {
    /// The profile in `.config/nextest.toml`: it knows how long such rounds may take.
    fn profile(self) -> &'static str {
        match self {
            TestRounds::Usual => "ci",
            TestRounds::Many => "slow",
        }
    }
}

/// Run every step; the first failure ends the run and is named in its last line.
pub(crate) fn run(rounds: TestRounds) -> Result<()> {
    let began = Instant::now();
    let root = repo::root()?;
    let target = repo::target_dir(&root)?;
    let checks = TestSteps { peers: target.join("peers"), target, rounds, root };

    step("set-up", "install what the tests need and this machine lacks", || {
        setup::run(&checks.root, &checks.peers, checks.rounds)
    })?;
    step("fmt", "one layout, so that diffs are about meaning", || checks.cargo(&["fmt", "--all", "--check"]))?;
    step("tidy", "the rules that no compiler knows", tidy::run)?;
    step("clippy", "lints are errors here and warnings in an editor", || {
        checks.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
    })?;
    // Beside it, nothing type-checks the feature `local-llm` of `model`: even a check builds llama.cpp, for many minutes and
    // with cmake. `cargo xtask local-model` is for that.
    step("fuzz targets", "a workspace of their own, which nothing else compiles", || checks.check_fuzz_targets())?;
    step("build", "once, for every test that starts the real binary", || {
        checks.cargo(&["build", "--workspace", "--all-targets"])
    })?;
    step("tests", "every crate, then the binary end to end", || {
        checks.cargo(&["nextest", "run", "--workspace", "--profile", checks.rounds.profile()])
    })?;
    step("eval", "an agent solves tasks: the real binary, a scripted model, a checker for each", || {
        eval::check(checks.target.join("debug/pollux"))
    })?;
    if has_doctests(&repo::sources(&checks.root)?) {
        step("doctests", "nextest does not run them", || checks.cargo(&["test", "--workspace", "--doc"]))?;
    }
    step("docs", "every link in a doc comment leads somewhere", || {
        let arguments = ["doc", "--workspace", "--no-deps", "--document-private-items"];
        process::run(checks.command(&arguments).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    say(format_args!("xtask: all steps passed in {} s", began.elapsed().as_secs()));
    Ok(())
}

fn step(name: &str, why: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    say(format_args!("== {name}: {why}"));
    let began = Instant::now();
    work().with_context(|| format!("step {name}"))?;
    say(format_args!("== {name}: passed in {:.1} s", began.elapsed().as_secs_f64()));
    Ok(())
}

/// The state that the steps share.
struct TestSteps {
    root: PathBuf,
    target: PathBuf,
    /// Where other people's clients are installed.
    peers: PathBuf,
    rounds: TestRounds,
}

impl TestSteps {
    fn cargo(&self, arguments: &[&str]) -> Result<()> {
        process::run(&mut self.command(arguments))
    }

    /// Type-check them with the versions that the program has, which are compiled already for the most part.
    fn check_fuzz_targets(&self) -> Result<()> {
        std::fs::copy(self.root.join("Cargo.lock"), self.root.join("fuzz/Cargo.lock"))?;
        let features = ["--no-default-features", "--features", "cli,policy,wire"];
        let mut check = self.command(&["check", "--manifest-path", "fuzz/Cargo.toml", "--bins"]);
        process::run(check.args(features).arg("--target-dir").arg(&self.target))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = process::cargo(&self.root);
        command.args(arguments).env("POLLUX_PEERS", &self.peers);
        if self.rounds == TestRounds::Many {
            command.env("POLLUX_SLOW", "1").env("POLLUX_MORE_PEERS", "1");
        }
        command
    }
}

/// True if any doc comment of a crate holds code that rustdoc would run.
fn has_doctests(sources: &[SourceFile]) -> bool {
    sources.iter().filter(|source| source.is(&["rs"]) && source.path.contains("/src/")).any(|source| {
        let mut inside = false;
        source.text.lines().filter_map(doc_line).any(|line| {
            let Some(info) = line.strip_prefix("```") else { return false };
            inside = !inside;
            let runs = |tag: &str| matches!(tag.trim(), "" | "rust" | "no_run" | "should_panic" | "compile_fail");
            inside && info.split(',').all(runs)
        })
    })
}

fn doc_line(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> bool {
        has_doctests(&[SourceFile { path: "crates/x/src/lib.rs".into(), text: text.into() }])
    }

    #[test]
    fn a_fence_without_a_language_is_a_doctest() {
        assert!(found("//! Head.\n//!\n//! ```\n//! assert!(true);\n//! ```\n"));
        assert!(found("/// ```no_run\n/// go();\n/// ```\n"));
    }

    #[test]
    fn other_fences_are_not() {
        assert!(!found("//! ```text\n//! a picture\n//! ```\n"));
        assert!(!found("/// ```ignore\n/// ```\n/// ```json\n/// {}\n/// ```\n"));
        assert!(!found("let fence = \"```\";\n"));
    }
}
