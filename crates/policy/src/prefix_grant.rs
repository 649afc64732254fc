//! What "every command that begins with these words" covers: operands, harmless options, and the options that were shown
//! when it was given. An option can make a program run another one, so one that nobody has seen is never covered.

use crate::built_in;
use crate::programs;
use pollux_session::PlannedWord;
use std::path::{Component, Path};

/// Programs for which a word that begins with `@` is a package and no file of further options.
const AT_IS_A_PACKAGE: [&str; 6] = ["bun", "deno", "git", "npm", "pnpm", "yarn"];

/// Commands of git that show the content of files.
const CONTENT_COMMANDS: [&str; 4] = ["diff", "log", "show", "whatchanged"];

/// Whether a grant of `prefix` with the shown `options` covers a command in `workspace`.
pub(crate) fn covers(prefix: &[String], options: &[String], words: &[PlannedWord], workspace: &Path) -> bool {
    if prefix.is_empty() || !begins_with(words, prefix) {
        return false;
    }
    match unlisted_words(prefix, &words[prefix.len()..], workspace) {
        Some(unlisted) => unlisted.iter().all(|word| options.contains(word)),
        None => false,
    }
}

/// The words of `rest`, which stand behind `prefix`, that are not known to be harmless: options, each with the word behind
/// it, and paths that lead out of the workspace. `None` when no grant of a prefix can cover them.
pub(crate) fn unlisted_words(prefix: &[String], rest: &[PlannedWord], workspace: &Path) -> Option<Vec<String>> {
    let texts: Vec<&str> = rest.iter().map(PlannedWord::literal).collect::<Option<_>>()?;
    let program = prefix.first()?;
    if shows_unknown_content(prefix, rest) {
        return None;
    }
    let mut unlisted = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        // An address of git's that names a program: `ext::sh -c …`.
        if program == "git" && prefix.get(1).is_some_and(|verb| verb != "commit") && text.contains("::") {
            return None;
        }
        if can_be_option(program, text) {
            if !is_harmless(prefix, text) {
                let next = texts.get(at + 1).filter(|next| !can_be_option(program, next));
                unlisted.push(next.map_or_else(|| (*text).to_owned(), |next| format!("{text} {next}")));
            }
        } else if leads_out(text, workspace) {
            unlisted.push((*text).to_owned());
        }
    }
    Some(unlisted)
}

/// Whether git would show the content of files, and which cannot be told: protected ones are left out only where every option
/// is known.
fn shows_unknown_content(prefix: &[String], rest: &[PlannedWord]) -> bool {
    let is_content =
        matches!(prefix, [program, verb, ..] if program == "git" && CONTENT_COMMANDS.contains(&verb.as_str()));
    let words: Vec<PlannedWord> = prefix.iter().map(PlannedWord::text).chain(rest.iter().cloned()).collect();
    is_content && !matches!(programs::reads_of(&words), Some(Ok(_)))
}

fn begins_with(words: &[PlannedWord], prefix: &[String]) -> bool {
    words.len() >= prefix.len()
        && words.iter().zip(prefix).all(|(word, wanted)| word.literal() == Some(wanted.as_str()))
}

/// Whether a program may take `text` for something else than an operand: an option, a setting, a file of options.
fn can_be_option(program: &str, text: &str) -> bool {
    let is_setting = text.contains('=') && program != "git";
    let is_option_file = text.starts_with('@') && !AT_IS_A_PACKAGE.contains(&program);
    (text.starts_with('-') && text != "-") || text.starts_with('+') || is_setting || is_option_file
}

/// Whether `text`, taken for a path, is one outside the workspace.
fn leads_out(text: &str, workspace: &Path) -> bool {
    let path = Path::new(text);
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    // Git takes it for a path.
    let is_file_address = text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    goes_up || is_file_address || (path.is_absolute() && !path.starts_with(workspace))
}

fn is_harmless(prefix: &[String], text: &str) -> bool {
    if text == "--" {
        return true;
    }
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let is_listed = |name: &str, value| {
        built_in::facts().is_harmless_option(prefix, name) || programs::has_option(prefix, name, value)
    };
    if is_listed(name, value) {
        return name.starts_with('-');
    }
    // `-am`, `-j4`: letters that are harmless by themselves, and a number behind them.
    text.strip_prefix('-').is_some_and(|letters| {
        let letters = letters.trim_end_matches(|char: char| char.is_ascii_digit());
        let is_harmless_letter = |letter: char| letter.is_ascii_alphabetic() && is_listed(&format!("-{letter}"), None);
        !letters.is_empty() && letters.chars().all(is_harmless_letter)
    })
}
