//! The crates that each crate may use. A boundary that cargo does not hold is a wish, so this table is checked against
//! `cargo metadata`.

use super::TidyFault;
use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::BTreeSet;
use std::path::Path;

/// Each room and the rooms it may use in its product code, those that are planned included. docs/ARCHITECTURE.md has
/// the same table in words.
const CRATES: &[(&str, AllowedUses)] = &[
    ("wire", AllowedUses::Only(&[])),
    ("session", AllowedUses::Only(&[])),
    ("files", AllowedUses::Only(&[])),
    ("policy", AllowedUses::Only(&["session", "files"])),
    ("model", AllowedUses::Only(&["session", "files"])),
    ("tools", AllowedUses::Only(&["session", "files"])),
    ("store", AllowedUses::Only(&["session"])),
    ("bucket", AllowedUses::Only(&["session", "store", "files"])),
    ("host", AllowedUses::Only(&["session", "store"])),
    ("agent", AllowedUses::Only(&["session", "files", "policy", "model", "tools", "host", "remote"])),
    ("server", AllowedUses::Only(&["session", "wire"])),
    ("mcp-server", AllowedUses::Only(&["session", "store", "host"])),
    ("remote", AllowedUses::Only(&["session", "wire"])),
    ("tui", AllowedUses::Only(&["session", "files"])),
    ("cli", AllowedUses::Anyone),
    (TESTKIT, AllowedUses::Anyone),
    ("xtask", AllowedUses::Only(&[])),
];

/// Only tests may use it.
const TESTKIT: &str = "testkit";

/// Rooms that stay almost free of other people's code, and how much they may have.
const LEAN_CRATES: &[(&str, usize)] = &[("session", 5), ("wire", 5)];

enum AllowedUses {
    Only(&'static [&'static str]),
    Anyone,
}

/// A crate of the workspace and what its manifest names.
#[derive(Debug, Default)]
pub(super) struct WorkspaceCrate {
    name: String,
    /// Rooms its product code uses.
    workspace_crates: BTreeSet<String>,
    /// Other people's crates its product code uses.
    external_crates: BTreeSet<String>,
}

/// The workspace as cargo sees it.
pub(super) fn crates(root: &Path) -> Result<Vec<WorkspaceCrate>> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec().context("`cargo metadata` failed")?;
    let members = BTreeSet::from_iter(metadata.packages.iter().map(|package| package.name.to_string()));
    let mut crates = Vec::new();
    for package in &metadata.packages {
        let mut one = WorkspaceCrate { name: short_name(&package.name).to_owned(), ..WorkspaceCrate::default() };
        for named in &package.dependencies {
            let names = match (named.kind, members.contains(&named.name)) {
                (DependencyKind::Normal, true) => &mut one.workspace_crates,
                (DependencyKind::Normal, false) => &mut one.external_crates,
                // What tests and builds use is their business.
                (_, _) => continue,
            };
            names.insert(short_name(&named.name).to_owned());
        }
        crates.push(one);
    }
    Ok(crates)
}

/// A package's name without the family name.
fn short_name(package: &str) -> &str {
    package.strip_prefix("pollux-").unwrap_or(package)
}

pub(super) fn check(crates: &[WorkspaceCrate]) -> Vec<TidyFault> {
    crates.iter().flat_map(crate_faults).collect()
}

/// Other people's crates in the product. What only tests and chores use does not ship.
pub(super) fn shipped_crates(crates: &[WorkspaceCrate]) -> BTreeSet<&str> {
    let product = crates.iter().filter(|one| ![TESTKIT, "xtask"].contains(&one.name.as_str()));
    product.flat_map(|one| &one.external_crates).map(String::as_str).collect()
}

fn crate_faults(one: &WorkspaceCrate) -> Vec<TidyFault> {
    let manifest =
        if one.name == "xtask" { "xtask/Cargo.toml".into() } else { format!("crates/{}/Cargo.toml", one.name) };
    let Some((_, uses)) = CRATES.iter().find(|(name, _)| *name == one.name) else {
        return vec![TidyFault::file(
            &manifest,
            "is not in the table of rooms; add it there and to docs/ARCHITECTURE.md",
        )];
    };
    let mut faults = Vec::new();
    for used in &one.workspace_crates {
        if used == TESTKIT {
            faults.push(TidyFault::file(&manifest, "`testkit` is for tests; name it under [dev-dependencies]"));
        } else if let AllowedUses::Only(allowed) = uses
            && !allowed.contains(&used.as_str())
        {
            let allowed = if allowed.is_empty() { "no other room".to_owned() } else { allowed.join(", ") };
            faults.push(TidyFault::file(&manifest, format!("`{}` may not use `{used}`, only: {allowed}", one.name)));
        }
    }
    if let Some((_, limit)) =
        LEAN_CRATES.iter().find(|(name, limit)| *name == one.name && one.external_crates.len() > *limit)
    {
        let named = Vec::from_iter(one.external_crates.iter().map(String::as_str)).join(", ");
        faults.push(TidyFault::file(&manifest, format!("stays at {limit} crates of other people or fewer: {named}")));
    }
    faults
}

#[cfg(test)]
mod tests;
