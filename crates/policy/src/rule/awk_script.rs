//! Scripts of awk that may run programs, read files or write them: `system()`, `getline`, a pipe, calls of functions by a name
//! that is computed, `ARGV`, and `print` to a file whose name is computed. What stands in strings and patterns is no code.

use super::RuleMatch;
use crate::shell::ShellWord;
use regex::Regex;
use std::sync::LazyLock;

static RUNS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)\b(system|getline|ARGV|ARGC|SYMTAB|FUNCTAB)\b|(^|[^|])\|([^|]|$)|@").ok());
static LOOKS_AROUND: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(ENVIRON|PROCINFO)\b").ok());
static PRINTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\bprintf?\b").ok());

/// Words behind which a slash begins a pattern, or may.
const BEFORE_PATTERN: [&str; 10] =
    ["case", "delete", "do", "else", "exit", "in", "length", "print", "printf", "return"];

/// Whether awk, told `words`, may run a program, or read or write a file that nobody named.
pub(super) fn is_unclear(words: &[ShellWord]) -> RuleMatch {
    let may_run = |word: &ShellWord| {
        let text = word.display_text();
        let code = word.literal().and_then(code_of);
        let runs = RUNS.as_ref().is_none_or(|runs| runs.is_match(code.as_deref().unwrap_or(text)));
        runs || code.map_or(text.contains('>'), |code| prints_to_computed_name(&code))
    };
    if behind_separator(words).iter().any(may_run) { RuleMatch::Yes } else { RuleMatch::No }
}

/// Whether `script` does nothing but compute with what awk reads, and prints it: no file, no program, no environment.
pub(crate) fn only_computes(script: &str) -> bool {
    let Some(code) = code_of(script) else { return false };
    let may = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_none_or(|regex| regex.is_match(&code));
    let prints_elsewhere = |statement: &str| match PRINTS.as_ref() {
        Some(prints) => prints.find(statement).is_some_and(|print| statement[print.end()..].contains('>')),
        None => true,
    };
    !may(&RUNS) && !may(&LOOKS_AROUND) && !code.split([';', '{', '}', '\n']).any(prints_elsewhere)
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

/// `script` with nothing in its strings, and without patterns and comments. `None` where what a slash or a quote means cannot be
/// told.
fn code_of(script: &str) -> Option<String> {
    let mut code = String::new();
    let mut rest = script;
    while let Some(char) = rest.chars().next() {
        let behind = &rest[char.len_utf8()..];
        rest = match char {
            '"' => {
                code.push_str("\"\"");
                behind_text(behind, '"')?
            }
            '#' => behind.find('\n').map_or("", |end| &behind[end..]),
            '/' if begins_pattern(&code)? => {
                code.push_str("//");
                behind_text(behind, '/')?
            }
            _ => {
                code.push(char);
                behind
            }
        };
    }
    Some(code)
}

/// Whether a slash behind `code` begins a pattern; if not, it divides.
fn begins_pattern(code: &str) -> Option<bool> {
    let before = code.trim_end_matches([' ', '\t']);
    let Some(last) = before.chars().next_back() else { return Some(true) };
    // Behind `x++` it divides for some, and a line that goes on ends nothing.
    if ["++", "--", "\\\n", "\\\r\n"].iter().any(|end| before.ends_with(end)) {
        return None;
    }
    let is_in_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    match last {
        _ if "\n(,{};!~&|=<>+-*%?:".contains(last) => Some(true),
        ']' => Some(false),
        _ if is_in_word(last) => {
            let word = before.rsplit(|char| !is_in_word(char)).next().unwrap_or_default();
            (!BEFORE_PATTERN.contains(&word)).then_some(false)
        }
        _ => None,
    }
}

/// What stands behind the `end` of a string or a pattern. Whether one between brackets ends a pattern is not the same everywhere.
fn behind_text(text: &str, end: char) -> Option<&str> {
    let mut is_quoted = false;
    let mut in_brackets = false;
    for (at, char) in text.char_indices() {
        match char {
            _ if is_quoted => is_quoted = false,
            '\\' => is_quoted = true,
            '\n' => return None,
            _ if char == end && in_brackets => return None,
            _ if char == end => return Some(&text[at + char.len_utf8()..]),
            '[' if end == '/' => in_brackets = true,
            ']' => in_brackets = false,
            _ => {}
        }
    }
    None
}

/// Whether `code` prints to a file that is named by more than one string.
fn prints_to_computed_name(code: &str) -> bool {
    let prints = |statement: &str| PRINTS.as_ref().is_none_or(|prints| prints.is_match(statement));
    let is_named = |statement: &str| statement.rsplit('>').next().is_some_and(|name| name.trim() == "\"\"");
    let mut statements = code.split([';', '{', '}', '\n']).filter(|statement| statement.contains('>'));
    statements.any(|statement| prints(statement) && !is_named(statement))
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
            // In strings and patterns these are no code.
            ("awk '/a|b/' f", false),
            ("awk '/a|b/ {n++} /@/ {print $1 \"|\" $2}' f", false),
            ("awk '$1 ~ /x|y/ && $2 > 5 {print $3 / 2}' f", false),
            ("awk '{print \"a#b\"} # x | y' f", false),
            ("awk '{print > \"out.txt\"}' f", false),
            ("awk '$1 == \"system\"' f", false),
            ("awk '{print > \".gi\" \"t/config\"}' f", true),
            ("awk '{printf(\"x\") >> FILENAME}' f", true),
            ("awk 'BEGIN{ARGV[1]=\".e\" \"nv\"; ARGC=2} {print}' f", true),
            ("awk '{print \"x\\\\\" | \"sh\"}' f", true),
            ("awk '{print \"x\\\"\" | \"sh\"}' f", true),
            ("awk '{x = a / b | \"sh\" / c}' f", true),
            ("awk '{if (x) /\"/; \"touch M\" | getline #\"}' f", true),
            ("awk '{print /\"/; \"touch M\" | getline #\"}' f", true),
            ("awk '/[/]/ | \"sh\" #/' f", true),
            ("awk '/\\// {print | \"sh\"}' f", true),
            ("awk '{x++ / 1; system(\"x\"); y = 1 / 1}' f", true),
            ("awk '{x-- /1; print | \"sh\"; y=1/1}' f", true),
            ("awk '{x = 5 \\\n/ 2; system(\"x\"); y = 1 / 1}' f", true),
            ("awk '{x++; print $1 / 2}\n/a/ {print}' f", false),
        ] {
            let script = crate::shell::read(command);
            assert_eq!(is_unclear(&script.commands[0].words[1..]) == RuleMatch::Yes, unclear, "{command}");
        }
    }
}
