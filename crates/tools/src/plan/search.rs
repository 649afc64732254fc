//! Searches through directories: what they leave out, and whether a command is one.

use super::{Objection, ResolvedWord};
use crate::process::RunnableWord;
use crate::workspace::REPOSITORY_DIRECTORIES;
use pollux_session::PlannedWord;

/// How the long options begin that make `grep` search directories: git's stores and all.
const RECURSIVE_STARTS: [&str; 3] = ["--r", "--de", "--di"];

/// The words of a search by `program`, told to leave out what version control keeps.
pub(super) fn without_repositories(program: &str, words: Vec<ResolvedWord>) -> Result<Vec<RunnableWord>, Objection> {
    let mut words: Vec<RunnableWord> = words.into_iter().map(|resolved| resolved.word).collect();
    let (place, option) = match program {
        "grep" => (0, "--exclude-dir="),
        // The last one that fits a name counts.
        _ => (end_of_options(&words)?, "--glob=!"),
    };
    let told = REPOSITORY_DIRECTORIES.map(|directory| RunnableWord::text(format!("{option}{directory}")));
    words.splice(place..place, told);
    Ok(words)
}

/// Where the last option may stand.
fn end_of_options(words: &[RunnableWord]) -> Result<usize, Objection> {
    let starts_with = |word: &RunnableWord, start: &str| {
        word.literal().is_some_and(|text| text.as_encoded_bytes().starts_with(start.as_bytes()))
    };
    let ends = |word: &RunnableWord| word.literal().is_some_and(|text| text == "--");
    let Some(end) = words.iter().position(ends) else { return Ok(words.len()) };
    match words[..end].last().is_some_and(|before| starts_with(before, "-")) {
        true => Err(Objection::new("whether `--` is the value of an option cannot be told")),
        false => Ok(end),
    }
}

/// Whether `program`, told `words`, may search directories. Too often rather than too seldom.
pub(super) fn may_search(program: &str, words: &[PlannedWord]) -> bool {
    let is_recursive = |word: &PlannedWord| {
        let text = word.unquoted();
        let is_letters = text.starts_with('-') && !text.starts_with("--");
        (is_letters && text.contains(['r', 'R', 'd'])) || RECURSIVE_STARTS.iter().any(|start| text.starts_with(start))
    };
    program == "rg" || (program == "grep" && words.iter().any(is_recursive))
}

#[cfg(test)]
mod tests;
