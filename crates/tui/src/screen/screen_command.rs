//! The commands that the screen answers by itself. All others that begin with a slash are the agent's.

use crate::screen::overlay::SessionFolders;
use crate::terminal_command::{TerminalCommand, takes_nothing};
use pollux_session::{BuiltInCommand, CommandInfo, CommandSeat};

/// What a line that begins with a slash means here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScreenCommand {
    /// One of those that the line mode has too, or the agent's.
    Terminal(TerminalCommand),
    /// Choose a theme, by name or from a list.
    Theme(Option<String>),
    /// Type as in vi, or no longer.
    Vim,
    /// Copy the newest answer.
    Copy,
    /// Files that this session's tools wrote, call by call.
    Diff,
    /// Go back to before a prompt.
    Rewind,
    /// Go on with another session.
    Resume(SessionFolders),
    /// Write the conversation to a file.
    Export(Option<String>),
    /// What the keys do.
    Keys,
    /// Who else is here.
    Clients,
    /// Commands in the background.
    Background(BackgroundCommandAction),
    /// Show how others come in, and let them.
    Endpoint(EndpointCommand),
}

/// What `/background` is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackgroundCommandAction {
    List,
    /// End the process with this number.
    Stop(u32),
}

/// What `/a2a` is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndpointCommand {
    Show,
    Open(Option<u16>),
    Close,
}

/// The screen's commands and the agent's, each once, by name.
pub(crate) fn with_screen_commands(theirs: Vec<CommandInfo>) -> Vec<CommandInfo> {
    let own = BuiltInCommand::ALL.into_iter().filter(|command| command.seat().is_some());
    let mut all: Vec<CommandInfo> = own.map(BuiltInCommand::info).collect();
    for command in theirs {
        // Where both have a word, the screen answers it.
        if all.iter().all(|known| known.name != command.name) {
            all.push(command);
        }
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

impl ScreenCommand {
    /// Read a line that starts with a slash.
    pub(crate) fn parse(line: &str) -> ScreenCommand {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = |sentence: &str| ScreenCommand::Terminal(TerminalCommand::Invalid(sentence.to_owned()));
        let terminal = || ScreenCommand::Terminal(TerminalCommand::parse(line));
        let Some((first, arguments)) = words.split_first() else { return terminal() };
        let word = first.strip_prefix('/').unwrap_or(first);
        let Some(command) = BuiltInCommand::from_name(word) else { return terminal() };
        if command.seat() == Some(CommandSeat::Screen) && !command.takes_arguments() && !arguments.is_empty() {
            return wrong(&takes_nothing(word));
        }
        match (command, arguments) {
            (BuiltInCommand::Theme, []) => ScreenCommand::Theme(None),
            (BuiltInCommand::Theme, [name]) => ScreenCommand::Theme(Some((*name).to_owned())),
            (BuiltInCommand::Theme, _) => wrong("that takes one word at the most"),
            (BuiltInCommand::Export, []) => ScreenCommand::Export(None),
            (BuiltInCommand::Export, _) => match file_name(line) {
                Some(name) => ScreenCommand::Export(Some(name.to_owned())),
                None => wrong("say /export FILE; a name with blanks is in quotes: /export \"my notes.md\""),
            },
            (BuiltInCommand::Vim, _) => ScreenCommand::Vim,
            (BuiltInCommand::Copy, _) => ScreenCommand::Copy,
            (BuiltInCommand::Diff, _) => ScreenCommand::Diff,
            (BuiltInCommand::Rewind, []) => ScreenCommand::Rewind,
            (BuiltInCommand::Resume, []) => ScreenCommand::Resume(SessionFolders::This),
            (BuiltInCommand::Resume, ["all"]) => ScreenCommand::Resume(SessionFolders::All),
            (BuiltInCommand::Resume, _) => wrong("say /resume, or /resume all for the sessions of every folder"),
            (BuiltInCommand::Keys, _) => ScreenCommand::Keys,
            (BuiltInCommand::Clients, _) => ScreenCommand::Clients,
            (BuiltInCommand::Background, [] | ["list"]) => ScreenCommand::Background(BackgroundCommandAction::List),
            (BuiltInCommand::Background, ["stop", pid]) => match pid.parse() {
                Ok(pid) => ScreenCommand::Background(BackgroundCommandAction::Stop(pid)),
                Err(_) => wrong(&format!("{pid} is not a process number from the list of /background")),
            },
            (BuiltInCommand::Background, _) => wrong("say /background or /background stop PID"),
            (BuiltInCommand::A2a, []) => ScreenCommand::Endpoint(EndpointCommand::Show),
            (BuiltInCommand::A2a, ["open" | "on"]) => ScreenCommand::Endpoint(EndpointCommand::Open(None)),
            (BuiltInCommand::A2a, ["open" | "on", port]) => match port.parse() {
                Ok(port) => ScreenCommand::Endpoint(EndpointCommand::Open(Some(port))),
                Err(_) => wrong("a port is a number from 0 to 65535; 0 takes any that is free"),
            },
            (BuiltInCommand::A2a, ["close" | "off"]) => ScreenCommand::Endpoint(EndpointCommand::Close),
            (BuiltInCommand::A2a, _) => wrong("say /a2a, /a2a open [PORT] or /a2a close"),
            (
                BuiltInCommand::About
                | BuiltInCommand::Cancel
                | BuiltInCommand::Chat
                | BuiltInCommand::Clear
                | BuiltInCommand::Compress
                | BuiltInCommand::Extensions
                | BuiltInCommand::Help
                | BuiltInCommand::Init
                | BuiltInCommand::ListExtensions
                | BuiltInCommand::Mcp
                | BuiltInCommand::Memory
                | BuiltInCommand::Mode
                | BuiltInCommand::Model
                | BuiltInCommand::Permissions
                | BuiltInCommand::Queue
                | BuiltInCommand::Quit
                | BuiltInCommand::Restore
                | BuiltInCommand::Rewind
                | BuiltInCommand::Settings
                | BuiltInCommand::Shell
                | BuiltInCommand::Stats
                | BuiltInCommand::Status
                | BuiltInCommand::Tools
                | BuiltInCommand::Uncompress,
                _,
            ) => terminal(),
        }
    }
}

/// The one name that follows the command: a word, or what is in quotes.
fn file_name(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(char::is_whitespace)?;
    let rest = rest.trim();
    let quoted = ['"', '\''].iter().find_map(|quote| rest.strip_prefix(*quote)?.strip_suffix(*quote));
    match quoted {
        Some(name) => Some(name).filter(|name| !name.trim().is_empty() && !name.contains(['"', '\''])),
        None => Some(rest).filter(|name| !name.contains(char::is_whitespace)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollux_session::CommandAnswerer;
    use pretty_assertions::assert_eq;

    #[test]
    fn lines_and_what_they_mean() {
        let rows = [
            ("/theme", ScreenCommand::Theme(None)),
            ("/theme light", ScreenCommand::Theme(Some("light".into()))),
            ("/a2a", ScreenCommand::Endpoint(EndpointCommand::Show)),
            ("/a2a open", ScreenCommand::Endpoint(EndpointCommand::Open(None))),
            ("/a2a on 41242", ScreenCommand::Endpoint(EndpointCommand::Open(Some(41242)))),
            ("/a2a close", ScreenCommand::Endpoint(EndpointCommand::Close)),
            ("/resume", ScreenCommand::Resume(SessionFolders::This)),
            ("/resume all", ScreenCommand::Resume(SessionFolders::All)),
            ("/export notes.md", ScreenCommand::Export(Some("notes.md".into()))),
            ("/export \"my notes.md\"", ScreenCommand::Export(Some("my notes.md".into()))),
            ("/export 'my notes.md' ", ScreenCommand::Export(Some("my notes.md".into()))),
            ("/rewind 12", ScreenCommand::Terminal(TerminalCommand::Agent("rewind".into()))),
            ("/memory show", ScreenCommand::Terminal(TerminalCommand::Agent("memory".into()))),
            ("/quit", ScreenCommand::Terminal(TerminalCommand::Quit)),
        ];
        for (line, word) in rows {
            assert_eq!(ScreenCommand::parse(line), word, "{line}");
        }
        for line in [
            "/export my notes.md",
            "/export \"a\" \"b\"",
            "/export \"\"",
            "/a2a open x",
            "/a2a open 65536",
            "/a2a maybe",
            "/vim please",
            "/resume mine",
            "/theme a b",
        ] {
            assert!(
                matches!(ScreenCommand::parse(line), ScreenCommand::Terminal(TerminalCommand::Invalid(_))),
                "{line}"
            );
        }
    }

    #[test]
    fn the_screen_answers_what_the_table_says_and_lists_it_once() {
        for command in BuiltInCommand::ALL {
            for name in std::iter::once(&command.name()).chain(command.aliases()) {
                let word = ScreenCommand::parse(&format!("/{name}"));
                assert!(!matches!(word, ScreenCommand::Terminal(TerminalCommand::Invalid(_))), "/{name}");
                let is_agents = matches!(word, ScreenCommand::Terminal(TerminalCommand::Agent(_)));
                assert_eq!(is_agents, command.seat().is_none(), "/{name}");
            }
        }
        let theirs =
            BuiltInCommand::ALL.into_iter().filter(|command| !matches!(command.answerer(), CommandAnswerer::Seat(_)));
        let listed = with_screen_commands(theirs.map(BuiltInCommand::info).collect());
        assert_eq!(listed, BuiltInCommand::ALL.map(BuiltInCommand::info));
    }
}
