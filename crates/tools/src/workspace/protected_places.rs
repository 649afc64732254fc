//! Places whose content runs by itself or decides what may run: changing them always asks.

use std::path::Path;

#[cfg(test)]
mod tests;

/// Directories and files, by name, wherever they are in the workspace.
const PROTECTED: [&str; 27] = [
    ".git",
    ".gitmodules",
    ".husky",
    ".pollux",
    ".gemini",
    ".vscode",
    ".idea",
    ".devcontainer",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".circleci",
    ".travis.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".envrc",
    ".ssh",
    ".profile",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".kshrc",
];

/// The protected place that `path`, relative to a workspace, is or lies in.
pub(crate) fn find_protected_place(path: &Path) -> Option<&'static str> {
    path.components().find_map(|part| {
        let part = part.as_os_str();
        // File systems that ignore case make `.GIT` the same directory.
        PROTECTED.into_iter().find(|name| part.eq_ignore_ascii_case(name))
    })
}
