//! Typed lines that the terminal answers by itself and at once. All others that begin with a slash are the agent's commands.

use pollux_session::ApprovalMode;

/// How a line that begins with a slash is sent although it is no command.
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
    /// None of the terminal's own: the agent's, if it has a command of this name.
    Agent(String),
    /// Not understood; the sentence says why.
    Invalid(String),
}

/// The words that a person may have meant by one that is not there.
pub(crate) const OWN_NAMES: [&str; 9] =
    ["help", "status", "mode", "model", "stats", "compress", "queue", "cancel", "quit"];

/// What `/help` says.
pub(crate) const HELP: &str = "\
Type a prompt and press Enter. A line that ends in \\ goes on in the next one. While a turn runs, prompts are queued.
  /help                 this text
  /status               model, mode, session, what runs and what waits
  /mode [MODE]          how freely tools run: default, auto_edit, plan, yolo
  /model [NAME]         the model that answers; with a NAME, another one from the next turn on
  /stats                tokens, cost and tool calls of the newest turn and of the session
  /compress             let a summary stand for the conversation so far; /uncompress takes it back
  /queue                prompts that wait; /queue drop N takes one out, /queue go releases a held queue
  /cancel  or Ctrl+C    stop the running turn
  /quit    or Ctrl+D    leave; the session is kept
  !COMMAND              run a shell command yourself, without an ask; the agent knows what it printed
  > TEXT                send TEXT as a prompt, whatever it looks like, also while an ask is open
An ask is answered with the number or the id of an option. Whoever answers first, here or elsewhere, decides.
Questions come one by one: answer with a number or in words; /skip leaves one out, /decline answers nothing.
";

impl TerminalCommand {
    /// Read a line that starts with a slash.
    pub(crate) fn parse(line: &str) -> TerminalCommand {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["/help" | "/?"] => TerminalCommand::Help,
            ["/quit" | "/exit"] => TerminalCommand::Quit,
            ["/cancel"] => TerminalCommand::Cancel,
            ["/status"] => TerminalCommand::Status,
            ["/mode"] => TerminalCommand::Mode,
            ["/mode", name] => match parse_mode(name) {
                Some(mode) => TerminalCommand::SetMode(mode),
                None => TerminalCommand::Invalid(format!("no mode {name}: choose default, auto_edit, plan or yolo")),
            },
            ["/model"] => TerminalCommand::Model,
            ["/model", name] => TerminalCommand::SetModel((*name).to_owned()),
            ["/compress" | "/compact" | "/summarize"] => TerminalCommand::Compress,
            ["/uncompress" | "/uncompact"] => TerminalCommand::Uncompress,
            ["/stats"] => TerminalCommand::Stats,
            ["/skip" | "/decline"] => TerminalCommand::Invalid("no question is open".into()),
            ["/queue"] => TerminalCommand::Queue,
            ["/queue", "go"] => TerminalCommand::ResumeQueue,
            ["/queue", "drop", number] => match number.parse() {
                Ok(number) if number > 0 => TerminalCommand::DropQueued(number),
                _ => TerminalCommand::Invalid(format!("{number} is not a number from the list that /queue shows")),
            },
            ["/queue", ..] => TerminalCommand::Invalid("say /queue, /queue drop N or /queue go".into()),
            [
                known @ ("/help" | "/?" | "/quit" | "/exit" | "/cancel" | "/status" | "/stats" | "/compress"
                | "/compact" | "/summarize" | "/uncompress" | "/uncompact" | "/skip" | "/decline"),
                ..,
            ] => TerminalCommand::Invalid(format!("{known} takes nothing after it; {SEND_AS_TEXT}")),
            ["/mode", ..] => TerminalCommand::Invalid("say /mode or /mode NAME".into()),
            ["/model", ..] => TerminalCommand::Invalid("say /model or /model NAME".into()),
            [other, ..] => TerminalCommand::Agent(other.strip_prefix('/').unwrap_or(other).to_owned()),
            [] => TerminalCommand::Invalid("an empty command; /help lists them".into()),
        }
    }
}

fn parse_mode(name: &str) -> Option<ApprovalMode> {
    [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan, ApprovalMode::Yolo]
        .into_iter()
        .find(|mode| mode.name() == name)
}

#[cfg(test)]
mod tests {
    use super::TerminalCommand;
    use pollux_session::ApprovalMode;
    use pretty_assertions::assert_eq;

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
        ] {
            assert!(matches!(TerminalCommand::parse(line), TerminalCommand::Invalid(_)), "{line}");
        }
        for (line, word) in [("/", ""), ("/etc/hosts is odd", "etc/hosts"), ("/memory show", "memory")] {
            assert_eq!(TerminalCommand::parse(line), TerminalCommand::Agent(word.into()), "{line}");
        }
    }
}
