//! Places whose content runs by itself or decides what may run: changing them always asks.

use super::git_directories::is_used_by_git;
use std::ffi::OsStr;
use std::path::Path;

#[cfg(test)]
mod tests;

/// Directories and files, by name, wherever they are in the workspace: version control and its hooks, continuous integration,
/// editors, agents, environments that are entered with a directory, and what shells read at their start.
#[rustfmt::skip]
const PROTECTED: [&str; 83] = [
    ".git", ".gitmodules", ".bzr", ".hg", ".jj", ".svn", ".husky", ".lefthook", ".lefthook.yml", "lefthook.yml",
    ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", ".overcommit.yml",
    ".github", ".gitlab", ".gitlab-ci.yml", ".gitea", ".forgejo", ".circleci", ".travis.yml", ".buildkite", ".drone.yml",
    ".woodpecker", ".woodpecker.yml", ".appveyor.yml", "appveyor.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml",
    "Jenkinsfile",
    ".vscode", ".vscode-server", ".idea", ".fleet", ".zed", ".devcontainer", ".devcontainer.json", ".gitpod.yml", ".nvim.lua",
    ".nvimrc", ".exrc", ".vimrc", ".vim", ".dir-locals.el", ".emacs", ".emacs.d", ".lvimrc", ".gdbinit", ".lldbinit",
    ".pollux", ".gemini", ".claude", ".codex", ".cursor", ".windsurf", ".continue", ".opencode", ".kiro", ".roo", ".aider.conf.yml",
    ".mcp.json",
    ".cargo", ".mise", ".mise.toml", "mise.toml", ".mise.local.toml", "mise.local.toml", ".tool-versions", ".rtx.toml",
    ".envrc", ".direnv", ".ssh",
    ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshrc", ".zshenv", ".zprofile",
    ".zlogin", ".zlogout", ".kshrc",
];
/// The words for a person where a repository has a name of its own.
const REPOSITORY: &str = "a repository's own directory";

/// The protected place that a file is or lies in, given its path relative to a workspace and its absolute one.
pub(crate) fn find_protected_place(inside: &Path, path: &Path) -> Option<&'static str> {
    let by_name = inside.components().find_map(|part| {
        let part = part.as_os_str();
        // File systems that ignore case make `.GIT` the same directory.
        PROTECTED.into_iter().find(|name| part.eq_ignore_ascii_case(name))
    });
    by_name.or_else(|| is_used_by_git(path).then_some(REPOSITORY))
}

/// The protected places that `name` would be with something behind it, each with what that is. Only hidden ones: other
/// beginnings are words.
pub(crate) fn completions_of(name: &OsStr) -> impl Iterator<Item = (&'static str, &'static str)> {
    let name = name.to_str().filter(|name| name.len() > 1 && name.starts_with('.')).map(str::to_ascii_lowercase);
    PROTECTED.into_iter().filter_map(move |place| {
        let (start, ending) = place.split_at_checked(name.as_ref()?.len())?;
        let completes = start.eq_ignore_ascii_case(name.as_ref()?) && !ending.is_empty();
        completes.then_some((place, ending))
    })
}
