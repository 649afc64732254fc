//! Where programs are found. A relative entry of the search path would mean whatever directory a command runs in.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The directories of the search path `PATH` of children that are absolute and lie in none of `left_out`.
pub(super) fn directories(path: &OsStr, left_out: &[&Path]) -> Vec<PathBuf> {
    let is_outside = |directory: &PathBuf| {
        let real = directory.canonicalize().unwrap_or_else(|_| directory.clone());
        !left_out.iter().any(|root| real.starts_with(root) || directory.starts_with(root))
    };
    std::env::split_paths(path).filter(|directory| directory.is_absolute() && is_outside(directory)).collect()
}

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
