//! The checkout: where it is and which files belong to it.

use crate::process;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// A text file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceFile {
    /// Its path from the root, with `/` between the parts.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    /// True if the name ends in one of these extensions.
    pub(crate) fn is(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }
}

/// The root of the checkout. Cargo says where xtask lives when it runs it.
pub(crate) fn root() -> Result<PathBuf> {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").context("start chores with `cargo xtask`")?;
    Ok(Path::new(&xtask).parent().context("xtask has no parent directory")?.to_owned())
}

/// Every text file that git tracks or would track: a new file is held to the rules before it is committed.
pub(crate) fn sources(root: &Path) -> Result<Vec<SourceFile>> {
    let listing =
        process::read(process::command("git", root).args(["ls-files", "--cached", "--others", "--exclude-standard"]))?
            .context("`git ls-files` failed; chores need a git checkout")?;
    let mut sources = Vec::new();
    for path in listing.lines() {
        match std::fs::read(root.join(path)) {
            Ok(bytes) => {
                sources.extend(String::from_utf8(bytes).ok().map(|text| SourceFile { path: path.into(), text }));
            }
            // Deleted in the work tree, not yet in the index.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("{path} could not be read")),
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources.dedup();
    Ok(sources)
}

/// Where cargo builds into.
pub(crate) fn target_dir(root: &Path) -> Result<PathBuf> {
    let metadata =
        cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec().context("`cargo metadata` failed")?;
    Ok(metadata.target_directory.into_std_path_buf())
}
