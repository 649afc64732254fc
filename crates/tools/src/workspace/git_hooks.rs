//! Where git looks for the hooks of a repository: in the repository, and wherever a configuration says (`core.hooksPath`).
//! Includes are followed whatever their condition, and of several values each counts: which one git obeys depends on where it runs.

use super::obeyed_places::follow_links;
use crate::git_keys::keys_of;
use crate::process_environment::ProcessEnvironment;
use pollux_files::read_text;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// The longest configuration that is read.
const CONFIGURATION_BYTES: u64 = 64 * 1024;
/// The most files of configuration that are read for one repository.
const MAX_CONFIGURATIONS: usize = 32;
/// The hooks that git knows.
#[rustfmt::skip]
const HOOKS: [&str; 28] = [
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit",
    "p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit", "post-index-change", "post-merge",
    "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit",
    "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout",
    "reference-transaction", "sendemail-validate", "update",
];

/// Whether the file at `path`, an absolute one, is a hook of the repository around it, or lies in a directory of its hooks other
/// than usual: git runs what lies there. Where that directory is cannot always be told; then the name of a hook is enough.
pub(super) fn is_hook_of_git(path: &Path) -> bool {
    let Some(root) = path.ancestors().skip(1).find(|above| above.join(".git").symlink_metadata().is_ok()) else {
        return false;
    };
    let is_named_hook = || path.file_name().and_then(|name| name.to_str()).is_some_and(|name| HOOKS.contains(&name));
    let Ok(directories) = configured_directories(root) else { return is_named_hook() };
    directories.iter().any(|hooks| match root.starts_with(hooks) {
        // It would protect everything.
        true => path.parent() == Some(hooks) && is_named_hook(),
        false => path.starts_with(hooks),
    })
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

/// Every directory of hooks that a configuration names for the repository at `root`, links followed.
fn configured_directories(root: &Path) -> io::Result<Vec<PathBuf>> {
    let RepositoryDirectories { own, common } = find_repository(root);
    let own_files = [common.join("config"), own.join("config.worktree"), PathBuf::from("/etc/gitconfig")];
    let mut waiting: VecDeque<PathBuf> = own_files.into_iter().chain(personal_configurations()).collect();
    let (mut directories, mut read) = (Vec::new(), 0);
    while let Some(file) = waiting.pop_front() {
        read += 1;
        if read > MAX_CONFIGURATIONS {
            return Err(io::Error::other("the configuration includes too many files"));
        }
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
                    directories.push(follow_links(&root.join(expand_home(&key.value))).1);
                }
                _ => {}
            }
        }
    }
    Ok(directories)
}

fn personal_configurations() -> Vec<PathBuf> {
    let own = home().into_iter().flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let named = ProcessEnvironment::original().get_os("XDG_CONFIG_HOME").filter(|named| !named.is_empty());
    own.chain(named.map(|named| PathBuf::from(named).join("git/config"))).collect()
}

/// A path as a configuration may write it.
fn expand_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

fn home() -> Option<PathBuf> {
    ProcessEnvironment::original().get_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}
