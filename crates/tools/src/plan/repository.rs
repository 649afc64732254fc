//! Git without a question: only in the workspace's own repository, only if nothing in its configuration runs a program, and
//! without the content of files whose names are protected, now or in the past.

use super::git_config::{ConfigScope, check_config};
use super::{Objection, reads};
use crate::process::RunnableWord;
use crate::process_environment::ProcessEnvironment;
use crate::workspace::{Workspace, secret_patterns};
use pollux_files::read_text;
use pollux_session::{PlannedRead, PlannedWord, ReadKind};
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
/// The longest file of git's that is read here.
const MAX_BYTES: u64 = 64 * 1024;

/// The workspace's own repository, found to be harmless.
pub(super) struct GitAccess {
    workspace: PathBuf,
    directory: PathBuf,
    /// Files of the person's own that git reads.
    own_files: Vec<PathBuf>,
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
        check_repository(&git_dir)?;
        for name in ["config", "config.worktree"] {
            check_config(&git_dir.join(name), ConfigScope::Repository)?;
        }
        let mut own_files = own_configuration();
        for path in own_configuration() {
            own_files.extend(check_config(&path, ConfigScope::Person)?.map(|path| expand_home(&path)));
        }
        own_files.extend(own_patterns());
        Ok(GitAccess { workspace: root.to_owned(), directory: directory.to_owned(), own_files })
    }

    /// Whether git may be asked about `path`, a revision or a path of the work tree.
    pub(super) fn check_read(&self, path: &PlannedWord) -> Result<(), Objection> {
        let written = super::written(path);
        // `HEAD^{blob}` and its like could be the content of any file.
        if written.contains("^{") {
            return Err(Objection::new(format!("what `{written}` is cannot be told from its name")));
        }
        written.split(':').try_for_each(|part| reads::check_name(Path::new(part)))
    }

    /// Put what keeps git harmless into `words`, which begin with `git` and the name of a command. `reads` has its operands.
    ///
    /// Paths stand behind `--`, with all protected names excepted, so that git prints none of them, whichever tree it looks
    /// at, and never compares two files outside of a repository. A revision must be a commit: by its number alone a file
    /// could be anything.
    pub(super) fn insert_arguments(&self, words: &mut Vec<RunnableWord>, reads: &[PlannedRead]) {
        let command = words.get(1).and_then(RunnableWord::literal).and_then(|text| text.to_str()).map(str::to_owned);
        match command.as_deref() {
            Some("diff" | "log" | "show") => {
                let rest = words.split_off(2);
                words.extend(DIFF_ARGUMENTS.map(RunnableWord::text));
                words.extend(self.sorted(rest, reads));
            }
            Some("status") => {
                words.splice(2..2, STATUS_ARGUMENTS.map(RunnableWord::text));
            }
            _ => {}
        }
        words.splice(1..1, GLOBAL_ARGUMENTS.map(RunnableWord::text));
    }

    /// The words of a command that shows differences: options, revisions, `--`, paths, exceptions.
    fn sorted(&self, words: Vec<RunnableWord>, reads: &[PlannedRead]) -> Vec<RunnableWord> {
        let operands: Vec<String> = reads.iter().map(|read| super::written(&read.path)).collect();
        let (mut options, mut revisions, mut paths) = (Vec::new(), Vec::new(), Vec::new());
        let mut only_paths = false;
        for word in words {
            let text = word.literal().and_then(|text| text.to_str()).unwrap_or_default().to_owned();
            let is_operand = only_paths || operands.contains(&text);
            if !only_paths && text == "--" {
                only_paths = true;
            } else if !is_operand {
                options.push(word);
            } else if only_paths || self.directory.join(&text).symlink_metadata().is_ok() {
                paths.push(word);
            } else if text.contains(':') {
                revisions.push(word);
            } else {
                revisions.push(RunnableWord::text(format!("{text}^{{commit}}")));
            }
        }
        if paths.is_empty() {
            paths.push(RunnableWord::text(":/"));
        }
        let exceptions = secret_patterns().map(|pattern| format!(":(top,exclude,icase,glob)**/{pattern}"));
        let behind = paths.into_iter().chain(exceptions.map(RunnableWord::text));
        options.into_iter().chain(revisions).chain([RunnableWord::text("--")]).chain(behind).collect()
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

    /// The person's own files, which git reads besides the repository.
    pub(super) fn readable_files(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.own_files.iter().cloned()
    }
}

/// Whether git would take the directory for a repository too. Outside of one, it compares any two files.
fn check_repository(git_dir: &Path) -> Result<(), Objection> {
    let is_directory = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let has_parts = is_directory(git_dir) && ["objects", "refs"].iter().all(|name| is_directory(&git_dir.join(name)));
    let head = read_text(&git_dir.join("HEAD"), MAX_BYTES).unwrap_or_default();
    let head = head.trim_end();
    let is_hash = head.len() == 40 && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !has_parts || !(is_hash || head.starts_with("ref: refs/")) {
        return Err(Objection::new("the workspace has no git repository of its own"));
    }
    for linked in ["commondir", "gitdir"] {
        if git_dir.join(linked).symlink_metadata().is_ok() {
            return Err(Objection::new("the repository is a part of another one"));
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

/// Whether a command with this kind of read prints content.
pub(super) fn is_repository(kind: ReadKind) -> bool {
    matches!(kind, ReadKind::Repository | ReadKind::RepositoryContent)
}

#[cfg(test)]
mod tests;
