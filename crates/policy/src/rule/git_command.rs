//! Which command of git's a rule is held against. Git has more commands than anybody knows, and a repository's configuration
//! adds names of its own for them and for programs: only those in `built_in.toml` are known to be what they are called.

use super::RuleMatch;
use crate::built_in;
use crate::shell::{self, ShellWord, SimpleCommand};

/// Whether git, told `words`, runs something else than one of its commands that are known.
pub(super) fn is_unlisted(words: &[ShellWord]) -> RuleMatch {
    match shell::find_git_command(words).map(ShellWord::literal) {
        None => RuleMatch::No,
        Some(None) => RuleMatch::Maybe,
        Some(Some(command)) if built_in::facts().is_git_command(command) => RuleMatch::No,
        Some(Some(_)) => RuleMatch::Yes,
    }
}

/// The words of a command of git's that is started as a program of its own (`/usr/lib/git-core/git-push`), as git has them.
pub(super) fn with_command(part: &SimpleCommand) -> Option<Vec<ShellWord>> {
    let path = part.name()?;
    let command = path.rsplit('/').next().unwrap_or(path).strip_prefix("git-")?;
    let named = ["git", command].map(ShellWord::fixed);
    Some(named.into_iter().chain(part.words[1..].iter().cloned()).collect())
}
