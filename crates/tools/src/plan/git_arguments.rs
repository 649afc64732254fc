//! What a git that only looks is told: nothing that runs a program, and to leave out the content of files whose names are
//! protected, now or in the past.

use super::{PlanObjection, ResolvedWord, WordRole, reads};
use crate::process::RunnableWord;
use crate::workspace::secret_patterns;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Said before the command: no repository that merely looks like one, and nothing that a configuration could have run.
pub(super) const GLOBAL_ARGUMENTS: [&str; 15] = [
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
/// Said to `git grep`.
const GREP_ARGUMENTS: [&str; 2] = ["--no-recurse-submodules", "--no-textconv"];
/// Said to `git blame`. A file of revisions that a configuration names may be a link, and what is no revision in it is shown.
const BLAME_ARGUMENTS: [&str; 2] = ["--no-ignore-revs-file", "--no-textconv"];
/// The most colons in a word: each of them may stand before the name of a file.
const MAX_COLONS: usize = 16;

/// Git's own options, which stand before its command, and the words behind them.
pub(super) struct GitCall {
    pub(super) own_options: Vec<RunnableWord>,
    /// Where they lead: the value of `-C`.
    pub(super) goes_to: Option<PathBuf>,
    /// The command first.
    pub(super) words: Vec<ResolvedWord>,
}

impl GitCall {
    /// Whether it shows where other repositories are.
    pub(super) fn prints_addresses(&self) -> bool {
        let mut texts = self.words.iter().filter_map(ResolvedWord::text);
        match texts.next() {
            Some("remote") => texts.next().is_some(),
            Some("config") => texts.any(|text| text.starts_with("remote.")),
            _ => false,
        }
    }

    /// The parts of `words`, which stand behind `git` and are understood, so that no other option stands there.
    pub(super) fn split(words: Vec<ResolvedWord>) -> GitCall {
        let mut call = GitCall { own_options: Vec::new(), goes_to: None, words: Vec::new() };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.text() {
                Some("-C") => {
                    let directory = words.next();
                    call.goes_to = directory.as_ref().and_then(ResolvedWord::text).map(PathBuf::from);
                    call.own_options.extend([word.word].into_iter().chain(directory.map(|directory| directory.word)));
                }
                Some(text) if text.starts_with('-') => call.own_options.push(word.word),
                _ => {
                    call.words = [word].into_iter().chain(words).collect();
                    break;
                }
            }
        }
        call
    }
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
    match verb.as_str() {
        "diff" | "grep" | "log" | "show" => {
            let words = GitWords::sort(words);
            arguments.extend(words.with_revisions(&verb, directory, prints_content)?);
        }
        "ls-files" | "status" => {
            let GitWords { options, operands, only_paths } = GitWords::sort(words);
            arguments.extend(options);
            if verb == "status" {
                arguments.extend(STATUS_ARGUMENTS.map(RunnableWord::text));
            }
            let mut paths = operands.into_iter().chain(only_paths).peekable();
            if paths.peek().is_some() {
                arguments.push(RunnableWord::text("--"));
            }
            arguments.extend(paths.map(ResolvedWord::into_pathspec));
        }
        _ => {
            if verb == "blame" {
                arguments.extend(BLAME_ARGUMENTS.map(RunnableWord::text));
            }
            arguments.extend(words.map(|word| word.word));
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
                _ if has_ended => sorted.only_paths.push(word),
                // No value of an option begins with a dash, so this is the end of the options.
                WordRole::Option if word.text() == Some("--") => has_ended = true,
                WordRole::Option => sorted.options.push(word.word),
                WordRole::Operand | WordRole::FoundName => sorted.operands.push(word),
            }
        }
        sorted
    }

    /// The words of a command that takes revisions and paths, in an order that leaves no doubt which is which.
    fn with_revisions(
        self,
        verb: &str,
        directory: &Path,
        prints_content: bool,
    ) -> Result<Vec<RunnableWord>, PlanObjection> {
        let GitWords { options, operands, only_paths } = self;
        let is_search = verb == "grep";
        let fixed = if is_search { &GREP_ARGUMENTS[..] } else { &DIFF_ARGUMENTS[..] };
        let fixed: Vec<RunnableWord> = fixed.iter().map(RunnableWord::text).collect();
        // The last of what a search is told is its pattern, behind which no option is one any more.
        let mut arguments = if is_search { [fixed, options].concat() } else { [options, fixed].concat() };
        let (mut paths, mut revisions) = (Vec::new(), Vec::new());
        for operand in operands {
            match operand.role == WordRole::FoundName || is_path(&operand, directory) {
                true => paths.push(operand),
                false => revisions.push(commit_of(operand.text(), verb)?),
            }
        }
        paths.extend(only_paths);
        let exceptions = if prints_content { exceptions_for(&paths, directory)? } else { Vec::new() };
        if paths.is_empty() && !exceptions.is_empty() && matches!(verb, "log" | "show") {
            arguments.extend(ALL_COMMITS.map(RunnableWord::text));
        }
        arguments.extend(revisions);
        arguments.push(RunnableWord::text("--"));
        if paths.is_empty() && !exceptions.is_empty() {
            // What git would look at without any path.
            arguments.push(RunnableWord::text(if is_search { "." } else { ":/" }));
        }
        arguments.extend(paths.into_iter().map(ResolvedWord::into_pathspec));
        arguments.extend(exceptions);
        Ok(arguments)
    }
}

impl ResolvedWord {
    pub(super) fn text(&self) -> Option<&str> {
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
pub(super) fn is_path(operand: &ResolvedWord, directory: &Path) -> bool {
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
        // The difference of two directories has paths that begin below them, so protected names are not recognised. Git takes
        // two dots for such a difference wherever they stand.
        let is_file = verb == "show" && !commit.is_empty() && !text.contains("..");
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
