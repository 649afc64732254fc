//! What "every command that begins with these words" covers: operands, harmless options, and the options that were shown
//! when it was given. An option can make a program run another one, so one that nobody has seen is never covered.

use crate::built_in;
use crate::programs;
use crate::shell::ShellWord;
use pollux_session::{PlannedWord, WordPiece};
use std::path::{Component, Path};

/// Programs for which a word that begins with `@` is a package and no file of further options.
const AT_IS_A_PACKAGE: [&str; 6] = ["bun", "deno", "git", "npm", "pnpm", "yarn"];

/// Programs whose operands are things to do: a further one is another command.
const DOES_OPERANDS: [&str; 8] = ["gmake", "gradle", "gradlew", "./gradlew", "make", "mvn", "mvnw", "./mvnw"];

/// What a rule of a person's for `prefix` does not cover in the command that `words` are, if they begin so: the words that are not
/// known to be harmless. A name that a pattern stands for lies in the workspace and is no option. `None` if it covers nothing of
/// it.
pub(crate) fn beyond_rule(prefix: &[String], words: &[PlannedWord], workspace: &Path) -> Option<Vec<String>> {
    let is_known = |word: &PlannedWord| !word.pieces.contains(&WordPiece::ExitCode);
    if !begins_with(words, prefix) || !words.iter().all(is_known) {
        return None;
    }
    let rest = &words[prefix.len()..];
    let texts: Vec<String> = rest.iter().map(PlannedWord::unquoted).collect();
    unlisted_texts(prefix, rest, &texts.iter().map(String::as_str).collect::<Vec<_>>(), workspace)
}

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
/// it, and paths that lead out of the workspace. Words are quoted where they must be, so that one word is never two. `None`
/// when no grant of a prefix can cover them.
pub(crate) fn unlisted_words(prefix: &[String], rest: &[PlannedWord], workspace: &Path) -> Option<Vec<String>> {
    let texts: Vec<&str> = rest.iter().map(PlannedWord::literal).collect::<Option<_>>()?;
    unlisted_texts(prefix, rest, &texts, workspace)
}

fn unlisted_texts(prefix: &[String], rest: &[PlannedWord], texts: &[&str], workspace: &Path) -> Option<Vec<String>> {
    let beginning: Vec<&str> = prefix.iter().map(String::as_str).collect();
    let program = *beginning.first()?;
    if shows_unknown_content(&beginning, rest) || texts.iter().any(|text| names_foreign_code(&beginning, text)) {
        return None;
    }
    let is_commit = matches!(beginning[..], ["git", "commit", ..]);
    let leads_out = |text: &str| leads_out(text, workspace) || (!is_commit && holds_path_out(text, workspace));
    let handed_on = first_word_for_script(&beginning, texts);
    let is_value = |at: usize| {
        let option = at.checked_sub(1).map(|before| texts[before]);
        option.is_some_and(|option| built_in::facts().takes_next_word(prefix, option))
    };
    // A number is none: it may be the value of make's `-j`.
    let is_number = |at: usize| texts[at].bytes().all(|byte| byte.is_ascii_digit());
    let is_task = |at: usize| DOES_OPERANDS.contains(&program) && prefix.len() > 1 && !is_value(at) && !is_number(at);
    let mut unlisted = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        if can_be_option(program, text) || is_address(&beginning, text) || is_task(at) {
            let is_harmless = at < handed_on && is_harmless(prefix, text) && !is_address(&beginning, text);
            let is_known = *text == "--" || is_harmless;
            if !is_known || leads_out(text) {
                let next = texts.get(at + 1).filter(|next| !can_be_option(program, next));
                let words = [Some(text), next].into_iter().flatten();
                unlisted.push(words.map(|word| ShellWord::fixed(word).quoted()).collect::<Vec<_>>().join(" "));
            }
        } else if leads_out(text) {
            unlisted.push(ShellWord::fixed(text).quoted());
        }
    }
    Some(unlisted)
}

/// Whether git would show the content of files, and which cannot be told: protected ones are left out only where every option
/// is known.
fn shows_unknown_content(prefix: &[&str], rest: &[PlannedWord]) -> bool {
    let is_content = matches!(prefix, ["git", "diff" | "log" | "show" | "whatchanged", ..]);
    let words: Vec<PlannedWord> =
        prefix.iter().map(|word| PlannedWord::text(*word)).chain(rest.iter().cloned()).collect();
    is_content && !matches!(programs::reads_of(&words), Some(Ok(_)))
}

/// Cargo's own commands. Another one is an alias or a program that reads its words its own way.
const CARGO_COMMANDS: [&str; 22] = [
    "add", "b", "bench", "build", "c", "check", "clean", "clippy", "d", "doc", "fetch", "fix", "fmt", "metadata",
    "nextest", "r", "run", "t", "test", "tree", "update", "vendor",
];
/// Options of `cargo run` whose value is the next word.
const CARGO_RUN_VALUED: [&str; 10] =
    ["-p", "--package", "--bin", "--example", "--features", "-F", "-j", "--jobs", "--color", "--message-format"];

/// Where the words begin that a runner hands to a script or a program of the workspace, which reads options its own way.
/// `texts` stand behind `prefix`.
fn first_word_for_script(prefix: &[&str], texts: &[&str]) -> usize {
    let behind_dashes = || texts.iter().position(|text| *text == "--").unwrap_or(texts.len());
    match prefix {
        ["npm", "run" | "test", ..] => behind_dashes(),
        ["bun" | "pnpm" | "yarn", "run", ..] | ["pnpm" | "yarn", "test", ..] | ["deno", "task", ..] => 0,
        ["cargo", "run" | "r", ..] => {
            let is_operand = |at: usize| {
                let follows_option = at > 0 && CARGO_RUN_VALUED.contains(&texts[at - 1]);
                !texts[at].starts_with('-') && !follows_option
            };
            (0..texts.len()).find(|at| is_operand(*at)).unwrap_or(texts.len()).min(behind_dashes())
        }
        ["cargo", command, ..] if !CARGO_COMMANDS.contains(command) => 0,
        _ => texts.len(),
    }
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

/// Whether `text` is code from elsewhere that the program would run: an address for deno, a plugin's coordinates for Maven, an
/// address of git's that names a program (`ext::sh -c …`).
fn names_foreign_code(prefix: &[&str], text: &str) -> bool {
    match prefix {
        ["deno", ..] => text.contains(':'),
        ["mvn" | "mvnw", ..] => text.matches(':').count() > 1,
        ["git", "commit", ..] => false,
        ["git", ..] => text.contains("::"),
        _ => false,
    }
}

/// Whether `text` says from where to take what is fetched or installed, other than by a name that is known there. For git also
/// `from:to`, which says which branches of one's own are written, and with `--prune` which are deleted. Npm takes the word behind a
/// flag for its value if it can be one.
fn is_address(prefix: &[&str], text: &str) -> bool {
    match prefix {
        ["git", "fetch" | "pull", ..] => text.contains(':'),
        ["npm" | "pnpm" | "yarn", ..] if ["true", "false", "null"].contains(&text) => true,
        ["npm" | "pnpm" | "yarn", "install" | "ci", ..] => is_package_address(text),
        ["pip", "install", ..] => text.contains("://"),
        _ => false,
    }
}

/// Whether npm and its like take the package `text` from elsewhere than where packages are known by their names: `github:a/b`,
/// `x@https://…`, and `a/b`, which is a repository of GitHub's. `@scope/x` is a name, so is `b` in `a@npm:b`, and `./x` a directory.
fn is_package_address(text: &str) -> bool {
    let is_elsewhere = |name: &str| {
        let behind_scope =
            name.strip_prefix('@').and_then(|scoped| scoped.split_once('/')).map_or(name, |(_, name)| name);
        behind_scope.contains([':', '/'])
    };
    !text.starts_with(['.', '/']) && text.splitn(2, "@npm:").any(is_elsewhere)
}

/// Whether `text`, taken for a path, is one outside the workspace.
fn leads_out(text: &str, workspace: &Path) -> bool {
    let path = Path::new(text);
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    goes_up || (path.is_absolute() && !path.starts_with(workspace))
}

/// Whether a package or an address holds a path outside the workspace: `x@../y`, `git+file:///y`, `'x @ file:///y'`.
fn holds_path_out(text: &str, workspace: &Path) -> bool {
    let is_address = text.to_ascii_lowercase().contains("file:");
    let goes_up = |piece: &str| Path::new(piece).components().any(|part| part == Component::ParentDir);
    let is_outside = |piece: &str| piece.starts_with('~') || leads_out(piece, workspace);
    // Behind a colon and two slashes stands the host of an address.
    let is_host = |piece: &str| piece.starts_with("//") && !goes_up(piece);
    let is_out_behind_colon =
        text.split([':', '@', '=', ' ', '\t', '\n']).any(|piece| !is_host(piece) && is_outside(piece));
    is_address || is_out_behind_colon || text.split(['@', '=', ' ', '\t', '\n']).any(is_outside)
}

fn is_harmless(prefix: &[String], text: &str) -> bool {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let is_listed = |name: &str, value| {
        built_in::facts().is_harmless_option(prefix, name, value) || programs::has_option(prefix, name, value)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn is_covered(prefix: &str, rest: &str) -> bool {
        let prefix: Vec<String> = prefix.split(' ').map(str::to_owned).collect();
        let rest = rest.split_whitespace().map(PlannedWord::text);
        let words: Vec<PlannedWord> = prefix.iter().map(PlannedWord::text).chain(rest).collect();
        covers(&prefix, &[], &words, Path::new("/ws"))
    }

    #[test]
    fn operands_and_harmless_options_are_covered() {
        for (prefix, rest) in [
            ("cargo test", "judge::tests a:b"),
            ("cargo run", "-p x --release"),
            ("cargo run", "--bin x --features y -q"),
            ("npm run db", "--silent -- prod"),
            ("make test", "-j 4 -k"),
            ("mvn test", "-T 4 -pl a -Dtest=A -DskipTests"),
            ("make test", "-j4 --jobs=8 -j"),
            ("gradle test", "--tests A"),
            ("pytest", "-k x --tb=short --maxfail=1"),
            ("pytest", "--cov-report=xml:cov.xml --cov-report term:/ws/x tests/a.py::B::c"),
            ("git commit", "-m a::b file:x"),
            ("git log", "--oneline -5 src"),
            ("git diff", "--stat HEAD"),
            ("prettier", "- /ws/x"),
            ("npm install", "x @s/x x@^1.2 @s/x@latest ./x --save-dev"),
        ] {
            assert!(is_covered(prefix, rest), "{prefix} {rest}");
        }
    }

    #[test]
    fn what_may_run_or_reach_something_else_is_not() {
        for (prefix, rest) in [
            // A helper of git's own by its name, whatever else of git is allowed.
            ("git push", "ext::sh"),
            ("git", "clone ext::sh"),
            ("mvn test", "org.x:y:run"),
            ("mvnw test", "org.x:y:run"),
            // Options of the script, although the runner has the same.
            ("npm run db", "-- --silent"),
            ("npm test", "-- --offline"),
            ("cargo run", "-p x y --release"),
            ("cargo run", "x --release"),
            // Settings and toolchains.
            ("make", "X=1"),
            ("cargo test", "+nightly"),
            // Files that nobody knows to be unprotected.
            ("git diff", ":/x"),
            ("git show", ":!x"),
            ("git log", "-p :(top)x"),
            ("git whatchanged", "x"),
            ("mvn test", "deploy"),
            ("mvn test", "help:effective-pom"),
            ("make test", "deploy"),
            ("make test", "-k deploy"),
            // These have no value in the next word.
            ("make test", "-j deploy"),
            ("make test", "--jobs deploy"),
            ("make test", "-O deploy"),
            ("mvn test", "-Dtest deploy"),
            ("mvn test", "-DskipTests deploy"),
            ("gradle test", "publish"),
            // Flags with a value, and where things come from.
            ("npm install", "--ignore-scripts=false"),
            ("npm install", "--ignore-scripts false"),
            ("npm install", "https://x.y/z.tgz"),
            ("npm install", "github:x/y"),
            ("npm install", "x/y"),
            ("npm install", "x@y/z"),
            ("npm install", "@s/x@y/z"),
            ("npm install", "x@github:y/z"),
            ("pip install", "git+https://x.y/z"),
            ("pip install", "-r https://x.y/z"),
            ("pip install", "-rhttps://x.y/z"),
            ("pip install", "--requirement=https://x.y/z"),
            ("git fetch", "https://x.y/z"),
            ("git fetch", "host:x"),
            ("git pull", "ssh://host/x main"),
            ("git commit", "../x"),
            ("pytest", "--cov-report=xml:/etc/x"),
            ("pytest", "--cov-report html:/etc/x"),
            ("pytest", "--cov-report=xml:../x"),
            ("pytest", "--cov-report=xml:~/x"),
            ("git commit", "/etc/x"),
            ("npm install", "/ws@x/y"),
        ] {
            assert!(!is_covered(prefix, rest), "{prefix} {rest}");
        }
    }
}
