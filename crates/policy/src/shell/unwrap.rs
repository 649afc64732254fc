//! Programs that run another one named in their arguments, or a script. What such a program does is also judged by what it
//! runs, so that a rule about `rm` holds for `nice rm` and `eval rm`.

mod scripts;
mod text_options;
mod wrappers;

#[cfg(test)]
mod tests;

use super::Word;
use super::text::is_local;
use crate::built_in;
use wrappers::{KnownWrapper, RunsRest, WITHOUT_PROGRAM, WrapperWords};

/// What a wrapper runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Inner {
    /// A script, as text: `sh -c TEXT`.
    Script(String),
    /// A script that cannot be seen, and why.
    UnseenScript(&'static str),
    /// A program and its arguments, several of them for `find`.
    Commands(Vec<Vec<Word>>),
}

impl Inner {
    const UNKNOWN_TEXT: Inner = Inner::UnseenScript("the script it runs is known only when it runs");
    const STANDARD_INPUT: Inner = Inner::UnseenScript("it runs what it reads from its standard input");
    const UNKNOWN_OPTION: Inner = Inner::UnseenScript("which program it runs is not understood");

    /// The script that `word` is.
    fn of_word(word: Option<&Word>) -> Inner {
        word.and_then(Word::literal).map_or(Inner::UNKNOWN_TEXT, |text| Inner::Script(text.to_owned()))
    }

    /// The script that `words` are once they are joined, as `eval` does.
    fn of_joined(words: &[Word]) -> Inner {
        let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
        texts.map_or(Inner::UNKNOWN_TEXT, |texts| Inner::Script(texts.join(" ")))
    }
}

/// Whether the wrapper itself still needs a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// No: it does nothing but run the other one.
    Transparent,
    /// Yes: it does more than that.
    Counts,
}

const SHELLS: [&str; 14] =
    ["ash", "bash", "csh", "dash", "fish", "ksh", "ksh93", "lksh", "mksh", "rbash", "sh", "tcsh", "yash", "zsh"];
const FIND_RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// Terminals that run what stands behind `-e`.
const TERMINALS: [&str; 8] =
    ["alacritty", "konsole", "lxterm", "rxvt", "urxvt", "uxterm", "x-terminal-emulator", "xterm"];

/// What `words` run besides themselves.
pub(crate) fn unwrap(words: &[Word]) -> Option<(Wrapper, Inner)> {
    let path = words.first()?.literal()?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let arguments = &words[1..];
    let first = arguments.first().and_then(Word::literal);
    if matches!(first, Some("--help" | "--version")) {
        return None;
    }
    let (wrapper, inner) = match name {
        _ if SHELLS.contains(&name) => scripts::of_shell(arguments)?,
        "find" => (Wrapper::Counts, commands_of_find(arguments)?),
        "eval" => (Wrapper::Counts, scripts::of_eval(arguments)?),
        "trap" => (Wrapper::Counts, scripts::of_trap(arguments)?),
        "parallel" => (Wrapper::Counts, scripts::of_parallel(arguments)),
        "runuser" if !scripts::names_user(arguments) => {
            (Wrapper::Counts, scripts::of_option(arguments).unwrap_or(Inner::STANDARD_INPUT))
        }
        "at" | "batch" => (Wrapper::Counts, Inner::STANDARD_INPUT),
        "su" | "sg" => (Wrapper::Counts, scripts::of_option(arguments).unwrap_or(Inner::STANDARD_INPUT)),
        "script" => (Wrapper::Counts, scripts::of_typescript(arguments)),
        "source" | "." => (Wrapper::Counts, scripts::of_source(arguments)?),
        _ if name == "ld.so" || name.starts_with("ld-linux") || name.starts_with("ld-musl") => {
            (Wrapper::Counts, scripts::of_loader(arguments)?)
        }
        "capsh" => scripts::of_shell(behind_mark("--", arguments)?)?,
        "hyperfine" => (Wrapper::Counts, scripts::of_benchmark(arguments)),
        "socat" => (Wrapper::Counts, scripts::of_addresses(arguments)?),
        _ if TERMINALS.contains(&name) => (Wrapper::Counts, Inner::of_joined(behind_mark("-e", arguments)?)),
        // It only tells where a program is.
        "command" if matches!(first, Some("-v" | "-V")) => return None,
        // Its options say in many ways what it starts.
        "start-stop-daemon" => (Wrapper::Counts, Inner::UNKNOWN_OPTION),
        _ => match text_options::run_by_options(name, arguments) {
            Some(inner) => (Wrapper::Counts, inner),
            None => run_by_wrapper(words, name)?,
        },
    };
    // A program of the same name elsewhere may do anything.
    Some((if path == name { wrapper } else { Wrapper::Counts }, inner))
}

/// The words behind `mark`.
fn behind_mark<'a>(mark: &str, words: &'a [Word]) -> Option<&'a [Word]> {
    words.iter().position(|word| word.literal() == Some(mark)).map(|at| &words[at + 1..])
}

/// Whether an option among `words` tells the program that they begin with what to run.
pub(crate) fn runs_option_text(words: &[Word]) -> bool {
    let name = words.first().and_then(Word::literal).map(|path| path.rsplit('/').next().unwrap_or(path));
    name.is_some_and(|name| text_options::run_by_options(name, &words[1..]).is_some())
}

/// What a program runs that has the other one behind its own options.
fn run_by_wrapper(words: &[Word], name: &str) -> Option<(Wrapper, Inner)> {
    let (known, arguments) = wrappers::find_in(name, &words[1..])?;
    let Some(WrapperWords { given, rest }) = known.read_options(arguments) else {
        return Some((Wrapper::Counts, Inner::UNKNOWN_OPTION));
    };
    if name == "env"
        && let Some(text) = given.iter().find(|option| ["-S", "--split-string"].contains(&option.name.as_str()))
    {
        return Some((Wrapper::Counts, scripts::of_split_text(text.value, text.behind)));
    }
    let inner = match (known.runs, rest) {
        (_, []) if WITHOUT_PROGRAM.contains(&name) => return Some((Wrapper::Counts, Inner::STANDARD_INPUT)),
        (_, []) => return None,
        (RunsRest::AsText, rest) => Inner::of_joined(rest),
        (RunsRest::AfterOption(options), [first, rest @ ..])
            if first.literal().is_some_and(|text| options.contains(&text)) =>
        {
            Inner::of_word(rest.first())
        }
        (RunsRest::WithMoreWords, rest) => {
            let marks = given.iter().filter(|option| option.name == "-I").map(|option| option.value);
            let Some(marks) = marks.collect::<Option<Vec<&str>>>() else {
                return Some((Wrapper::Counts, Inner::UNKNOWN_OPTION));
            };
            let replaced = |word: &Word| marks.iter().fold(word.clone(), |word, mark| word.replacing(mark));
            Inner::Commands(vec![rest.iter().map(replaced).chain([Word::unknown("…")]).collect()])
        }
        (RunsRest::AsWords | RunsRest::AfterOption(_), rest) => Inner::Commands(vec![rest.to_vec()]),
    };
    Some((known.wrapper, inner))
}

/// Whether `words` set a variable for the program behind them that can make it run something else: for a shell that is any
/// one that is not known, such as `BASH_ENV`.
pub(crate) fn sets_meaning(words: &[Word]) -> bool {
    let name_of = |word: &Word| word.literal().map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
    let wrapper = words.first().and_then(name_of);
    if !wrapper.as_deref().and_then(wrappers::find).is_some_and(KnownWrapper::sets_variables) {
        return false;
    }
    let is_shell = |word: &Word| name_of(word).is_some_and(|name| SHELLS.contains(&name.as_str()));
    let runs_shell = words[1..].iter().any(is_shell);
    let is_harmful = |word: &Word| {
        let name = word.literal().and_then(|text| text.split_once('=')).map_or("", |(name, _)| name);
        let is_known =
            name.is_empty() || name.starts_with('-') || is_local(name) || built_in::facts().is_safe_variable(name);
        !is_known && (runs_shell || name == "PATH" || ["GIT_", "LD_"].iter().any(|start| name.starts_with(start)))
    };
    words[1..].iter().any(is_harmful)
}

/// What `find` runs on what it finds. As `find` does, a command goes on up to `;`, or `+` behind `{}`, whatever else is in
/// it; `{}` stands for a name in every word.
fn commands_of_find(words: &[Word]) -> Option<Inner> {
    let mut commands = Vec::new();
    let mut rest = words;
    while let Some(start) = rest.iter().position(|word| word.literal().is_some_and(|text| FIND_RUNS.contains(&text))) {
        rest = &rest[start + 1..];
        let ends = |at: &usize| match rest[*at].literal() {
            Some(";") => true,
            Some("+") => at.checked_sub(1).is_some_and(|before| rest[before].shown() == "{}"),
            _ => false,
        };
        let length = (0..rest.len()).find(ends).unwrap_or(rest.len());
        let (command, behind) = rest.split_at(length);
        if !command.is_empty() {
            commands.push(command.iter().map(|word| word.replacing("{}")).collect());
        }
        rest = behind;
    }
    // It may become `-exec` or `;`.
    let is_unclear = |word: &&Word| word.literal().is_none() && word.may_be_option() && word.shown() != "{}";
    commands.extend(words.iter().find(is_unclear).map(|word| vec![word.clone()]));
    (!commands.is_empty()).then_some(Inner::Commands(commands))
}
