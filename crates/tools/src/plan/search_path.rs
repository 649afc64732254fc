//! Which file a program is.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The directories as one variable.
pub(super) fn join(directories: &[PathBuf]) -> OsString {
    std::env::join_paths(directories).unwrap_or_default()
}

/// The program `name`: the first of that name in `directories`, or where it says itself, relative to `directory`.
pub(super) fn find(name: &str, directories: &[PathBuf], directory: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(directory.join(name));
    }
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    directories.iter().map(|directory| directory.join(name)).find(is_program)
}
