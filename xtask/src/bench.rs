//! `cargo xtask bench`: what a session costs, in medians, beside Google's a2a-server under the same load in the same
//! run. It prints and asserts nothing: a figure depends on the machine, a ratio hardly does.

mod disk;
mod fake_gemini;
mod figures;
mod http;
mod load;
mod peer;
mod pollux;
mod running;
mod table;

use crate::{repo, say};
use anyhow::{Context, Result};
use clap::ValueEnum;

/// One of the two programs that are measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// The release build of this checkout.
    Pollux,
    /// Google's a2a-server from npm.
    Peer,
}

/// Measure and print.
pub(crate) fn run(only: Option<Side>) -> Result<()> {
    let root = repo::root()?;
    let target = repo::target_dir(&root)?;
    // On the disk that the build is on, not in a temporary directory that may be memory.
    let scratch = target.join("bench");
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch).context("the scratch directory of the last run could not be removed")?;
    }
    std::fs::create_dir_all(&scratch)?;

    let ours = match only {
        Some(Side::Peer) => None,
        Some(Side::Pollux) | None => Some(pollux::measure(&root, &target, &scratch.join("pollux"))?),
    };
    let theirs = match only {
        Some(Side::Pollux) => None,
        Some(Side::Peer) | None => peer::measure(&root, &target.join("peers"), &scratch.join("peer"))?,
    };
    say(format_args!("\n{}", table::render(ours.as_ref(), theirs.as_ref(), disk::appends_per_second(&scratch)?)));
    Ok(())
}
