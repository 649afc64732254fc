//! Who may use whom. A boundary that cargo does not hold is a wish, so this table is checked against `cargo metadata`.

use super::Fault;
use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::BTreeSet;
use std::path::Path;

/// Each room and the rooms it may use in its product code, those that are planned included. docs/ARCHITECTURE.md has
/// the same table in words.
const ROOMS: &[(&str, Uses)] = &[
    ("wire", Uses::Only(&[])),
    ("session", Uses::Only(&[])),
    ("files", Uses::Only(&[])),
    ("policy", Uses::Only(&["session", "files"])),
    ("model", Uses::Only(&["session", "files"])),
    ("tools", Uses::Only(&["session", "files"])),
    ("store", Uses::Only(&["session"])),
    ("bucket", Uses::Only(&["session", "store", "files"])),
    ("host", Uses::Only(&["session", "store"])),
    ("agent", Uses::Only(&["session", "files", "policy", "model", "tools", "host", "remote"])),
    ("server", Uses::Only(&["session", "wire"])),
    ("remote", Uses::Only(&["session", "wire"])),
    ("tui", Uses::Only(&["session", "files"])),
    ("cli", Uses::Anyone),
    (TESTKIT, Uses::Anyone),
    ("xtask", Uses::Only(&[])),
];

/// Only tests may use it.
const TESTKIT: &str = "testkit";

/// Rooms that stay almost free of other people's code, and how much they may have.
const LEAN: &[(&str, usize)] = &[("session", 5), ("wire", 5)];

enum Uses {
    Only(&'static [&'static str]),
    Anyone,
}

/// A crate of the workspace and what its manifest names.
#[derive(Debug, Default)]
pub(super) struct Crate {
    name: String,
    /// Rooms its product code uses.
    rooms: BTreeSet<String>,
    /// Other people's crates its product code uses.
    outside: BTreeSet<String>,
}

/// The workspace as cargo sees it.
pub(super) fn crates(root: &Path) -> Result<Vec<Crate>> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec().context("`cargo metadata` failed")?;
    let members = BTreeSet::from_iter(metadata.packages.iter().map(|package| package.name.to_string()));
    let mut crates = Vec::new();
    for package in &metadata.packages {
        let mut one = Crate { name: room(&package.name).to_owned(), ..Crate::default() };
        for named in &package.dependencies {
            let names = match (named.kind, members.contains(&named.name)) {
                (DependencyKind::Normal, true) => &mut one.rooms,
                (DependencyKind::Normal, false) => &mut one.outside,
                // What tests and builds use is their business.
                (_, _) => continue,
            };
            names.insert(room(&named.name).to_owned());
        }
        crates.push(one);
    }
    Ok(crates)
}

/// A package's name without the family name.
fn room(package: &str) -> &str {
    package.strip_prefix("pollux-").unwrap_or(package)
}

pub(super) fn check(crates: &[Crate]) -> Vec<Fault> {
    crates.iter().flat_map(crate_faults).collect()
}

/// Other people's crates in the product. What only tests and chores use does not ship.
pub(super) fn shipped(crates: &[Crate]) -> BTreeSet<&str> {
    let product = crates.iter().filter(|one| ![TESTKIT, "xtask"].contains(&one.name.as_str()));
    product.flat_map(|one| &one.outside).map(String::as_str).collect()
}

fn crate_faults(one: &Crate) -> Vec<Fault> {
    let manifest =
        if one.name == "xtask" { "xtask/Cargo.toml".into() } else { format!("crates/{}/Cargo.toml", one.name) };
    let Some((_, uses)) = ROOMS.iter().find(|(name, _)| *name == one.name) else {
        return vec![Fault::file(&manifest, "is not in the table of rooms; add it there and to docs/ARCHITECTURE.md")];
    };
    let mut faults = Vec::new();
    for used in &one.rooms {
        if used == TESTKIT {
            faults.push(Fault::file(&manifest, "`testkit` is for tests; name it under [dev-dependencies]"));
        } else if let Uses::Only(allowed) = uses
            && !allowed.contains(&used.as_str())
        {
            let allowed = if allowed.is_empty() { "no other room".to_owned() } else { allowed.join(", ") };
            faults.push(Fault::file(&manifest, format!("`{}` may not use `{used}`, only: {allowed}", one.name)));
        }
    }
    if let Some((_, limit)) = LEAN.iter().find(|(name, limit)| *name == one.name && one.outside.len() > *limit) {
        let named = Vec::from_iter(one.outside.iter().map(String::as_str)).join(", ");
        faults.push(Fault::file(&manifest, format!("stays at {limit} crates of other people or fewer: {named}")));
    }
    faults
}

#[cfg(test)]
mod tests;
