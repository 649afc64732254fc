//! A key with what is held down beside it: as terminals send it, as files spell it, as people read it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// A key and its modifiers, so that the same press is the same value however the terminal spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

const MODIFIERS: [(&str, KeyModifiers); 7] = [
    ("ctrl+", KeyModifiers::CONTROL),
    ("shift+", KeyModifiers::SHIFT),
    ("alt+", KeyModifiers::ALT),
    ("option+", KeyModifiers::ALT),
    ("opt+", KeyModifiers::ALT),
    ("cmd+", KeyModifiers::SUPER),
    ("meta+", KeyModifiers::SUPER),
];

/// Keys by the name that files use and the one that people read.
const NAMED: [(&str, KeyCode, &str); 21] = [
    ("enter", KeyCode::Enter, "Enter"),
    ("escape", KeyCode::Esc, "Esc"),
    ("esc", KeyCode::Esc, "Esc"),
    ("tab", KeyCode::Tab, "Tab"),
    ("space", KeyCode::Char(' '), "Space"),
    ("backspace", KeyCode::Backspace, "Backspace"),
    ("delete", KeyCode::Delete, "Delete"),
    ("insert", KeyCode::Insert, "Insert"),
    ("up", KeyCode::Up, "Up"),
    ("down", KeyCode::Down, "Down"),
    ("left", KeyCode::Left, "Left"),
    ("right", KeyCode::Right, "Right"),
    ("home", KeyCode::Home, "Home"),
    ("end", KeyCode::End, "End"),
    ("pageup", KeyCode::PageUp, "PageUp"),
    ("pagedown", KeyCode::PageDown, "PageDown"),
    ("clear", KeyCode::KeypadBegin, "Clear"),
    ("capslock", KeyCode::CapsLock, "CapsLock"),
    ("numlock", KeyCode::NumLock, "NumLock"),
    ("scrolllock", KeyCode::ScrollLock, "ScrollLock"),
    ("printscreen", KeyCode::PrintScreen, "PrintScreen"),
];

impl Chord {
    /// Read `ctrl+shift+z`. An error says what is wrong with it.
    pub(super) fn parse(spelled: &str) -> Result<Chord, String> {
        let mut rest = spelled.trim();
        let mut modifiers = KeyModifiers::NONE;
        while let Some((word, modifier)) = MODIFIERS.iter().find(|(word, _)| starts_with(rest, word)) {
            modifiers |= *modifier;
            rest = &rest[word.len()..];
        }
        let mut letters = rest.chars();
        let code = match (letters.next(), letters.next()) {
            (None, _) => return Err("names no key".to_owned()),
            (Some(letter), None) => KeyCode::Char(letter),
            _ => named(rest).ok_or_else(|| "is no key: say one character, or a name such as enter or f5".to_owned())?,
        };
        Ok(Chord::new(code, modifiers))
    }

    /// Letters are small ones with Shift; on other characters Shift says nothing, because the character says it.
    fn new(code: KeyCode, modifiers: KeyModifiers) -> Chord {
        let held = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::SUPER;
        let mut modifiers = modifiers & held;
        let code = match code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(letter) if letter.is_uppercase() => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Char(lower(letter))
            }
            KeyCode::Char(letter) if !letter.is_lowercase() => {
                modifiers -= KeyModifiers::SHIFT;
                code
            }
            code => code,
        };
        Chord { code, modifiers }
    }
}

impl From<&KeyEvent> for Chord {
    fn from(key: &KeyEvent) -> Chord {
        Chord::new(key.code, key.modifiers)
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.modifiers.is_empty();
        let words = [
            (KeyModifiers::CONTROL, "Ctrl+"),
            (KeyModifiers::ALT, "Alt+"),
            (KeyModifiers::SHIFT, "Shift+"),
            (KeyModifiers::SUPER, "Cmd+"),
        ];
        for (modifier, word) in words {
            if self.modifiers.contains(modifier) {
                f.write_str(word)?;
            }
        }
        match (self.code, NAMED.iter().find(|(_, code, _)| *code == self.code)) {
            (_, Some((_, _, name))) => f.write_str(name),
            (KeyCode::Char(letter), None) if plain => write!(f, "{letter}"),
            (KeyCode::Char(letter), None) => write!(f, "{}", letter.to_uppercase()),
            (code, None) => write!(f, "{code}"),
        }
    }
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn named(name: &str) -> Option<KeyCode> {
    let name = name.to_ascii_lowercase();
    let function =
        name.strip_prefix('f').and_then(|number| number.parse().ok()).filter(|number| (1..=35).contains(number));
    let known = NAMED.iter().find(|(known, _, _)| *known == name).map(|(_, code, _)| *code);
    known.or(function.map(KeyCode::F))
}

/// Letters that become several are left as they are: no key sends several.
fn lower(letter: char) -> char {
    let mut small = letter.to_lowercase();
    match (small.next(), small.next()) {
        (Some(small), None) => small,
        _ => letter,
    }
}
