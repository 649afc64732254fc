//! A prompt as a command line: which word names the command, and what its words mean to it.

use super::word_splitting::split_words;
use pollux_session::CommandInfo;

/// A command as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypedCommand<'a> {
    /// The word after the slash.
    pub(super) word: &'a str,
    /// What comes after it, trimmed.
    pub(super) rest: &'a str,
}

/// The command that a prompt may be. Only a slash at its very start makes it one: with a blank before it, the same line
/// is plain text.
pub(super) fn parse_typed(prompt: &str) -> Option<TypedCommand<'_>> {
    let line = prompt.strip_prefix('/')?;
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (!word.is_empty() && !word.contains('/')).then(|| TypedCommand { word, rest: rest.trim() })
}

/// What is asked of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandInvocation {
    /// The command with its sub-command, without the slash.
    pub(crate) name: String,
    /// The sub-command; empty when the command was asked for by itself.
    pub(crate) sub: String,
    /// Everything else, as it was typed.
    pub(crate) rest: String,
}

impl CommandInvocation {
    /// What was typed after the command as one argument: with quotes around it, what is between them.
    pub(crate) fn argument(&self) -> String {
        match <[String; 1]>::try_from(split_words(&self.rest)) {
            Ok([word]) => word,
            Err(_) => self.rest.clone(),
        }
    }
}

/// Read what was typed by what the command takes. `otherwise` is the sub-command that a line stands for which names none.
/// An error says how the command is used.
pub(super) fn parse_invocation(
    info: &CommandInfo,
    otherwise: Option<&str>,
    rest: &str,
) -> Result<CommandInvocation, String> {
    let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let named = info.subcommands.iter().find(|sub| sub.name == first);
    let usual = || info.subcommands.iter().find(|sub| Some(sub.name.as_str()) == otherwise);
    let (sub, rest) = match named {
        Some(sub) => (Some(sub), after.trim()),
        None => (usual(), rest),
    };
    let takes = sub.map_or(&info.arguments, |sub| &sub.arguments);
    let wrong = |what: String| Err(format!("{what}; say {}", info.usage()));
    let name = sub.map_or_else(|| info.name.clone(), |sub| format!("{} {}", info.name, sub.name));
    match takes.iter().find(|argument| argument.required) {
        Some(missing) if rest.is_empty() => return wrong(format!("/{name} needs {}", missing.name)),
        _ if !rest.is_empty() && takes.is_empty() && named.is_none() && !info.subcommands.is_empty() => {
            return wrong(format!("/{} has no sub-command `{first}`", info.name));
        }
        _ if !rest.is_empty() && takes.is_empty() => {
            return wrong(format!("/{name} takes nothing after it, but `{rest}` came"));
        }
        _ => {}
    }
    let sub = sub.map(|sub| sub.name.clone()).unwrap_or_default();
    Ok(CommandInvocation { name, sub, rest: rest.to_owned() })
}

#[cfg(test)]
mod tests;
