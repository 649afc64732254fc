//! Words of a command, told apart into options and operands as `getopt_long` does it.

use pollux_session::{PlannedWord, WordPiece};
use std::collections::HashMap;

/// What follows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionKind {
    /// Nothing.
    Flag,
    /// Text, attached to it or in the next word.
    Text,
    /// Text, attached to it.
    AttachedText,
    /// Text attached to it, or nothing.
    MaybeText,
    /// The name of a file that is read, attached to it or in the next word.
    File,
}

/// A command's words, told apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SplitOptions<'a> {
    /// The names of the options that were given.
    pub(super) given: Vec<String>,
    /// Values of options that are text.
    pub(super) values: Vec<String>,
    /// Whether a value that is a word of its own begins with a dash.
    pub(super) has_dashed_value: bool,
    /// Values of options that name files.
    pub(super) files: Vec<PlannedWord>,
    /// What is left, each with its place among the words.
    pub(super) operands: Vec<(usize, &'a PlannedWord)>,
}

/// Tell `words` apart; the error is the option that is not known.
pub(super) fn split_options<'a>(
    options: &HashMap<String, OptionKind>,
    numbers: bool,
    words: &'a [PlannedWord],
) -> Result<SplitOptions<'a>, String> {
    let mut split = SplitOptions::default();
    let mut words = words.iter().enumerate();
    while let Some((at, word)) = words.next() {
        let Some(text) = option_text(word)? else {
            split.operands.push((at, word));
            continue;
        };
        if text == "--" {
            split.operands.extend(words);
            break;
        }
        let is_number = text[1..].chars().all(|char| char.is_ascii_digit());
        if numbers && is_number {
            split.given.push("-NUM".to_owned());
            continue;
        }
        let mut is_dashed = false;
        let mut next = || {
            let value = words.next().and_then(|(_, word)| word.literal()).map(str::to_owned);
            is_dashed = value.as_ref().is_some_and(|value| value.starts_with('-'));
            value
        };
        if text.starts_with("--") {
            take_long(options, &text, &mut next, &mut split)?;
        } else {
            take_cluster(options, &text, &mut next, &mut split)?;
        }
        split.has_dashed_value |= is_dashed;
    }
    Ok(split)
}

/// The text of a word that is an option: a dash and something behind it. One with a pattern in it, as in
/// `--include=*.rs`, is taken as it is written: it is checked before the start that no file has such a name.
fn option_text(word: &PlannedWord) -> Result<Option<String>, String> {
    match (word.literal(), word.pieces.first()) {
        (Some("-"), _) => Ok(None),
        (Some(text), _) => Ok(text.starts_with('-').then(|| text.to_owned())),
        (None, Some(WordPiece::Text(text))) if text.starts_with('-') => {
            let written = word.unquoted();
            if word.pieces.contains(&WordPiece::ExitCode) || !text.contains('=') {
                return Err(written);
            }
            Ok(Some(written))
        }
        (None, _) => Ok(None),
    }
}

fn take_long(
    options: &HashMap<String, OptionKind>,
    text: &str,
    next: &mut impl FnMut() -> Option<String>,
    split: &mut SplitOptions<'_>,
) -> Result<(), String> {
    let (name, attached) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let unknown = || name.to_owned();
    let kind = *options.get(name).ok_or_else(unknown)?;
    match (kind, attached) {
        (OptionKind::Flag | OptionKind::MaybeText, None) => {}
        (OptionKind::Text | OptionKind::AttachedText | OptionKind::MaybeText, Some(value)) => split.values.push(value),
        (OptionKind::Text, None) => split.values.push(next().ok_or_else(unknown)?),
        (OptionKind::File, Some(value)) => split.files.push(PlannedWord::text(value)),
        (OptionKind::File, None) => split.files.push(PlannedWord::text(next().ok_or_else(unknown)?)),
        (OptionKind::Flag, Some(_)) | (OptionKind::AttachedText, None) => return Err(text.to_owned()),
    }
    split.given.push(name.to_owned());
    Ok(())
}

/// `-la`, `-n5`, `-n 5`.
fn take_cluster(
    options: &HashMap<String, OptionKind>,
    text: &str,
    next: &mut impl FnMut() -> Option<String>,
    split: &mut SplitOptions<'_>,
) -> Result<(), String> {
    // A few programs have short options of two letters: `git branch -vv`.
    if options.get(text) == Some(&OptionKind::Flag) {
        split.given.push(text.to_owned());
        return Ok(());
    }
    let letters = text[1..].char_indices();
    for (at, letter) in letters {
        let name = format!("-{letter}");
        let unknown = || if text.chars().count() == 2 { name.clone() } else { format!("{name} (in {text})") };
        let kind = *options.get(&name).ok_or_else(unknown)?;
        let rest = &text[1 + at + letter.len_utf8()..];
        let attached = (!rest.is_empty()).then(|| rest.to_owned());
        split.given.push(name.clone());
        match (kind, attached) {
            (OptionKind::Flag, _) => continue,
            (OptionKind::Text | OptionKind::AttachedText | OptionKind::MaybeText, Some(value)) => {
                split.values.push(value);
            }
            (OptionKind::MaybeText, None) => {}
            (OptionKind::Text, None) => split.values.push(next().ok_or_else(unknown)?),
            (OptionKind::File, Some(value)) => split.files.push(PlannedWord::text(value)),
            (OptionKind::File, None) => split.files.push(PlannedWord::text(next().ok_or_else(unknown)?)),
            (OptionKind::AttachedText, None) => return Err(unknown()),
        }
        break;
    }
    Ok(())
}
