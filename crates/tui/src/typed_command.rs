//! Commands that a person runs with `!`, which is the agent's `/shell`, and what they tell it to remember with `/memory add`: without a
//! second yes for what they have typed themselves.

use crate::sanitize::clean;
use pollux_session::{AskDetails, BuiltInTool, CallId, CallState, Command, PromptId, SessionView};
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest command that counts as read by whoever typed it, in characters.
const READ: usize = 400;

/// Programs that wait for keys when they are given nothing to do.
const CONVERSE: [&str; 18] = [
    "bash",
    "bpython",
    "fish",
    "ghci",
    "gdb",
    "ipython",
    "irb",
    "lua",
    "mysql",
    "node",
    "psql",
    "python",
    "python3",
    "redis-cli",
    "sh",
    "sqlite3",
    "telnet",
    "zsh",
];
/// Programs that take the whole screen, whatever they are given.
const SCREENS: [&str; 11] = ["emacs", "htop", "less", "more", "nano", "nvim", "tmux", "top", "vi", "vim", "watch"];

/// The commands that this seat has sent and that have not asked yet.
#[derive(Debug, Default)]
pub(crate) struct TypedCommands {
    /// Those that are not in the log yet.
    sent: Vec<String>,
    /// The others, by the prompt.
    prompted: BTreeMap<PromptId, TypedAction>,
}

/// What was typed, to the letter.
#[derive(Debug)]
enum TypedAction {
    Shell(String),
    Memory(String),
}

impl TypedAction {
    /// True if `call` does this and nothing else.
    fn is_done_by(&self, call: &CallState, details: &AskDetails) -> bool {
        match self {
            TypedAction::Shell(typed) => matches!(details, AskDetails::Execute { command, .. } if command == typed),
            TypedAction::Memory(typed) => {
                let fact = call.args.get("fact").and_then(Value::as_str);
                call.tool == BuiltInTool::SaveMemory.name() && fact == Some(typed.as_str())
            }
        }
    }
}

impl TypedCommands {
    /// The prompt that runs what was typed after the `!`, or why it is not run. `way_out` is where a program that wants keys
    /// can be started.
    pub(crate) fn prompt(&mut self, typed: &str, way_out: &str) -> Result<String, String> {
        let command = typed.trim();
        if command.is_empty() {
            return Err("put a command after the !".to_owned());
        }
        if wants_terminal(command) {
            return Err(format!("`{command}` needs a terminal, and `!` has none. {way_out}"));
        }
        if is_read(command) {
            self.sent.push(command.to_owned());
        }
        Ok(format!("/shell {command}"))
    }

    /// A prompt that was typed at this seat is in the log.
    pub(crate) fn take_prompt(&mut self, prompt: PromptId, text: &str) {
        let sent = text.strip_prefix("/shell ").and_then(|command| self.sent.iter().position(|sent| sent == command));
        if let Some(at) = sent {
            self.prompted.insert(prompt, TypedAction::Shell(self.sent.remove(at)));
        }
        if let Some(fact) = text.trim().strip_prefix("/memory add ").map(str::trim).filter(|fact| is_read(fact)) {
            self.prompted.insert(prompt, TypedAction::Memory(fact.to_owned()));
        }
    }

    /// The answer to the ask of `call`, where it is about what the person has typed: to the letter, and once.
    pub(crate) fn answer(&mut self, view: &SessionView, call: CallId) -> Option<Command> {
        let prompt = view.state().turn.as_ref()?.prompt;
        let typed = self.prompted.get(&prompt)?;
        let asking = view.call(call)?;
        let ask = asking.ask.as_ref()?;
        let once = ask.options.iter().find(|choice| choice.allows && choice.grant.is_none())?;
        if !typed.is_done_by(asking, &ask.details) {
            return None;
        }
        self.prompted.remove(&prompt);
        Some(Command::Answer { call, option: once.id.clone(), edit: None })
    }

    /// A turn is over: what it has not asked about by now it never will. A command whose prompt still waits in the queue asks when
    /// its turn comes.
    pub(crate) fn end_turn(&mut self, view: &SessionView) {
        let waits = |prompt: &PromptId| view.state().queue.iter().any(|waiting| waiting.id == *prompt);
        self.prompted.retain(|prompt, _| waits(prompt));
    }
}

/// True if a person has seen all of a command: one line, not long, and nothing in it that hides. What is pasted may be
/// otherwise, and then they are asked like for any other command.
fn is_read(command: &str) -> bool {
    let hides = |ch: char| ch == '\n' || ('\u{e000}'..='\u{f8ff}').contains(&ch) || ch >= '\u{f0000}';
    command.chars().count() <= READ && !command.contains(hides) && clean(command) == command
}

/// True if a command is one program that a person would talk to: what runs after `!` gets no keys.
fn wants_terminal(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
    let is_plain = !command.contains(['|', '<', '>', ';', '&', '$', '`']);
    is_plain && (SCREENS.contains(&program) || CONVERSE.contains(&program) && words.next().is_none())
}
