//! Git without a question: only in the workspace's own repository, only if nothing in its configuration runs a program, and
//! without the content of files whose names are protected, now or in the past.

use super::git_config::{ConfigScope, check_config};
use super::{Objection, ResolvedWord, WordRole, reads};
use crate::process::RunnableWord;
use crate::process_environment::ProcessEnvironment;
use crate::workspace::{Workspace, secret_patterns};
use globset::GlobBuilder;
use pollux_files::read_text;
use pollux_session::ReadKind;
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
const DIFF_ARGUMENTS: [&str; 4] = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--submodule=short"];
/// Said to `git log` and `git show` where paths are excepted and none are named: otherwise git passes over commits that
/// change nothing there, merges first of all.
const ALL_COMMITS: [&str; 2] = ["--full-history", "--sparse"];
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

    /// Whether git may be asked about `operand`, a revision or a path of the work tree.
    pub(super) fn check_operand(operand: &str) -> Result<(), Objection> {
        operand.split(':').try_for_each(|part| reads::check_name(Path::new(part)))
    }

    /// The arguments of git, which begin with the name of a command, with what keeps it harmless. `prints_content` says
    /// whether the command prints content of files.
    ///
    /// Paths stand behind `--`, so that git never compares two files outside of a repository. A revision must be a commit:
    /// by its number alone a file could be anything. What is said to git comes after what the command says, and so has the
    /// last word.
    pub(super) fn arguments(
        &self,
        words: Vec<ResolvedWord>,
        prints_content: bool,
    ) -> Result<Vec<RunnableWord>, Objection> {
        let mut words = words.into_iter();
        let command = words.next();
        let verb = command.as_ref().and_then(ResolvedWord::text).unwrap_or_default().to_owned();
        let mut arguments: Vec<RunnableWord> = GLOBAL_ARGUMENTS.map(RunnableWord::text).into();
        arguments.extend(command.map(|command| command.word));
        let GitWords { options, operands, only_paths } = GitWords::sort(words);
        arguments.extend(options);
        let mut paths = Vec::new();
        match verb.as_str() {
            "diff" | "log" | "show" => {
                arguments.extend(DIFF_ARGUMENTS.map(RunnableWord::text));
                let mut revisions = Vec::new();
                for operand in operands {
                    match operand.role == WordRole::FoundName || is_path(&operand, &self.directory) {
                        true => paths.push(operand),
                        false => revisions.push(commit_of(operand.text(), &verb)?),
                    }
                }
                paths.extend(only_paths);
                let exceptions = if prints_content { exceptions_of(&paths, &self.directory) } else { Vec::new() };
                if paths.is_empty() && !exceptions.is_empty() && verb != "diff" {
                    arguments.extend(ALL_COMMITS.map(RunnableWord::text));
                }
                arguments.extend(revisions);
                arguments.push(RunnableWord::text("--"));
                if paths.is_empty() && !exceptions.is_empty() {
                    arguments.push(RunnableWord::text(":/"));
                }
                let only_these = exceptions.is_empty() && prints_content;
                arguments.extend(paths.into_iter().map(|path| path.into_pathspec(only_these)));
                arguments.extend(exceptions);
            }
            _ => {
                if verb == "status" {
                    arguments.extend(STATUS_ARGUMENTS.map(RunnableWord::text));
                }
                paths.extend(operands.into_iter().chain(only_paths));
                if !paths.is_empty() {
                    arguments.push(RunnableWord::text("--"));
                    arguments.extend(paths.into_iter().map(|path| path.into_pathspec(false)));
                }
            }
        }
        Ok(arguments)
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

/// What a command of git's is told, apart from its name.
struct GitWords {
    options: Vec<RunnableWord>,
    /// Before a `--`: paths and revisions.
    operands: Vec<ResolvedWord>,
    /// Behind it.
    only_paths: Vec<ResolvedWord>,
}

impl GitWords {
    fn sort(words: impl Iterator<Item = ResolvedWord>) -> GitWords {
        let mut sorted = GitWords { options: Vec::new(), operands: Vec::new(), only_paths: Vec::new() };
        let mut has_ended = false;
        for word in words {
            match word.role {
                // No value of an option begins with a dash, so this is the end of the options.
                WordRole::Option if word.text() == Some("--") => has_ended = true,
                WordRole::Option => sorted.options.push(word.word),
                WordRole::Operand | WordRole::FoundName if has_ended => sorted.only_paths.push(word),
                WordRole::Operand | WordRole::FoundName => sorted.operands.push(word),
            }
        }
        sorted
    }
}

impl ResolvedWord {
    fn text(&self) -> Option<&str> {
        self.word.literal().and_then(|text| text.to_str())
    }

    /// A name that was found is no pattern of git's own, whatever it looks like, and neither is a path if it `is_name`.
    fn into_pathspec(self, is_name: bool) -> RunnableWord {
        match self.word.literal() {
            Some(name) if is_name || self.role == WordRole::FoundName => {
                let mut pathspec = OsString::from(":(literal)");
                pathspec.push(name);
                RunnableWord::text(pathspec)
            }
            _ => self.word,
        }
    }
}

/// Whether git takes a word for a path. A pattern of git's own can be nothing else.
fn is_path(operand: &ResolvedWord, directory: &Path) -> bool {
    operand.text().is_some_and(|text| text.contains(['*', '?', '[']) || directory.join(text).symlink_metadata().is_ok())
}

/// A revision that can only be a commit, or for `git show` a file in one, whose name was checked.
fn commit_of(revision: Option<&str>, verb: &str) -> Result<RunnableWord, Objection> {
    let unclear = |text: &str| Objection::new(format!("what `{text}` is cannot be told from its name"));
    let text = revision.ok_or_else(|| unclear("a word"))?;
    // `HEAD^{blob}` and its like could be the content of any file; `HEAD^!` and its like are no single commit.
    if text.contains("^{") || ["^!", "^@", "^-"].iter().any(|mark| text.contains(mark)) || ends_in_number(text) {
        return Err(unclear(text));
    }
    if let Some((commit, file)) = text.split_once(':') {
        // The difference of two directories has paths that begin below them, so protected names are not recognised.
        let is_file = verb == "show" && !commit.is_empty() && !commit.contains("..");
        return match is_file {
            true => Ok(RunnableWord::text(format!("{commit}^{{commit}}:{file}"))),
            false => Err(unclear(text)),
        };
    }
    let peeled = |side: &str| if side.is_empty() { String::new() } else { format!("{side}^{{commit}}") };
    let Some((from, to)) = text.split_once("..") else { return Ok(RunnableWord::text(peeled(text))) };
    // Git goes by the first two dots, too.
    let (dots, to) = to.strip_prefix('.').map_or(("..", to), |to| ("...", to));
    if to.contains("..") || ends_in_number(from) {
        return Err(unclear(text));
    }
    Ok(RunnableWord::text(format!("{}{dots}{}", peeled(from), peeled(to))))
}

/// Whether git would read `text` as what `git describe` prints, `v1.0-5-g1a2b3c`: the number of any object.
fn ends_in_number(text: &str) -> bool {
    let number = text.rsplit_once("-g").map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether the git command `verb` shows the content of files.
pub(super) fn shows_content(verb: &str) -> bool {
    matches!(verb, "diff" | "log" | "show")
}

/// The arguments of a git that a person allowed by its beginning. What only looks runs no programs of the repository's;
/// what shows content leaves out protected names, and a revision must be a commit. `prints_content` is not known of every
/// command. With a few options git takes no further paths; these name the one file they are about.
pub(super) fn without_secrets(
    words: Vec<ResolvedWord>,
    directory: &Path,
    prints_content: Option<bool>,
) -> Result<Vec<RunnableWord>, Objection> {
    let verb = words.first().and_then(ResolvedWord::text).unwrap_or_default().to_owned();
    if !shows_content(&verb) {
        let only_looks = matches!(verb.as_str(), "status" | "branch");
        let global = GLOBAL_ARGUMENTS.map(RunnableWord::text).into_iter().filter(|_| only_looks);
        return Ok(global.chain(words.into_iter().map(|word| word.word)).collect());
    }
    let takes_no_more = |word: &ResolvedWord| {
        word.text().is_some_and(|text| matches!(text, "--follow" | "--no-index") || text.starts_with("-L"))
    };
    let names_path = |word: &ResolvedWord| word.role == WordRole::FoundName || is_path(word, directory);
    let takes_exceptions = prints_content.unwrap_or(true) && !words.iter().any(takes_no_more);
    let has_paths = words.iter().skip(1).any(|word| names_path(word) || word.text() == Some("--"));
    let mut arguments: Vec<RunnableWord> = GLOBAL_ARGUMENTS.map(RunnableWord::text).into();
    arguments.push(RunnableWord::text(&verb));
    arguments.extend(["--no-ext-diff", "--no-textconv"].map(RunnableWord::text));
    if takes_exceptions && !has_paths && prints_content.is_some() && verb != "diff" {
        arguments.extend(ALL_COMMITS.map(RunnableWord::text));
    }
    for word in words.into_iter().skip(1) {
        let text = word.text().unwrap_or_default();
        let could_be_object = !text.starts_with('-') && (is_hex(text) || text.contains(':') || ends_in_number(text));
        arguments.push(match word.role {
            _ if names_path(&word) => word.word,
            WordRole::Operand => commit_of(word.text(), &verb)?,
            // Whether it is an operand is not known.
            _ if could_be_object => {
                return Err(Objection::new(format!("what `{text}` is cannot be told from its name")));
            }
            _ => word.word,
        });
    }
    arguments.extend(secret_exceptions().filter(|_| takes_exceptions));
    Ok(arguments)
}

/// What git is told to leave out. Nothing, where only files are named and one of them would be left out though it is no
/// secret, such as a template: the names were checked.
fn exceptions_of(paths: &[ResolvedWord], directory: &Path) -> Vec<RunnableWord> {
    let file = |path: &ResolvedWord| {
        let name = path.text()?;
        directory.join(name).symlink_metadata().is_ok_and(|found| found.is_file()).then(|| name.to_owned())
    };
    let files: Option<Vec<String>> = paths.iter().map(file).collect();
    match files.is_some_and(|files| files.iter().any(|file| is_left_out(Path::new(file)))) {
        true => Vec::new(),
        false => secret_exceptions().collect(),
    }
}

/// Whether one of the exceptions covers `path`.
fn is_left_out(path: &Path) -> bool {
    secret_patterns().any(|pattern| {
        let glob = GlobBuilder::new(&format!("**/{pattern}")).case_insensitive(true).literal_separator(true).build();
        glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
    })
}

/// Whether `text` could be the number of an object.
fn is_hex(text: &str) -> bool {
    text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn secret_exceptions() -> impl Iterator<Item = RunnableWord> {
    secret_patterns().map(|pattern| RunnableWord::text(format!(":(top,exclude,icase,glob)**/{pattern}")))
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
