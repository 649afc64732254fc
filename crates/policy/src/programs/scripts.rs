//! Scripts that programs get as a word: which of them do nothing but compute with what the program reads.

use crate::rule::{awk_script, sed_script};
use serde::Deserialize;

/// What a script is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ScriptLanguage {
    Awk,
    Jq,
    Sed,
}

/// Words of jq that read files or the environment, or tell names of files.
const JQ_LOOKS_AROUND: [&str; 9] =
    ["ENV", "__prog_args", "env", "get_search_list", "getenv", "import", "include", "input_filename", "modulemeta"];

/// Why `script` may do more.
pub(super) fn check(language: ScriptLanguage, script: &str) -> Result<(), String> {
    let (only_computes, name) = match language {
        ScriptLanguage::Awk => (awk_script::only_computes(script), "awk"),
        ScriptLanguage::Jq => (jq_only_computes(script), "jq"),
        ScriptLanguage::Sed => (sed_script::is_plain(script), "sed"),
    };
    if only_computes {
        return Ok(());
    }
    Err(format!(
        "a script of {name}'s that may do more than compute with what it reads does not run without a question"
    ))
}

/// Whether none of the words is in `script`, but as the name of a field (`.env`).
fn jq_only_computes(script: &str) -> bool {
    let is_in_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let mut before = ' ';
    let mut rest = script;
    while let Some(start) = rest.find(is_in_word) {
        before = rest[..start].chars().next_back().unwrap_or(before);
        let word_len = rest[start..].find(|char| !is_in_word(char)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + word_len];
        if before != '.' && JQ_LOOKS_AROUND.contains(&word) {
            return false;
        }
        before = ' ';
        rest = &rest[start + word_len..];
    }
    true
}
