//! Bare words after `pollux`: a prompt, unless they look like a command that was misspelt.

use crate::flags::CliFlags;
use crate::settings::UsageError;
use clap::CommandFactory;
use rapidfuzz::distance::damerau_levenshtein;

#[cfg(test)]
mod tests;

/// Commands of Gemini CLI that are not here.
const OF_GEMINI_CLI: [&str; 3] = ["gemma", "hooks", "skills"];
/// Shorter words are near to too many others.
const SHORTEST: usize = 4;

/// The prompt that `words` are; none without words.
pub(crate) fn read_prompt(words: &[String]) -> Result<Option<String>, UsageError> {
    let Some(first) = words.first() else { return Ok(None) };
    let text = words.join(" ");
    if text.trim().is_empty() {
        return Err(UsageError("the prompt is empty; say what to do".into()));
    }
    let way_out = format!("to send it as a prompt, use -i or -p {text:?}");
    if OF_GEMINI_CLI.contains(&first.as_str()) {
        return Err(UsageError(format!("there is no command `pollux {first}`; `pollux --help` lists them; {way_out}")));
    }
    match near_command(first) {
        // As the first word it would have been the command.
        Some(same) if same == *first => {
            Err(UsageError(format!("`{same}` is a command and comes before its flags: pollux {same} …; {way_out}")))
        }
        Some(near) if words.len() == 1 => {
            Err(UsageError(format!("there is no command `{first}`; did you mean `pollux {near}`? {way_out}")))
        }
        Some(_) | None => Ok(Some(text)),
    }
}

/// The command that `word` is, or is one slip away from.
pub(crate) fn near_command(word: &str) -> Option<String> {
    let commands = CliFlags::command();
    let mut names = commands.get_subcommands().map(|command| command.get_name().to_owned());
    let is_near = |name: &str| word.len() >= SHORTEST && damerau_levenshtein::distance(word.chars(), name.chars()) == 1;
    names.find(|name| name == word || is_near(name))
}
