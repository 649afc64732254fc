//! Rules that no compiler knows, as code. Each check takes what it looks at and returns what is wrong with it, so each
//! has a test that shows it a bad example.

mod changelog;
mod crate_dependencies;
mod crate_manifests;
mod error_texts;
mod event_folds;
mod external_crates;
mod file_access;
mod file_heads;
mod key_path;
mod length;
mod links;
mod machine_paths;
mod names;
mod public_docs;
mod seeds;
mod table_names;
mod type_names;
mod whitespace;

use crate::repo::{self, SourceFile};
use crate::say;
use anyhow::{Result, bail};
use std::fmt;
use std::path::Path;

/// A broken rule, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TidyFault {
    path: String,
    /// From 1; `None` when the whole file is meant.
    line: Option<usize>,
    /// The fault, and what to do about it.
    what: String,
}

impl TidyFault {
    fn file(path: &str, what: impl Into<String>) -> TidyFault {
        TidyFault { path: path.to_owned(), line: None, what: what.into() }
    }

    fn line(path: &str, line: usize, what: impl Into<String>) -> TidyFault {
        TidyFault { path: path.to_owned(), line: Some(line), what: what.into() }
    }
}

impl fmt::Display for TidyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.what),
            None => write!(f, "{}: {}", self.path, self.what),
        }
    }
}

/// Check everything, print every fault.
pub(crate) fn run() -> Result<()> {
    let root = repo::root()?;
    let sources = repo::sources(&root)?;
    let faults = faults(&root, &sources)?;
    for fault in &faults {
        say(fault);
    }
    say_figures(&sources);
    match faults.len() {
        0 => {
            say(format_args!("tidy: {} files, nothing to complain about", sources.len()));
            Ok(())
        }
        count => bail!("tidy found {count} broken rules in {} files", sources.len()),
    }
}

/// Figures that docs/ARCHITECTURE.md quotes.
fn say_figures(sources: &[SourceFile]) {
    say(format_args!("tidy: {}", type_names::figures(sources)));
    say(format_args!(
        "tidy: {} matches over `Event` that a new event passes in silence",
        event_folds::check(sources).len()
    ));
    say(format_args!("tidy: {} files between a key and the disk", key_path::count_files(sources)));
    let is_shipped = |source: &&SourceFile| source.is(&["rs"]) && source.path.starts_with("crates/");
    let dances: usize =
        sources.iter().filter(is_shipped).map(|source| source.text.matches("PoisonError::into_inner").count()).sum();
    say(format_args!("tidy: {dances} locks taken in spite of poison, by hand"));
}

fn faults(root: &Path, sources: &[SourceFile]) -> Result<Vec<TidyFault>> {
    let over_sources = [
        length::check,
        names::check,
        type_names::check,
        public_docs::check,
        file_heads::check,
        machine_paths::check,
        whitespace::check,
        crate_manifests::check,
        event_folds::check,
        links::check,
        file_access::check,
        error_texts::check,
        seeds::check,
        table_names::check,
        key_path::check,
    ];
    let mut faults: Vec<TidyFault> = over_sources.iter().flat_map(|check| check(sources)).collect();
    faults.extend(changelog::check(sources));
    let crates = crate_dependencies::crates(root)?;
    faults.extend(crate_dependencies::check(&crates));
    faults.extend(external_crates::check(&crate_dependencies::shipped_crates(&crates)));
    faults.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(faults)
}

/// A source for a test.
#[cfg(test)]
fn source(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.into(), text: text.into() }
}
