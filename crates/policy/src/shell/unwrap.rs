//! Programs that run another one named in their arguments, or a script. What such a program does is also judged by what it
//! runs, so that a rule about `rm` holds for `nice rm` and `eval rm`.

mod scripts;
mod text_options;
mod tmux;
mod wrappers;

#[cfg(test)]
mod tests;

use super::ShellWord;
use super::shell_text::is_local;
use crate::built_in;
use wrappers::{KnownWrapper, RunsRest, WITHOUT_PROGRAM, WrapperWords};

/// What a wrapper runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WrappedCommand {
    /// A script, as text: `sh -c TEXT`.
    Script(String),
    /// A script that cannot be seen, and why.
    UnseenScript(&'static str),
    /// A program and its arguments, several of them for `find`.
    Commands(Vec<Vec<ShellWord>>),
}

impl WrappedCommand {
    const UNKNOWN_TEXT: WrappedCommand = WrappedCommand::UnseenScript("the script it runs is known only when it runs");
    const STANDARD_INPUT: WrappedCommand =
        WrappedCommand::UnseenScript("it runs what it reads from its standard input");
    pub(crate) const UNKNOWN_PROGRAM: &str = "which program it runs is not understood";
    pub(crate) const UNKNOWN_OPTION: WrappedCommand = WrappedCommand::UnseenScript(WrappedCommand::UNKNOWN_PROGRAM);

    /// The script that `word` is.
    fn from_word(word: Option<&ShellWord>) -> WrappedCommand {
        word.and_then(ShellWord::literal)
            .map_or(WrappedCommand::UNKNOWN_TEXT, |text| WrappedCommand::Script(text.to_owned()))
    }

    /// The script that `words` are once they are joined, as `eval` does.
    fn from_joined(words: &[ShellWord]) -> WrappedCommand {
        let texts: Option<Vec<&str>> = words.iter().map(ShellWord::literal).collect();
        texts.map_or(WrappedCommand::UNKNOWN_TEXT, |texts| WrappedCommand::Script(texts.join(" ")))
    }

    /// Both scripts.
    fn with(self, next: WrappedCommand) -> WrappedCommand {
        match (self, next) {
            (WrappedCommand::Script(before), WrappedCommand::Script(next)) => {
                WrappedCommand::Script(format!("{before}\n{next}"))
            }
            _ => WrappedCommand::UNKNOWN_TEXT,
        }
    }
}

/// Whether the wrapper itself still needs a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrapperKind {
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
pub(crate) fn unwrap(words: &[ShellWord]) -> Option<(WrapperKind, WrappedCommand)> {
    let path = words.first()?.literal()?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let arguments = &words[1..];
    let first = arguments.first().and_then(ShellWord::literal);
    if matches!(first, Some("--help" | "--version")) {
        return None;
    }
    let (wrapper, inner) = match name {
        _ if SHELLS.contains(&name) => scripts::run_by_shell(arguments)?,
        "find" => (WrapperKind::Counts, run_by_find(arguments)?),
        "fd" | "fdfind" => (WrapperKind::Counts, run_by_fd(arguments)?),
        "eval" => (WrapperKind::Counts, scripts::run_by_eval(arguments)?),
        "trap" => (WrapperKind::Counts, scripts::run_by_trap(arguments)?),
        "parallel" => (WrapperKind::Counts, scripts::run_by_parallel(arguments)),
        "runuser" if !scripts::names_user(arguments) => (WrapperKind::Counts, scripts::run_by_user_switch(arguments)),
        "at" | "batch" => (WrapperKind::Counts, WrappedCommand::STANDARD_INPUT),
        "su" | "sg" => (WrapperKind::Counts, scripts::run_by_user_switch(arguments)),
        "setarch" => (WrapperKind::Counts, run_by_setarch(arguments)),
        "script" => (WrapperKind::Counts, scripts::run_by_typescript(arguments)),
        "source" | "." => (WrapperKind::Counts, scripts::run_by_source(arguments)?),
        _ if name == "ld.so" || name.starts_with("ld-linux") || name.starts_with("ld-musl") => {
            (WrapperKind::Counts, scripts::run_by_loader(arguments)?)
        }
        "capsh" if arguments.iter().any(|word| word.literal().is_none_or(|text| text.starts_with("--shell"))) => {
            (WrapperKind::Counts, WrappedCommand::UNKNOWN_OPTION)
        }
        "capsh" => scripts::run_by_shell(behind_mark("--", arguments)?)?,
        "hyperfine" => (WrapperKind::Counts, scripts::of_benchmark(arguments)),
        "socat" => (WrapperKind::Counts, scripts::of_addresses(arguments)?),
        "ssh" => (WrapperKind::Counts, run_by_ssh(arguments)?),
        "tmux" => (WrapperKind::Counts, tmux::run_by_commands(arguments)?),
        _ if TERMINALS.contains(&name) => {
            (WrapperKind::Counts, WrappedCommand::from_joined(behind_mark("-e", arguments)?))
        }
        // It only tells where a program is.
        "command" if matches!(first, Some("-v" | "-V")) => return None,
        // Its options say in many ways what it starts.
        "start-stop-daemon" => (WrapperKind::Counts, WrappedCommand::UNKNOWN_OPTION),
        _ => match text_options::run_by_options(name, arguments) {
            Some(inner) => (WrapperKind::Counts, inner),
            None => run_by_wrapper(words, name)?,
        },
    };
    // A program of the same name elsewhere may do anything.
    Some((if path == name { wrapper } else { WrapperKind::Counts }, inner))
}

/// The words behind `mark`.
fn behind_mark<'a>(mark: &str, words: &'a [ShellWord]) -> Option<&'a [ShellWord]> {
    words.iter().position(|word| word.literal() == Some(mark)).map(|at| &words[at + 1..])
}

/// Whether an option among `words` tells the program that they begin with what to run.
pub(crate) fn runs_option_text(words: &[ShellWord]) -> bool {
    let name = words.first().and_then(ShellWord::literal).map(|path| path.rsplit('/').next().unwrap_or(path));
    name.is_some_and(|name| text_options::run_by_options(name, &words[1..]).is_some())
}

/// Whether the program that `words` call runs others of them joined by spaces, as a script: `watch`, and no shell, which is allowed as such.
pub(super) fn joins_words(words: &[ShellWord]) -> bool {
    let name = words.first().and_then(ShellWord::literal).map(|path| path.rsplit('/').next().unwrap_or(path));
    let known = name.and_then(|name| wrappers::find_in(name, &words[1..]));
    known.is_some_and(|(known, _)| matches!(known.runs, RunsRest::AsText | RunsRest::AfterOption(_)))
}

/// Whether `word` is an option of `find` or `fd` behind which a program stands.
pub(super) fn runs_next_words(word: &ShellWord) -> bool {
    word.literal().is_some_and(|text| FIND_RUNS.contains(&text) || text_options::value_of_fd(text) == Some(None))
}

/// What `setarch` runs. The name of an architecture may stand before its options, or be left out: then it is the program.
fn run_by_setarch(arguments: &[ShellWord]) -> WrappedCommand {
    let behind_options =
        |words| wrappers::find("setarch").and_then(|known| known.read_options(words)).map(|words| words.rest);
    let is_option = |word: &ShellWord| word.literal().is_none_or(|text| text.starts_with('-'));
    let behind_name =
        if arguments.first().is_some_and(is_option) { arguments } else { arguments.get(1..).unwrap_or_default() };
    match (behind_options(arguments), behind_options(behind_name)) {
        (Some([]), Some([])) => WrappedCommand::STANDARD_INPUT,
        (Some(with_name), Some(without_name)) => {
            let commands = [with_name, without_name].into_iter().filter(|command| !command.is_empty());
            WrappedCommand::Commands(commands.map(<[ShellWord]>::to_vec).collect())
        }
        (_, None) | (None, _) => WrappedCommand::UNKNOWN_OPTION,
    }
}

/// What `ssh` runs: the commands among its settings, and the one for the other machine, which may be this one.
fn run_by_ssh(arguments: &[ShellWord]) -> Option<WrappedCommand> {
    let settings = text_options::run_by_options("ssh", arguments);
    let known = wrappers::find("ssh")?;
    // Options may also stand behind the host.
    let remote =
        known.read_options(arguments).and_then(|before| known.read_options(before.rest.get(1..).unwrap_or_default()));
    let remote = match remote.map(|words| words.rest) {
        None => Some(WrappedCommand::UNKNOWN_OPTION),
        Some([]) => None,
        Some(rest) => Some(WrappedCommand::from_joined(rest)),
    };
    [settings, remote].into_iter().flatten().reduce(WrappedCommand::with)
}

/// What a program runs that has the other one behind its own options.
fn run_by_wrapper(words: &[ShellWord], name: &str) -> Option<(WrapperKind, WrappedCommand)> {
    let (known, arguments) = wrappers::find_in(name, &words[1..])?;
    let Some(WrapperWords { given, rest }) = known.read_options(arguments) else {
        return Some((WrapperKind::Counts, WrappedCommand::UNKNOWN_OPTION));
    };
    if name == "env"
        && let Some(text) = given.iter().find(|option| ["-S", "--split-string"].contains(&option.name.as_str()))
    {
        return Some((WrapperKind::Counts, scripts::run_by_split_text(text.value, text.behind)));
    }
    let inner = match (known.runs, rest) {
        (_, []) if WITHOUT_PROGRAM.contains(&name) => {
            return Some((WrapperKind::Counts, WrappedCommand::STANDARD_INPUT));
        }
        (_, []) => return None,
        (RunsRest::AsText, rest) => WrappedCommand::from_joined(rest),
        (RunsRest::AfterOption(options), [first, rest @ ..])
            if first.literal().is_some_and(|text| options.contains(&text)) =>
        {
            WrappedCommand::from_word(rest.first())
        }
        (RunsRest::WithMoreWords, rest) => {
            let marks = given.iter().filter(|option| option.name == "-I").map(|option| option.value);
            let Some(marks) = marks.collect::<Option<Vec<&str>>>() else {
                return Some((WrapperKind::Counts, WrappedCommand::UNKNOWN_OPTION));
            };
            let replaced = |word: &ShellWord| marks.iter().fold(word.clone(), |word, mark| word.replacing(mark));
            WrappedCommand::Commands(vec![rest.iter().map(replaced).chain([ShellWord::more_words()]).collect()])
        }
        (RunsRest::AsPackage, [first, rest @ ..]) => {
            let program = first.literal().map_or_else(|| first.clone(), |name| ShellWord::fixed(package_name(name)));
            WrappedCommand::Commands(vec![[&[program], rest].concat()])
        }
        (RunsRest::AsWords | RunsRest::AfterOption(_), rest) => WrappedCommand::Commands(vec![rest.to_vec()]),
    };
    Some((known.wrapper, inner))
}

/// A package's name without the version that is asked for: `eslint@9`, `@scope/name@1`.
fn package_name(asked: &str) -> &str {
    asked.rsplit_once('@').map_or(asked, |(name, _)| if name.is_empty() { asked } else { name })
}

/// Whether `words` set a variable for the program behind them that can make it run something else: for a shell that is any
/// one that is not known, such as `BASH_ENV`.
pub(crate) fn sets_risky_variable(words: &[ShellWord]) -> bool {
    let name_of = |word: &ShellWord| word.literal().map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
    let wrapper = words.first().and_then(name_of);
    if !wrapper.as_deref().and_then(wrappers::find).is_some_and(KnownWrapper::sets_variables) {
        return false;
    }
    let is_shell = |word: &ShellWord| name_of(word).is_some_and(|name| SHELLS.contains(&name.as_str()));
    let runs_shell = words[1..].iter().any(is_shell);
    let is_harmful = |word: &ShellWord| {
        let name = word.literal().and_then(|text| text.split_once('=')).map_or("", |(name, _)| name);
        let is_known =
            name.is_empty() || name.starts_with('-') || is_local(name) || built_in::facts().is_safe_variable(name);
        !is_known && (runs_shell || names_program(name))
    };
    words[1..].iter().any(is_harmful)
}

/// Whether programs take what to run, or where to find it, from the variable `name`.
fn names_program(name: &str) -> bool {
    const NAMES: [&str; 10] =
        ["BROWSER", "EDITOR", "LESSCLOSE", "LESSOPEN", "MANPAGER", "PAGER", "PATH", "SHELL", "SSH_ASKPASS", "VISUAL"];
    NAMES.contains(&name) || ["GIT_", "LD_", "LESS"].iter().any(|start| name.starts_with(start))
}

/// What `fd` runs on what it finds: the words behind `-x` up to `;`, with the names in the place of `{}` or at the end.
fn run_by_fd(words: &[ShellWord]) -> Option<WrappedCommand> {
    let mut commands = Vec::new();
    let mut rest = words;
    while let Some((at, attached)) =
        rest.iter().enumerate().find_map(|(at, word)| Some((at, text_options::value_of_fd(word.literal()?)?)))
    {
        rest = &rest[at + 1..];
        let length = rest.iter().position(|word| word.literal() == Some(";")).unwrap_or(rest.len());
        let (command, behind) = rest.split_at(length);
        let attached = attached.map(ShellWord::fixed);
        let command: Vec<ShellWord> =
            attached.into_iter().chain(command.iter().cloned()).map(|word| word.replacing("{")).collect();
        if !command.is_empty() {
            commands.push(command.into_iter().chain([ShellWord::more_words()]).collect());
        }
        rest = behind;
    }
    (!commands.is_empty()).then_some(WrappedCommand::Commands(commands))
}

/// What `find` runs on what it finds. As `find` does, a command goes on up to `;`, or `+` behind `{}`, whatever else is in
/// it; `{}` stands for a name in every word.
fn run_by_find(words: &[ShellWord]) -> Option<WrappedCommand> {
    let mut commands = Vec::new();
    let mut rest = words;
    while let Some(start) = rest.iter().position(|word| word.literal().is_some_and(|text| FIND_RUNS.contains(&text))) {
        rest = &rest[start + 1..];
        let ends = |at: &usize| match rest[*at].literal() {
            Some(";") => true,
            Some("+") => at.checked_sub(1).is_some_and(|before| rest[before].display_text() == "{}"),
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
    let is_unclear =
        |word: &&ShellWord| word.literal().is_none() && word.may_be_option() && word.display_text() != "{}";
    commands.extend(words.iter().find(is_unclear).map(|word| vec![word.clone()]));
    (!commands.is_empty()).then_some(WrappedCommand::Commands(commands))
}
