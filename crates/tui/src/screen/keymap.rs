//! Which key does what. The names of the commands and the file they are changed in are those of Gemini CLI, so that a
//! person's own keys come along.

mod bindings_file;
mod chord;
mod key_action;

use chord::Chord;
use crossterm::event::{KeyEvent, KeyEventKind};
use key_action::ACTIONS;
pub(crate) use key_action::KeyAction;

#[cfg(test)]
mod tests;

/// Keys and what they do. Of two bindings of a key the newer one counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Keymap {
    bindings: Vec<(Chord, KeyAction)>,
}

/// What can be typed besides single keys, for the list of keys.
const TYPED: [(&str, &str); 5] = [
    ("\\ then Enter", "start a new line"),
    ("@", "name a file"),
    ("/ at the start", "give a command"),
    ("! when empty", "run a shell command"),
    ("Ctrl+X Ctrl+E", "write the prompt in your own editor"),
];

impl Keymap {
    /// The keys nobody has changed.
    pub(crate) fn defaults() -> Keymap {
        let each = |info: &key_action::KeyActionEntry| {
            let action = info.action;
            info.keys.iter().filter_map(move |key| Some((Chord::parse(key).ok()?, action)))
        };
        Keymap { bindings: ACTIONS.iter().flat_map(each).collect() }
    }

    /// The keys as a person's file changes them, and a sentence for everything in it that could not be followed.
    pub(crate) fn with_file(text: &str) -> (Keymap, Vec<String>) {
        let mut keymap = Keymap::defaults();
        let complaints = bindings_file::apply_bindings_file(&mut keymap, text);
        (keymap, complaints)
    }

    /// What a key does, if it does anything but type.
    pub(crate) fn action(&self, key: &KeyEvent) -> Option<KeyAction> {
        (key.kind != KeyEventKind::Release).then(|| self.bound(Chord::from(key)))?
    }

    /// The keys in words and what they do, in the order of the table of actions.
    pub(crate) fn listing(&self) -> Vec<(String, &'static str)> {
        let rows = ACTIONS.iter().filter_map(|info| {
            let keys = self.keys(info.action);
            (!keys.is_empty()).then(|| (keys.join(", "), info.does))
        });
        rows.chain(TYPED.map(|(keys, does)| (keys.to_owned(), does))).collect()
    }

    /// The names that a file may use for what can be done, and what they do.
    pub(crate) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        ACTIONS.iter().map(|info| (info.name, info.does))
    }

    fn keys(&self, action: KeyAction) -> Vec<String> {
        let mut keys = Vec::new();
        for (chord, to) in &self.bindings {
            let words = chord.to_string();
            if *to == action && self.bound(*chord) == Some(action) && !keys.contains(&words) {
                keys.push(words);
            }
        }
        keys
    }

    fn bound(&self, chord: Chord) -> Option<KeyAction> {
        self.bindings.iter().rev().find(|(bound, _)| *bound == chord).map(|(_, action)| *action)
    }
}
