//! Which command of git's a rule is held against. Git has more commands than anybody knows, and a repository's configuration
//! adds names of its own for them and for programs: only those in `built_in.toml` are known to be what they are called.

use super::RuleMatch;
use crate::built_in;
use crate::shell::{self, ShellWord};

/// Whether git, told `words`, runs something else than one of its commands that are known.
pub(super) fn is_unlisted(words: &[ShellWord]) -> RuleMatch {
    match shell::find_git_command(words).map(ShellWord::literal) {
        None => RuleMatch::No,
        Some(None) => RuleMatch::Maybe,
        Some(Some(command)) if built_in::facts().is_git_command(command) => RuleMatch::No,
        Some(Some(_)) => RuleMatch::Yes,
    }
}
