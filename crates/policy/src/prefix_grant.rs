//! What "every command that begins with these words" covers: operands, harmless options, and the options that were shown
//! when it was given. An option can make a program run another one, so one that nobody has seen is never covered.

use crate::built_in;
use crate::programs;
use pollux_session::PlannedWord;

/// Programs for which a word that begins with `@` is a package and no file of further options.
const AT_IS_A_PACKAGE: [&str; 6] = ["bun", "deno", "git", "npm", "pnpm", "yarn"];

/// Whether a grant of `prefix` with the shown `options` covers a command.
pub(crate) fn covers(prefix: &[String], options: &[String], words: &[PlannedWord]) -> bool {
    if prefix.is_empty() || !begins_with(words, prefix) {
        return false;
    }
    match unlisted_options(prefix, &words[prefix.len()..]) {
        Some(unlisted) => unlisted.iter().all(|option| options.contains(option)),
        None => false,
    }
}

/// The options of `rest`, the words behind `prefix`, that are not known to be harmless, each with the word behind it; `None`
/// when no grant of a prefix can cover them.
pub(crate) fn unlisted_options(prefix: &[String], rest: &[PlannedWord]) -> Option<Vec<String>> {
    let texts: Vec<&str> = rest.iter().map(PlannedWord::literal).collect::<Option<_>>()?;
    let program = prefix.first()?;
    let mut unlisted = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        // An address of git's that names a program: `ext::sh -c …`.
        if program == "git" && text.contains("::") {
            return None;
        }
        if !can_be_option(program, text) || is_harmless(prefix, text) {
            continue;
        }
        let next = texts.get(at + 1).filter(|next| !can_be_option(program, next));
        unlisted.push(next.map_or_else(|| (*text).to_owned(), |next| format!("{text} {next}")));
    }
    Some(unlisted)
}

fn begins_with(words: &[PlannedWord], prefix: &[String]) -> bool {
    words.len() >= prefix.len()
        && words.iter().zip(prefix).all(|(word, wanted)| word.literal() == Some(wanted.as_str()))
}

/// Whether a program may take `text` for something else than an operand: an option, a setting, a file of options.
fn can_be_option(program: &str, text: &str) -> bool {
    let is_setting = text.contains('=');
    let is_option_file = text.starts_with('@') && !AT_IS_A_PACKAGE.contains(&program);
    (text.starts_with('-') && text != "-") || text.starts_with('+') || is_setting || is_option_file
}

fn is_harmless(prefix: &[String], text: &str) -> bool {
    if text == "--" {
        return true;
    }
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    name.starts_with('-') && (built_in::facts().is_harmless_option(prefix, name) || programs::has_option(prefix, name))
}
