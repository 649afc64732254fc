//! Events of the terminal as inputs. Terminals without bracketed paste type what is pasted: such a burst is put together
//! again, so that a line break inside it does not send half a text.

use super::background_report::{BackgroundReport, parse_background_report};
use super::{TerminalFocus, TerminalInput};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// More keys than this at once are not typed by hand.
const TYPED_AT_ONCE: usize = 8;

/// What events that came together mean. Sizes are not among it: the terminal is asked for them when they are needed.
pub(super) fn inputs_from_events(events: &[Event]) -> Vec<TerminalInput> {
    let mut inputs = Vec::new();
    let mut burst = Vec::new();
    let mut pasted = false;
    let mut at = 0;
    while let Some(event) = events.get(at) {
        if let BackgroundReport::Complete(length, background) = parse_background_report(&events[at..]) {
            close_burst(&mut inputs, &mut burst);
            inputs.extend(background.map(TerminalInput::Background));
            at += length;
            continue;
        }
        at += 1;
        // A text that was pasted may pretend to end early; what comes with it was not typed by anybody.
        if pasted && matches!(event, Event::Key(_)) {
            continue;
        }
        pasted |= matches!(event, Event::Paste(_));
        if let Event::Key(key) = event
            && typed_character(key).is_some()
        {
            burst.push(*key);
            continue;
        }
        let other = match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => continue,
            Event::Key(key) => TerminalInput::Key(*key),
            Event::Paste(text) => TerminalInput::Paste(text.replace("\r\n", "\n").replace('\r', "\n")),
            Event::FocusGained => TerminalInput::Focus(TerminalFocus::Gained),
            Event::FocusLost => TerminalInput::Focus(TerminalFocus::Lost),
            Event::Resize(..) | Event::Mouse(_) => continue,
        };
        close_burst(&mut inputs, &mut burst);
        inputs.push(other);
    }
    close_burst(&mut inputs, &mut burst);
    inputs
}

/// Whether these came faster than anybody types.
pub(super) fn is_burst(events: &[Event]) -> bool {
    let spelling = |event: &Event| matches!(event, Event::Key(key) if typed_character(key).is_some());
    // Asked after each event of a long text, so it looks at no more than it has to.
    events.len() > TYPED_AT_ONCE && events.iter().rev().take(TYPED_AT_ONCE + 1).all(spelling)
}

fn close_burst(inputs: &mut Vec<TerminalInput>, burst: &mut Vec<KeyEvent>) {
    let keys = std::mem::take(burst);
    let text: String = keys.iter().filter_map(typed_character).collect();
    // Whoever types ahead of a slow program ends with Enter; only a pasted text goes on after it.
    let goes_on = text.trim_end_matches('\n').contains('\n');
    if keys.len() > TYPED_AT_ONCE && goes_on {
        inputs.push(TerminalInput::Paste(text));
    } else {
        inputs.extend(keys.into_iter().map(TerminalInput::Key));
    }
}

/// The character that a key would be in a text.
fn typed_character(key: &KeyEvent) -> Option<char> {
    if key.kind != KeyEventKind::Press {
        return None;
    }
    match key.code {
        // A line feed comes as Ctrl+J.
        KeyCode::Char('j') if key.modifiers == KeyModifiers::CONTROL => Some('\n'),
        _ if !(key.modifiers - KeyModifiers::SHIFT).is_empty() => None,
        KeyCode::Char(ch) => Some(ch),
        KeyCode::Enter if key.modifiers.is_empty() => Some('\n'),
        KeyCode::Tab => Some('\t'),
        _ => None,
    }
}
