//! `cargo xtask local-model`: a real small model does a real task with the real binary: create, read, edit, run.
//!
//! Never part of the tests: it needs 1.2 GB of weights and minutes. What it installs stays below the target directory.

mod install;
mod server;
mod task;

use crate::{process, repo, say};
use anyhow::{Result, bail};
use install::InstalledEngine;
use server::LocalModelServer;
use std::path::Path;
use std::time::Instant;

/// A small model may fail once in a while; one that cannot do the task fails every time.
const ATTEMPTS: u32 = 3;

/// The way to reach the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelAccess {
    /// Over a server that speaks OpenAI's format.
    Served,
    /// Inside the process, with the feature `local-llm`; the server is tried first.
    Both,
}

/// The permission to download what is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingDownloads {
    /// Download it.
    Install,
    /// Say how to, and skip.
    Skip,
}

/// Do the task, once for each way.
pub(crate) fn run(way: ModelAccess, missing: MissingDownloads) -> Result<()> {
    let root = repo::root()?;
    let target = repo::target_dir(&root)?;
    let home = target.join("local-model");
    if missing == MissingDownloads::Install {
        install::run(&root, &home)?;
    }
    let Some(installed) = InstalledEngine::find(&home) else {
        say("skipped: the model is not installed; `cargo xtask local-model --install` downloads it (1.2 GB, once)");
        return Ok(());
    };

    let mut build = process::cargo(&root);
    build.args(["build", "--package", "pollux-cli"]);
    if way == ModelAccess::Both {
        say("building with the feature local-llm: some minutes the first time");
        build.args(["--features", "local-llm"]);
        installed.add_tools_to(&mut build)?;
    }
    process::run(&mut build)?;
    let pollux = target.join("debug").join("pollux");

    let server = LocalModelServer::start(&root, &installed)?;
    say(format_args!("the server listens on {} after {:.1} s", server.address, server.started_in.as_secs_f64()));
    attempt("over the server", &pollux, &home, &task::TaskModel::served(&server.address))?;
    drop(server);
    if way == ModelAccess::Both {
        attempt("inside the process", &pollux, &home, &task::TaskModel::file(&installed.weights))?;
    }
    Ok(())
}

fn attempt(how: &str, pollux: &Path, home: &Path, chosen: &task::TaskModel) -> Result<()> {
    for number in 1..=ATTEMPTS {
        let began = Instant::now();
        let done = task::run(pollux, &home.join("task"), chosen)?;
        say(format_args!("{how}, attempt {number}: {:.1} s, {done}", began.elapsed().as_secs_f64()));
        if done.faults.is_empty() {
            return Ok(());
        }
    }
    bail!("the model did not do the task {how} in {ATTEMPTS} attempts")
}
