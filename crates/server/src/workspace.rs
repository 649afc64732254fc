//! The workspace a client asks for: an absolute, existing directory within the operator's roots, or a sentence that says what
//! is wrong.

use crate::errors::Fault;
use std::fmt;
use std::path::{Path, PathBuf};

/// The directories that clients may name workspaces in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRoots(Vec<PathBuf>);

impl WorkspaceRoots {
    /// These directories and everything below them.
    pub fn new(roots: impl IntoIterator<Item = PathBuf>) -> WorkspaceRoots {
        WorkspaceRoots(roots.into_iter().collect())
    }

    /// The directory that `path` leads to, if clients may work there. Links are resolved before it is looked at, and what is
    /// answered holds none, so that a link which is changed later changes nothing.
    pub(crate) async fn admit(&self, path: &str) -> Result<String, Fault> {
        check_form(path)?;
        // What is said of a place outside is the same whether something is there or not.
        if !self.hold(Path::new(path)).await {
            return Err(Fault::params(format!(
                "`workspace_path` {path:?} is outside of what this server works in; name a directory in {self}, or have the \
                 operator start the server with --workspace-root"
            )));
        }
        usable(path).await?;
        let found = tokio::fs::canonicalize(path).await.ok().and_then(|found| found.to_str().map(str::to_owned));
        match found {
            // A link may have been changed meanwhile.
            Some(found) if self.hold(Path::new(&found)).await => Ok(found),
            _ => Err(Fault::params(format!("`workspace_path` {path:?} cannot be resolved; name another directory"))),
        }
    }

    /// Whether `path` leads into the roots, as far as it exists. What is missing must not lead out again.
    async fn hold(&self, path: &Path) -> bool {
        let mut existing = path;
        let found = loop {
            match (tokio::fs::canonicalize(existing).await, existing.parent(), existing.file_name()) {
                (Ok(found), ..) => break found,
                (Err(_), Some(parent), Some(_)) => existing = parent,
                // It ends in `..`.
                (Err(_), ..) => return false,
            }
        };
        for root in &self.0 {
            if tokio::fs::canonicalize(root).await.is_ok_and(|root| found.starts_with(root)) {
                return true;
            }
        }
        false
    }
}

impl fmt::Display for WorkspaceRoots {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots: Vec<String> = self.0.iter().map(|root| root.display().to_string()).collect();
        to.write_str(&roots.join(", "))
    }
}

fn wrong(path: &str, why: &str) -> Result<(), Fault> {
    Err(Fault::params(format!("`workspace_path` {path:?} {why}")))
}

/// Whether `path` is a whole path. Nothing is looked at.
pub(crate) fn check_form(path: &str) -> Result<(), Fault> {
    match path {
        _ if path.contains('\0') => wrong(path, "holds a NUL character"),
        _ if !Path::new(path).is_absolute() => wrong(path, "is not absolute; give the whole path from the root"),
        _ => Ok(()),
    }
}

/// Whether a session can work in `path` at all. Only for a place that the client may know of: it says what is there.
pub(crate) async fn usable(path: &str) -> Result<(), Fault> {
    match tokio::fs::metadata(path).await {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => wrong(path, "is not a directory"),
        Err(_) => wrong(path, "does not exist; create the directory first or leave it out"),
    }
}

/// Whether two paths name one directory.
pub(crate) async fn same(one: &str, other: &str) -> bool {
    match (tokio::fs::canonicalize(one).await, tokio::fs::canonicalize(other).await) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
