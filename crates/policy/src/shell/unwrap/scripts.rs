//! Programs that run text as a script: shells, `eval`, and those that hand it to a shell.

use super::{ShellWord, WrappedCommand, WrapperKind};

/// Options of shells that take no value.
const SHELL_FLAGS: [&str; 6] = ["--norc", "--noprofile", "--login", "--posix", "--restricted", "--noediting"];
/// Options of shells whose value, the next word, is a file that they run.
const SHELL_FILES: [&str; 2] = ["--rcfile", "--init-file"];

/// What a shell runs: the text behind `-c`, or its standard input; `None` when it gets a file.
pub(super) fn run_by_shell(words: &[ShellWord]) -> Option<(WrapperKind, WrappedCommand)> {
    let (mut takes_text, mut reads_input, mut runs_file) = (false, false, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            let wrapper = if takes_text { WrapperKind::Transparent } else { WrapperKind::Counts };
            return Some((wrapper, WrappedCommand::UNKNOWN_TEXT));
        };
        if SHELL_FLAGS.contains(&text) {
            continue;
        }
        if SHELL_FILES.contains(&text) {
            let Some(inner) = run_from_file(words.next()) else {
                runs_file = true;
                continue;
            };
            return Some((WrapperKind::Counts, inner));
        }
        match text.strip_prefix(['-', '+']) {
            // These end the options.
            Some("" | "-") => return counted_if(runs_file, operand_of_shell(words.next(), takes_text, reads_input)),
            Some(letters) if letters.chars().all(|letter| letter.is_ascii_alphabetic()) => {
                takes_text |= letters.contains('c') && text.starts_with('-');
                reads_input |= letters.contains('s');
                // Each of these takes a word of its own. More words may come of one that is not known.
                let valued = letters.chars().filter(|letter| ['o', 'O'].contains(letter)).count();
                if words.by_ref().take(valued).any(|value| value.literal().is_none()) {
                    return Some((WrapperKind::Counts, WrappedCommand::UNKNOWN_OPTION));
                }
            }
            Some(_) => return Some((WrapperKind::Counts, WrappedCommand::UNKNOWN_OPTION)),
            None => return counted_if(runs_file, operand_of_shell(Some(word), takes_text, reads_input)),
        }
    }
    counted_if(runs_file, operand_of_shell(None, takes_text, reads_input))
}

/// A shell that runs a file besides a script does more than run that script.
fn counted_if(runs_file: bool, found: Option<(WrapperKind, WrappedCommand)>) -> Option<(WrapperKind, WrappedCommand)> {
    found.map(|(wrapper, inner)| (if runs_file { WrapperKind::Counts } else { wrapper }, inner))
}

fn operand_of_shell(
    operand: Option<&ShellWord>,
    takes_text: bool,
    reads_input: bool,
) -> Option<(WrapperKind, WrappedCommand)> {
    match operand {
        _ if takes_text => Some((WrapperKind::Transparent, WrappedCommand::from_word(operand))),
        Some(file) if !reads_input && !file.literal().is_none_or(is_descriptor) => None,
        Some(_) | None => Some((WrapperKind::Counts, WrappedCommand::STANDARD_INPUT)),
    }
}

/// What `eval` runs; `None` when it is given nothing.
pub(super) fn run_by_eval(words: &[ShellWord]) -> Option<WrappedCommand> {
    let words = skip_dashes(words);
    (!words.is_empty()).then(|| WrappedCommand::from_joined(words))
}

/// What `trap` runs later; `None` when it only shows traps or takes them away.
pub(super) fn run_by_trap(words: &[ShellWord]) -> Option<WrappedCommand> {
    let words = skip_dashes(words);
    match words.first().map(ShellWord::literal) {
        None | Some(Some("" | "-" | "-l" | "-p" | "-P")) => None,
        Some(_) => Some(WrappedCommand::from_word(words.first())),
    }
}

fn skip_dashes(words: &[ShellWord]) -> &[ShellWord] {
    match words {
        [first, rest @ ..] if first.literal() == Some("--") => rest,
        words => words,
    }
}

/// Letters of `su` and `runuser` that have a value, besides `c`.
const USER_SWITCH_VALUED: &str = "gGsTuw";
/// The same of `script`.
const TYPESCRIPT_VALUED: &str = "BEIOTmot";

/// The scripts behind `-c` of `su`, `sg` and `runuser`, wherever they stand.
pub(super) fn run_by_user_switch(words: &[ShellWord]) -> WrappedCommand {
    run_by_option(words, USER_SWITCH_VALUED).unwrap_or(WrappedCommand::STANDARD_INPUT)
}

/// The scripts behind `-c`, wherever they stand: behind `--` they are the shell's own. `valued` are other letters that have a value.
fn run_by_option(words: &[ShellWord], valued: &str) -> Option<WrappedCommand> {
    const LONG: [&str; 2] = ["--command", "--session-command"];
    let mut found: Option<WrappedCommand> = None;
    let mut add = |script: WrappedCommand| {
        found = Some(match found.take() {
            Some(before) => before.with(script),
            None => script,
        });
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            if word.may_be_option() {
                return Some(WrappedCommand::UNKNOWN_TEXT);
            }
            continue;
        };
        let is_cluster = text.starts_with('-') && !text.starts_with("--");
        match text.split_once('=') {
            _ if LONG.contains(&text) => add(WrappedCommand::from_word(words.next())),
            Some((name, script)) if LONG.contains(&name) => add(WrappedCommand::Script(script.to_owned())),
            _ if is_cluster => match text[1..].split_once(|letter| letter == 'c' || valued.contains(letter)) {
                Some((before, "")) if text[1 + before.len()..].starts_with('c') => {
                    add(WrappedCommand::from_word(words.next()));
                }
                Some((before, script)) if text[1 + before.len()..].starts_with('c') => {
                    add(WrappedCommand::Script(script.to_owned()));
                }
                // The value of another one is the next word.
                Some((_, "")) => {
                    words.next();
                }
                Some(_) | None => {}
            },
            _ => {}
        }
    }
    found
}

/// Whether `runuser` is told whom to run a program as, rather than a shell.
pub(super) fn names_user(words: &[ShellWord]) -> bool {
    let own = words.split(|word| word.literal() == Some("--")).next().unwrap_or_default();
    own.iter().filter_map(ShellWord::literal).any(|text| text.starts_with("-u") || text.starts_with("--user"))
}

/// What `script` records: a script, the words behind `--`, or a shell.
pub(super) fn run_by_typescript(words: &[ShellWord]) -> WrappedCommand {
    let dashes = words.iter().position(|word| word.literal() == Some("--"));
    let (own, program) = words.split_at(dashes.unwrap_or(words.len()));
    match (run_by_option(own, TYPESCRIPT_VALUED), program.get(1..)) {
        (Some(inner), _) => inner,
        (None, Some(program @ [_, ..])) => WrappedCommand::Commands(vec![program.to_vec()]),
        (None, _) => WrappedCommand::STANDARD_INPUT,
    }
}

/// What `env -S` runs, given its text and the words behind it. The text is read as a shell reads it, which finds more than
/// `env` does, except for what only `env` knows.
pub(super) fn run_by_split_text(text: Option<&str>, rest: &[ShellWord]) -> WrappedCommand {
    match text {
        Some(text) if !text.contains(['\\', '$', '\n', '\r', '\u{b}', '\u{c}']) => {
            let rest: Vec<String> = rest.iter().map(ShellWord::quoted).collect();
            WrappedCommand::Script(format!("env {text} {}", rest.join(" ")))
        }
        Some(_) | None => WrappedCommand::UNKNOWN_TEXT,
    }
}

/// What `source` runs, if it is no file.
pub(super) fn run_by_source(words: &[ShellWord]) -> Option<WrappedCommand> {
    run_from_file(skip_dashes(words).first())
}

/// What a shell runs that is told to run `file`, if that is no file.
fn run_from_file(file: Option<&ShellWord>) -> Option<WrappedCommand> {
    match file?.literal() {
        Some(file) if !is_descriptor(file) => None,
        Some(_) => Some(WrappedCommand::STANDARD_INPUT),
        None => Some(WrappedCommand::UNKNOWN_TEXT),
    }
}

/// What the system's loader runs: the program that it is given.
pub(super) fn run_by_loader(words: &[ShellWord]) -> Option<WrappedCommand> {
    let first = words.first()?;
    Some(match first.literal() {
        Some(text) if !text.starts_with('-') => WrappedCommand::Commands(vec![words.to_vec()]),
        Some(_) | None => WrappedCommand::UNKNOWN_OPTION,
    })
}

/// Whether a file may be a descriptor: `/dev/stdin`, `/dev/fd/0`, `/proc/self/fd/0`, also from inside these directories.
fn is_descriptor(file: &str) -> bool {
    let last = file.rsplit('/').next().unwrap_or(file);
    let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    is_number || last == "stdin" || file.split('/').any(|part| ["dev", "proc"].contains(&part))
}

/// What `hyperfine` measures, and runs before and after: every word that is no option, and every attached value, may be a
/// script.
pub(super) fn of_benchmark(words: &[ShellWord]) -> WrappedCommand {
    let script = |text: &str| match text.strip_prefix('-') {
        Some(option) => option.split_once('=').map_or(String::new(), |(_, value)| value.to_owned()),
        None => text.to_owned(),
    };
    let texts: Option<Vec<String>> = words.iter().map(|word| word.literal().map(script)).collect();
    texts.map_or(WrappedCommand::UNKNOWN_TEXT, |texts| WrappedCommand::Script(texts.join("\n")))
}

/// What `socat` connects that are programs: `EXEC:x`, `SYSTEM:x`.
pub(super) fn of_addresses(words: &[ShellWord]) -> Option<WrappedCommand> {
    const PROGRAMS: [&str; 3] = ["exec", "shell", "system"];
    let script = |text: &str| {
        let (kind, command) = text.split_once(':')?;
        PROGRAMS.contains(&kind.to_ascii_lowercase().as_str()).then(|| command.to_owned())
    };
    if words.iter().any(|word| word.literal().is_none()) {
        return Some(WrappedCommand::UNKNOWN_TEXT);
    }
    let addresses = words.iter().filter_map(ShellWord::literal).flat_map(|text| text.split("!!"));
    let scripts: Vec<String> = addresses.filter_map(script).collect();
    (!scripts.is_empty()).then(|| WrappedCommand::Script(scripts.join("\n")))
}

/// Options of `parallel` that stand alone.
const PARALLEL_FLAGS: [&str; 14] = [
    "-k",
    "--keep-order",
    "--bar",
    "--eta",
    "--progress",
    "-0",
    "--null",
    "-u",
    "--ungroup",
    "-X",
    "-m",
    "-t",
    "--tag",
    "--dry-run",
];
/// Options of `parallel` whose value is the next word.
const PARALLEL_VALUED: [&str; 11] =
    ["-j", "--jobs", "-P", "-n", "-N", "--max-args", "-L", "--timeout", "--delay", "--retries", "--halt"];

/// What `parallel` runs: a script for each argument, or each argument as a script.
pub(super) fn run_by_parallel(words: &[ShellWord]) -> WrappedCommand {
    let mut rest = words;
    while let Some(text) = rest.first().and_then(ShellWord::literal).filter(|text| text.starts_with('-')) {
        let is_attached = PARALLEL_VALUED.iter().any(|option| option.len() == 2 && text.starts_with(option));
        let taken = match text {
            _ if PARALLEL_VALUED.contains(&text) => 2,
            _ if PARALLEL_FLAGS.contains(&text) || is_attached => 1,
            _ if text.split_once('=').is_some_and(|(name, _)| PARALLEL_VALUED.contains(&name)) => 1,
            _ => return WrappedCommand::UNKNOWN_OPTION,
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    let is_mark = |word: &ShellWord| word.literal().is_some_and(|text| text.starts_with(":::"));
    let (template, arguments) = rest.split_at(rest.iter().position(is_mark).unwrap_or(rest.len()));
    match (WrappedCommand::from_joined(template), arguments) {
        // `{}` and its like stand for an argument, wherever it is quoted.
        (WrappedCommand::Script(template), _) if template.contains('{') => WrappedCommand::UNKNOWN_TEXT,
        (WrappedCommand::Script(template), _) if !template.is_empty() => {
            WrappedCommand::Script(format!("{template} $argument"))
        }
        (WrappedCommand::Script(_), [mark, arguments @ ..]) if mark.literal() == Some(":::") => {
            let texts: Option<Vec<&str>> = arguments.iter().map(ShellWord::literal).collect();
            texts.map_or(WrappedCommand::UNKNOWN_TEXT, |texts| WrappedCommand::Script(texts.join("\n")))
        }
        (WrappedCommand::Script(_), _) => WrappedCommand::STANDARD_INPUT,
        (inner, _) => inner,
    }
}
