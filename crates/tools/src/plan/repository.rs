//! Git without a question: only in the workspace's own repository, and only if nothing in its configuration runs a program.

use super::PlanObjection;
use super::git_config::{ConfigScope, ConfigSummary, check_config};
use super::lookups::PlanLookups;
use super::repository_links::{check_alternates, check_no_links};
use crate::process_environment::ProcessEnvironment;
use crate::workspace::Workspace;
use pollux_files::read_text;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The longest file of git's that is read here.
const MAX_BYTES: u64 = 64 * 1024;
/// Where old versions of git kept addresses of other repositories, one in each file.
const OLD_ADDRESSES: [&str; 2] = ["branches", "remotes"];

/// The workspace's own repository, found to be harmless.
pub(super) struct GitAccess {
    workspace: PathBuf,
    /// Files of the person's own that git reads.
    own_files: Vec<PathBuf>,
    /// Whether an address of another repository may hold a password.
    has_secret_address: bool,
}

impl GitAccess {
    /// The repository that git would find from `directory`, if it is the workspace's own.
    pub(super) fn of(
        workspace: &Workspace,
        directory: &Path,
        lookups: &PlanLookups,
    ) -> Result<GitAccess, PlanObjection> {
        let root = workspace.own_path();
        let inside = directory.strip_prefix(root);
        let inside =
            inside.map_err(|_| PlanObjection::new(format!("{} is not in the workspace", directory.display())))?;
        if inside.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git")) {
            return Err(PlanObjection::new("git would run inside a repository's own files"));
        }
        for between in directory.ancestors().take_while(|path| *path != root) {
            if between.join(".git").symlink_metadata().is_ok() {
                let why = format!("{} is another repository than the workspace's own", between.display());
                return Err(PlanObjection::new(why));
            }
        }
        let git_dir = root.join(".git");
        check_repository(&git_dir)?;
        check_no_links(&git_dir, lookups)?;
        check_alternates(&git_dir)?;
        let is_used = |name: &str| std::fs::read_dir(git_dir.join(name)).is_ok_and(|mut files| files.next().is_some());
        let mut has_secret_address = check_own_configuration(&git_dir)? || OLD_ADDRESSES.into_iter().any(is_used);
        let mut own_files = own_configuration();
        for path in own_configuration() {
            let ConfigSummary { ignore_file, has_secret_address: has_secret } =
                check_config(&path, ConfigScope::Person)?;
            own_files.extend(ignore_file.map(|path| expand_home(&path)));
            has_secret_address |= has_secret;
        }
        own_files.extend(own_patterns());
        Ok(GitAccess { workspace: root.to_owned(), own_files, has_secret_address })
    }

    /// Whether git may print addresses of other repositories.
    pub(super) fn check_addresses(&self) -> Result<(), PlanObjection> {
        if self.has_secret_address {
            let why = "an address of the repository's may hold a password or a token".to_owned();
            return Err(PlanObjection::of_secret(why));
        }
        Ok(())
    }

    pub(super) fn environment(&self) -> [(OsString, OsString); 4] {
        environment_in(&self.workspace)
    }

    /// The person's own files, which git reads besides the repository.
    pub(super) fn readable_files(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.own_files.iter().cloned()
    }
}

/// What a git that only looks finds in its environment: it changes nothing, fetches nothing, and finds no repository above
/// the one whose work tree is `root`, which is the one that was checked.
pub(super) fn environment_in(root: &Path) -> [(OsString, OsString); 4] {
    let ceiling = root.parent().unwrap_or(Path::new("/")).as_os_str().to_owned();
    [
        ("GIT_OPTIONAL_LOCKS".into(), "0".into()),
        ("GIT_NO_LAZY_FETCH".into(), "1".into()),
        ("GIT_CEILING_DIRECTORIES".into(), ceiling),
        // Instead of the one that the repository's configuration names.
        ("GIT_EDITOR".into(), "false".into()),
    ]
}

/// Whether nothing runs a program behind the back of a git that only looks, in the repository that it finds from `directory`.
/// Returns where its work tree is.
pub(super) fn check_repository_above(directory: &Path, lookups: &PlanLookups) -> Result<PathBuf, PlanObjection> {
    let found = find_repository(directory)?;
    let RepositoryPaths { root, git_dir, common_dir } =
        found.ok_or_else(|| PlanObjection::new("there is no git repository here"))?;
    // Git passes by what is no repository for it, and looks further above.
    if !is_repository_of_git(&git_dir, &common_dir) {
        return Err(PlanObjection::new(format!("{} is not understood", root.join(".git").display())));
    }
    for directory in [&git_dir, &common_dir] {
        check_own_configuration(directory)?;
        check_no_links(directory, lookups)?;
        check_alternates(directory)?;
    }
    Ok(root)
}

/// Where a repository keeps what.
pub(super) struct RepositoryPaths {
    /// Its work tree.
    pub(super) root: PathBuf,
    /// What belongs to this work tree alone.
    pub(super) git_dir: PathBuf,
    /// Where its objects, branches and most of its configuration are.
    pub(super) common_dir: PathBuf,
}

/// The repository that git finds from `directory`.
pub(super) fn find_repository(directory: &Path) -> Result<Option<RepositoryPaths>, PlanObjection> {
    let unreadable = |path: &Path| PlanObjection::new(format!("{} is not understood", path.display()));
    let found = directory.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
    let Some(root) = found else { return Ok(None) };
    let mut git_dir = root.join(".git");
    // A work tree beside another one, or a submodule.
    if !git_dir.is_dir() {
        let text = read_text(&git_dir, MAX_BYTES).map_err(|_| unreadable(&git_dir))?;
        let path = text.strip_prefix("gitdir: ").ok_or_else(|| unreadable(&git_dir))?;
        git_dir = root.join(without_line_ends(path));
    }
    let common_dir = match read_text(&git_dir.join("commondir"), MAX_BYTES) {
        Ok(common) => git_dir.join(without_line_ends(&common)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => git_dir.clone(),
        Err(_) => return Err(unreadable(&git_dir.join("commondir"))),
    };
    Ok(Some(RepositoryPaths { root: root.to_owned(), git_dir, common_dir }))
}

/// A path as git reads it from a file of its own: a blank at the end is a part of it.
fn without_line_ends(path: &str) -> &str {
    path.trim_end_matches(['\n', '\r'])
}

/// Whether git takes `git_dir`, whose objects and branches are in `common_dir`, for a repository.
fn is_repository_of_git(git_dir: &Path, common_dir: &Path) -> bool {
    let head = read_text(&git_dir.join("HEAD"), MAX_BYTES).unwrap_or_default();
    let head = head.trim_end();
    let is_hash = head.len() == 40 && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_parts = ["objects", "refs"].iter().all(|name| common_dir.join(name).is_dir());
    has_parts && (is_hash || head.starts_with("ref: refs/"))
}

/// Whether an address in a repository's configuration may hold a password, if nothing in it is to be objected to.
fn check_own_configuration(git_dir: &Path) -> Result<bool, PlanObjection> {
    let mut has_secret_address = false;
    for name in ["config", "config.worktree"] {
        has_secret_address |= check_config(&git_dir.join(name), ConfigScope::Repository)?.has_secret_address;
    }
    Ok(has_secret_address)
}

/// Whether git would take the directory for a repository too. Outside of one, it compares any two files.
fn check_repository(git_dir: &Path) -> Result<(), PlanObjection> {
    let is_directory = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let has_parts = is_directory(git_dir) && ["objects", "refs"].iter().all(|name| is_directory(&git_dir.join(name)));
    if !has_parts || !is_repository_of_git(git_dir, git_dir) {
        return Err(PlanObjection::new("the workspace has no git repository of its own"));
    }
    for linked in ["commondir", "gitdir"] {
        if git_dir.join(linked).symlink_metadata().is_ok() {
            return Err(PlanObjection::new("the repository is a part of another one"));
        }
    }
    Ok(())
}

fn own_configuration() -> Vec<PathBuf> {
    let home = home();
    let own = home.iter().flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    own.chain([PathBuf::from("/etc/gitconfig")]).collect()
}

fn own_patterns() -> Vec<PathBuf> {
    let home = home();
    home.iter().flat_map(|home| [home.join(".config/git/ignore"), home.join(".config/git/attributes")]).collect()
}

fn expand_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

fn home() -> Option<PathBuf> {
    ProcessEnvironment::original().get_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests;
