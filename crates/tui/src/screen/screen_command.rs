//! The commands that the screen answers by itself. All others that begin with a slash are the agent's.

use crate::terminal_command::{SEND_AS_TEXT, TerminalCommand};
use pollux_session::CommandInfo;

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
    /// What this session has changed.
    Diff,
    /// Go back to before a prompt.
    Rewind,
    /// Go on with another session.
    Resume,
    /// Write the conversation to a file.
    Export(Option<String>),
    /// What the keys do.
    Keys,
    /// Who else is here.
    Clients,
    /// Show how others come in, and let them.
    Endpoint(EndpointCommand),
}

/// What `/a2a` is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndpointCommand {
    Show,
    Open(Option<u16>),
    Close,
}

/// The screen's own commands, for completion and help.
const SCREEN_COMMANDS: &[(&str, &str)] = &[
    ("a2a", "Let others join this session: show how, open [PORT] or close"),
    ("cancel", "Stop the running turn"),
    ("clients", "Who else is at this session"),
    ("copy", "Copy the newest answer"),
    ("diff", "What this session has changed"),
    ("export", "Write the conversation to a file (.md or .json)"),
    ("help", "Commands and keys"),
    ("keys", "What the keys do"),
    ("mode", "How freely tools run: default, auto_edit, plan, yolo"),
    ("model", "The model that answers; without a name, a list"),
    ("queue", "Prompts that wait: drop N, go"),
    ("quit", "Leave; the session is kept"),
    ("resume", "Go on with another session"),
    ("rewind", "Go back to before a prompt"),
    ("status", "Model, mode, session, what runs and what waits"),
    ("theme", "Colours: auto, dark, light or plain"),
    ("uncompress", "Take the newest summary back"),
    ("vim", "Type as in vi, or no longer"),
];

/// The names of the screen's own commands.
pub(crate) fn own_names() -> Vec<&'static str> {
    SCREEN_COMMANDS.iter().map(|(name, _)| *name).collect()
}

/// The screen's commands and the agent's, each once, by name.
pub(crate) fn with_screen_commands(theirs: Vec<CommandInfo>) -> Vec<CommandInfo> {
    let own = SCREEN_COMMANDS.iter().map(|(name, description)| CommandInfo {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
        ..CommandInfo::default()
    });
    let mut all: Vec<CommandInfo> = own.collect();
    for command in theirs {
        // Where both have a word, the screen answers it; the sub-commands that the agent knows are still of use.
        match all.iter_mut().find(|known| known.name == command.name) {
            Some(known) => known.subcommands = command.subcommands,
            None => all.push(command),
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
        match words.as_slice() {
            ["/theme"] => ScreenCommand::Theme(None),
            ["/theme", name] => ScreenCommand::Theme(Some((*name).to_owned())),
            ["/vim"] => ScreenCommand::Vim,
            ["/copy"] => ScreenCommand::Copy,
            ["/diff"] => ScreenCommand::Diff,
            ["/rewind"] => ScreenCommand::Rewind,
            ["/resume"] => ScreenCommand::Resume,
            ["/export"] => ScreenCommand::Export(None),
            ["/export", name] => ScreenCommand::Export(Some((*name).to_owned())),
            ["/keys" | "/shortcuts"] => ScreenCommand::Keys,
            ["/clients"] => ScreenCommand::Clients,
            ["/a2a" | "/a2a-port"] => ScreenCommand::Endpoint(EndpointCommand::Show),
            ["/a2a", "open" | "on"] => ScreenCommand::Endpoint(EndpointCommand::Open(None)),
            ["/a2a", "open" | "on", port] => match port.parse() {
                Ok(port) => ScreenCommand::Endpoint(EndpointCommand::Open(Some(port))),
                Err(_) => wrong("a port is a number from 0 to 65535; 0 takes any that is free"),
            },
            ["/a2a", "close" | "off"] => ScreenCommand::Endpoint(EndpointCommand::Close),
            ["/a2a", ..] => wrong("say /a2a, /a2a open [PORT] or /a2a close"),
            ["/theme" | "/export", ..] => wrong("that takes one word at the most"),
            ["/vim" | "/copy" | "/diff" | "/resume" | "/keys" | "/clients", ..] => {
                wrong(&format!("that takes nothing after it; {SEND_AS_TEXT}"))
            }
            _ => ScreenCommand::Terminal(TerminalCommand::parse(line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            ("/export notes.md", ScreenCommand::Export(Some("notes.md".into()))),
            ("/rewind 12", ScreenCommand::Terminal(TerminalCommand::Agent("rewind".into()))),
            ("/memory show", ScreenCommand::Terminal(TerminalCommand::Agent("memory".into()))),
            ("/quit", ScreenCommand::Terminal(TerminalCommand::Quit)),
        ];
        for (line, word) in rows {
            assert_eq!(ScreenCommand::parse(line), word, "{line}");
        }
        for line in ["/a2a open x", "/a2a open 65536", "/a2a maybe", "/vim please", "/theme a b"] {
            assert!(
                matches!(ScreenCommand::parse(line), ScreenCommand::Terminal(TerminalCommand::Invalid(_))),
                "{line}"
            );
        }
    }

    #[test]
    fn every_own_word_is_understood_and_listed_once() {
        for (name, _) in SCREEN_COMMANDS {
            let word = ScreenCommand::parse(&format!("/{name}"));
            assert!(
                !matches!(word, ScreenCommand::Terminal(TerminalCommand::Agent(_) | TerminalCommand::Invalid(_))),
                "{name}"
            );
        }
        let theirs = vec![CommandInfo { name: "rewind".into(), ..CommandInfo::default() }];
        assert_eq!(with_screen_commands(theirs).len(), SCREEN_COMMANDS.len());
    }
}
