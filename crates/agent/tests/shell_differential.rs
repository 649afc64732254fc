//! Commands that run without a question, run for real: by Pollux as the plan that was judged, by bash, and by dash. Every
//! program they could name is a stub that prints how it was called, so the three can be compared. Whatever policy allows
//! and a shell reads differently shows up here.

mod generate;
mod stubs;

use crate::plans::{PolicySetup, run_plan, toolbox};
use generate::ShellCommandGenerator;
use pollux_session::{CallOutcome, EntryAuthor, Grant, WORKSPACE_DIRECTORY};
use pretty_assertions::assert_eq;
use std::path::Path;
use stubs::{ReferenceShell, StubWorkspace};

/// The number of commands that are made up, unless `POLLUX_COMMANDS` says otherwise.
const COMMANDS: usize = 20_000;
/// Where the dice begin, unless `POLLUX_SEED` says otherwise.
const SEED: u64 = 13;
/// The number of processes that share them.
const SHARDS: usize = 2;

/// The search path of a process is its own, so the work is done by this program started anew with the stubs on its path.
#[test]
fn what_runs_is_what_was_judged() {
    let workspace = StubWorkspace::new();
    // The same commands in every run; another seed hunts for others.
    let seed = std::env::var("POLLUX_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
    let wanted = std::env::var("POLLUX_COMMANDS").ok().and_then(|number| number.parse().ok());
    let commands = wanted.unwrap_or_else(|| pollux_testkit::randomness::rounds(COMMANDS));
    let shards: Vec<_> =
        (0..SHARDS).map(|shard| workspace.start_shard(seed + shard as u64, commands / SHARDS)).collect();
    for shard in shards {
        let done = shard.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
        assert!(said.contains("1 passed"), "{said}");
    }
}

/// One share of the commands; started by the test above.
#[test]
#[ignore = "started by what_runs_is_what_was_judged, which gives it a workspace and a search path"]
fn shard() {
    let Some((root, seed, commands)) = stubs::shard_arguments() else { panic!("it is started by another test") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(compare_all(&root, seed, commands));
}

async fn compare_all(root: &Path, seed: u64, commands: usize) {
    let toolbox = toolbox();
    let (bash, dash) = (ReferenceShell::bash(root), ReferenceShell::dash(root));
    let judging = PolicySetup { root, is_trusted: false, grants: granted_prefixes() };
    let mut generator = ShellCommandGenerator::new(seed);
    let mut silent = 0;
    for _ in 0..commands {
        let command = generator.command();
        let Some(plan) = judging.judge(&command) else { continue };
        if toolbox.check_plan(root, &plan).await.is_err() {
            continue;
        }
        silent += 1;
        let ours = match run_plan(&toolbox, root, &command, plan).await {
            CallOutcome::Succeeded { result } => stubs::CommandEnding::of_call(&result),
            other => panic!("{command}: {other:?}"),
        };
        let context = format!("POLLUX_SEED={seed}: {command}");
        assert_eq!(ours, bash.run(&command), "bash, {context}");
        if !command.contains("&>") {
            assert_eq!(ours.calls_alone(), dash.run(&command).calls_alone(), "dash, {context}");
        }
    }
    // A generator that makes up nothing but nonsense would test nothing.
    assert!(silent * 4 > commands, "only {silent} of {commands} commands run without a question");
}

/// Grants of a person beside the built-in rules.
fn granted_prefixes() -> Vec<(Grant, EntryAuthor)> {
    let prefix = |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let grant = Grant::Prefix { words, options: Vec::new(), directory: Some(WORKSPACE_DIRECTORY.into()) };
        (grant, EntryAuthor::Client { principal: "local".into(), label: "terminal".into() })
    };
    vec![prefix(&["make"]), prefix(&["npm", "test"])]
}
