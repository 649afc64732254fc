//! The terminal's answer to the question for its background. Crossterm does not know it, so it comes as if it had been
//! typed: Alt+], `11;rgb:ffff/ffff/ffff`, and Alt+\ or Ctrl+G at its end. Whenever it comes, nothing of it may reach the
//! person's text, least of all the Ctrl+G.

use crate::screen::theme::{Rgb, parse_colour};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// What the number of the question is, and what goes before the colour.
const HEAD: &str = "11;";
/// No answer is longer: `rgba:ffff/ffff/ffff/ffff`.
const LONGEST: usize = 32;

/// An answer among events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The events begin with one, of so many events. `None` when what it says is not understood.
    Whole(usize, Option<Rgb>),
    /// It may be one, and its end is not here yet.
    Begun,
    /// They begin with something else.
    No,
}

/// Look for an answer at the beginning of `events`.
pub(super) fn read_answer(events: &[Event]) -> Answer {
    let opening = match events {
        [first, ..] if is(first, ']', KeyModifiers::ALT) => 1,
        // The escape and the rest may have come one after the other.
        [first, second, ..] if is_escape(first) && is(second, ']', KeyModifiers::NONE) => 2,
        [only] if is_escape(only) => return Answer::Begun,
        _ => return Answer::No,
    };
    let mut text = String::new();
    for (at, event) in events.iter().enumerate().skip(opening) {
        let ends = is(event, 'g', KeyModifiers::CONTROL) || is(event, '\\', KeyModifiers::ALT);
        let ends_in_two = is_escape(event) && events.get(at + 1).is_some_and(|next| is(next, '\\', KeyModifiers::NONE));
        if ends || ends_in_two {
            let Some(colour) = text.strip_prefix(HEAD) else { return Answer::No };
            return Answer::Whole(at + if ends { 1 } else { 2 }, parse_colour(colour));
        }
        match letter(event) {
            Some(letter) if text.len() < LONGEST => text.push(letter),
            _ if is_escape(event) && at + 1 == events.len() => return Answer::Begun,
            _ => return Answer::No,
        }
        if !(HEAD.starts_with(&text) || text.starts_with(HEAD)) {
            return Answer::No;
        }
    }
    Answer::Begun
}

/// Whether the newest of `events` may be the beginning of an answer: the rest of it is worth waiting for.
pub(super) fn is_answering(events: &[Event]) -> bool {
    let recent = events.len().saturating_sub(LONGEST + HEAD.len() + 2);
    (recent..events.len()).any(|at| read_answer(&events[at..]) == Answer::Begun)
}

fn letter(event: &Event) -> Option<char> {
    match event {
        Event::Key(KeyEvent { code: KeyCode::Char(ch), modifiers, .. }) if modifiers.is_empty() => Some(*ch),
        _ => None,
    }
}

fn is(event: &Event, ch: char, modifiers: KeyModifiers) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Char(ch) && key.modifiers == modifiers)
}

fn is_escape(event: &Event) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Esc && key.modifiers.is_empty())
}
