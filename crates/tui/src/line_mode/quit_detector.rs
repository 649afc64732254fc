//! Somebody who waits to be let into a session, and may not want to any more. All they can say before it is there is that
//! they leave; the rest is for the session.

use crate::key_decoder::{KeyDecoder, LineKey, erase_letter, erase_word};
use crate::line_input::TypedInput;
use crate::terminal_command::TerminalCommand;

/// The input so far, read a first time.
#[derive(Debug, Default)]
pub(super) struct QuitDetector {
    keys: KeyDecoder,
    line: String,
    /// True if the line before goes on in this one.
    continues: bool,
}

impl QuitDetector {
    /// True if the person leaves with this: `/quit` on a line of its own, or Ctrl+D on an empty one.
    pub(super) fn is_quit(&mut self, typed: &TypedInput) -> bool {
        match typed {
            TypedInput::Line(line) => self.is_quit_line(line),
            TypedInput::Keys(bytes) => self.keys.decode(bytes).into_iter().any(|key| {
                match key {
                    LineKey::Text(text) => self.line.push_str(&text),
                    LineKey::Backspace => erase_letter(&mut self.line),
                    LineKey::EraseWord => erase_word(&mut self.line),
                    LineKey::EraseLine => self.line.clear(),
                    LineKey::Enter => {
                        let line = std::mem::take(&mut self.line);
                        return self.is_quit_line(&line);
                    }
                    LineKey::End => return self.line.is_empty(),
                }
                false
            }),
        }
    }

    /// True if a whole line says so, and is not a part of a longer one.
    fn is_quit_line(&mut self, line: &str) -> bool {
        let goes_on = std::mem::replace(&mut self.continues, line.ends_with('\\'));
        !goes_on && line.starts_with('/') && TerminalCommand::parse(line.trim()) == TerminalCommand::Quit
    }
}

#[cfg(test)]
mod tests {
    use super::{QuitDetector, TypedInput};
    use pretty_assertions::assert_eq;

    #[test]
    fn what_leaves_and_what_waits() {
        let keys = |bytes: &str| TypedInput::Keys(bytes.into());
        let table: &[(&[TypedInput], bool)] = &[
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
            let mut doorstep = QuitDetector::default();
            assert_eq!(typed.iter().any(|typed| doorstep.is_quit(typed)), *left, "{typed:?}");
        }
    }
}
