//! Where words and lines begin and end, in bytes of a text. All of it looks only as far as it has to.

use super::folded_pastes::is_stand_in;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// What a character is to somebody who moves by words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharacterClass {
    Blank,
    Word,
    Sign,
}

pub(super) fn class(cluster: &str) -> CharacterClass {
    match cluster.chars().next() {
        Some(ch) if ch.is_whitespace() => CharacterClass::Blank,
        Some(ch) if ch.is_alphanumeric() || ch == '_' || is_stand_in(ch) => CharacterClass::Word,
        Some(_) => CharacterClass::Sign,
        None => CharacterClass::Blank,
    }
}

/// The place at or after `at` that is between two characters: what is typed may join what stands there.
pub(super) fn between(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    let stands = GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0);
    if stands == Ok(true) { at } else { right(text, at) }
}

/// The start of the character before `at`.
pub(super) fn left(text: &str, at: usize) -> usize {
    GraphemeCursor::new(at, text.len(), true).prev_boundary(text, 0).ok().flatten().unwrap_or(0)
}

/// The end of the character at `at`.
pub(super) fn right(text: &str, at: usize) -> usize {
    GraphemeCursor::new(at, text.len(), true).next_boundary(text, 0).ok().flatten().unwrap_or(text.len())
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found)
}

/// The first character of a line that is no blank, or its end.
pub(super) fn line_text(text: &str, at: usize) -> usize {
    let (start, end) = (line_start(text, at), line_end(text, at));
    end - text[start..end].trim_start().len()
}

/// The start of the word before `at`, as Emacs has it: letters and digits.
pub(super) fn word_left(text: &str, at: usize) -> usize {
    let start = back_while(text, at, |found| found != CharacterClass::Word);
    back_while(text, start, |found| found == CharacterClass::Word)
}

/// The end of the word after `at`.
pub(super) fn word_right(text: &str, at: usize) -> usize {
    let start = on_while(text, at, |found| found != CharacterClass::Word);
    on_while(text, start, |found| found == CharacterClass::Word)
}

/// The start of what stands before `at` between blanks.
pub(super) fn blank_left(text: &str, at: usize) -> usize {
    let start = back_while(text, at, |found| found == CharacterClass::Blank);
    back_while(text, start, |found| found != CharacterClass::Blank)
}

/// Where the next word begins, as Vi has it: letters or signs.
pub(super) fn next_word(text: &str, at: usize) -> usize {
    let here = class(&text[at..]);
    let end = if here == CharacterClass::Blank { at } else { on_while(text, at, |found| found == here) };
    on_while(text, end, |found| found == CharacterClass::Blank)
}

/// Where the word before `at` begins, as Vi has it.
pub(super) fn word_before(text: &str, at: usize) -> usize {
    let end = back_while(text, at, |found| found == CharacterClass::Blank);
    let last = class(&text[left(text, end)..end]);
    if end == 0 { 0 } else { back_while(text, end, |found| found == last) }
}

/// The last character of the word after `at`, as Vi has it.
pub(super) fn word_end(text: &str, at: usize) -> usize {
    let start = on_while(text, right(text, at), |found| found == CharacterClass::Blank);
    let first = class(&text[start..]);
    let end = on_while(text, start, |found| found == first);
    if end > start { left(text, end) } else { start }
}

fn on_while(text: &str, at: usize, wanted: impl Fn(CharacterClass) -> bool) -> usize {
    let stop = text[at..].grapheme_indices(true).find(|(_, cluster)| !wanted(class(cluster)));
    stop.map_or(text.len(), |(found, _)| at + found)
}

fn back_while(text: &str, at: usize, wanted: impl Fn(CharacterClass) -> bool) -> usize {
    let stop = text[..at].grapheme_indices(true).rev().find(|(_, cluster)| !wanted(class(cluster)));
    stop.map_or(0, |(found, cluster)| found + cluster.len())
}
