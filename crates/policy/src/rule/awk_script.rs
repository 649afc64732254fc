//! Scripts of awk that may run programs: `system()`, `getline`, a pipe, and calls of functions by a name that is computed.

use super::RuleMatch;
use crate::shell::ShellWord;
use regex::Regex;
use std::sync::LazyLock;

static RUNS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?s)\bsystem\b|\bgetline\b|[^|]\|[^|]|@").ok());

/// Whether awk, told `words`, may run a program.
pub(super) fn is_unclear(words: &[ShellWord]) -> RuleMatch {
    let may_run = |word: &ShellWord| RUNS.as_ref().is_none_or(|runs| runs.is_match(word.display_text()));
    if behind_separator(words).iter().any(may_run) { RuleMatch::Yes } else { RuleMatch::No }
}

/// The words behind `-F` and what separates fields, which is often a pipe. Only where it stands first: elsewhere `-F` may be
/// the value of another option, and what follows it the script.
fn behind_separator(words: &[ShellWord]) -> &[ShellWord] {
    match words {
        [option, _, rest @ ..] if option.literal() == Some("-F") => rest,
        [option, rest @ ..] if option.literal().is_some_and(|text| text.starts_with("-F")) => rest,
        words => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_no_program_where_it_separates_fields() {
        for (command, unclear) in [
            ("awk -F'|' '{print $2}' f", false),
            ("awk -F '|' '{print $2}' f", false),
            ("awk -F ' | ' '{print $2}' f", false),
            ("awk -F' | ' '{print $2}' f", false),
            ("awk -F: '$1 || $2' f", false),
            ("awk -F'|' '{print | \"sh\"}' f", true),
            ("awk -F '|' '{print|\"sh\"}' f", true),
            ("awk -F x 'BEGIN{system(\"x\")}'", true),
            ("awk -Z -F 'BEGIN{system(\"x\")}'", true),
            ("awk '{\"x\"|getline}' f", true),
            ("awk '{@f(1)}' f", true),
        ] {
            let script = crate::shell::read(command);
            assert_eq!(is_unclear(&script.commands[0].words[1..]) == RuleMatch::Yes, unclear, "{command}");
        }
    }
}
