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
pub(super) enum BackgroundReport {
    /// The events begin with one, of so many events. `None` when what it says is not understood.
    Complete(usize, Option<Rgb>),
    /// It may be one, and its end is not here yet.
    Partial,
    /// They begin with something else.
    Absent,
}

/// Look for an answer at the beginning of `events`.
pub(super) fn parse_background_report(events: &[Event]) -> BackgroundReport {
    let opening = match events {
        [first, ..] if is_key(first, ']', KeyModifiers::ALT) => 1,
        // The escape and the rest may have come one after the other.
        [first, second, ..] if is_escape(first) && is_key(second, ']', KeyModifiers::NONE) => 2,
        [only] if is_escape(only) => return BackgroundReport::Partial,
        _ => return BackgroundReport::Absent,
    };
    let mut text = String::new();
    for (at, event) in events.iter().enumerate().skip(opening) {
        let ends = is_key(event, 'g', KeyModifiers::CONTROL) || is_key(event, '\\', KeyModifiers::ALT);
        let ends_in_two =
            is_escape(event) && events.get(at + 1).is_some_and(|next| is_key(next, '\\', KeyModifiers::NONE));
        if ends || ends_in_two {
            let Some(colour) = text.strip_prefix(HEAD) else { return BackgroundReport::Absent };
            return BackgroundReport::Complete(at + if ends { 1 } else { 2 }, parse_colour(colour));
        }
        match letter(event) {
            Some(letter) if text.len() < LONGEST => text.push(letter),
            _ if is_escape(event) && at + 1 == events.len() => return BackgroundReport::Partial,
            _ => return BackgroundReport::Absent,
        }
        if !(HEAD.starts_with(&text) || text.starts_with(HEAD)) {
            return BackgroundReport::Absent;
        }
    }
    BackgroundReport::Partial
}

/// Whether the newest of `events` may be the beginning of an answer: the rest of it is worth waiting for.
pub(super) fn may_be_report(events: &[Event]) -> bool {
    let recent = events.len().saturating_sub(LONGEST + HEAD.len() + 2);
    (recent..events.len()).any(|at| parse_background_report(&events[at..]) == BackgroundReport::Partial)
}

fn letter(event: &Event) -> Option<char> {
    match event {
        Event::Key(KeyEvent { code: KeyCode::Char(ch), modifiers, .. }) if modifiers.is_empty() => Some(*ch),
        _ => None,
    }
}

fn is_key(event: &Event, ch: char, modifiers: KeyModifiers) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Char(ch) && key.modifiers == modifiers)
}

fn is_escape(event: &Event) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Esc && key.modifiers.is_empty())
}
