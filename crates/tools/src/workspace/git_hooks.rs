//! What git obeys outside of a repository's own directory: hooks, wherever a configuration says (`core.hooksPath`), and configurations.
//! Includes are followed whatever their condition, and of several values each counts: which one git obeys depends on where it runs.

use super::obeyed_places::follow_links;
use crate::git_keys::keys_of;
use crate::git_personal_files::{expand_home, personal_configurations};
use pollux_files::read_text;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// The longest configuration that is read.
const CONFIGURATION_BYTES: u64 = 64 * 1024;
/// The most work trees of a repository that are looked at, and half the most files of configuration that are read for it.
const MAX_CONFIGURATIONS: usize = 32;
/// The most directories of one that are looked at for repositories.
const MAX_DIRECTORIES: usize = 500;
/// The hooks that git knows.
#[rustfmt::skip]
const HOOKS: [&str; 28] = [
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit",
    "p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit", "post-index-change", "post-merge",
    "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit",
    "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout",
    "reference-transaction", "sendemail-validate", "update",
];

/// Whether the file at `path`, an absolute one, is a hook of a repository around it, lies in a directory of its hooks other than
/// usual, or is a configuration that it reads: git runs what lies there, and what the configuration names. Where that is cannot
/// always be told; then the name of a hook is enough.
pub(super) fn is_obeyed_by_git(path: &Path) -> bool {
    let repositories = path.ancestors().skip(1).filter(|above| is_repository(above));
    repositories.into_iter().any(|root| {
        let Ok(places) = GitPlaces::of(root) else { return is_named_hook(path) };
        places.configurations.iter().any(|file| path == file)
            || places.hooks.iter().any(|hooks| match root.starts_with(hooks) {
                // It would protect everything.
                true => path.parent() == Some(hooks) && is_named_hook(path),
                false => path.starts_with(hooks),
            })
    })
}

/// What the repositories a little below `root` obey outside of their own directories: `app/.git` may name `../hooks`.
pub(super) fn places_of_repositories_below(root: &Path) -> Vec<PathBuf> {
    let directories_in = |directory: &Path| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().take(MAX_DIRECTORIES);
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        directories.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let near = directories_in(root);
    let further: Vec<PathBuf> =
        near.iter().flat_map(|directory| directories_in(directory)).take(MAX_DIRECTORIES).collect();
    let repositories = near.iter().chain(&further).filter(|directory| is_repository(directory));
    let places = repositories.filter_map(|repository| GitPlaces::of(repository).ok());
    let obeyed = places.flat_map(|places| places.hooks.into_iter().chain(places.configurations));
    obeyed.filter(|place| !root.starts_with(place)).collect()
}

fn is_repository(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
}

fn is_named_hook(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| HOOKS.contains(&name))
}

/// The directory in which the repository at `root` has its hooks if no configuration says otherwise.
pub(super) fn usual_hooks_directory(root: &Path) -> PathBuf {
    find_repository(root).common.join("hooks")
}

/// Where a repository keeps what belongs to one work tree, and what all its work trees share.
struct RepositoryDirectories {
    own: PathBuf,
    common: PathBuf,
}

/// The directories of the repository at `root`: `.git`, or where that file leads.
fn find_repository(root: &Path) -> RepositoryDirectories {
    let first_line = |path: &Path| Some(read_text(path, CONFIGURATION_BYTES).ok()?.lines().next()?.to_owned());
    let git = root.join(".git");
    let linked = || Some(root.join(first_line(&git)?.strip_prefix("gitdir: ")?));
    let own = if git.is_dir() { git } else { linked().unwrap_or(git) };
    let common = first_line(&own.join("commondir")).map_or_else(|| own.clone(), |common| own.join(common));
    RepositoryDirectories { own, common }
}

/// What a repository obeys besides what lies in its own directory, links followed.
#[derive(Default)]
struct GitPlaces {
    /// Directories of hooks.
    hooks: Vec<PathBuf>,
    /// Every configuration that is read.
    configurations: Vec<PathBuf>,
}

impl GitPlaces {
    /// The places that the configurations of the repository at `root` name, those of all its work trees.
    fn of(root: &Path) -> io::Result<GitPlaces> {
        let RepositoryDirectories { own, common } = find_repository(root);
        let others =
            std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten().take(MAX_CONFIGURATIONS);
        let trees = others.map(|entry| entry.path()).chain([own]).map(|tree| tree.join("config.worktree"));
        let mut waiting: VecDeque<PathBuf> =
            trees.chain([common.join("config")]).chain(personal_configurations()).collect();
        let (mut places, mut read) = (GitPlaces::default(), 0);
        while let Some(file) = waiting.pop_front() {
            read += 1;
            if read > 2 * MAX_CONFIGURATIONS {
                return Err(io::Error::other("the configuration includes too many files"));
            }
            places.configurations.push(follow_links(&file).1);
            let text = match read_text(&file, CONFIGURATION_BYTES) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for key in keys_of(&text).map_err(io::Error::other)? {
                match (key.section.as_str(), key.name.as_str()) {
                    ("include" | "includeif", "path") => {
                        let beside = file.parent().unwrap_or(Path::new("/"));
                        waiting.push_back(beside.join(expand_home(&key.value)));
                    }
                    ("core", "hookspath") if !key.value.is_empty() => {
                        places.hooks.push(follow_links(&root.join(expand_home(&key.value))).1);
                    }
                    _ => {}
                }
            }
        }
        Ok(places)
    }
}
