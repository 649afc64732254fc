//! From the words of a command line to flags, with what clap does not know about Gemini CLI's habits.

use super::CliFlags;
use crate::bare_words::near_command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use std::ffi::OsString;

#[cfg(test)]
mod tests;

/// Takes a value after `=` only, because the word behind it is usually the prompt.
const CHECKPOINTING: &str = "--checkpointing";

/// Flags of Gemini CLI that are not here, and what to do instead.
const ABSENT: &[(&[&str], &str)] = &[
    (
        &["--sandbox", "-s", "--sandbox-image"],
        "Pollux has no sandbox yet: to confine commands, start Pollux in a container or a virtual machine",
    ),
    (&["--list-sessions"], "`pollux sessions` lists them"),
    (&["--delete-session"], "`pollux sessions delete ID` deletes one that `pollux sessions` lists"),
    (&["--session-id", "--session-file"], "`pollux --resume ID` resumes a session that `pollux sessions` lists"),
    (&["--list-extensions", "-l"], "`pollux extensions list` lists them"),
    (&["--extensions", "-e"], "`pollux extensions enable` and `pollux extensions disable` choose them"),
    (&["--screen-reader"], "`pollux --plain` prints plain lines, which a screen reader can follow"),
    (
        &["--acp", "--experimental-acp"],
        "ACP is not supported yet; editors can join over A2A: start Pollux with --a2a-port 0",
    ),
    (&["--raw-output", "--accept-raw-output-risk"], "`--output-format json` prints the raw answer"),
    (&["--fake-responses"], "`-m script:FILE` answers from a file"),
    (&["--worktree", "-w"], "make one with `git worktree add DIR` and start Pollux in it"),
    (&["--skip-trust"], "`pollux trust` trusts this folder"),
    (&["--all-files", "-a"], "name files or directories in the prompt with @PATH"),
    (&["-c"], "write --checkpointing"),
    (&["--proxy"], "set HTTPS_PROXY"),
    (&["--telemetry"], "Pollux sends no usage statistics"),
];

impl CliFlags {
    /// Read a command line, the program's name first.
    pub(crate) fn read(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<CliFlags, clap::Error> {
        let words = join_switch_values(words);
        CliFlags::try_parse_from(&words).map_err(|error| {
            match unquoted_command(&error, &words).or_else(|| absent_flag(&error)) {
                Some(sentence) => CliFlags::command().error(ErrorKind::UnknownArgument, sentence),
                None => with_near_command(without_yolo(error)),
            }
        })
    }
}

/// The advice to a person who gives `pollux policy check` a command of several words; `None` if that is not the problem. The words
/// are not joined into the command: quotes in it were the shell's, and what is checked has to be what is meant.
fn unquoted_command(error: &clap::Error, words: &[OsString]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument || error.get(ContextKind::SuggestedArg).is_some() {
        return None;
    }
    let [_, policy, check, command @ ..] = words else { return None };
    if policy != "policy" || check != "check" {
        return None;
    }
    let command: Option<Vec<&str>> = command.iter().map(|word| word.to_str()).collect();
    let is_plain = |command: &String| !command.chars().any(|ch| ch == '\'' || ch.is_control());
    let command = command.map(|words| words.join(" ")).filter(is_plain).unwrap_or_else(|| "COMMAND".to_owned());
    Some(format!("the command has to be one word, so put quotes around it: pollux policy check '{command}'"))
}

/// `error` without clap's "a similar value exists: 'yolo'": whoever mistypes a mode is not to be led into that one.
fn without_yolo(mut error: clap::Error) -> clap::Error {
    let is_yolo = |suggested: &ContextValue| matches!(suggested, ContextValue::String(value) if value == "yolo");
    if error.get(ContextKind::SuggestedValue).is_some_and(is_yolo) {
        error.remove(ContextKind::SuggestedValue);
    }
    error
}

/// `error` with the command that was probably meant: clap suggests none behind `help`.
fn with_near_command(mut error: clap::Error) -> clap::Error {
    if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(given)), None) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand), error.get(ContextKind::SuggestedSubcommand))
        && let Some(near) = near_command(given)
    {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near]));
    }
    error
}

/// The advice to a person who gives a flag of Gemini CLI that is not here; `None` if that is not the problem.
fn absent_flag(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_unknown = error.kind() == ErrorKind::UnknownArgument;
    let (_, way_out) = ABSENT.iter().find(|(flags, _)| is_unknown && flags.contains(&given.as_str()))?;
    Some(format!("there is no {given} here: {way_out}"))
}

/// `--checkpointing false` as `--checkpointing=false`, which is what Gemini CLI takes it for: `false` is no prompt.
fn join_switch_values(words: impl IntoIterator<Item = impl Into<OsString>>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut words = words.into_iter().map(Into::into);
    for word in words.by_ref() {
        if word == "--" {
            joined.push(word);
            break;
        }
        match joined.last_mut() {
            Some(last) if last == CHECKPOINTING && (word == "true" || word == "false") => {
                last.push("=");
                last.push(word);
            }
            Some(_) | None => joined.push(word),
        }
    }
    joined.extend(words);
    joined
}
