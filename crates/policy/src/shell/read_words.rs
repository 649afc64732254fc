//! Which words of a command are read as another command already.

use super::ShellWord;
use super::unwrap::{WrappedCommand, joins_words, runs_next_words, unwrap};
use std::collections::HashSet;
use std::ops::Range;

/// For each of `words`, whether it belongs to what they run besides themselves and was read as that.
pub(super) fn find_read_words(words: &[ShellWord]) -> Vec<bool> {
    let mut read = vec![false; words.len()];
    match unwrap(words).map(|(_, inner)| inner) {
        Some(WrappedCommand::Commands(commands)) => {
            let mut from = 1;
            for command in &commands {
                if let Some(place) = find_place(words, from, command) {
                    from = place.end;
                    read[place].fill(true);
                }
            }
        }
        Some(WrappedCommand::Script(script)) => {
            let parts: HashSet<&str> = script.split_whitespace().collect();
            let is_part = |text: &str| text.split_whitespace().all(|part| parts.contains(part));
            for (at, word) in words.iter().enumerate() {
                read[at] = word.literal().is_some_and(is_part);
            }
        }
        Some(WrappedCommand::UnseenScript(_)) | None => {}
    }
    read
}

/// Where in `words` the commands stand that they run with some of these words; or why that cannot be told. A script is none: whoever
/// allows a shell allows what it runs.
pub(crate) fn find_inner_programs(words: &[ShellWord]) -> Result<Vec<Range<usize>>, &'static str> {
    let commands = match unwrap(words).map(|(_, inner)| inner) {
        Some(WrappedCommand::Commands(commands)) => commands,
        Some(unknown) if unknown == WrappedCommand::UNKNOWN_OPTION => return Err(WrappedCommand::UNKNOWN_PROGRAM),
        Some(WrappedCommand::Script(script)) if joins_words(words) => {
            let is_script = |at: &usize| script_of(&words[*at..]).is_some_and(|joined| joined == script);
            let at = (1..words.len()).find(is_script).ok_or(WrappedCommand::UNKNOWN_PROGRAM)?;
            return Ok(std::iter::once(at..words.len()).collect());
        }
        Some(WrappedCommand::Script(_) | WrappedCommand::UnseenScript(_)) | None => Vec::new(),
    };
    let mut from = 1;
    let mut places = Vec::new();
    for command in &commands {
        let place = find_place(words, from, command).ok_or(WrappedCommand::UNKNOWN_PROGRAM)?;
        // A pattern may stand for the name of the program, too.
        if words[from..place.start].iter().any(|word| word.literal().is_none()) {
            return Err(WrappedCommand::UNKNOWN_PROGRAM);
        }
        from = place.end;
        places.push(place);
    }
    Ok(places)
}

/// The script that `words` are once they are joined, if a shell makes the same words of it.
fn script_of(words: &[ShellWord]) -> Option<String> {
    let is_plain = |text: &&str| {
        !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || "-_=+:,./@%".contains(char))
    };
    let texts: Option<Vec<&str>> = words.iter().map(|word| word.literal().filter(is_plain)).collect();
    texts.map(|texts| texts.join(" "))
}

/// Where in `words` the command stands that they run besides themselves; at their end if it cannot be seen there.
pub(crate) fn find_inner_command(words: &[ShellWord]) -> Option<Range<usize>> {
    let place = match unwrap(words)?.1 {
        WrappedCommand::Commands(commands) => commands.first().and_then(|command| find_place(words, 1, command)),
        WrappedCommand::Script(_) | WrappedCommand::UnseenScript(_) => None,
    };
    Some(place.unwrap_or(words.len()..words.len()))
}

/// Where `command` stands in `words`, behind those that were found before: at their end, or behind an option of `find`'s.
fn find_place(words: &[ShellWord], from: usize, command: &[ShellWord]) -> Option<Range<usize>> {
    let own = match command {
        [own @ .., more] if more.is_more_words() => own,
        command => command,
    };
    let is_there = |at: &usize| {
        let there = words.get(*at..*at + own.len()).unwrap_or_default();
        // A package is run without its version.
        let is_package = |(place, written): (usize, &ShellWord)| {
            let (written, name) = (written.literal(), own[place].literal());
            place == 0 && written.zip(name).is_some_and(|(written, name)| written.starts_with(name))
        };
        let is_same =
            |(place, written): (usize, &ShellWord)| written.is_written_as(&own[place]) || is_package((place, written));
        there.len() == own.len() && there.iter().enumerate().all(is_same)
    };
    let at_end = words.len().checked_sub(own.len()).filter(|at| *at >= from && is_there(at));
    let behind_option = || {
        let option = words.get(from..)?.iter().position(runs_next_words)?;
        Some(from + option + 1).filter(is_there)
    };
    let at = at_end.or_else(behind_option)?;
    Some(at..at + own.len())
}
