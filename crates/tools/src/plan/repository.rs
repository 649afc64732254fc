//! Git without a question: only in the workspace's own repository, only if nothing in its configuration runs a program, and
//! without the content of files whose names are protected, now or in the past.

use super::git_config::{ConfigScope, check_config};
use super::{PlanObjection, ResolvedWord, WordRole, reads};
use crate::process::RunnableWord;
use crate::process_environment::ProcessEnvironment;
use crate::workspace::{Workspace, secret_patterns};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use pollux_files::read_text;
use pollux_session::ReadKind;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Said before the command: no repository that merely looks like one, and nothing that a configuration could have run.
const GLOBAL_ARGUMENTS: [&str; 15] = [
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
    "log.follow=false",
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
/// With it git passes over commits, and over others where paths are left out.
const PASSES_OVER_COMMITS: &str = "--simplify-by-decoration";
/// Commands that only look: they show the content of files or, by options, can.
const LOOKING_COMMANDS: [&str; 6] = ["branch", "diff", "log", "show", "status", "whatchanged"];
/// The most colons in a word: each of them may stand before the name of a file.
const MAX_COLONS: usize = 16;
/// The longest file of git's that is read here.
const MAX_BYTES: u64 = 64 * 1024;
/// The workspace's own repository, found to be harmless.
pub(super) struct GitAccess {
    workspace: PathBuf,
    /// Files of the person's own that git reads.
    own_files: Vec<PathBuf>,
}

impl GitAccess {
    /// The repository that git would find from `directory`, if it is the workspace's own.
    pub(super) fn of(workspace: &Workspace, directory: &Path) -> Result<GitAccess, PlanObjection> {
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
        check_own_configuration(&git_dir)?;
        let mut own_files = own_configuration();
        for path in own_configuration() {
            own_files.extend(check_config(&path, ConfigScope::Person)?.map(|path| expand_home(&path)));
        }
        own_files.extend(own_patterns());
        Ok(GitAccess { workspace: root.to_owned(), own_files })
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
fn environment_in(root: &Path) -> [(OsString, OsString); 4] {
    let ceiling = root.parent().unwrap_or(Path::new("/")).as_os_str().to_owned();
    [
        ("GIT_OPTIONAL_LOCKS".into(), "0".into()),
        ("GIT_NO_LAZY_FETCH".into(), "1".into()),
        ("GIT_CEILING_DIRECTORIES".into(), ceiling),
        // Instead of the one that the repository's configuration names.
        ("GIT_EDITOR".into(), "false".into()),
    ]
}

/// Whether git may be asked in `directory` about `operand`, a revision or a path: `HEAD:./file` is a file beside it, and a
/// name may have colons.
pub(super) fn check_operand(directory: &Path, operand: &str) -> Result<(), PlanObjection> {
    if operand.matches(':').count() > MAX_COLONS {
        return Err(PlanObjection::new(format!(
            "a name has more than {MAX_COLONS} colons, each of which may begin a path"
        )));
    }
    let tails = operand.match_indices(':').map(|(at, _)| &operand[at + 1..]);
    let parts = operand.split(':').chain(tails).chain([operand]);
    parts.flat_map(|part| [PathBuf::from(part), directory.join(part)]).try_for_each(|path| reads::check_name(&path))
}

/// The arguments of a git that runs in `directory`, which begin with the name of a command, with what keeps it harmless.
/// `prints_content` says whether the command prints content of files.
///
/// Paths stand behind `--`, so that git never compares two files outside of a repository. A revision must be a commit: by its
/// number alone a file could be anything. What is said to git comes after what the command says, and so has the last word.
pub(super) fn harmless_arguments(
    directory: &Path,
    words: Vec<ResolvedWord>,
    prints_content: bool,
) -> Result<Vec<RunnableWord>, PlanObjection> {
    let mut words = words.into_iter();
    let command = words.next();
    let verb = command.as_ref().and_then(ResolvedWord::text).unwrap_or_default().to_owned();
    let mut arguments: Vec<RunnableWord> = GLOBAL_ARGUMENTS.map(RunnableWord::text).into();
    arguments.extend(command.map(|command| command.word));
    let GitWords { options, operands, only_paths } = GitWords::sort(words);
    if prints_content && options.contains(&RunnableWord::text(PASSES_OVER_COMMITS)) {
        return Err(PlanObjection::new(format!(
            "with {PASSES_OVER_COMMITS} git would show other commits without a question"
        )));
    }
    arguments.extend(options);
    let mut paths = Vec::new();
    match verb.as_str() {
        "diff" | "log" | "show" => {
            arguments.extend(DIFF_ARGUMENTS.map(RunnableWord::text));
            let mut revisions = Vec::new();
            for operand in operands {
                match operand.role == WordRole::FoundName || is_path(&operand, directory) {
                    true => paths.push(operand),
                    false => revisions.push(commit_of(operand.text(), &verb)?),
                }
            }
            paths.extend(only_paths);
            let exceptions = if prints_content { exceptions_for(&paths, directory)? } else { Vec::new() };
            if paths.is_empty() && !exceptions.is_empty() && verb != "diff" {
                arguments.extend(ALL_COMMITS.map(RunnableWord::text));
            }
            arguments.extend(revisions);
            arguments.push(RunnableWord::text("--"));
            if paths.is_empty() && !exceptions.is_empty() {
                arguments.push(RunnableWord::text(":/"));
            }
            arguments.extend(paths.into_iter().map(ResolvedWord::into_pathspec));
            arguments.extend(exceptions);
        }
        _ => {
            if verb == "status" {
                arguments.extend(STATUS_ARGUMENTS.map(RunnableWord::text));
            }
            paths.extend(operands.into_iter().chain(only_paths));
            if !paths.is_empty() {
                arguments.push(RunnableWord::text("--"));
                arguments.extend(paths.into_iter().map(ResolvedWord::into_pathspec));
            }
        }
    }
    Ok(arguments)
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

    /// A name that was found is no pattern of git's own, whatever it looks like.
    fn into_pathspec(self) -> RunnableWord {
        match self.word.literal() {
            Some(name) if self.role == WordRole::FoundName => {
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
    operand
        .text()
        .is_some_and(|text| text.contains(['*', '?', '[', '\\']) || directory.join(text).symlink_metadata().is_ok())
}

/// A revision that can only be a commit, or for `git show` a file in one, whose name was checked.
fn commit_of(revision: Option<&str>, verb: &str) -> Result<RunnableWord, PlanObjection> {
    let unclear = |text: &str| PlanObjection::new(format!("what `{text}` is cannot be told from its name"));
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

/// How a git runs that a person allowed by its beginning.
pub(super) struct AllowedGit {
    pub(super) arguments: Vec<RunnableWord>,
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// What a git that a person allowed by its beginning is told, in a folder that they trust. What only looks runs no program of
/// the repository's. What shows content leaves out protected names; that takes a command which is understood, so
/// `prints_content` is known.
pub(super) fn allowed_git(
    directory: &Path,
    words: Vec<ResolvedWord>,
    prints_content: Option<bool>,
) -> Result<AllowedGit, PlanObjection> {
    let verb = words.first().and_then(ResolvedWord::text).unwrap_or_default().to_owned();
    let looks = |word: &ResolvedWord| word.text().is_some_and(|text| LOOKING_COMMANDS.contains(&text));
    // Its own options stand before the command, which may be any word then.
    let is_looking = words.iter().take(if verb.starts_with('-') { words.len() } else { 1 }).any(looks);
    let plain = |words: Vec<ResolvedWord>| words.into_iter().map(|word| word.word);
    check_checkout(directory, &verb, &words)?;
    check_push(directory, &words)?;
    match (verb.as_str(), prints_content) {
        _ if !is_looking => {
            let arguments = NO_PLANTED_REPOSITORY.map(RunnableWord::text).into_iter().chain(plain(words)).collect();
            Ok(AllowedGit { arguments, environment: Vec::new() })
        }
        (_, Some(prints_content)) => {
            let root = check_repository_above(directory)?;
            let arguments = harmless_arguments(directory, words, prints_content)?;
            Ok(AllowedGit { arguments, environment: environment_in(&root).into() })
        }
        // It shows no content, whatever it is told, but it may change something.
        ("branch", None) => {
            let root = check_repository_above(directory)?;
            let arguments = GLOBAL_ARGUMENTS.map(RunnableWord::text).into_iter().chain(plain(words)).collect();
            let environment = environment_in(&root).into_iter().filter(|(name, _)| name != "GIT_OPTIONAL_LOCKS");
            Ok(AllowedGit { arguments, environment: environment.collect() })
        }
        (_, None) => Err(PlanObjection::new(
            "which files git would show cannot be told from how it is called: only this very command can be allowed",
        )),
    }
}

/// Git takes a folder that looks like a bare repository for one, with the configuration that lies there, unless told not to.
const NO_PLANTED_REPOSITORY: [&str; 2] = ["-c", "safe.bareRepository=explicit"];

/// Whether no word of a `git push` may name a folder: the hooks of the repository there would run.
fn check_push(directory: &Path, words: &[ResolvedWord]) -> Result<(), PlanObjection> {
    if !words.iter().any(|word| word.text() == Some("push")) {
        return Ok(());
    }
    let is_folder = |word: &&ResolvedWord| {
        let text = word.text().unwrap_or_default();
        let value = text.split_once('=').map_or(text, |(_, value)| value);
        let path = value.strip_prefix("file:").map_or(value, |path| path.trim_start_matches("//"));
        path != value || (!path.is_empty() && directory.join(path).is_dir())
    };
    match words.iter().find(is_folder) {
        Some(word) => Err(PlanObjection::new(format!(
            "the hooks of the repository in {} may run",
            word.text().unwrap_or("a folder")
        ))),
        None => Ok(()),
    }
}

/// Whether no word of a `git checkout` may name a file: what was changed there would be lost. A branch of the same name asks, too.
fn check_checkout(directory: &Path, verb: &str, words: &[ResolvedWord]) -> Result<(), PlanObjection> {
    let is_checkout = |word: &ResolvedWord| word.text() == Some("checkout");
    let loses = |name: &str| PlanObjection::new(format!("git would throw away what was changed in {name}"));
    match words {
        // Where it runs is known only to git.
        _ if verb.starts_with('-') && words.iter().any(is_checkout) => Err(loses("files that its words name")),
        [first, rest @ ..] if is_checkout(first) => {
            let path = rest.iter().find(|word| word.role == WordRole::FoundName || is_path(word, directory));
            path.map_or(Ok(()), |path| Err(loses(path.text().unwrap_or("a file"))))
        }
        _ => Ok(()),
    }
}

/// Whether nothing runs a program behind the back of a git that only looks, in the repository that it finds from `directory`.
/// Returns where its work tree is.
fn check_repository_above(directory: &Path) -> Result<PathBuf, PlanObjection> {
    let unreadable = |path: &Path| PlanObjection::new(format!("{} is not understood", path.display()));
    let found = directory.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
    let root = found.ok_or_else(|| PlanObjection::new("there is no git repository here"))?;
    let mut git_dir = root.join(".git");
    // A work tree beside another one, or a submodule.
    if !git_dir.is_dir() {
        let text = read_text(&git_dir, MAX_BYTES).map_err(|_| unreadable(&git_dir))?;
        let path = text.strip_prefix("gitdir: ").ok_or_else(|| unreadable(&git_dir))?;
        git_dir = root.join(without_line_ends(path));
    }
    // Where its objects, branches and most of its configuration are.
    let common_dir = match read_text(&git_dir.join("commondir"), MAX_BYTES) {
        Ok(common) => git_dir.join(without_line_ends(&common)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => git_dir.clone(),
        Err(_) => return Err(unreadable(&git_dir.join("commondir"))),
    };
    // Git passes by what is no repository for it, and looks further above.
    if !is_repository_of_git(&git_dir, &common_dir) {
        return Err(unreadable(&root.join(".git")));
    }
    check_own_configuration(&git_dir)?;
    check_own_configuration(&common_dir)?;
    Ok(root.to_owned())
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

fn check_own_configuration(git_dir: &Path) -> Result<(), PlanObjection> {
    for name in ["config", "config.worktree"] {
        check_config(&git_dir.join(name), ConfigScope::Repository)?;
    }
    Ok(())
}

/// What git is told to leave out. The patterns cover more than secrets, templates for example; who names such a file wants
/// to see it, so that asks.
fn exceptions_for(paths: &[ResolvedWord], directory: &Path) -> Result<Vec<RunnableWord>, PlanObjection> {
    let left_out = |path: &&ResolvedWord| path.text().is_none_or(|name| is_left_out(&directory.join(name)));
    match paths.iter().find(left_out) {
        Some(path) => {
            let name = path.text().unwrap_or("a name");
            Err(PlanObjection::new(format!("git is told to leave out names like {name} without a question")))
        }
        None => Ok(secret_exceptions().collect()),
    }
}

/// Whether one of the exceptions covers `path`.
fn is_left_out(path: &Path) -> bool {
    static EXCEPTIONS: LazyLock<Option<GlobSet>> = LazyLock::new(|| {
        let mut exceptions = GlobSetBuilder::new();
        for pattern in secret_patterns() {
            let glob =
                GlobBuilder::new(&format!("**/{pattern}")).case_insensitive(true).literal_separator(true).build();
            exceptions.add(glob.ok()?);
        }
        exceptions.build().ok()
    });
    EXCEPTIONS.as_ref().is_none_or(|exceptions| exceptions.is_match(path))
}

fn secret_exceptions() -> impl Iterator<Item = RunnableWord> {
    secret_patterns().map(|pattern| RunnableWord::text(format!(":(top,exclude,icase,glob)**/{pattern}")))
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

/// Whether a command with this kind of read prints content.
pub(super) fn is_repository(kind: ReadKind) -> bool {
    matches!(kind, ReadKind::Repository | ReadKind::RepositoryContent)
}

#[cfg(test)]
mod tests;
