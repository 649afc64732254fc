//! Scripts of awk that may run programs, read files or write them: `system()`, `getline`, a pipe, calls of functions by a name
//! that is computed, `ARGV`, and `print` to a file whose name is computed. What stands in strings and patterns is no code.
//! A script of which it is not certain what its tokens are is taken for one that does all of it.

mod tokens;

use super::RuleMatch;
use crate::shell::ShellWord;
use tokens::{AwkToken, tokenize};

/// Names by which a script runs programs, or reads files that nobody named.
const REACHES_OUT: [&str; 6] = ["system", "getline", "ARGV", "ARGC", "SYMTAB", "FUNCTAB"];
/// Names by which it looks at the environment.
const LOOKS_AROUND: [&str; 2] = ["ENVIRON", "PROCINFO"];
/// Statements that may write to a file.
const PRINTS: [&str; 2] = ["print", "printf"];
/// Words behind which a line goes on.
const GOES_ON: [&str; 3] = ["do", "else", "in"];

/// Whether awk, told `words`, may run a program, or read or write a file that nobody named.
pub(super) fn is_unclear(words: &[ShellWord]) -> RuleMatch {
    let may_run = |word: &ShellWord| match word.literal() {
        // An option may have a script attached to its letter.
        Some(text) if !text.starts_with('-') => match tokenize(text) {
            Some(tokens) => has_word(&tokens, &REACHES_OUT) || pipes(&tokens) || redirects(&tokens, Redirects::Unclear),
            None => text_may_run(text),
        },
        Some(_) | None => text_may_run(word.display_text()),
    };
    if behind_separator(words).iter().any(may_run) { RuleMatch::Yes } else { RuleMatch::No }
}

/// Whether `script` does nothing but compute with what awk reads, and prints it: no file, no program, no environment.
pub(crate) fn only_computes(script: &str) -> bool {
    tokenize(script).is_some_and(|tokens| {
        let reaches_out = has_word(&tokens, &REACHES_OUT) || has_word(&tokens, &LOOKS_AROUND) || pipes(&tokens);
        !reaches_out && !redirects(&tokens, Redirects::All)
    })
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

/// Whether `text`, of which it is not certain what it is, may be a script that reaches out, whatever stands in strings there. Most
/// such words are names of files.
fn text_may_run(text: &str) -> bool {
    let is_letter = |char: char| char.is_ascii_alphabetic() || char == '_';
    // Behind the digits of a hexadecimal number a name may begin, and behind the letter of an option.
    let may_begin_anywhere = text.starts_with('-') || text.contains("0x") || text.contains("0X");
    let has_name = |name: &&str| {
        text.match_indices(*name).any(|(at, _)| {
            let begins = may_begin_anywhere || !text[..at].ends_with(is_letter);
            begins && !text[at + name.len()..].starts_with(|char: char| is_letter(char) || char.is_ascii_digit())
        })
    };
    let has_pipe = text.replace("||", "").contains('|');
    has_pipe || text.contains(['@', '>']) || text.contains("\\\n") || REACHES_OUT.iter().any(has_name)
}

fn has_word(tokens: &[AwkToken<'_>], words: &[&str]) -> bool {
    tokens.iter().any(|token| matches!(token, AwkToken::Word(word) if words.contains(word)))
}

fn pipes(tokens: &[AwkToken<'_>]) -> bool {
    tokens.contains(&AwkToken::Symbol("|"))
}

/// Which redirections are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Redirects {
    All,
    /// Those to a file that is named by anything but one plain string.
    Unclear,
}

/// Whether a `print` among `tokens` writes to a file. It does by a `>` that stands behind it in the same statement, and in no
/// parentheses that begin behind it.
fn redirects(tokens: &[AwkToken<'_>], which: Redirects) -> bool {
    let (mut depth, mut print_depth) = (0_usize, None);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            AwkToken::Symbol("(") => depth += 1,
            AwkToken::Symbol(")") => depth = depth.saturating_sub(1),
            AwkToken::Symbol(";" | "}") => print_depth = None,
            AwkToken::LineEnd if ends_statement(&tokens[..at]) => print_depth = None,
            AwkToken::Word(word) if PRINTS.contains(word) => print_depth = Some(depth),
            AwkToken::Symbol(">") => {
                let writes = print_depth.is_some_and(|print_depth| depth <= print_depth);
                if writes && (which == Redirects::All || !is_plainly_named(&tokens[at + 1..])) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether a line may end behind `tokens`: where more has to follow it goes on.
fn ends_statement(tokens: &[AwkToken<'_>]) -> bool {
    match tokens.last() {
        None | Some(AwkToken::Number | AwkToken::Text { .. } | AwkToken::Pattern | AwkToken::LineEnd) => true,
        Some(AwkToken::Word(word)) => !GOES_ON.contains(word),
        Some(AwkToken::Symbol(symbol)) => [")", "]"].contains(symbol),
    }
}

/// Whether what stands behind a `>` is one string without a backslash, and nothing else.
fn is_plainly_named(behind: &[AwkToken<'_>]) -> bool {
    let behind = behind.strip_prefix(&[AwkToken::Symbol(">")]).unwrap_or(behind);
    match behind {
        [AwkToken::Text { is_plain: true }, rest @ ..] => {
            matches!(rest.first(), None | Some(AwkToken::LineEnd | AwkToken::Symbol(";" | "}")))
        }
        _ => false,
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
            // A number ends where a name begins.
            ("awk 'BEGIN{x=1system(\"id\")}' f", true),
            ("awk 'BEGIN{x=1getline<\"f\"}' f", true),
            ("awk 'BEGIN{x=0xfsystem(\"id\")}' f", true),
            ("awk -e'system(\"id\")' f", true),
            // Brackets that do not end where they seem to.
            ("awk '/[^]/]\"/ || system(\"id\"); #\"' f", true),
            ("awk '/[]/]\"/ || system(\"id\"); #\"' f", true),
            ("awk '/[[:alpha:]/]\"/ || system(\"id\"); #\"' f", true),
            ("awk '{x = case /1; system(\"x\"); y = 1/ 2}' f", true),
            // Statements that go on.
            ("awk '{print \"x\",\n\"y\" > (\".gi\" \"t/x\")}' f", true),
            ("awk '{print \"x\" \\\n> (\".gi\" \"t/x\")}' f", true),
            ("awk '{print \"x\" ||\n1 > (\".gi\" \"t/x\")}' f", true),
            ("awk '{print \"x\"\n> (\".gi\" \"t/x\")}' f", true),
            ("awk '{print (\"x\") > \".gi\" \"t/x\"}' f", true),
            ("awk '{print > \"\\056git/x\"}' f", true),
            ("awk '{print x ||| \"sh\"}' f", true),
            ("awk '{print \"x\" >> \"out.txt\"; n++}' f", false),
            ("awk '{print ($1 > 5)}\n$2 > 5' f", false),
            ("awk '{print $1}' access.log.1 2026-01-01.log src/filesystem.rs src/1file", false),
        ] {
            let script = crate::shell::read(command);
            assert_eq!(is_unclear(&script.commands[0].words[1..]) == RuleMatch::Yes, unclear, "{command}");
        }
    }

    #[test]
    fn a_script_only_computes_if_all_of_it_is_understood() {
        for (script, expected) in [
            ("{print $1}", true),
            ("$3 > 5 {print $1}", true),
            ("$3 > 5 {print $1; n++} END {print (n > 1), n / 2}", true),
            ("{print $1}\n$2 > 5 {print $2}", true),
            ("{printf \"%s|%s\\n\", $1, $2}", true),
            ("{s += $1 * 1.5e3} END {print (s + 1) / NR}", true),
            ("/^[[:space:]]*#/ {next} {a[$1]++} END {for (k in a) print k, a[k]}", true),
            ("{gsub(/[^a-z\\/]/, \"\"); print length($0)}", true),
            ("BEGIN{x=1getline<\".env\";print}", false),
            ("BEGIN{x=1ENVIRON[\"HOME\"];print x}", false),
            ("/[^]/]\"/ || (getline x < \".env\") > 0 {print x} #\"", false),
            ("/[]/]\"/  || (getline x < \".env\") > 0 {print x} #\"", false),
            ("/[[:alpha:]/]\"/ || (getline x < \".env\") > 0 {print x} #\"", false),
            ("BEGIN{1system(\"id; cat .env\")}", false),
            ("BEGIN{awk::system(\"id\")}", false),
            ("{print > \"x\"}", false),
            ("{print $1,\n$2 > \"x\"}", false),
            ("{print $1 ||\n$2 > \"x\"}", false),
            ("{print $1 \\\n > \"x\"}", false),
            ("{print ($1)($2) > \"x\"}", false),
            ("{print | \"sh\"}", false),
            ("@load \"x\"", false),
        ] {
            assert_eq!(only_computes(script), expected, "{script}");
        }
    }
}
