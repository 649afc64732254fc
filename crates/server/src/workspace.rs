//! The workspace a client asks for: an absolute, existing directory within the operator's roots, or a sentence that says what
//! is wrong.

use crate::errors::RequestError;
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
    pub(crate) async fn admit(&self, path: &str) -> Result<String, RequestError> {
        check_form(path)?;
        // What is said of a place outside is the same whether something is there or not.
        if !self.contains(Path::new(path)).await {
            return Err(RequestError::invalid_params(format!(
                "`workspace_path` {path:?} is outside of what this server works in; name a directory in {self}, or have the \
                 operator start the server with --workspace-root"
            )));
        }
        check_usable(path).await?;
        let found = tokio::fs::canonicalize(path).await.ok().and_then(|found| found.to_str().map(str::to_owned));
        match found {
            // A link may have been changed meanwhile.
            Some(found) if self.contains(Path::new(&found)).await => Ok(found),
            _ => Err(RequestError::invalid_params(format!(
                "`workspace_path` {path:?} cannot be resolved; name another directory"
            ))),
        }
    }

    /// True if `path` leads into the roots, as far as it exists. What is missing must not lead out again.
    async fn contains(&self, path: &Path) -> bool {
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

fn invalid_workspace(path: &str, why: &str) -> Result<(), RequestError> {
    Err(RequestError::invalid_params(format!("`workspace_path` {path:?} {why}")))
}

/// Check that `path` is a whole path. Nothing is looked at.
pub(crate) fn check_form(path: &str) -> Result<(), RequestError> {
    match path {
        _ if path.contains('\0') => invalid_workspace(path, "holds a NUL character"),
        _ if !Path::new(path).is_absolute() => {
            invalid_workspace(path, "is not absolute; give the whole path from the root")
        }
        _ => Ok(()),
    }
}

/// Check that a session can work in `path` at all. Only for a place that the client may know of: it says what is there.
pub(crate) async fn check_usable(path: &str) -> Result<(), RequestError> {
    match tokio::fs::metadata(path).await {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => invalid_workspace(path, "is not a directory"),
        Err(_) => invalid_workspace(path, "does not exist; create the directory first or leave it out"),
    }
}

/// True if two paths name one directory.
pub(crate) async fn is_same_directory(one: &str, other: &str) -> bool {
    match (tokio::fs::canonicalize(one).await, tokio::fs::canonicalize(other).await) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
