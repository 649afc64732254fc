//! Repositories by what lies in them. A file `.git` may point to a directory of any name (`gitdir: ./.bare`), a bare repository
//! has one, and git obeys the configuration and the hooks there all the same: names alone do not protect them.

use super::repository_files::KEPT_BY_GIT;
use crate::git_keys::{GitKey, keys_of};
use pollux_files::read_text;
use std::path::{Component, Path, PathBuf};

/// The files that git obeys or follows, besides those in which it keeps content: changing them asks.
const OBEYED_BY_GIT: [&str; 10] =
    ["branches", "commondir", "config", "description", "gitdir", "head", "hooks", "info", "packed-refs", "refs"];
/// The files of them that may hold a password or a token.
const CONFIGURATION: &str = "config";
/// The longest configuration that is read for where the hooks are.
const CONFIGURATION_BYTES: u64 = 64 * 1024;
/// What makes a directory a repository for git, beside `HEAD`.
const BESIDE_HEAD: [&str; 3] = ["commondir", "objects", "refs"];

/// True if git takes `directory` for a repository, or for the part of one that belongs to a work tree.
pub(crate) fn is_git_directory(directory: &Path) -> bool {
    let holds = |name: &str| directory.join(name).symlink_metadata().is_ok();
    let is_directory = |name: &str| directory.join(name).is_dir();
    holds("HEAD") && (holds("commondir") || (is_directory("objects") && is_directory("refs")))
}

/// Whether git would obey or follow the file at `path`, an absolute one, or keeps content in it. Also if there is no repository
/// yet, and the file helps to make one: its configuration may lie there already.
pub(crate) fn is_used_by_git(path: &Path) -> bool {
    let is_wanted = |name: &str| KEPT_BY_GIT.contains(&name) || OBEYED_BY_GIT.contains(&name);
    lies_in(path, is_wanted, |directory, name| is_git_directory(directory) || helps_to_make_repository(directory, name))
}

/// Whether `name`, in lower case, makes a repository of `directory`, or may with one more thing in it.
fn helps_to_make_repository(directory: &Path, name: &str) -> bool {
    let holds = |mark: &str| directory.join(mark).symlink_metadata().is_ok();
    match name {
        "head" => BESIDE_HEAD.iter().any(|mark| holds(mark)),
        mark => BESIDE_HEAD.contains(&mark) && holds("HEAD"),
    }
}

/// Whether the file at `path`, an absolute one, is or lies in a directory where the repository around it has its hooks, other than
/// usual: git runs what lies there.
pub(crate) fn is_hook_of_git(path: &Path) -> bool {
    let root = path.ancestors().skip(1).find(|above| above.join(".git").symlink_metadata().is_ok());
    root.and_then(hooks_directory).is_some_and(|hooks| path.starts_with(hooks))
}

/// The directory of hooks that the repository in `root` names. One that is all of `root` would protect everything.
fn hooks_directory(root: &Path) -> Option<PathBuf> {
    let configuration = read_text(&root.join(".git/config"), CONFIGURATION_BYTES).ok()?;
    let is_hooks_path = |key: &GitKey| key.section == "core" && key.subsection.is_none() && key.name == "hookspath";
    let named = keys_of(&configuration).ok()?.into_iter().rfind(is_hooks_path)?;
    Some(root.join(named.value)).filter(|hooks| hooks.components().ne(root.components()))
}

/// True if git keeps content, or an address with a password, in the file at `path`, an absolute one.
pub(crate) fn is_kept_by_git(path: &Path) -> bool {
    let is_wanted = |name: &str| KEPT_BY_GIT.contains(&name) || name == CONFIGURATION;
    lies_in(path, is_wanted, |directory, _| is_git_directory(directory))
}

/// Whether a part of `path` for whose name `is_wanted` holds lies directly in a repository, as `is_repository` says of its
/// directory and its name. Work trees may lie there, too, with files of any other name. The disk is looked at only where the name
/// fits, so that a search stays fast.
fn lies_in(path: &Path, is_wanted: impl Fn(&str) -> bool, is_repository: impl Fn(&Path, &str) -> bool) -> bool {
    let is_inside = |part: &Path| {
        let name = part.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
        name.filter(|name| is_wanted(name))
            .zip(part.parent())
            .is_some_and(|(name, directory)| is_repository(directory, &name))
    };
    let is_plain = path.has_root() && !path.components().any(|part| part == Component::ParentDir);
    is_plain && path.ancestors().any(is_inside)
}

#[cfg(test)]
mod tests;
