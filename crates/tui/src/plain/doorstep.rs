//! Somebody who waits to be let into a session, and may not want to any more. All they can say before it is there is that
//! they leave; the rest is for the session.

use crate::keys::{Key, Keys, erase_letter, erase_word};
use crate::lines::Typed;
use crate::slash::Slash;

/// What was typed so far, read a first time.
#[derive(Debug, Default)]
pub(super) struct Doorstep {
    keys: Keys,
    line: String,
    /// Whether the line before goes on in this one.
    goes_on: bool,
}

impl Doorstep {
    /// Whether the person leaves with this: `/quit` on a line of its own, or Ctrl+D on an empty one.
    pub(super) fn is_left_by(&mut self, typed: &Typed) -> bool {
        match typed {
            Typed::Line(line) => self.quits(line),
            Typed::Keys(bytes) => self.keys.read(bytes).into_iter().any(|key| {
                match key {
                    Key::Text(text) => self.line.push_str(&text),
                    Key::Backspace => erase_letter(&mut self.line),
                    Key::EraseWord => erase_word(&mut self.line),
                    Key::EraseLine => self.line.clear(),
                    Key::Enter => {
                        let line = std::mem::take(&mut self.line);
                        return self.quits(&line);
                    }
                    Key::End => return self.line.is_empty(),
                }
                false
            }),
        }
    }

    /// Whether a whole line says so, and is not a part of a longer one.
    fn quits(&mut self, line: &str) -> bool {
        let goes_on = std::mem::replace(&mut self.goes_on, line.ends_with('\\'));
        !goes_on && line.starts_with('/') && Slash::parse(line.trim()) == Slash::Quit
    }
}

#[cfg(test)]
mod tests {
    use super::{Doorstep, Typed};
    use pretty_assertions::assert_eq;

    #[test]
    fn what_leaves_and_what_waits() {
        let keys = |bytes: &str| Typed::Keys(bytes.into());
        let table: &[(&[Typed], bool)] = &[
            (&["/quit".into()], true),
            (&["/exit ".into()], true),
            (&[" /exit".into()], false),
            (&["/quit now".into()], false),
            (&["say /quit".into()], false),
            (&[keys("\u{4}")], true),
            (&[keys("a\u{4}")], false),
            (&[keys("a"), keys("\u{7f}\u{4}")], true),
            (&[keys("/qu"), keys("it\r")], true),
            (&[keys("hello\r/quit")], false),
            (&[keys("hello\r"), keys("/quit\r")], true),
            (&[keys("fix this\u{17}\u{4}")], false),
            (&[keys("say x\u{17}/quit\r")], false),
            (&[keys("/quix\u{15}/quit\r")], true),
            (&[keys("foo\\\r/quit\r")], false),
            (&["foo\\".into(), "/quit".into()], false),
            (&["foo\\".into(), "bar".into(), "/quit".into()], true),
        ];
        for (typed, left) in table {
            let mut doorstep = Doorstep::default();
            assert_eq!(typed.iter().any(|typed| doorstep.is_left_by(typed)), *left, "{typed:?}");
        }
    }
}
