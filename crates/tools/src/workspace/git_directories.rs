//! Repositories by what lies in them. A file `.git` may point to a directory of any name (`gitdir: ./.bare`), a bare repository
//! has one, and git obeys the configuration and the hooks there all the same: names alone do not protect them.

use super::repository_files::KEPT_BY_GIT;
use std::path::{Component, Path};

/// The files that git obeys or follows, besides those in which it keeps content: changing them asks.
const OBEYED_BY_GIT: [&str; 10] =
    ["branches", "commondir", "config", "description", "gitdir", "head", "hooks", "info", "packed-refs", "refs"];
/// The files of them that may hold a password or a token.
const CONFIGURATION: &str = "config";

/// True if git takes `directory` for a repository, or for the part of one that belongs to a work tree.
pub(crate) fn is_git_directory(directory: &Path) -> bool {
    let holds = |name: &str| directory.join(name).symlink_metadata().is_ok();
    let is_directory = |name: &str| directory.join(name).is_dir();
    holds("HEAD") && (holds("commondir") || (is_directory("objects") && is_directory("refs")))
}

/// True if git would obey or follow the file at `path`, an absolute one, or keeps content in it.
pub(crate) fn is_used_by_git(path: &Path) -> bool {
    lies_in_git_directory(path, |name| KEPT_BY_GIT.contains(&name) || OBEYED_BY_GIT.contains(&name))
}

/// True if git keeps content, or an address with a password, in the file at `path`, an absolute one.
pub(crate) fn is_kept_by_git(path: &Path) -> bool {
    lies_in_git_directory(path, |name| KEPT_BY_GIT.contains(&name) || name == CONFIGURATION)
}

/// True if a part of `path` for which `is_wanted` holds lies directly in a repository. Work trees may lie there, too,
/// with files of any other name. The disk is looked at only where the name fits, so that a search stays fast.
fn lies_in_git_directory(path: &Path, is_wanted: impl Fn(&str) -> bool) -> bool {
    let is_inside = |part: &Path| {
        let name = part.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
        name.is_some_and(|name| is_wanted(&name)) && part.parent().is_some_and(is_git_directory)
    };
    let is_plain = path.has_root() && !path.components().any(|part| part == Component::ParentDir);
    is_plain && path.ancestors().any(is_inside)
}

#[cfg(test)]
mod tests;
