//! Typed lines that the terminal answers by itself and at once. All others that begin with a slash are the agent's commands.

use pollux_session::Mode;

/// How a line that begins with a slash is sent although it is no command.
pub(crate) const SEND_AS_TEXT: &str = "to send the line to the agent, put a space before the slash";

/// A slash command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slash {
    Help,
    Quit,
    Cancel,
    Status,
    /// Show the mode.
    Mode,
    SetMode(Mode),
    /// Show the model.
    Model,
    SetModel(String),
    Compress,
    Uncompress,
    Stats,
    /// List the queue.
    Queue,
    /// Take the prompt with this number, from 1, out of the queue.
    Drop(usize),
    /// Let a held queue go on.
    Go,
    /// None of the terminal's own: the agent's, if it has a command of this name.
    Agents(String),
    /// Not understood; the sentence says why.
    Wrong(String),
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

impl Slash {
    /// Read a line that starts with a slash.
    pub(crate) fn parse(line: &str) -> Slash {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["/help" | "/?"] => Slash::Help,
            ["/quit" | "/exit"] => Slash::Quit,
            ["/cancel"] => Slash::Cancel,
            ["/status"] => Slash::Status,
            ["/mode"] => Slash::Mode,
            ["/mode", name] => match mode(name) {
                Some(mode) => Slash::SetMode(mode),
                None => Slash::Wrong(format!("no mode {name}: choose default, auto_edit, plan or yolo")),
            },
            ["/model"] => Slash::Model,
            ["/model", name] => Slash::SetModel((*name).to_owned()),
            ["/compress" | "/compact" | "/summarize"] => Slash::Compress,
            ["/uncompress" | "/uncompact"] => Slash::Uncompress,
            ["/stats"] => Slash::Stats,
            ["/skip" | "/decline"] => Slash::Wrong("no question is open".into()),
            ["/queue"] => Slash::Queue,
            ["/queue", "go"] => Slash::Go,
            ["/queue", "drop", number] => match number.parse() {
                Ok(number) if number > 0 => Slash::Drop(number),
                _ => Slash::Wrong(format!("{number} is not a number from the list that /queue shows")),
            },
            ["/queue", ..] => Slash::Wrong("say /queue, /queue drop N or /queue go".into()),
            [
                known @ ("/help" | "/?" | "/quit" | "/exit" | "/cancel" | "/status" | "/stats" | "/compress"
                | "/compact" | "/summarize" | "/uncompress" | "/uncompact" | "/skip" | "/decline"),
                ..,
            ] => Slash::Wrong(format!("{known} takes nothing after it; {SEND_AS_TEXT}")),
            ["/mode", ..] => Slash::Wrong("say /mode or /mode NAME".into()),
            ["/model", ..] => Slash::Wrong("say /model or /model NAME".into()),
            [other, ..] => Slash::Agents(other.strip_prefix('/').unwrap_or(other).to_owned()),
            [] => Slash::Wrong("an empty command; /help lists them".into()),
        }
    }
}

fn mode(name: &str) -> Option<Mode> {
    [Mode::Default, Mode::AutoEdit, Mode::Plan, Mode::Yolo].into_iter().find(|mode| mode.name() == name)
}

#[cfg(test)]
mod tests {
    use super::Slash;
    use pollux_session::Mode;
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
            lines.map(Slash::parse),
            [
                Slash::Help,
                Slash::Quit,
                Slash::Cancel,
                Slash::Status,
                Slash::Mode,
                Slash::SetMode(Mode::AutoEdit),
                Slash::Queue,
                Slash::Drop(2),
                Slash::Go,
                Slash::Model,
                Slash::SetModel("gemini-2.5-pro".into()),
                Slash::Compress,
                Slash::Uncompress,
                Slash::Stats,
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
            assert!(matches!(Slash::parse(line), Slash::Wrong(_)), "{line}");
        }
        for (line, word) in [("/", ""), ("/etc/hosts is odd", "etc/hosts"), ("/memory show", "memory")] {
            assert_eq!(Slash::parse(line), Slash::Agents(word.into()), "{line}");
        }
    }
}
