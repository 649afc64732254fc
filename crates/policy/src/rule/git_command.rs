//! Which command of git's a rule is held against. Git has more commands than anybody knows, and a repository's configuration
//! adds names of its own for them and for programs: only those in `built_in.toml` are known to be what they are called.

use super::RuleMatch;
use crate::built_in;
use crate::shell::ShellWord;

/// Git's own options whose value is the next word.
const VALUED: [&str; 7] = ["-C", "-c", "--attr-source", "--config-env", "--git-dir", "--namespace", "--work-tree"];

/// The word that names the command among `words`, which stand behind `git`. `None` when there is none.
fn command_word(words: &[ShellWord]) -> Option<&ShellWord> {
    let mut words = words.iter();
    loop {
        let word = words.next()?;
        match word.literal() {
            Some(option) if VALUED.contains(&option) => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            Some(_) | None => return Some(word),
        }
    }
}

/// Whether git, told `words`, runs something else than one of its commands that are known.
pub(super) fn is_unlisted(words: &[ShellWord]) -> RuleMatch {
    match command_word(words).map(ShellWord::literal) {
        None => RuleMatch::No,
        Some(None) => RuleMatch::Maybe,
        Some(Some(command)) if built_in::facts().is_git_command(command) => RuleMatch::No,
        Some(Some(_)) => RuleMatch::Yes,
    }
}
