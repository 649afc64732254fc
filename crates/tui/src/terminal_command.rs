//! Typed lines that the terminal answers by itself and at once. All others that begin with a slash are the agent's commands.

use pollux_session::{ApprovalMode, BuiltInCommand, CommandSeat};

/// The advice for sending a line that begins with a slash although it is no command.
pub(crate) const SEND_AS_TEXT: &str = "to send the line to the agent, put a space before the slash";

/// A slash command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TerminalCommand {
    Help,
    Quit,
    Cancel,
    Status,
    /// Show the mode.
    Mode,
    SetMode(ApprovalMode),
    /// Show the model.
    Model,
    SetModel(String),
    Compress,
    Uncompress,
    Stats,
    /// List the queue.
    Queue,
    /// Take the prompt with this number, from 1, out of the queue.
    DropQueued(usize),
    /// Let a held queue go on.
    ResumeQueue,
    /// List what is allowed without asking.
    Permissions,
    /// Take back the grant of this session with this number, from 1.
    DropGrant(usize),
    /// None of the terminal's own: the agent's, if it has a command of this name.
    Agent(String),
    /// Not understood; the sentence says why.
    Invalid(String),
}

/// The part of `/help` about the terminal itself.
pub(crate) fn describe_terminal() -> String {
    let own = BuiltInCommand::ALL.into_iter().filter(|command| command.seat() == Some(CommandSeat::Terminal));
    let lines = own.map(|command| {
        let info = command.info();
        let usage = if info.subcommands.is_empty() { info.usage() } else { format!("/{}", info.name) };
        format!("  {usage:<21} {}\n", info.summary())
    });
    format!("{BEFORE_COMMANDS}{}{AFTER_COMMANDS}", lines.collect::<String>())
}

const BEFORE_COMMANDS: &str = "\
Type a prompt and press Enter. A line that ends in \\ goes on in the next one. While a turn runs, prompts are queued.
";
const AFTER_COMMANDS: &str = "  \
  !COMMAND              Run a shell command yourself, without an ask; the agent knows what it printed
  > TEXT                Send TEXT as a prompt, whatever it looks like, also while an ask is open
  Ctrl+C, Ctrl+D        Stop the running turn; leave
An ask is answered with the number or the id of an option. Whoever answers first, here or elsewhere, decides.
Questions come one by one: answer with a number or in words; /skip leaves one out, /decline answers nothing.
";

impl TerminalCommand {
    /// Read a line that starts with a slash.
    pub(crate) fn parse(line: &str) -> TerminalCommand {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((first, arguments)) = words.split_first() else {
            return TerminalCommand::Invalid("an empty command; /help lists them".into());
        };
        let word = first.strip_prefix('/').unwrap_or(first);
        if ["skip", "decline"].contains(&word) {
            return TerminalCommand::Invalid("no question is open".into());
        }
        let Some(command) = BuiltInCommand::from_name(word) else { return TerminalCommand::Agent(word.to_owned()) };
        if command.seat() == Some(CommandSeat::Terminal) && !command.takes_arguments() && !arguments.is_empty() {
            return TerminalCommand::Invalid(takes_nothing(word));
        }
        match (command, arguments) {
            (BuiltInCommand::Help, _) => TerminalCommand::Help,
            (BuiltInCommand::Quit, _) => TerminalCommand::Quit,
            (BuiltInCommand::Cancel, _) => TerminalCommand::Cancel,
            (BuiltInCommand::Status, _) => TerminalCommand::Status,
            (BuiltInCommand::Mode, []) => TerminalCommand::Mode,
            (BuiltInCommand::Mode, [name]) => match parse_mode(name) {
                Some(mode) => TerminalCommand::SetMode(mode),
                None => TerminalCommand::Invalid(format!("no mode {name}: choose default, auto_edit, plan or yolo")),
            },
            (BuiltInCommand::Mode, _) => TerminalCommand::Invalid("say /mode or /mode NAME".into()),
            (BuiltInCommand::Model, []) => TerminalCommand::Model,
            (BuiltInCommand::Model, [name]) => TerminalCommand::SetModel((*name).to_owned()),
            (BuiltInCommand::Model, _) => TerminalCommand::Invalid("say /model or /model NAME".into()),
            (BuiltInCommand::Compress, _) => TerminalCommand::Compress,
            (BuiltInCommand::Uncompress, _) => TerminalCommand::Uncompress,
            (BuiltInCommand::Stats, _) => TerminalCommand::Stats,
            (BuiltInCommand::Queue, []) => TerminalCommand::Queue,
            (BuiltInCommand::Queue, ["go"]) => TerminalCommand::ResumeQueue,
            (BuiltInCommand::Queue, ["drop", number]) => match number.parse() {
                Ok(number) if number > 0 => TerminalCommand::DropQueued(number),
                _ => TerminalCommand::Invalid(format!("{number} is not a number from the list that /queue shows")),
            },
            (BuiltInCommand::Queue, _) => TerminalCommand::Invalid("say /queue, /queue drop N or /queue go".into()),
            (BuiltInCommand::Permissions, []) => TerminalCommand::Permissions,
            (BuiltInCommand::Permissions, ["drop", number]) => match number.parse() {
                Ok(number) if number > 0 => TerminalCommand::DropGrant(number),
                _ => TerminalCommand::Invalid(format!("{number} is not a number from the list of /permissions")),
            },
            (BuiltInCommand::Permissions, _) => {
                TerminalCommand::Invalid("say /permissions or /permissions drop NUMBER".into())
            }
            (
                BuiltInCommand::A2a
                | BuiltInCommand::About
                | BuiltInCommand::Background
                | BuiltInCommand::Chat
                | BuiltInCommand::Clear
                | BuiltInCommand::Clients
                | BuiltInCommand::Copy
                | BuiltInCommand::Diff
                | BuiltInCommand::Export
                | BuiltInCommand::Extensions
                | BuiltInCommand::Init
                | BuiltInCommand::Keys
                | BuiltInCommand::ListExtensions
                | BuiltInCommand::Mcp
                | BuiltInCommand::Memory
                | BuiltInCommand::Restore
                | BuiltInCommand::Resume
                | BuiltInCommand::Rewind
                | BuiltInCommand::Settings
                | BuiltInCommand::Shell
                | BuiltInCommand::Theme
                | BuiltInCommand::Tools
                | BuiltInCommand::Vim,
                _,
            ) => TerminalCommand::Agent(word.to_owned()),
        }
    }
}

/// A sentence about `/word` with arguments although it takes none.
pub(crate) fn takes_nothing(word: &str) -> String {
    format!("/{word} takes nothing after it; {SEND_AS_TEXT}")
}

fn parse_mode(name: &str) -> Option<ApprovalMode> {
    [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan, ApprovalMode::Yolo]
        .into_iter()
        .find(|mode| mode.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_terminal_answers_what_the_table_says_and_describes_it() {
        let help = describe_terminal();
        for command in BuiltInCommand::ALL {
            let is_own = command.seat() == Some(CommandSeat::Terminal);
            for name in std::iter::once(&command.name()).chain(command.aliases()) {
                let word = TerminalCommand::parse(&format!("/{name}"));
                assert!(!matches!(word, TerminalCommand::Invalid(_)), "/{name}");
                assert_eq!(!matches!(word, TerminalCommand::Agent(_)), is_own, "/{name}");
            }
            let is_described = help.lines().any(|line| line.starts_with(&format!("  /{} ", command.name())));
            assert_eq!(is_described, is_own, "{command:?}");
        }
    }

    #[test]
    fn good_lines() {
        let lines = [
            "/help",
            " /quit ",
            "/cancel",
            "/status",
            "/mode",
            "/mode auto_edit",
            "/queue",
            "/queue drop 2",
            "/queue  go",
            "/model",
            "/model gemini-2.5-pro",
            "/compress",
            "/uncompress",
            "/stats",
            "/permissions",
            "/permissions drop 3",
        ];
        assert_eq!(
            lines.map(TerminalCommand::parse),
            [
                TerminalCommand::Help,
                TerminalCommand::Quit,
                TerminalCommand::Cancel,
                TerminalCommand::Status,
                TerminalCommand::Mode,
                TerminalCommand::SetMode(ApprovalMode::AutoEdit),
                TerminalCommand::Queue,
                TerminalCommand::DropQueued(2),
                TerminalCommand::ResumeQueue,
                TerminalCommand::Model,
                TerminalCommand::SetModel("gemini-2.5-pro".into()),
                TerminalCommand::Compress,
                TerminalCommand::Uncompress,
                TerminalCommand::Stats,
                TerminalCommand::Permissions,
                TerminalCommand::DropGrant(3),
            ]
        );
    }

    #[test]
    fn bad_lines_get_a_sentence() {
        for line in [
            "/model a b",
            "/skip",
            "/compress harder",
            "/mode wild",
            "/mode a b",
            "/queue drop 0",
            "/queue drop x",
            "/queue sort",
            "/quit now",
            "/permissions drop 0",
            "/permissions 1",
        ] {
            assert!(matches!(TerminalCommand::parse(line), TerminalCommand::Invalid(_)), "{line}");
        }
        for (line, word) in [("/", ""), ("/etc/hosts is odd", "etc/hosts"), ("/memory show", "memory")] {
            assert_eq!(TerminalCommand::parse(line), TerminalCommand::Agent(word.into()), "{line}");
        }
    }
}
