//! Git that a person allowed by how it begins.

use super::git_arguments::{GLOBAL_ARGUMENTS, harmless_arguments, is_path};
use super::lookups::PlanLookups;
use super::push_targets::check_remotes;
use super::repository::{check_repository_above, environment_in};
use super::{PlanObjection, ResolvedWord, WordRole};
use crate::process::RunnableWord;
use std::ffi::OsString;
use std::path::Path;

/// Commands that only look: they show the content of files or, by options, can.
const LOOKING_COMMANDS: [&str; 6] = ["branch", "diff", "log", "show", "status", "whatchanged"];

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
    lookups: &PlanLookups,
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
            let root = check_repository_above(directory, lookups)?;
            let arguments = harmless_arguments(directory, words, prints_content)?;
            Ok(AllowedGit { arguments, environment: environment_in(&root).into() })
        }
        // It shows no content, whatever it is told, but it may change something.
        ("branch", None) => {
            let root = check_repository_above(directory, lookups)?;
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

/// Whether no word of a `git push` may name a folder, or a remote that is one: the hooks of the repository there would run.
fn check_push(directory: &Path, words: &[ResolvedWord]) -> Result<(), PlanObjection> {
    let is_stash = words.first().is_some_and(|word| word.text() == Some("stash"));
    let Some(at) = words.iter().position(|word| word.text() == Some("push")).filter(|_| !is_stash) else {
        return Ok(());
    };
    let has_own_options = words[0].text().is_some_and(|word| word.starts_with('-'));
    if has_own_options && words[..at].iter().any(|word| word.text().is_some_and(|text| text.starts_with("-C"))) {
        return Err(PlanObjection::new("where it goes cannot be told: another repository may be meant"));
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
        None => check_remotes(directory, &words[at + 1..]),
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
