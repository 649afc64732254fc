//! Programs that run text as a script: shells, `eval`, and those that hand it to a shell.

use super::{Inner, Word, Wrapper};

/// Options of shells that take no value.
const SHELL_FLAGS: [&str; 6] = ["--norc", "--noprofile", "--login", "--posix", "--restricted", "--noediting"];
/// Options of shells whose value, the next word, is a file that they run.
const SHELL_FILES: [&str; 2] = ["--rcfile", "--init-file"];

/// What a shell runs: the text behind `-c`, or its standard input; `None` when it gets a file.
pub(super) fn of_shell(words: &[Word]) -> Option<(Wrapper, Inner)> {
    let (mut takes_text, mut reads_input, mut runs_file) = (false, false, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            let wrapper = if takes_text { Wrapper::Transparent } else { Wrapper::Counts };
            return Some((wrapper, Inner::UNKNOWN_TEXT));
        };
        if SHELL_FLAGS.contains(&text) {
            continue;
        }
        if SHELL_FILES.contains(&text) {
            let Some(inner) = of_file(words.next()) else {
                runs_file = true;
                continue;
            };
            return Some((Wrapper::Counts, inner));
        }
        match text.strip_prefix(['-', '+']) {
            // These end the options.
            Some("" | "-") => return counted_if(runs_file, operand_of_shell(words.next(), takes_text, reads_input)),
            Some(letters) if letters.chars().all(|letter| letter.is_ascii_alphabetic()) => {
                takes_text |= letters.contains('c') && text.starts_with('-');
                reads_input |= letters.contains('s');
                // More words may come of one that is not known.
                if letters.contains(['o', 'O']) && words.next().is_some_and(|value| value.literal().is_none()) {
                    return Some((Wrapper::Counts, Inner::UNKNOWN_OPTION));
                }
            }
            Some(_) => return Some((Wrapper::Counts, Inner::UNKNOWN_OPTION)),
            None => return counted_if(runs_file, operand_of_shell(Some(word), takes_text, reads_input)),
        }
    }
    counted_if(runs_file, operand_of_shell(None, takes_text, reads_input))
}

/// A shell that runs a file besides a script does more than run that script.
fn counted_if(runs_file: bool, found: Option<(Wrapper, Inner)>) -> Option<(Wrapper, Inner)> {
    found.map(|(wrapper, inner)| (if runs_file { Wrapper::Counts } else { wrapper }, inner))
}

fn operand_of_shell(operand: Option<&Word>, takes_text: bool, reads_input: bool) -> Option<(Wrapper, Inner)> {
    match operand {
        _ if takes_text => Some((Wrapper::Transparent, Inner::of_word(operand))),
        Some(file) if !reads_input && !file.literal().is_none_or(is_descriptor) => None,
        Some(_) | None => Some((Wrapper::Counts, Inner::STANDARD_INPUT)),
    }
}

/// What `eval` runs; `None` when it is given nothing.
pub(super) fn of_eval(words: &[Word]) -> Option<Inner> {
    let words = behind_dashes(words);
    (!words.is_empty()).then(|| Inner::of_joined(words))
}

/// What `trap` runs later; `None` when it only shows traps or takes them away.
pub(super) fn of_trap(words: &[Word]) -> Option<Inner> {
    let words = behind_dashes(words);
    match words.first().map(Word::literal) {
        None | Some(Some("" | "-" | "-l" | "-p" | "-P")) => None,
        Some(_) => Some(Inner::of_word(words.first())),
    }
}

fn behind_dashes(words: &[Word]) -> &[Word] {
    match words {
        [first, rest @ ..] if first.literal() == Some("--") => rest,
        words => words,
    }
}

/// The script behind `-c`, wherever it stands.
pub(super) fn of_option(words: &[Word]) -> Option<Inner> {
    const LONG: [&str; 2] = ["--command", "--session-command"];
    for (at, word) in words.iter().enumerate() {
        let Some(text) = word.literal() else {
            if word.may_be_option() {
                return Some(Inner::UNKNOWN_TEXT);
            }
            continue;
        };
        if LONG.contains(&text) {
            return Some(Inner::of_word(words.get(at + 1)));
        }
        if let Some((name, script)) = text.split_once('=')
            && LONG.contains(&name)
        {
            return Some(Inner::Script(script.to_owned()));
        }
        let is_cluster = text.starts_with('-') && !text.starts_with("--");
        match text.split_once('c').filter(|_| is_cluster) {
            Some((_, "")) => return Some(Inner::of_word(words.get(at + 1))),
            Some((_, script)) => return Some(Inner::Script(script.to_owned())),
            None => {}
        }
    }
    None
}

/// Whether `runuser` is told whom to run a program as, rather than a shell.
pub(super) fn names_user(words: &[Word]) -> bool {
    words.iter().filter_map(Word::literal).any(|text| text.starts_with("-u") || text.starts_with("--user"))
}

/// What `script` records: a script, the words behind `--`, or a shell.
pub(super) fn of_typescript(words: &[Word]) -> Inner {
    let dashes = words.iter().position(|word| word.literal() == Some("--"));
    let (own, program) = words.split_at(dashes.unwrap_or(words.len()));
    match (of_option(own), program.get(1..)) {
        (Some(inner), _) => inner,
        (None, Some(program @ [_, ..])) => Inner::Commands(vec![program.to_vec()]),
        (None, _) => Inner::STANDARD_INPUT,
    }
}

/// What `env -S` runs, given its text and the words behind it. The text is read as a shell reads it, which finds more than
/// `env` does, except for what only `env` knows.
pub(super) fn of_split_text(text: Option<&str>, rest: &[Word]) -> Inner {
    match text {
        Some(text) if !text.contains(['\\', '$']) => {
            let rest: Vec<String> = rest.iter().map(Word::quoted).collect();
            Inner::Script(format!("env {text} {}", rest.join(" ")))
        }
        Some(_) | None => Inner::UNKNOWN_TEXT,
    }
}

/// What `source` runs, if it is no file.
pub(super) fn of_source(words: &[Word]) -> Option<Inner> {
    of_file(behind_dashes(words).first())
}

/// What a shell runs that is told to run `file`, if that is no file.
fn of_file(file: Option<&Word>) -> Option<Inner> {
    match file?.literal() {
        Some(file) if !is_descriptor(file) => None,
        Some(_) => Some(Inner::STANDARD_INPUT),
        None => Some(Inner::UNKNOWN_TEXT),
    }
}

/// What the system's loader runs: the program that it is given.
pub(super) fn of_loader(words: &[Word]) -> Option<Inner> {
    let first = words.first()?;
    Some(match first.literal() {
        Some(text) if !text.starts_with('-') => Inner::Commands(vec![words.to_vec()]),
        Some(_) | None => Inner::UNKNOWN_OPTION,
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
pub(super) fn of_benchmark(words: &[Word]) -> Inner {
    let script = |text: &str| match text.strip_prefix('-') {
        Some(option) => option.split_once('=').map_or(String::new(), |(_, value)| value.to_owned()),
        None => text.to_owned(),
    };
    let texts: Option<Vec<String>> = words.iter().map(|word| word.literal().map(script)).collect();
    texts.map_or(Inner::UNKNOWN_TEXT, |texts| Inner::Script(texts.join("\n")))
}

/// What `socat` connects that are programs: `EXEC:x`, `SYSTEM:x`.
pub(super) fn of_addresses(words: &[Word]) -> Option<Inner> {
    const PROGRAMS: [&str; 3] = ["exec", "shell", "system"];
    let script = |text: &str| {
        let (kind, command) = text.split_once(':')?;
        PROGRAMS.contains(&kind.to_ascii_lowercase().as_str()).then(|| command.to_owned())
    };
    if words.iter().any(|word| word.literal().is_none()) {
        return Some(Inner::UNKNOWN_TEXT);
    }
    let addresses = words.iter().filter_map(Word::literal).flat_map(|text| text.split("!!"));
    let scripts: Vec<String> = addresses.filter_map(script).collect();
    (!scripts.is_empty()).then(|| Inner::Script(scripts.join("\n")))
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
pub(super) fn of_parallel(words: &[Word]) -> Inner {
    let mut rest = words;
    while let Some(text) = rest.first().and_then(Word::literal).filter(|text| text.starts_with('-')) {
        let is_attached = PARALLEL_VALUED.iter().any(|option| option.len() == 2 && text.starts_with(option));
        let taken = match text {
            _ if PARALLEL_VALUED.contains(&text) => 2,
            _ if PARALLEL_FLAGS.contains(&text) || is_attached => 1,
            _ if text.split_once('=').is_some_and(|(name, _)| PARALLEL_VALUED.contains(&name)) => 1,
            _ => return Inner::UNKNOWN_OPTION,
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    let is_mark = |word: &Word| word.literal().is_some_and(|text| text.starts_with(":::"));
    let (template, arguments) = rest.split_at(rest.iter().position(is_mark).unwrap_or(rest.len()));
    match (Inner::of_joined(template), arguments) {
        // `{}` and its like stand for an argument, wherever it is quoted.
        (Inner::Script(template), _) if template.contains('{') => Inner::UNKNOWN_TEXT,
        (Inner::Script(template), _) if !template.is_empty() => Inner::Script(format!("{template} $argument")),
        (Inner::Script(_), [mark, arguments @ ..]) if mark.literal() == Some(":::") => {
            let texts: Option<Vec<&str>> = arguments.iter().map(Word::literal).collect();
            texts.map_or(Inner::UNKNOWN_TEXT, |texts| Inner::Script(texts.join("\n")))
        }
        (Inner::Script(_), _) => Inner::STANDARD_INPUT,
        (inner, _) => inner,
    }
}
