//! Tokens to commands: what each begins with, what is redirected, and when it runs.

use super::lexer::{LexedWord, RedirectToken, ShellToken};
use super::shell_words::{belongs_to_shell, is_own_builtin};
use super::{NotSilent, SilentCommand, SilentPipeline, SilentScript};
use crate::built_in;
use pollux_session::{PlannedRedirection, PlannedWord, RunCondition};
use std::iter::Peekable;
use std::vec::IntoIter;

/// The script that `tokens` of `text` are.
pub(super) fn parse(text: &str, tokens: Vec<ShellToken>) -> Result<SilentScript, NotSilent> {
    let mut parser = Parser { text, tokens: tokens.into_iter().peekable() };
    let mut pipelines = parser.pipelines()?;
    let directory = take_directory(&mut pipelines)?;
    let script = SilentScript { directory, pipelines };
    let is_cd = |command: &&SilentCommand| command.words.first().and_then(PlannedWord::literal) == Some("cd");
    let misplaced = script
        .commands()
        .find(is_cd)
        .map(|command| NotSilent::new(&command.text, "`cd` is only read as `cd DIRECTORY &&` at the beginning"));
    misplaced.map_or(Ok(script), Err)
}

/// Take a leading `cd DIR &&` off.
fn take_directory(pipelines: &mut Vec<SilentPipeline>) -> Result<Option<String>, NotSilent> {
    let leads = pipelines.get(1).is_some_and(|next| next.condition == RunCondition::AfterSuccess);
    let Some([command]) = pipelines.first().map(|first| first.commands.as_slice()).filter(|_| leads) else {
        return Ok(None);
    };
    let [name, directory] = command.words.as_slice() else { return Ok(None) };
    let plain = command.variables.is_empty() && command.redirections.is_empty() && command.timeout.is_none();
    if name.literal() != Some("cd") || !plain {
        return Ok(None);
    }
    let refuse = |why: &str| Err(NotSilent::new(&command.text, why));
    match directory.literal() {
        None => refuse("where it leads is known only when it runs"),
        Some(path) if path.is_empty() || path.starts_with('-') => refuse("where it leads depends on the shell"),
        Some(path) if path.split('/').any(|part| part == "..") => refuse("it leads upwards"),
        Some(path) => {
            let path = path.to_owned();
            pipelines.remove(0);
            pipelines[0].condition = RunCondition::Always;
            Ok(Some(path))
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Peekable<IntoIter<ShellToken>>,
}

impl Parser<'_> {
    fn refuse<T>(&self, why: &str) -> Result<T, NotSilent> {
        Err(NotSilent::new(self.text, why))
    }

    fn skip_newlines(&mut self) {
        while self.tokens.next_if_eq(&ShellToken::Newline).is_some() {}
    }

    fn pipelines(&mut self) -> Result<Vec<SilentPipeline>, NotSilent> {
        let mut pipelines = Vec::new();
        let mut condition = RunCondition::Always;
        self.skip_newlines();
        while self.tokens.peek().is_some() {
            pipelines.push(SilentPipeline { condition, commands: self.pipeline()? });
            condition = match self.tokens.next() {
                None => break,
                Some(ShellToken::And) => RunCondition::AfterSuccess,
                Some(ShellToken::Or) => RunCondition::AfterFailure,
                Some(ShellToken::Semicolon | ShellToken::Newline) => RunCondition::Always,
                Some(ShellToken::Pipe | ShellToken::Word(_) | ShellToken::Redirect(_)) => {
                    return self.refuse("it is not understood");
                }
            };
            self.skip_newlines();
            if condition != RunCondition::Always && self.tokens.peek().is_none() {
                return self.refuse("it is not complete");
            }
        }
        Ok(pipelines)
    }

    fn pipeline(&mut self) -> Result<Vec<SilentCommand>, NotSilent> {
        let mut commands = vec![self.command()?];
        while self.tokens.next_if_eq(&ShellToken::Pipe).is_some() {
            self.skip_newlines();
            commands.push(self.command()?);
        }
        Ok(commands)
    }

    fn command(&mut self) -> Result<SilentCommand, NotSilent> {
        let mut words: Vec<LexedWord> = Vec::new();
        let mut redirections = Vec::new();
        while let Some(token) =
            self.tokens.next_if(|token| matches!(token, ShellToken::Word(_) | ShellToken::Redirect(_)))
        {
            match token {
                ShellToken::Redirect(redirect) => redirections.push(self.redirection(redirect)?),
                ShellToken::Word(word) => words.push(word),
                _ => {}
            }
        }
        let mut variables = Vec::new();
        let mut rest = words.as_slice();
        while let Some((first, after)) = rest.split_first()
            && let Some(variable) = self.assignment(first)?
        {
            variables.push(variable);
            rest = after;
        }
        let mut timeout = None;
        if let Some((limit, inner)) = self.time_limit(rest)? {
            (timeout, rest) = (Some(limit), inner);
        }
        let (Some(first), Some(last)) = (rest.first(), rest.last()) else {
            return self.refuse("there is no command where one should be");
        };
        let text = self.text.get(first.range.start..last.range.end).unwrap_or_default().to_owned();
        let words: Vec<PlannedWord> = rest.iter().map(|word| word.word.clone()).collect();
        let command = SilentCommand { text, variables, timeout, words, redirections };
        self.check_name(&command)?;
        Ok(command)
    }

    fn redirection(&mut self, redirect: RedirectToken) -> Result<PlannedRedirection, NotSilent> {
        match redirect {
            RedirectToken::ErrorsToOutput => return Ok(PlannedRedirection::ErrorsToOutput),
            RedirectToken::OutputToErrors => return Ok(PlannedRedirection::OutputToErrors),
            RedirectToken::Output | RedirectToken::Errors | RedirectToken::Both | RedirectToken::Input => {}
        }
        let Some(ShellToken::Word(target)) = self.tokens.next() else {
            return self.refuse("a redirection leads nowhere");
        };
        let Some(path) = target.word.literal().filter(|path| !path.is_empty()) else {
            return self.refuse("where a redirection leads is known only when it runs");
        };
        match redirect {
            RedirectToken::Input => Ok(PlannedRedirection::InputFrom(target.word)),
            _ if path != "/dev/null" => self.refuse("it writes to a file"),
            RedirectToken::Output => Ok(PlannedRedirection::OutputToNull),
            RedirectToken::Errors => Ok(PlannedRedirection::ErrorsToNull),
            RedirectToken::Both | RedirectToken::ErrorsToOutput | RedirectToken::OutputToErrors => {
                Ok(PlannedRedirection::BothToNull)
            }
        }
    }

    /// `NAME=value` before a command, if the word is one.
    fn assignment(&self, word: &LexedWord) -> Result<Option<(String, String)>, NotSilent> {
        let raw = self.text.get(word.range.clone()).unwrap_or_default();
        let bare = raw.get(..word.bare_prefix).unwrap_or_default();
        let Some((name, _)) = bare.split_once('=') else { return Ok(None) };
        let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
            && name.chars().all(|char| char.is_ascii_alphanumeric() || "_+".contains(char));
        if !is_name {
            return Ok(None);
        }
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "_.:,+-".contains(char);
        let value = word.word.literal().and_then(|text| text.get(name.len() + 1..));
        match value {
            Some(value) if built_in::facts().is_safe_variable(name) && value.chars().all(is_plain) => {
                Ok(Some((name.to_owned(), value.to_owned())))
            }
            _ => Err(NotSilent::new(raw, "it changes what a command finds in its environment")),
        }
    }

    /// The limit of a `timeout N`, and the command behind it.
    fn time_limit<'w>(&self, words: &'w [LexedWord]) -> Result<Option<(String, &'w [LexedWord])>, NotSilent> {
        if words.first().and_then(|first| first.word.literal()) != Some("timeout") {
            return Ok(None);
        }
        let limit = words.get(1).and_then(|word| word.word.literal()).filter(|limit| is_time(limit));
        let inner = words.get(2).and_then(|word| word.word.literal());
        match (limit, inner) {
            (Some(limit), Some(inner)) if !is_own_builtin(inner) && inner != "timeout" => {
                Ok(Some((limit.to_owned(), &words[2..])))
            }
            _ => self.refuse("only `timeout N PROGRAM` is read here"),
        }
    }

    fn check_name(&self, command: &SilentCommand) -> Result<(), NotSilent> {
        let refuse = |why: &str| Err(NotSilent::new(&command.text, why));
        let Some(name) = command.words[0].literal() else {
            return refuse("which program it runs is known only when it runs");
        };
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "_.+-/[:".contains(char);
        if name.is_empty() || name.starts_with('-') || !name.chars().all(is_plain) {
            return refuse("it does not begin with the name of a program");
        }
        if belongs_to_shell(name) {
            return refuse(&format!("`{name}` is a part of the shell, and there is none"));
        }
        let reads_input = command.redirections.iter().any(|to| matches!(to, PlannedRedirection::InputFrom(_)));
        if name == ":" && reads_input {
            return refuse("where the file cannot be read, some shells stop here and others go on");
        }
        let wanted = match (name, &command.words[1..]) {
            ("command", [flag, wanted]) if flag.literal() == Some("-v") => wanted,
            ("type", [wanted]) => wanted,
            ("command", _) => return refuse("only `command -v NAME` is read here"),
            ("type", _) => return refuse("only `type NAME` is read here"),
            _ => return Ok(()),
        };
        match wanted.literal() {
            Some(wanted) if is_program_name(wanted) => Ok(()),
            _ => refuse("only the name of a program is looked up without a question"),
        }
    }
}

/// Whether `wanted` can only be a program, and no path and nothing of the shell's own.
fn is_program_name(wanted: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_.+-".contains(char);
    let is_shells = is_own_builtin(wanted) || belongs_to_shell(wanted);
    !is_shells && !wanted.is_empty() && !wanted.starts_with('-') && wanted.chars().all(is_plain)
}

/// A length of time as `timeout` reads it.
fn is_time(text: &str) -> bool {
    let number = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
    let mut parts = number.splitn(2, '.');
    let digits = |part: &str| !part.is_empty() && part.len() <= 9 && part.chars().all(|char| char.is_ascii_digit());
    parts.next().is_some_and(digits) && parts.next().is_none_or(digits)
}
