//! Places whose content runs by itself or decides what may run: changing them always asks.

use super::git_directories::{PlannedPaths, is_used_by_git};
use super::git_hooks::{is_hook_of_git, usual_hooks_directory};
use super::obeyed_places::ResolvedPlaces;
use super::{Workspace, WorkspacePath};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::LazyLock;

#[cfg(test)]
mod tests;

/// Directories and files, by name, wherever they are in the workspace: version control and its hooks, continuous integration,
/// editors, agents, environments that are entered with a directory, and what shells and interpreters read at their start.
#[rustfmt::skip]
const PROTECTED: [&str; 85] = [
    ".git", ".gitmodules", ".gitconfig", ".githooks", ".bzr", ".hg", ".jj", ".svn", ".husky", ".lefthook",
    ".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".buildkite", ".woodpecker", "Jenkinsfile",
    ".vscode", ".vscode-server", ".idea", ".fleet", ".zed", ".helix", ".nova", ".vs", ".devcontainer", ".nvim.lua", ".nvimrc",
    ".exrc", ".vimrc", ".vim", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.d", ".lvimrc", ".gdbinit", ".lldbinit",
    ".pdbrc", ".Rprofile",
    ".pollux", ".gemini", ".claude", ".codex", ".cursor", ".windsurf", ".continue", ".opencode", ".kiro", ".roo", ".qwen",
    ".amazonq", ".kilocode", ".cline", ".trae", ".crush",
    ".cargo", ".mise", ".tool-versions", ".envrc", ".direnv", ".ssh",
    ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshrc", ".zshenv", ".zprofile",
    ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", "config.fish", ".xprofile", ".xsessionrc",
    ".xinitrc", ".inputrc", ".tmux.conf",
];
/// Configuration files of the same kinds, without the ending that says how they are written.
#[rustfmt::skip]
const CONFIGURATIONS: [&str; 24] = [
    ".lefthook", "lefthook", ".lefthook-local", "lefthook-local", ".pre-commit-config", ".pre-commit-hooks", ".overcommit",
    ".gitlab-ci", ".travis", ".drone", ".woodpecker", ".appveyor", "appveyor", "azure-pipelines", "bitbucket-pipelines",
    ".devcontainer", ".gitpod", ".aider.conf", ".mcp", "opencode", "crush", ".mise", "mise", ".rtx",
];
const CONFIGURATION_ENDINGS: [&str; 6] = [".json", ".jsonc", ".toml", ".yaml", ".yml", ".local.toml"];

/// All these names.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let with_endings = |stem: &str| CONFIGURATION_ENDINGS.map(|ending| format!("{stem}{ending}"));
    PROTECTED.map(str::to_owned).into_iter().chain(CONFIGURATIONS.into_iter().flat_map(with_endings)).collect()
});

/// What a person reads where a repository has a name of its own.
const REPOSITORY: &str = "a repository's own directory";
/// The same of a file that keeps others from the model.
const IGNORE_FILE: &str = "the list of files that are kept from the model";
/// The same where the hooks of a repository lie elsewhere.
const HOOKS: &str = "the directory of git's hooks";

impl Workspace {
    /// The protected place that `place` is or lies in, by where it really is or by a link on the way there, if the `planned` files
    /// come with it.
    pub(crate) fn protected_place(&self, place: &WorkspacePath, planned: PlannedPaths<'_>) -> Option<&'static str> {
        let mut paths = place.links.iter().chain([&place.absolute]);
        paths.find_map(|path| self.protected_place_beside(path, planned))
    }

    /// The protected place that the file at `path`, an absolute one, is or lies in. Outside the workspace its name alone decides, and
    /// whether Pollux obeys it.
    pub(crate) fn protected_place_at(&self, path: &Path) -> Option<&'static str> {
        self.protected_place_beside(path, PlannedPaths::default())
    }

    fn protected_place_beside(&self, path: &Path, planned: PlannedPaths<'_>) -> Option<&'static str> {
        let inside = self.root_paths().find_map(|root| path.strip_prefix(root).ok());
        let inside = inside.or_else(|| path.file_name().map(Path::new)).unwrap_or(path);
        let by_name = find_protected_place(inside, path, planned).or_else(|| self.obeyed().find(path));
        by_name.or_else(|| self.is_ignore_file(path).then_some(IGNORE_FILE))
    }

    /// What Pollux obeys somewhere below `directory`, an absolute path inside the workspace: for whoever moves or replaces all of it.
    pub(crate) fn obeyed_place_below(&self, directory: &Path) -> Option<&'static str> {
        let is_inside = self.root_paths().any(|root| directory.starts_with(root) && directory != root);
        is_inside.then(|| self.obeyed().find_below(directory)).flatten()
    }

    pub(super) fn obeyed(&self) -> &ResolvedPlaces {
        self.obeyed.get_or_init(|| {
            let mut resolved = self.access.obeyed.resolve(&self.root_paths().collect::<Vec<_>>());
            for root in self.root_paths() {
                // A hook, or the settings of an editor, may be a link to a file with a name of its own.
                resolved.follow_links_in(root, is_protected_name);
                resolved.follow_links_in(&usual_hooks_directory(root), |_| true);
            }
            resolved
        })
    }
}

fn is_protected_name(name: &OsStr) -> bool {
    // File systems that ignore case make `.GIT` the same directory.
    NAMES.iter().any(|protected| name.eq_ignore_ascii_case(protected))
}

/// The protected place that a file is or lies in by its names, given its path relative to a workspace and its absolute one.
fn find_protected_place(inside: &Path, path: &Path, planned: PlannedPaths<'_>) -> Option<&'static str> {
    let by_name = inside.components().find_map(|part| {
        let part = part.as_os_str();
        NAMES.iter().map(String::as_str).find(|name| part.eq_ignore_ascii_case(name))
    });
    by_name
        .or_else(|| is_used_by_git(path, planned).then_some(REPOSITORY))
        .or_else(|| is_hook_of_git(path).then_some(HOOKS))
}

/// The protected places that `name` would be with something behind it, each with what that is. Only hidden ones: other
/// beginnings are words.
pub(crate) fn completions_of(name: &OsStr) -> impl Iterator<Item = (&'static str, &'static str)> {
    let name = name.to_str().filter(|name| name.len() > 1 && name.starts_with('.')).map(str::to_ascii_lowercase);
    NAMES.iter().map(String::as_str).filter_map(move |place| {
        let (start, ending) = place.split_at_checked(name.as_ref()?.len())?;
        let completes = start.eq_ignore_ascii_case(name.as_ref()?) && !ending.is_empty();
        completes.then_some((place, ending))
    })
}
