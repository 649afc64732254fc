//! Git without a question: only in the workspace's own repository, and only if nothing in its configuration runs a program.

use super::git_config::{GitConfig, Scope};
use super::git_index::tracked_names;
use super::{Objection, reads};
use crate::process::RunnableWord;
use crate::process_environment::ProcessEnvironment;
use crate::workspace::Workspace;
use pollux_session::{PlannedWord, ReadKind};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Said before the command: no repository that merely looks like one, and nothing that a configuration could have run.
const GLOBAL_ARGUMENTS: [&str; 13] = [
    "--no-pager",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "status.submoduleSummary=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.attributesFile=/dev/null",
];

/// Said to commands that show differences.
const DIFF_ARGUMENTS: [&str; 3] = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
/// Said to `git status`.
const STATUS_ARGUMENTS: [&str; 1] = ["--ignore-submodules=all"];

/// The workspace's own repository, found to be harmless.
pub(super) struct GitAccess {
    workspace: PathBuf,
    git_dir: PathBuf,
}

impl GitAccess {
    /// The repository that git would find from `directory`, if it is the workspace's own.
    pub(super) fn of(workspace: &Workspace, directory: &Path) -> Result<GitAccess, Objection> {
        let root = workspace.own_path();
        let inside = directory.strip_prefix(root);
        let inside = inside.map_err(|_| Objection::new(format!("{} is not in the workspace", directory.display())))?;
        if inside.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git")) {
            return Err(Objection::new("git would run inside a repository's own files"));
        }
        for between in directory.ancestors().take_while(|path| *path != root) {
            if between.join(".git").symlink_metadata().is_ok() {
                let why = format!("{} is another repository than the workspace's own", between.display());
                return Err(Objection::new(why));
            }
        }
        let git_dir = root.join(".git");
        if !git_dir.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(Objection::new("the workspace has no git repository of its own"));
        }
        for linked in ["commondir", "gitdir"] {
            if git_dir.join(linked).symlink_metadata().is_ok() {
                return Err(Objection::new("the repository is a part of another one"));
            }
        }
        let access = GitAccess { workspace: root.to_owned(), git_dir };
        access.check_configuration()?;
        Ok(access)
    }

    fn check_configuration(&self) -> Result<(), Objection> {
        for name in ["config", "config.worktree"] {
            GitConfig::check(&self.git_dir.join(name), Scope::Repository)?;
        }
        for path in global_configuration() {
            GitConfig::check(&path, Scope::Person)?;
        }
        Ok(())
    }

    /// Whether git may be asked about `path`, a revision or a path of the work tree.
    pub(super) fn check_read(&self, path: &PlannedWord, kind: ReadKind) -> Result<(), Objection> {
        let written = super::written(path);
        for part in written.split(':') {
            reads::check_name(Path::new(part))?;
        }
        if kind == ReadKind::RepositoryContent {
            for name in tracked_names(&self.git_dir.join("index"))? {
                reads::check_name(Path::new(&name)).map_err(|objection| Objection {
                    why: format!("git may print a tracked file: {}", objection.why),
                    ..objection
                })?;
            }
        }
        Ok(())
    }

    /// Put what keeps git harmless into `words`, which begin with `git` and the name of a command.
    pub(super) fn insert_arguments(&self, words: &mut Vec<RunnableWord>) {
        let command = words.get(1).and_then(RunnableWord::literal).and_then(|text| text.to_str()).map(str::to_owned);
        let own: &[&str] = match command.as_deref() {
            Some("diff" | "log" | "show") => &DIFF_ARGUMENTS,
            Some("status") => &STATUS_ARGUMENTS,
            _ => &[],
        };
        let after_command = 2.min(words.len());
        words.splice(after_command..after_command, own.iter().map(|text| RunnableWord::text(*text)));
        words.splice(1..1, GLOBAL_ARGUMENTS.map(RunnableWord::text));
    }

    pub(super) fn environment(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let ceiling = self.workspace.parent().unwrap_or(Path::new("/")).as_os_str().to_owned();
        [
            ("GIT_OPTIONAL_LOCKS".into(), "0".into()),
            ("GIT_NO_LAZY_FETCH".into(), "1".into()),
            ("GIT_CEILING_DIRECTORIES".into(), ceiling),
        ]
        .into_iter()
    }

    /// The person's own configuration, which git reads besides the repository.
    pub(super) fn readable_files(&self) -> impl Iterator<Item = PathBuf> {
        global_configuration().into_iter().chain(global_patterns())
    }
}

fn global_configuration() -> Vec<PathBuf> {
    let home = home();
    let own = home.iter().flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    own.chain([PathBuf::from("/etc/gitconfig")]).collect()
}

fn global_patterns() -> Vec<PathBuf> {
    let home = home();
    home.iter().flat_map(|home| [home.join(".config/git/ignore"), home.join(".config/git/attributes")]).collect()
}

fn home() -> Option<PathBuf> {
    ProcessEnvironment::original().get_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}
