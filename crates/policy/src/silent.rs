//! The silent language: the few shell commands that may run without a question, because they run without a shell.
//!
//! It is small on purpose. Pipelines joined by `&&`, `||`, `;` and line ends; words without any expansion but `*`, `?` and
//! `$?`; redirections that write nowhere. Here a command is read into what will run; whether it may is for the rules.
//! Everything else is [`NotSilent`], and then a person is asked or a rule names the whole tool or the very command.

mod lexer;
mod parser;
mod shell_words;

#[cfg(test)]
mod tests;

pub(crate) use shell_words::{is_other_builtin, is_own_builtin, is_reserved};

use crate::shell::{ShellWord, SimpleCommand, excerpt};
use pollux_session::{PlannedRedirection, PlannedWord, RunCondition};

/// The longest command that is read.
const MAX_BYTES: usize = 16 * 1024;
/// The most programs that one command may start.
const MAX_COMMANDS: usize = 100;
/// The most programs of one pipeline: they run at once, and share what memory a command may have.
const MAX_PIPELINE: usize = 16;

/// A command in the silent language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SilentScript {
    /// Where a leading `cd DIR &&` leads.
    pub(crate) directory: Option<String>,
    pub(crate) pipelines: Vec<SilentPipeline>,
}

/// Commands that run at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SilentPipeline {
    pub(crate) condition: RunCondition,
    pub(crate) commands: Vec<SilentCommand>,
}

/// One program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SilentCommand {
    /// As it is written, without assignments and `timeout`.
    pub(crate) text: String,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) timeout: Option<String>,
    /// The program's name first.
    pub(crate) words: Vec<PlannedWord>,
    pub(crate) redirections: Vec<PlannedRedirection>,
}

impl SilentScript {
    /// Every command, in the order they are written.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &SilentCommand> + Clone {
        self.pipelines.iter().flat_map(|pipeline| &pipeline.commands)
    }
}

impl SilentCommand {
    /// The same command as rules are held against it.
    pub(crate) fn to_simple_command(&self) -> SimpleCommand {
        self.with_words(ShellWord::from_planned)
    }

    /// The same command as a shell would read it.
    pub(crate) fn to_simple_command_in_shell(&self) -> SimpleCommand {
        self.with_words(ShellWord::from_planned_in_shell)
    }

    fn with_words(&self, word: fn(&PlannedWord) -> ShellWord) -> SimpleCommand {
        SimpleCommand { text: self.text.clone(), words: self.words.iter().map(word).collect(), redirects: Vec::new() }
    }
}

/// Why a command is not in the silent language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotSilent {
    /// The part that is not.
    pub(crate) text: String,
    pub(crate) why: String,
}

impl NotSilent {
    fn new(text: &str, why: impl Into<String>) -> NotSilent {
        NotSilent { text: excerpt(text), why: why.into() }
    }
}

/// Read `command`.
pub(crate) fn read(command: &str) -> Result<SilentScript, NotSilent> {
    if command.len() > MAX_BYTES {
        return Err(NotSilent::new(command, format!("it is longer than {MAX_BYTES} bytes")));
    }
    if let Some(why) = crate::shell::odd_character(command) {
        return Err(NotSilent::new(command, why));
    }
    let script = parser::parse(command, lexer::lex(command)?)?;
    if script.pipelines.iter().any(|pipeline| pipeline.commands.len() > MAX_PIPELINE) {
        return Err(NotSilent::new(command, format!("more than {MAX_PIPELINE} programs would run at once")));
    }
    match script.commands().count() {
        0 => Err(NotSilent::new(command, "there is no command in it")),
        1..=MAX_COMMANDS => Ok(script),
        _ => Err(NotSilent::new(command, format!("it holds more than {MAX_COMMANDS} commands"))),
    }
}
