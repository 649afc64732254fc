//! The slash commands that come with Pollux, in one table: what they are called, what they take, what they do and who
//! answers them. Help, completion, `commands/get`, `/listCommands` and the documentation are made from it. Whoever answers
//! commands matches over the enum, so that a new command is met there by the compiler.

mod table;

use crate::{ArgumentInfo, CommandInfo};
use table::{ArgumentFacts, CommandFacts};

/// A slash command of Pollux's own. Commands of files and prompts of MCP servers are none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltInCommand {
    A2a,
    About,
    Background,
    Cancel,
    Chat,
    Clear,
    Clients,
    Compress,
    Copy,
    Diff,
    Export,
    Extensions,
    Help,
    Init,
    Keys,
    ListExtensions,
    Mcp,
    Memory,
    Mode,
    Model,
    Permissions,
    Queue,
    Quit,
    Restore,
    Resume,
    Rewind,
    Settings,
    Shell,
    Stats,
    Status,
    Theme,
    Tools,
    Uncompress,
    Vim,
}

/// The side that answers a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandAnswerer {
    /// The agent, wherever the command was typed.
    Agent,
    /// A seat, which has no need of the agent for it. Elsewhere nobody answers it.
    Seat(CommandSeat),
    /// A seat in its own way, with a list to choose from for one; elsewhere the agent.
    SeatOrAgent(CommandSeat),
}

/// The seats that answer a command by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandSeat {
    /// Every terminal: the full screen and the line mode.
    Terminal,
    /// Only a terminal's full screen.
    Screen,
}

crate::all_variants! {
    /// All of them, by name.
    pub BuiltInCommand:
        A2a,
        About,
        Background,
        Cancel,
        Chat,
        Clear,
        Clients,
        Compress,
        Copy,
        Diff,
        Export,
        Extensions,
        Help,
        Init,
        Keys,
        ListExtensions,
        Mcp,
        Memory,
        Mode,
        Model,
        Permissions,
        Queue,
        Quit,
        Restore,
        Resume,
        Rewind,
        Settings,
        Shell,
        Stats,
        Status,
        Theme,
        Tools,
        Uncompress,
        Vim,
}

impl BuiltInCommand {
    /// The command that `word` names, without its slash; also by another name that people know it by.
    pub fn from_name(word: &str) -> Option<BuiltInCommand> {
        let is_named = |command: &BuiltInCommand| command.name() == word || command.aliases().contains(&word);
        BuiltInCommand::ALL.into_iter().find(is_named)
    }

    /// The name, without the slash.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Other names that it answers to.
    pub fn aliases(self) -> &'static [&'static str] {
        self.facts().aliases
    }

    /// The side that answers it.
    pub fn answerer(self) -> CommandAnswerer {
        self.facts().answerer
    }

    /// The seats that answer it by themselves.
    pub fn seat(self) -> Option<CommandSeat> {
        match self.answerer() {
            CommandAnswerer::Agent => None,
            CommandAnswerer::Seat(seat) | CommandAnswerer::SeatOrAgent(seat) => Some(seat),
        }
    }

    /// True if it only hands a prompt to the model, so that typing it is prompting.
    pub fn asks_model(self) -> bool {
        self == BuiltInCommand::Init
    }

    /// True if arguments may follow its name.
    pub fn takes_arguments(self) -> bool {
        let CommandFacts { arguments, subcommands, .. } = self.facts();
        !arguments.is_empty() || !subcommands.is_empty()
    }

    /// Its name, description and arguments, for lists.
    pub fn info(self) -> CommandInfo {
        let CommandFacts { name, help, arguments, subcommands, .. } = self.facts();
        let subcommand = |&(name, help, arguments): &(&str, &str, &[ArgumentFacts])| CommandInfo {
            name: name.to_owned(),
            description: help.to_owned(),
            arguments: arguments.iter().map(ArgumentFacts::to_info).collect(),
            subcommands: Vec::new(),
        };
        CommandInfo {
            name: name.to_owned(),
            description: help.to_owned(),
            arguments: arguments.iter().map(ArgumentFacts::to_info).collect(),
            subcommands: subcommands.iter().map(subcommand).collect(),
        }
    }
}

impl ArgumentFacts {
    fn to_info(&self) -> ArgumentInfo {
        let (name, help, required) = match self {
            ArgumentFacts::Required(name, help) => (name, help, true),
            ArgumentFacts::Optional(name, help) => (name, help, false),
        };
        ArgumentInfo { name: (*name).to_owned(), description: (*help).to_owned(), required }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_and_alias_stands_once_and_in_order() {
        let names = BuiltInCommand::ALL.map(BuiltInCommand::name);
        assert!(names.is_sorted(), "{names:?}");
        let mut all = HashSet::new();
        for command in BuiltInCommand::ALL {
            for name in std::iter::once(&command.name()).chain(command.aliases()) {
                assert!(all.insert(*name), "{name} stands twice");
                assert_eq!(BuiltInCommand::from_name(name), Some(command));
            }
        }
        assert_eq!(BuiltInCommand::from_name("etc"), None);
    }

    /// The table for people, as docs/TERMINAL.md has it.
    #[test]
    fn the_documentation_has_every_command() {
        let documentation = include_str!("../../../docs/TERMINAL.md");
        let rows = BuiltInCommand::ALL.map(|command| {
            let info = command.info();
            let place = match command.seat() {
                None => "everywhere",
                Some(CommandSeat::Terminal) if command.answerer() == CommandAnswerer::Seat(CommandSeat::Terminal) => {
                    "every terminal"
                }
                Some(CommandSeat::Screen) if command.answerer() == CommandAnswerer::Seat(CommandSeat::Screen) => {
                    "the full screen"
                }
                Some(CommandSeat::Terminal | CommandSeat::Screen) => "everywhere; a terminal answers by itself",
            };
            let aliases: String = command.aliases().iter().map(|alias| format!(", `/{alias}`")).collect();
            let usage = info.usage().replace(", ", "`, `");
            format!("| `{usage}`{aliases} | {} | {place} |", info.description)
        });
        for row in rows {
            assert!(documentation.contains(&row), "docs/TERMINAL.md lacks this line:\n{row}");
        }
    }

    #[test]
    fn a_command_tells_what_it_takes() {
        let chat = BuiltInCommand::Chat.info();
        let save = &chat.subcommands[0];
        assert_eq!((chat.name.as_str(), save.name.as_str()), ("chat", "save"));
        assert!(save.arguments[0].required);
        assert!(BuiltInCommand::Chat.takes_arguments() && !BuiltInCommand::Quit.takes_arguments());
    }
}
