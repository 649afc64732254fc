//! Searches through directories: what they leave out, and whether a command is one.

use super::left_out::LeftOutNames;
use super::reads::FollowedLinks;
use super::{PlanObjection, ResolvedWord};
use crate::process::RunnableWord;
use crate::workspace::REPOSITORY_DIRECTORIES;
use pollux_session::PlannedWord;
use std::collections::BTreeSet;

/// Names of the program that searches directories only if it is told so.
const GREPS: [&str; 10] =
    ["bzgrep", "egrep", "fgrep", "grep", "lzgrep", "pcre2grep", "pcregrep", "xzgrep", "zgrep", "zstdgrep"];
/// Programs that search directories unless they are told otherwise.
const SEARCHES: [&str; 6] = ["ack", "ag", "rg", "rgrep", "ug", "ugrep"];
/// Programs that compare two directories, and print what differs.
const COMPARISONS: [&str; 2] = ["colordiff", "diff"];

/// How the long options begin that make `grep` search directories: git's stores and all.
const RECURSIVE_STARTS: [&str; 3] = ["--r", "--de", "--di"];

/// The words of a search by `program`, told to leave out what version control keeps, and the files in `left_out`.
pub(super) fn told_to_leave_out(
    program: &str,
    words: Vec<ResolvedWord>,
    left_out: &LeftOutNames,
) -> Result<Vec<RunnableWord>, PlanObjection> {
    let mut words: Vec<RunnableWord> = words.into_iter().map(|resolved| resolved.word).collect();
    let repositories = |option: &str| REPOSITORY_DIRECTORIES.map(|directory| format!("{option}{directory}"));
    let is_recursive = |word: &RunnableWord| word.literal().is_none_or(|text| may_recurse(&text.to_string_lossy()));
    let named = |option: &'static str, names: &BTreeSet<String>| -> Vec<String> {
        names.iter().map(|name| format!("{option}{}", without_patterns(name))).collect()
    };
    let (files, directories) = (&left_out.files, &left_out.directories);
    match program {
        // The last one that fits a name counts, and those without regard to case are counted after the others. What is wrong
        // in an ignore file is not said: it may be a link to a secret.
        "rg" => {
            let mut told: Vec<String> = ["--glob=!", "--iglob=!"].into_iter().flat_map(repositories).collect();
            told.extend(named("--iglob=!", files).into_iter().chain(named("--iglob=!", directories)));
            told.push("--no-ignore-messages".into());
            let end = end_of_options(&words)?;
            insert(&mut words, end, told);
        }
        _ if GREPS.contains(&program) || program == "rgrep" => {
            // Of patterns for files the last one that fits counts, and where none fits it is the first one that matters.
            if !files.is_empty() {
                let end = end_of_options(&words)?;
                insert(&mut words, end, named("--exclude=", files));
            }
            let told = repositories("--exclude-dir=").into_iter().chain(named("--exclude-dir=", directories));
            insert(&mut words, 0, told.collect());
        }
        _ if COMPARISONS.contains(&program) => {
            // One that stays in its directories meets no repository's, and not every one knows the option.
            let repositories = words.iter().any(is_recursive).then(|| repositories("--exclude="));
            let told = repositories.into_iter().flatten().chain(named("--exclude=", files));
            insert(&mut words, 0, told.chain(named("--exclude=", directories)).collect());
        }
        _ => {
            left_out.object()?;
            if !words.iter().all(is_plain_for_others) {
                return Err(PlanObjection::new(format!(
                    "with these options {program} may search what version control keeps"
                )));
            }
        }
    }
    Ok(words)
}

fn insert(words: &mut Vec<RunnableWord>, place: usize, told: Vec<String>) {
    words.splice(place..place, told.into_iter().map(RunnableWord::text));
}

/// `name` as a pattern that fits nothing else.
fn without_patterns(name: &str) -> String {
    let escaped = |char: char| if "*?[]{}\\!".contains(char) { format!("\\{char}") } else { char.to_string() };
    name.chars().map(escaped).collect()
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

/// Whether `program` can be told to leave out files by their names.
pub(super) fn can_leave_out(program: &str) -> bool {
    ["rg", "rgrep"].contains(&program) || GREPS.contains(&program) || COMPARISONS.contains(&program)
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
