//! What tmux runs. Its arguments are one or more commands of its own, joined by `;`; some of those start a program, others
//! hand text to a shell that is running, and most only arrange windows.

use super::wrappers::KnownWrapper;
use super::{ShellWord, WrappedCommand, text_options, wrappers};

/// Commands whose last words are a shell command.
const STARTS: [&str; 12] = [
    "new",
    "new-session",
    "neww",
    "new-window",
    "respawn-pane",
    "respawn-window",
    "respawnp",
    "respawnw",
    "run",
    "run-shell",
    "split-window",
    "splitw",
];
/// Commands that run nothing, whatever their words are; only a format, `#(…)`, does.
const ARRANGES: [&str; 40] = [
    "a",
    "at",
    "attach",
    "attach-session",
    "capture-pane",
    "capturep",
    "clear-history",
    "detach",
    "detach-client",
    "display",
    "display-message",
    "has",
    "has-session",
    "info",
    "kill-pane",
    "kill-server",
    "kill-session",
    "kill-window",
    "killp",
    "killw",
    "list-clients",
    "list-keys",
    "list-panes",
    "list-sessions",
    "list-windows",
    "ls",
    "lsc",
    "lsk",
    "lsp",
    "lsw",
    "rename",
    "rename-session",
    "rename-window",
    "renamew",
    "resize-pane",
    "resizep",
    "select-pane",
    "select-window",
    "selectp",
    "selectw",
];

/// What tmux runs by its own options and by each of its commands.
pub(super) fn run_by_commands(arguments: &[ShellWord]) -> Option<WrappedCommand> {
    let by_options = text_options::run_by_options("tmux", arguments);
    let commands = match wrappers::find("tmux").and_then(|own| own.read_options(arguments)) {
        Some(own) => split_commands(own.rest).into_iter().filter_map(|command| run_by_command(&command)).collect(),
        None => vec![WrappedCommand::UNKNOWN_OPTION],
    };
    by_options.into_iter().chain(commands).reduce(WrappedCommand::with)
}

/// The commands that `words` are: a word `;`, or one that ends in it, ends a command.
fn split_commands(words: &[ShellWord]) -> Vec<Vec<ShellWord>> {
    let mut commands = vec![Vec::new()];
    for word in words {
        let last = word.literal().and_then(|text| text.strip_suffix(';')).filter(|text| !text.ends_with('\\'));
        if let Some(command) = commands.last_mut() {
            match last {
                Some("") => {}
                Some(text) => command.push(ShellWord::fixed(text)),
                None => command.push(word.clone()),
            }
        }
        if last.is_some() {
            commands.push(Vec::new());
        }
    }
    commands
}

fn run_by_command(words: &[ShellWord]) -> Option<WrappedCommand> {
    let (name, arguments) = words.split_first()?;
    let holds_format = |word: &ShellWord| word.literal().is_none_or(|text| text.contains("#("));
    match name.literal() {
        Some(name) if STARTS.contains(&name) => match KnownWrapper::TMUX_COMMAND.read_options(arguments) {
            None => Some(WrappedCommand::UNKNOWN_OPTION),
            Some(command) => Some(WrappedCommand::from_joined(command.rest)),
        },
        Some(name) if ARRANGES.contains(&name) && !arguments.iter().any(holds_format) => None,
        // It may also be the beginning of a command's name.
        _ => Some(WrappedCommand::UNKNOWN_OPTION),
    }
}
