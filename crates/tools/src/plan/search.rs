//! Searches through directories: what they leave out, and whether a command is one.

use super::reads::FollowedLinks;
use super::{PlanObjection, ResolvedWord};
use crate::process::RunnableWord;
use crate::workspace::REPOSITORY_DIRECTORIES;
use pollux_session::PlannedWord;

/// Names of the program that searches directories only if it is told so.
const GREPS: [&str; 10] =
    ["bzgrep", "egrep", "fgrep", "grep", "lzgrep", "pcre2grep", "pcregrep", "xzgrep", "zgrep", "zstdgrep"];
/// Programs that search directories unless they are told otherwise.
const SEARCHES: [&str; 6] = ["ack", "ag", "rg", "rgrep", "ug", "ugrep"];
/// Programs that compare two directories, and print what differs.
const COMPARISONS: [&str; 2] = ["colordiff", "diff"];

/// How the long options begin that make `grep` search directories: git's stores and all.
const RECURSIVE_STARTS: [&str; 3] = ["--r", "--de", "--di"];

/// The words of a search by `program`, told to leave out what version control keeps.
pub(super) fn without_repositories(
    program: &str,
    words: Vec<ResolvedWord>,
) -> Result<Vec<RunnableWord>, PlanObjection> {
    let mut words: Vec<RunnableWord> = words.into_iter().map(|resolved| resolved.word).collect();
    let is_recursive = |word: &RunnableWord| word.literal().is_none_or(|text| may_recurse(&text.to_string_lossy()));
    let (place, options): (_, &[&str]) = match program {
        // The last one that fits a name counts, and those without regard to case are counted after the others.
        "rg" => (end_of_options(&words)?, &["--glob=!", "--iglob=!"]),
        _ if GREPS.contains(&program) || program == "rgrep" => (0, &["--exclude-dir="]),
        // One that stays in its directories meets no repository's, and not every one knows the option.
        _ if COMPARISONS.contains(&program) && !words.iter().any(is_recursive) => (0, &[]),
        _ if COMPARISONS.contains(&program) => (0, &["--exclude="]),
        _ if words.iter().all(is_plain_for_others) => (0, &[]),
        _ => {
            return Err(PlanObjection::new(format!(
                "with these options {program} may search what version control keeps"
            )));
        }
    };
    let told = options.iter().flat_map(|option| REPOSITORY_DIRECTORIES.map(|directory| format!("{option}{directory}")));
    words.splice(place..place, told.map(RunnableWord::text));
    Ok(words)
}

/// Whether a word tells a search nothing that could make it look into hidden directories.
fn is_plain_for_others(word: &RunnableWord) -> bool {
    let text = word.literal().map(|text| text.to_string_lossy());
    text.is_some_and(|text| match text.strip_prefix('-') {
        Some(letters) => letters.chars().all(|letter| "QcilnvwH".contains(letter)),
        None => true,
    })
}

/// Where the last option may stand.
fn end_of_options(words: &[RunnableWord]) -> Result<usize, PlanObjection> {
    let starts_with = |word: &RunnableWord, start: &str| {
        word.literal().is_some_and(|text| text.as_encoded_bytes().starts_with(start.as_bytes()))
    };
    let ends = |word: &RunnableWord| word.literal().is_some_and(|text| text == "--");
    let Some(end) = words.iter().position(ends) else { return Ok(words.len()) };
    match words[..end].last().is_some_and(|before| starts_with(before, "-")) {
        true => Err(PlanObjection::new("whether `--` is the value of an option cannot be told")),
        false => Ok(end),
    }
}

/// Whether `program`, told `words`, may search directories. Too often rather than too seldom.
pub(super) fn may_search(program: &str, words: &[PlannedWord]) -> bool {
    let always = SEARCHES.contains(&program) || COMPARISONS.contains(&program);
    always || (GREPS.contains(&program) && words.iter().any(|word| may_recurse(&word.unquoted())))
}

/// Whether an option may make a program go into directories.
fn may_recurse(text: &str) -> bool {
    let is_letters = text.starts_with('-') && !text.starts_with("--");
    (is_letters && text.contains(['r', 'R', 'd'])) || RECURSIVE_STARTS.iter().any(|start| text.starts_with(start))
}

/// Whether `program` searches where it runs if it is told no other directory.
pub(super) fn searches_here(program: &str) -> bool {
    !COMPARISONS.contains(&program)
}

/// Which links a search by `program`, told `words`, follows. Too many rather than too few.
pub(super) fn links_followed(program: &str, words: &[PlannedWord]) -> FollowedLinks {
    let letter = if program == "rg" { 'L' } else { 'R' };
    let follows = |word: &PlannedWord| {
        let text = word.unquoted();
        let is_letters = text.starts_with('-') && !text.starts_with("--");
        (is_letters && text.contains(letter)) || ["--de", "--fo"].iter().any(|start| text.starts_with(start))
    };
    let follows_always = COMPARISONS.contains(&program);
    if follows_always || words.iter().any(follows) { FollowedLinks::All } else { FollowedLinks::None }
}

#[cfg(test)]
mod tests;
