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
        usable(path).await?;
        let found = tokio::fs::canonicalize(path).await.ok();
        for root in &self.0 {
            let Ok(root) = tokio::fs::canonicalize(root).await else { continue };
            if let Some(found) =
                found.as_ref().filter(|found| found.starts_with(&root)).and_then(|found| found.to_str())
            {
                return Ok(found.to_owned());
            }
        }
        Err(Fault::params(format!(
            "`workspace_path` {path:?} is outside of what this server works in; name a directory in {self}, or have the \
             operator start the server with --workspace-root"
        )))
    }
}

impl fmt::Display for WorkspaceRoots {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots: Vec<String> = self.0.iter().map(|root| root.display().to_string()).collect();
        to.write_str(&roots.join(", "))
    }
}

/// Whether a session can work in `path` at all.
pub(crate) async fn usable(path: &str) -> Result<(), Fault> {
    let wrong = |why: &str| Err(Fault::params(format!("`workspace_path` {path:?} {why}")));
    if path.contains('\0') {
        return wrong("holds a NUL character");
    }
    if !Path::new(path).is_absolute() {
        return wrong("is not absolute; give the whole path from the root");
    }
    match tokio::fs::metadata(path).await {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => wrong("is not a directory"),
        Err(_) => wrong("does not exist; create the directory first or leave it out"),
    }
}

/// Whether two paths name one directory.
pub(crate) async fn same(one: &str, other: &str) -> bool {
    match (tokio::fs::canonicalize(one).await, tokio::fs::canonicalize(other).await) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
