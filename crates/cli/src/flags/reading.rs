//! From the words of a command line to flags, with what clap does not know about Gemini CLI's habits.

use super::Flags;
use clap::Parser;
use std::ffi::OsString;

#[cfg(test)]
mod tests;

/// Takes a value after `=` only, because the word behind it is usually the prompt.
const CHECKPOINTING: &str = "--checkpointing";

impl Flags {
    /// Read a command line, the program's name first.
    pub(crate) fn read(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Flags, clap::Error> {
        Flags::try_parse_from(join_switch_values(words))
    }
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
