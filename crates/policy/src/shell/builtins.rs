//! Builtins of the shell that run text, or give a later word another meaning. There are many ways to do that (a callback, an
//! index of an array, an alias), so only the builtins are listed that do not.

use super::ShellWord;
use crate::silent::is_other_builtin;

/// Builtins that run nothing and change no meaning, whatever they are told.
const HARMLESS: [&str; 25] = [
    "bg", "break", "builtin", "caller", "chdir", "continue", "dirs", "disown", "exec", "exit", "fg", "help", "kill",
    "logout", "popd", "pushd", "return", "shift", "suspend", "times", "type", "ulimit", "umask", "unalias", "wait",
];
/// Builtins whose script is found and read by itself.
const READ_BY_THEMSELVES: [&str; 4] = [".", "eval", "source", "trap"];
/// Operators of a test that compare text.
const COMPARISONS: [&str; 8] = ["=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"];
/// Operators of a test that compare numbers.
const NUMERIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Whether the builtin that `words` call may run text that is not read here.
pub(crate) fn may_run_text(words: &[ShellWord]) -> bool {
    let Some((name, arguments)) = words.split_first().and_then(|(name, rest)| Some((name.literal()?, rest))) else {
        return false;
    };
    match name {
        "test" => is_evaluated_test(arguments, false),
        "[" | "[[" => {
            let inside = arguments.split_last().map_or(arguments, |(_, inside)| inside);
            is_evaluated_test(inside, name == "[[")
        }
        // The variable of `-v` may have an index, which is evaluated.
        "printf" => arguments.first().is_some_and(ShellWord::may_be_option),
        "set" => !arguments.iter().all(is_harmless_setting),
        "wait" => arguments.iter().any(ShellWord::may_be_option),
        // With `-x` it runs what follows.
        "jobs" => arguments.iter().any(|word| word.may_be_option() && !is_listing_option(word)),
        _ => is_other_builtin(name) && !HARMLESS.contains(&name) && !READ_BY_THEMSELVES.contains(&name),
    }
}

/// The options of `jobs` that say which ones it lists, and how.
fn is_listing_option(word: &ShellWord) -> bool {
    let letters = word.literal().and_then(|text| text.strip_prefix('-'));
    letters.is_some_and(|letters| !letters.is_empty() && letters.chars().all(|letter| "lnprs".contains(letter)))
}

/// The options of `set` that people begin scripts with.
fn is_harmless_setting(word: &ShellWord) -> bool {
    let is_letters = |letters: &str| !letters.is_empty() && letters.chars().all(|letter| "Ceuox".contains(letter));
    let harmless = |text: &str| text == "pipefail" || text.strip_prefix(['-', '+']).is_some_and(is_letters);
    word.literal().is_some_and(harmless)
}

/// Whether a test may evaluate an index or a sum: `-v 'a[$(x)]'`, and in double brackets `'a[$(x)]' -eq 1`.
fn is_evaluated_test(words: &[ShellWord], in_double_brackets: bool) -> bool {
    let words = match words {
        [not, rest @ ..] if not.literal() == Some("!") => rest,
        words => words,
    };
    let is_number = |word: &ShellWord| {
        word.literal().is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match words {
        [] | [_] => false,
        // One letter, and no question about a variable.
        [operator, operand] => {
            let is_harmless = |text: &str| text.len() == 2 && text.starts_with('-') && !["-v", "-R"].contains(&text);
            !operator.literal().is_some_and(is_harmless) || !stays_one_word(operand, in_double_brackets)
        }
        [left, operator, right] => {
            let is_harmless = operator.literal().is_some_and(|text| {
                COMPARISONS.contains(&text)
                    || (text == "=~" && in_double_brackets)
                    || (NUMERIC.contains(&text) && (!in_double_brackets || (is_number(left) && is_number(right))))
            });
            !is_harmless || ![left, right].into_iter().all(|word| stays_one_word(word, in_double_brackets))
        }
        _ => true,
    }
}

/// Whether a word is never split into several.
fn stays_one_word(word: &ShellWord, in_double_brackets: bool) -> bool {
    in_double_brackets || word.stays_one()
}

#[cfg(test)]
mod tests {
    use crate::shell::read;

    #[test]
    fn builtins_that_may_run_text_are_told() {
        let unseen = |command: &str| !read(command).unseen_scripts.is_empty();
        for command in [
            "compgen -C 'touch p'",
            "mapfile -C 'touch p' -c 1 a",
            "readarray -C 'touch p' a",
            "alias t=touch",
            "shopt -s expand_aliases",
            "hash -p /usr/bin/touch t",
            "let 'a[$(touch p)]=1'",
            "[ -v 'a[$(touch p)]' ]",
            "test -v 'a[$(touch p)]'",
            "test ! -R 'a[$(touch p)]'",
            "[ a -a -v 'a[$(touch p)]' ]",
            "[ -n $x ]",
            "[ $x = a ]",
            "[ -n \"$@\" ]",
            "[ -n \"a\"$x\"b\" ]",
            "test \"$x\" \"$y\"",
            "[[ -v 'a[$(touch p)]' ]]",
            "[[ 'a[$(touch p)]' -eq 1 ]]",
            "[[ 1 -eq $x ]]",
            "printf -v 'a[$(touch p)]' x",
            "printf \"$x\" y",
            "read 'a[$(touch p)]'",
            "wait -p 'a[$(touch p)]'",
            "builtin declare 'a[$(touch p)]=1'",
            "command export A=1",
            "enable -f x y",
            "bind -x x",
            "complete -C x y",
            "fc -s",
            "set -k",
            "set -- $x",
            "jobs -x touch p",
            "jobs -lx touch p",
            "builtin jobs -x touch p",
            "command jobs -x touch p",
            "jobs $x",
        ] {
            assert!(unseen(command), "{command}");
        }
        for command in [
            "[ -n \"$x\" ]",
            "[ ! -f \"$x\" ]",
            "[ \"$x\" = a ]",
            "[ \"$x\" -eq 1 ]",
            "test -d src",
            "[ x ]",
            "[[ -n $x ]]",
            "[[ $x == a ]]",
            "[[ 1 -eq 2 ]]",
            "printf '%s' \"$x\"",
            "set -euo pipefail",
            "wait",
            "jobs",
            "jobs -l",
            "jobs -rp %1",
            "kill 1",
            "exit 1",
            "cd x",
            "echo x",
            "true",
            "pushd x",
        ] {
            assert!(!unseen(command), "{command}: {:?}", read(command).unseen_scripts);
        }
    }
}
