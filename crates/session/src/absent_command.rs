//! Slash commands that people know from Gemini CLI, from other agents or from the terminal's screen, and that the agent does not have.
//! Each is answered with one sentence that names the way out, so that the word never reaches a model as a prompt.

use crate::{BuiltInCommand, CommandAnswerer, CommandSeat};

/// A command, and what a person is told who types it.
type AbsentCommand = (&'static str, &'static str);

const ABSENT: &[AbsentCommand] = &[
    (
        "agents",
        "Sub-agents have no command here: put one file for each into ~/.gemini/agents, and it is offered at the next turn.",
    ),
    (
        "auth",
        "There is no login here: set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY and start Pollux again; `pollux doctor` says which key is used.",
    ),
    ("bashes", "Use /background to list and stop commands in the background; the agent can read their output."),
    (
        "bug",
        "There is no bug report by command here: `pollux doctor` and `pollux --version` print what a report needs.",
    ),
    ("bug-memory", "There is no heap snapshot here: `pollux --debug` prints debug messages."),
    (
        "commands",
        "Custom commands need no reload here: files in ~/.gemini/commands and .gemini/commands are read each time, and /help lists them.",
    ),
    ("cost", "Use /stats: it shows the tokens and what they cost, where the price of the model is known."),
    ("corgi", "There is no /corgi here; /help lists the commands."),
    (
        "dir",
        "Directories cannot be added while a session runs: start Pollux with --include-directories DIR, or set context.includeDirectories.",
    ),
    (
        "directory",
        "Directories cannot be added while a session runs: start Pollux with --include-directories DIR, or set context.includeDirectories.",
    ),
    (
        "docs",
        "The documentation is in the docs directory of Pollux; /help lists the commands, and `pollux --help` the flags.",
    ),
    ("editor", "The editor is chosen by $VISUAL or $EDITOR; Ctrl+G opens the prompt in it."),
    ("export-session", "Use /export NAME.json at the terminal's screen: it writes the session to a file."),
    ("footer", "The status line cannot be changed here; /status says all that there is to say."),
    ("gemma", "Local models need no setup command here: start Pollux with -m ollama:NAME, or choose one with /model."),
    (
        "hooks",
        "Hooks are not run by this release: rules in ~/.config/pollux/policies can deny a tool call or have it asked about instead.",
    ),
    ("ide", "There is no editor companion here: an editor joins this session over A2A; /a2a open lets it in."),
    (
        "login",
        "There is no login here: set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY and start Pollux again; `pollux doctor` says which key is used.",
    ),
    ("new", "Use /clear to start over; start `pollux` in another terminal for a session beside this one."),
    ("oncall", "There is no /oncall here; /help lists the commands."),
    (
        "plan",
        "Type /mode plan: the agent then only reads and makes a plan. `pollux --approval-mode plan` starts that way.",
    ),
    (
        "policies",
        "Use `pollux policy check 'COMMAND'` to see which rule decides; your own rules are in ~/.config/pollux/policies and ~/.gemini/policies.",
    ),
    (
        "privacy",
        "Pollux sends no usage statistics: what you type goes to the provider of the model you chose, and to nobody else.",
    ),
    ("profile", "There is no profiler here: `pollux --debug` prints debug messages."),
    ("setup-github", "There is no /setup-github here: run `pollux -p TEXT` in your own workflow file."),
    (
        "skills",
        "Agent skills are not supported by this release: memory files (GEMINI.md) and custom commands (~/.gemini/commands) do what most of them do.",
    ),
    ("tasks", "Use /background to list and stop commands in the background; the agent can read their output."),
    ("terminal-setup", "No setup is needed here: Ctrl+J and Alt+Enter begin a new line in every terminal."),
    ("trust", "Run `pollux trust` in a shell to trust this folder, and `pollux trust --remove` to take that back."),
    ("undo", "Use /rewind to take back a prompt, and /restore to put files back to before a change."),
    (
        "upgrade",
        "There is no subscription to upgrade here: the API key decides what you may use; /model lists the models.",
    ),
    ("voice", "There is no voice input here: type the prompt."),
    ("yolo", "Type /mode yolo: from then on nothing asks. /mode default goes back."),
];

/// The answer to `/word`, which names no command of the agent: a sentence if people know the command from Gemini CLI or
/// from a terminal, else nothing.
pub fn explain_absent_command(word: &str) -> Option<String> {
    if let Some((_, sentence)) = ABSENT.iter().find(|(name, _)| *name == word) {
        return Some((*sentence).to_owned());
    }
    let command = BuiltInCommand::from_name(word)?;
    let CommandAnswerer::Seat(seat) = command.answerer() else { return None };
    let place = match seat {
        CommandSeat::Terminal => "at a terminal",
        CommandSeat::Screen => "at the full screen of a terminal",
    };
    // A person who has only lines can still go on with another session.
    let instead = match command {
        BuiltInCommand::Resume => " `pollux sessions` lists the sessions of a folder, `pollux --resume ID` opens one.",
        _ => "",
    };
    Some(format!("/{word} works only {place} that runs `pollux` or `pollux attach`.{instead}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 41 commands of Gemini CLI 0.61.0, and those it offers on conditions.
    const OF_GEMINI_CLI: &str = "about agents auth bug bug-memory chat clear commands compress copy directory docs editor \
        export-session extensions footer gemma help hooks ide init mcp memory model oncall permissions plan policies \
        privacy profile quit restore resume rewind settings setup-github shells shortcuts skills stats tasks \
        terminal-setup theme tools upgrade vim voice corgi";

    /// Those of them that the agent answers with more than a sentence.
    const ANSWERED: &str =
        "about chat clear compress extensions help init mcp memory model restore rewind settings stats tools";

    #[test]
    fn every_command_of_gemini_cli_is_answered_or_explained() {
        for word in OF_GEMINI_CLI.split_whitespace() {
            let is_answered = ANSWERED.split_whitespace().any(|answered| answered == word);
            assert_eq!(explain_absent_command(word).is_none(), is_answered, "/{word}");
        }
        assert_eq!(explain_absent_command("etc"), None);
    }

    #[test]
    fn commands_of_other_agents_name_the_one_that_is_here() {
        for (word, way) in [
            ("undo", "/restore"),
            ("cost", "/stats"),
            ("trust", "`pollux trust`"),
            ("new", "/clear"),
            ("yolo", "/mode yolo"),
            ("login", "GEMINI_API_KEY"),
            ("plan", "/mode plan"),
        ] {
            let sentence = explain_absent_command(word).unwrap();
            assert!(sentence.contains(way), "/{word}: {sentence}");
        }
    }

    #[test]
    fn an_explanation_is_one_line_that_ends() {
        for (word, sentence) in ABSENT {
            assert!(sentence.ends_with('.') && !sentence.contains('\n'), "/{word}: {sentence}");
        }
    }

    #[test]
    fn another_session_can_be_opened_without_the_screen() {
        let sentence = explain_absent_command("resume").unwrap();
        assert!(sentence.contains("full screen") && sentence.contains("`pollux --resume ID`"), "{sentence}");
    }
}
