//! Links in a repository. Git opens the files there wherever they lead, and what it cannot read as its own it repeats in its complaint:
//! a link to `.env` would be shown line by line.

use super::PlanObjection;
use super::lookups::PlanLookups;
use pollux_files::read_text;
use std::ffi::OsStr;
use std::fs::FileType;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// What a git that only looks opens nothing of: hooks, which are often links, and what other programs keep.
const NOT_READ: [&str; 3] = ["annex", "hooks", "lfs"];
/// The longest list of other stores of objects that is read.
const MAX_BYTES: u64 = 64 * 1024;

/// Whether no file in `git_dir` that git may read is a link, or one that it would wait for. Objects have names that say what is in
/// them, so what lies under their names cannot be shown.
pub(super) fn check_no_links(git_dir: &Path, lookups: &PlanLookups) -> Result<(), PlanObjection> {
    lookups.check_repository_once(git_dir, || look_for_links(git_dir, lookups))
}

fn look_for_links(git_dir: &Path, lookups: &PlanLookups) -> Result<(), PlanObjection> {
    let mut directories = vec![git_dir.to_owned()];
    while let Some(directory) = directories.pop() {
        let unreadable =
            |error: io::Error| PlanObjection::new(format!("{} cannot be looked at: {error}", directory.display()));
        for entry in std::fs::read_dir(&directory).map_err(unreadable)? {
            lookups.spend(1)?;
            let entry = entry.map_err(unreadable)?;
            let (name, kind) = (entry.file_name(), entry.file_type().map_err(unreadable)?);
            if directory == git_dir && NOT_READ.iter().any(|other| name == *other) {
                continue;
            }
            if is_not_gits(kind) {
                let why = format!("{} is a link or no file, and git would read it", entry.path().display());
                return Err(PlanObjection::new(why));
            }
            if kind.is_dir() && !(is_object_store(git_dir, &directory) && is_start_of_hash(&name)) {
                directories.push(entry.path());
            }
        }
    }
    Ok(())
}

/// True of links, and of what a program waits for. The monitor of files has a socket there.
fn is_not_gits(kind: FileType) -> bool {
    kind.is_symlink() || kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
}

/// Whether objects lie in `directory`: those of the repository or of a submodule, and no branch that is called so.
fn is_object_store(git_dir: &Path, directory: &Path) -> bool {
    let Ok(inside) = directory.strip_prefix(git_dir) else { return false };
    let names_branches = |part: &OsStr| part == "refs" || part == "logs";
    inside == Path::new("objects")
        || (inside.starts_with("modules") && inside.ends_with("objects") && !inside.iter().any(names_branches))
}

fn is_start_of_hash(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit)
}

/// Whether the repository takes objects from no other place, which would not be checked.
pub(super) fn check_alternates(git_dir: &Path) -> Result<(), PlanObjection> {
    let list = git_dir.join("objects/info/alternates");
    let text = match read_text(&list, MAX_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(PlanObjection::new(format!("{} cannot be read: {error}", list.display()))),
    };
    match text.lines().find(|line| !line.is_empty() && !line.starts_with('#')) {
        Some(line) => Err(PlanObjection::new(format!("the repository takes objects from another place, {line}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
