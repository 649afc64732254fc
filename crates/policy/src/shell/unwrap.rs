//! Programs that run another one named in their arguments.

use super::Word;

/// What a wrapper runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Inner {
    /// A script, as text: `sh -c TEXT`.
    Script(String),
    /// A script that is not fixed text.
    UnknownScript,
    /// A program and its arguments, several of them for `find`.
    Commands(Vec<Vec<Word>>),
}

/// Whether the wrapper itself still needs a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// No: it does nothing but run the other one.
    Transparent,
    /// Yes: it does more than that.
    Counts,
}

const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "ash"];
const FIND_RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// A program that runs the one named after its own options.
struct Known {
    name: &'static str,
    /// Options that stand alone.
    flags: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words of its own before the program.
    operands: usize,
    wrapper: Wrapper,
}

const KNOWN: &[Known] = &[
    known("timeout", &["--foreground", "-v", "--preserve-status"], &["-k", "-s", "--kill-after", "--signal"], 1),
    known("nice", &[], &["-n", "--adjustment"], 0),
    known("nohup", &[], &[], 0),
    known("time", &["-p"], &[], 0),
    known("command", &["-p"], &[], 0),
    known("builtin", &[], &[], 0),
    known("stdbuf", &[], &["-i", "-o", "-e"], 0),
    known("ionice", &["-t"], &["-c", "-n"], 0),
    known("setsid", &["-w", "--wait"], &[], 0),
    counted("env", &["-i", "-", "--ignore-environment"], &["-u", "--unset", "-C", "--chdir"]),
    counted("exec", &["-c", "-l"], &["-a"]),
    counted(
        "sudo",
        &["-n", "-E", "-H", "-S", "-k", "-b", "-i", "-s"],
        &["-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-D", "-R"],
    ),
    counted("doas", &["-n"], &["-u", "-C"]),
    counted("xargs", &["-0", "-r", "-t", "-p", "-x"], &["-n", "-P", "-I", "-L", "-d", "-s", "-E", "-a"]),
    counted("busybox", &[], &[]),
    counted("coproc", &[], &[]),
    counted("watch", &["-d", "-t", "-x"], &["-n"]),
];

const fn known(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Known {
    Known { name, flags, valued, operands, wrapper: Wrapper::Transparent }
}

const fn counted(name: &'static str, flags: &'static [&'static str], valued: &'static [&'static str]) -> Known {
    Known { name, flags, valued, operands: 0, wrapper: Wrapper::Counts }
}

/// What `words` run besides themselves, if that can be told.
pub(crate) fn unwrap(words: &[Word]) -> Option<(Wrapper, Inner)> {
    let path = words.first()?.literal()?;
    let name = path.rsplit('/').next().unwrap_or(path);
    // A program of the same name elsewhere may do anything.
    let wrapper = |wrapper: Wrapper| if path == name { wrapper } else { Wrapper::Counts };
    if SHELLS.contains(&name) {
        return script_of(&words[1..]).map(|inner| (wrapper(Wrapper::Transparent), inner));
    }
    if name == "find" {
        let commands = commands_of_find(words);
        return (!commands.is_empty()).then_some((Wrapper::Counts, Inner::Commands(commands)));
    }
    let known = KNOWN.iter().find(|known| known.name == name)?;
    let mut inner = after_options(known, &words[1..])?.to_vec();
    if name == "xargs" {
        inner.push(Word::unknown("…"));
    }
    Some((wrapper(known.wrapper), Inner::Commands(vec![inner])))
}

/// The words after a wrapper's own; `None` when an option is not known, or nothing follows.
fn after_options<'a>(known: &Known, words: &'a [Word]) -> Option<&'a [Word]> {
    let mut rest = words;
    let mut operands = known.operands;
    while let Some(word) = rest.first() {
        let text = word.literal()?;
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        let assigns = known.name == "env" && text.contains('=') && !text.starts_with('-');
        rest = match text {
            "--" => &rest[1..],
            _ if known.flags.contains(&text) || assigns => &rest[1..],
            _ if known.valued.contains(&text) => rest.get(2..)?,
            _ if name != text && name.starts_with("--") && known.valued.contains(&name) => &rest[1..],
            // `-n5` for `-n 5`.
            _ if known.valued.iter().any(|flag| flag.len() == 2 && text.starts_with(flag)) => &rest[1..],
            _ if text.starts_with('-') => return None,
            _ if operands > 0 => {
                operands -= 1;
                &rest[1..]
            }
            _ => return Some(rest),
        };
    }
    None
}

/// The script a shell gets with `-c`; `None` when it gets a file or standard input.
fn script_of(words: &[Word]) -> Option<Inner> {
    let mut takes_script = false;
    for word in words {
        let Some(text) = word.literal() else {
            return takes_script.then_some(Inner::UnknownScript);
        };
        match text.strip_prefix('-') {
            Some(letters) if !letters.is_empty() && letters.chars().all(|letter| "celxuvn".contains(letter)) => {
                takes_script |= letters.contains('c');
            }
            Some(_) => return takes_script.then_some(Inner::UnknownScript),
            None => return takes_script.then(|| Inner::Script(text.to_owned())),
        }
    }
    takes_script.then_some(Inner::UnknownScript)
}

/// What `find` runs on what it finds.
fn commands_of_find(words: &[Word]) -> Vec<Vec<Word>> {
    let runs = |word: &Word| word.literal().is_some_and(|text| FIND_RUNS.contains(&text));
    let ends = |word: &Word| matches!(word.literal(), Some(";" | "+"));
    let starts = words.iter().enumerate().filter(|(_, word)| runs(word)).map(|(index, _)| index + 1);
    starts
        .map(|start| words[start..].iter().take_while(|word| !ends(word)).cloned().collect::<Vec<_>>())
        .filter(|inner| !inner.is_empty())
        .collect()
}
