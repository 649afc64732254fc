//! The workspace a client asks for: an absolute, existing directory, or a sentence that says what is wrong.

use crate::errors::Fault;
use std::path::Path;

/// `path`, if a session can work there.
pub(crate) async fn usable(path: &str) -> Result<String, Fault> {
    let wrong = |why: &str| Err(Fault::params(format!("`workspace_path` {path:?} {why}")));
    if path.contains('\0') {
        return wrong("holds a NUL character");
    }
    if !Path::new(path).is_absolute() {
        return wrong("is not absolute; give the whole path from the root");
    }
    match tokio::fs::metadata(path).await {
        Ok(found) if found.is_dir() => Ok(path.to_owned()),
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
