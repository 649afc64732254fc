//! Repositories by what lies in them. A file `.git` may point to a directory of any name (`gitdir: ./.bare`), a bare repository
//! has one, and git obeys the configuration and the hooks there all the same: names alone do not protect them.

use super::repository_files::KEPT_BY_GIT;
use std::path::{Component, Path, PathBuf};

/// The files that git obeys or follows, besides those in which it keeps content: changing them asks.
const OBEYED_BY_GIT: [&str; 10] =
    ["branches", "commondir", "config", "description", "gitdir", "head", "hooks", "info", "packed-refs", "refs"];
/// The files of them that may hold a password or a token.
const CONFIGURATION: &str = "config";
/// What makes a directory a repository for git, beside `HEAD`.
const BESIDE_HEAD: [&str; 3] = ["commondir", "objects", "refs"];

/// Files that are not there yet and will be, by their absolute paths: a patch brings several at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlannedPaths<'a>(pub(crate) &'a [PathBuf]);

impl PlannedPaths<'_> {
    /// Whether there is or will be something at `path`. File systems may ignore case.
    fn exists(self, path: &Path) -> bool {
        let same =
            |(one, other): (Component<'_>, Component<'_>)| one.as_os_str().eq_ignore_ascii_case(other.as_os_str());
        let is_at_or_below = |planned: &PathBuf| {
            planned.components().count() >= path.components().count()
                && planned.components().zip(path.components()).all(same)
        };
        self.0.iter().any(is_at_or_below) || path.symlink_metadata().is_ok()
    }
}

/// True if git takes `directory` for a repository, or for the part of one that belongs to a work tree.
pub(crate) fn is_git_directory(directory: &Path) -> bool {
    let holds = |name: &str| directory.join(name).symlink_metadata().is_ok();
    let is_directory = |name: &str| directory.join(name).is_dir();
    holds("HEAD") && (holds("commondir") || (is_directory("objects") && is_directory("refs")))
}

/// Whether git would obey or follow the file at `path`, an absolute one, or keeps content in it. Also if there is no repository
/// yet, and the file helps to make one, alone or with the `planned` ones: its configuration may lie there already.
pub(crate) fn is_used_by_git(path: &Path, planned: PlannedPaths<'_>) -> bool {
    let is_wanted = |name: &str| KEPT_BY_GIT.contains(&name) || OBEYED_BY_GIT.contains(&name);
    lies_in(path, is_wanted, |directory, name| {
        is_git_directory(directory) || helps_to_make_repository(directory, name, planned)
    })
}

/// Whether `name`, in lower case, makes a repository of `directory`, or may with one more thing in it.
fn helps_to_make_repository(directory: &Path, name: &str, planned: PlannedPaths<'_>) -> bool {
    let holds = |mark: &str| planned.exists(&directory.join(mark));
    match name {
        "head" => BESIDE_HEAD.iter().any(|mark| holds(mark)),
        mark => BESIDE_HEAD.contains(&mark) && holds("HEAD"),
    }
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
